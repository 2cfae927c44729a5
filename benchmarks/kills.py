"""Kill trainings and reproductions at random moments, and fill the disk: what is resumed must end with the same bits.

`python benchmarks/kills.py --kills 50` kills each algorithm and `reproduce` 50 times with SIGKILL. A run is killed,
resumed and killed again until it ends; then the next one begins. Each process is forked from this one, which has
imported everything, so that a kill hits the work and not the start-up. With `--plain` kernels run as plain Python, and
nothing is compiled. The disk is a small tmpfs, which only root can mount.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

if "--plain" in sys.argv:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from sailplan.cli import main as command_line
from sailplan.cli import reproduce as reproduce_command
from sailplan.cli.app import app as _app  # noqa: F401  (loads what the commands need)
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.experiments.systems import SYSTEMS
from sailplan.learning import ALGORITHMS
from sailplan.learning.regressors import torch_network as _torch  # noqa: F401  (loads torch)

FAMILY = "shifting_gaps"
TIMES: tuple[str, ...] = ("seconds_rolling_out", "seconds_fitting", "seconds_validating")
TIMES += ("milliseconds", "ms_per_search", "training_seconds")
ROUNDS = ["--rounds", "3", "--max-expansions", "60"]
NETWORK = ["--validation-expansions", "200", "--worlds-per-round", "4", "--samples-per-world", "8"]
NETWORK += ["--hidden", "8,4", "--epochs", "3", "--features", "relative"]
PLANNER = ["--steps", "3", "--batch-size", "4", "--components", "3", "--routes", "3"]
PLANNER += ["--search-steps", "2", "--search-pairs", "2"]
VECTORS = ["--validation-expansions", "200", "--worlds-per-vector", "2"]
OPTIONS: dict[str, list[str]] = {
    "sail": [*ROUNDS, "--worlds-per-round", "3", "--samples-per-world", "4", *PLANNER],
    "sail, paper": [*ROUNDS, *NETWORK, "--preset", "paper"],
    "sl": [*ROUNDS, *NETWORK, "--rounds", "1"],
    "cem": [*ROUNDS, *VECTORS, "--vectors", "6", "--elite", "0.5", "--hidden", "4", "--features", "relative"],
    "ql": [*ROUNDS, *NETWORK],
    "belief": ["--rounds", "3", *VECTORS, "--vectors", "4"],
}
"""Small settings of each algorithm."""


@dataclass(frozen=True)
class Work:
    """A command that can be killed and given again."""

    name: str
    arguments: Callable[[Path], list[str]]
    """The command line for a folder, which depends on what is in it."""
    results: Callable[[Path], dict[str, Any]]
    """What must be equal."""


@dataclass
class Row:
    """What happened to one command."""

    name: str
    kills: int = 0
    runs: int = 0
    """Runs that ended after kills."""
    seconds: float = 0.0
    """Of an undisturbed run."""
    faults: list[str] = field(default_factory=list)


def write_worlds(folder: Path) -> Path:
    for seed, (split, count) in enumerate((("train", 4), ("validation", 2), ("test", 3))):
        for index, world in enumerate(GeneratedWorlds(FAMILY, count, seed, width=11, height=11)):
            write_png(world, folder / FAMILY / split / f"{index}.png")
    return folder


def training(name: str, worlds: Path) -> Work:
    def arguments(folder: Path) -> list[str]:
        if (folder / "settings.json").exists():
            return ["train", "--resume", str(folder), "--jobs", "1"]
        algorithm = name.partition(",")[0]
        given = ["train", "--data", str(worlds / FAMILY), "--out", str(folder), "--algorithm", algorithm, "--jobs", "1"]
        return [*given, *OPTIONS[name]]

    return Work(f"train, {name}", arguments, results_of)


def reproduction(worlds: Path) -> Work:
    def arguments(folder: Path) -> list[str]:
        common = ["--data", str(worlds), "--families", FAMILY, "--quick", "--jobs", "1"]
        return ["reproduce", "table", "--out", str(folder), *common]

    return Work("reproduce", arguments, results_of)


def results_of(folder: Path) -> dict[str, Any]:
    """Return all that a command has written, without times; archives as their arrays, tables as their rows."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".csv":
            rows = csv.DictReader(path.read_text().splitlines())
            found[name] = [{key: value for key, value in row.items() if key not in TIMES} for row in rows]
        elif path.suffix == ".npz":
            with np.load(path) as arrays:
                found[name] = {key: (str(arrays[key].dtype), arrays[key].tobytes()) for key in arrays.files}
        elif path.suffix not in (".md", ".tex"):  # These repeat the rows of the table, with times.
            found[name] = path.read_bytes()
    return found


def start(arguments: Sequence[str], output: Path) -> int:
    """Fork a process that runs the command line; return its number."""
    child = os.fork()
    if child:
        # Here as well as in the child: a kill may come before the child has run.
        with suppress(OSError):
            os.setpgid(child, child)
        return child
    os.setpgid(0, 0)
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    code = 99
    try:
        command_line([*arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def finish(process: int) -> int:
    """Wait for the end of a process, and return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def ended_by(process: int, moment: float) -> int | None:
    """Wait until a moment; return the exit code if the process has ended before."""
    while time.monotonic() < moment:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def undisturbed(work: Work, row: Row, folder: Path) -> dict[str, Any]:
    """Run a command to its end, twice because the first run may compile; return what it has written."""
    for name in ("first", "whole"):
        began = time.monotonic()
        # The name of the folder is the title of the picture in it.
        if finish(start(work.arguments(folder / name / "run"), folder / "output")) != 0:
            raise SystemExit(f"{work.name}: the undisturbed run failed: {(folder / 'output').read_text()[-300:]}")
        row.seconds = time.monotonic() - began
    return work.results(folder / "whole" / "run")


def kill_often(work: Work, kills: int, rng: random.Random, folder: Path, longest: float = 0.4) -> Row:
    """Kill a command at random moments and give it again until it ends; compare with an undisturbed run."""
    row, output, broken = Row(work.name), folder / "output", folder / "broken" / "run"
    expected = undisturbed(work, row, folder)
    while row.kills < kills or broken.exists():
        process = start(work.arguments(broken), output)
        delay = rng.uniform(0.0, longest * row.seconds)
        code = ended_by(process, time.monotonic() + delay) if row.kills < kills else finish(process)
        if code is None:
            os.killpg(process, signal.SIGKILL)
            finish(process)
            row.kills += 1
            continue
        row.runs += 1
        if code != 0:
            row.faults.append(f"exit code {code} after {row.kills} kills: {output.read_text()[-300:]}")
        elif (found := work.results(broken)) != expected:
            names = [name for name in {**found, **expected} if found.get(name) != expected.get(name)]
            row.faults.append(f"other bits after {row.kills} kills: {', '.join(names)}")
        shutil.rmtree(broken)
    return row


def fill_disk(work: Work, sizes: int, rng: random.Random, folder: Path) -> Row:
    """Run a command on disks that are too small, make room and give it again."""
    row, output, disk = Row(f"{work.name}, full disk"), folder / "output", folder / "disk"
    expected = undisturbed(work, row, folder)
    needed = sum(-(-path.stat().st_size // 4096) + 1 for path in (folder / "whole" / "run").rglob("*"))
    disk.mkdir()
    for _ in range(sizes):
        pages = rng.randrange(2, max(3, needed))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4 * pages}k", "tmpfs", str(disk)], check=True)
        try:
            code = finish(start(work.arguments(disk / "run"), output))
            said = output.read_text().strip()
            if code == 2:
                row.kills += 1
                if said.count("\n") or "Traceback" in said:
                    row.faults.append(f"not one line on {pages} pages: {said[-300:]}")
            elif code != 0:
                row.faults.append(f"exit code {code} on {pages} pages: {said[-300:]}")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            code = finish(start(work.arguments(disk / "run"), output))
            if code != 0:
                row.faults.append(f"exit code {code} after {pages} pages: {output.read_text()[-300:]}")
            elif work.results(disk / "run") != expected:
                row.faults.append(f"other bits after {pages} pages")
            row.runs += 1
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    return row


def can_mount(folder: Path) -> bool:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True, check=False)
    if mounted.returncode == 0:
        subprocess.run(["umount", str(folder)], check=True)
    return mounted.returncode == 0


def show(row: Row) -> None:
    told = f"{row.kills:4} stops {row.runs:4} runs ended {row.seconds:6.1f} s undisturbed {len(row.faults):3} faults"
    print(f"{row.name:24} {told}", flush=True)
    for fault in row.faults[:5]:
        print(f"  fault: {fault}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="kills of each command (default: 50)")
    parser.add_argument("--disks", type=int, default=8, help="disks of random sizes for each algorithm (default: 8)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="commands whose names contain this")
    parser.add_argument("--plain", action="store_true", help="with kernels as plain Python")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"seed {given.seed}")
    assert {name.partition(",")[0] for name in OPTIONS} == set(ALGORITHMS)
    few = tuple(one for one in SYSTEMS if one.name in ("sail", "cem", "h_euc", "oracle"))
    setattr(reproduce_command, "SYSTEMS", few)  # noqa: B010
    rng, rows = random.Random(given.seed), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worlds = write_worlds(folder / "worlds")
        trainings = [training(algorithm, worlds) for algorithm in OPTIONS]
        tasks: list[tuple[Callable[..., Row], Work, int]] = [
            (kill_often, work, given.kills) for work in [*trainings, reproduction(worlds)]
        ]
        if can_mount(folder):
            tasks += [(fill_disk, work, given.disks) for work in trainings]
        else:
            print("a full disk is not tried: mounting a tmpfs needs root")
        for index, (task, work, count) in enumerate(tasks):
            if given.only in work.name and count:
                (folder / str(index)).mkdir()
                rows.append(task(work, count, rng, folder / str(index)))
                show(rows[-1])
    if given.json:
        given.json.write_text(json.dumps({"seed": given.seed, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")
    faults = sum(len(row.faults) for row in rows)
    print(f"{sum(row.kills for row in rows)} stops, {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
