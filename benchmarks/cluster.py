"""Trainings and evaluations on Dask clusters: equal bits whatever happens to workers, speed-up, overhead, and scaling.

    python benchmarks/cluster.py bits [CASE ...]     each command with --cluster local:2, compared with --jobs 1
    python benchmarks/cluster.py kills [CASE ...]    the same, with workers killed at random and one that joins late
    python benchmarks/cluster.py speed               roll-outs on one and on two workers, and the overhead of a task
    python benchmarks/cluster.py stream              the memory of an evaluation of few and of many maps
    python benchmarks/cluster.py scale               tasks on 1, 2 and 4 workers, a model, and 1000 simulated workers

With `--json FILE` the figures are written to a file as well.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Thread
from time import perf_counter, sleep
from typing import Any

import numpy as np
import psutil

import sailplan.parallel.job as jobs
from sailplan.core import Policy
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.evaluation.records import read_records
from sailplan.graphs import grid_problem
from sailplan.learning.algorithms.sail import collect
from sailplan.parallel import run_all, use_cluster
from sailplan.policies import DenseNetwork, LearnedPolicy, greedy
from sailplan.policies.features import feature_set
from sailplan.policies.learned.network import Scaling

_EDGE_WORLDS = Path("../shared/data/edge_worlds/2d_1.npz")
_SHORT: dict[str, Any] = {"max_expansions": 400, "validation_expansions": 2000}
_PAPER: dict[str, Any] = {**_SHORT, "worlds_per_round": 30, "samples_per_world": 20, "hidden": "20", "epochs": 2}
_PLANNER: dict[str, Any] = {
    **_SHORT,
    "rounds": 2,
    "worlds_per_round": 16,
    "steps": 6,
    "components": 4,
    "routes": 6,
    "search_steps": 4,
    "search_pairs": 8,
}
_VECTORS: dict[str, Any] = {**_SHORT, "rounds": 6, "vectors": 12, "worlds_per_vector": 20}
_EDGES: dict[str, Any] = {"rounds": 3, "training_worlds": 100, "validation_worlds": 50}
CASES: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "sail": ("maps", "sail", "default", _PLANNER),
    "sail-evaluations": ("maps", "sail", "default", {**_PLANNER, "objective": "evaluations"}),
    "sail-paper": ("maps", "sail", "paper", {**_PAPER, "rounds": 20}),
    "sl": ("maps", "sl", "default", {**_PAPER, "rounds": 1, "epochs": 40}),
    "cem": ("maps", "cem", "default", {**_VECTORS, "hidden": "10"}),
    "ql": ("maps", "ql", "default", {**_PAPER, "rounds": 20}),
    "belief": ("maps", "belief", "default", _VECTORS),
    "belief-roadmap": ("edges", "belief", "default", {**_EDGES, "vectors": 10, "worlds_per_vector": 20}),
    "sail-roadmap": ("edges", "sail", "default", {**_EDGES, "worlds_per_round": 50, "epochs": 2}),
}
"""Trainings: the data, the algorithm, the preset and the settings that are changed."""
EVALUATION = "evaluate"
"""The case that is no training: records of policies on worlds."""
POLICIES = "h_euc,a_star_octile,optimistic,lazy,sail:forest,belief:forest"
KILLS, MOST_RUNS = 5, 4
CLUSTERS = ("local:1", "local:2")
SUMMARIES: dict[str, Callable[[list[float]], Any]] = {"median": np.median, "shortest": min}
WARM_UP = 200
"""Tasks before those that are measured."""
RESTART_SECONDS = 3.0
"""A new worker needs about as long to join; earlier the next kill might find none."""


def write_maps(folder: Path) -> None:
    for split, count, seed in (("train", 40, 0), ("validation", 20, 1), ("test", 200, 2)):
        for index, world in enumerate(GeneratedWorlds("bugtrap_forest", count, seed=seed, width=61, height=61)):
            write_png(world, folder / split / f"{index:03d}.png")


def command_of(name: str, maps: Path, out: Path) -> list[str]:
    """Return the command of a case."""
    if name == EVALUATION:
        options = {"data": maps, "policies": POLICIES, "split": "test", "out": out / "records.csv"}
    else:
        data, algorithm, preset, changes = CASES[name]
        where = maps if data == "maps" else _EDGE_WORLDS
        options = {"data": where, "algorithm": algorithm, "preset": preset, "out": out, **changes}
    given = [text for key, value in options.items() for text in (f"--{key.replace('_', '-')}", str(value))]
    return [sys.executable, "-m", "sailplan", "evaluate" if name == EVALUATION else "train", *given]


def content_of(folder: Path) -> dict[str, bytes]:
    """Return everything that a command has written, without times."""
    files = [*folder.rglob("*.safetensors"), *folder.rglob("*.npz")]
    found = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(files)}
    for file in folder.rglob("records.csv"):
        found[file.name] = repr([replace(one, milliseconds=0.0) for one in read_records(file)]).encode()
    return found


def run_case(name: str, maps: Path, out: Path, *workers: str, chance: Random | None = None) -> dict[str, Any]:
    """Run the command of a case; with `chance`, disturb its workers. Returns what it wrote and what happened."""
    out.mkdir()
    began = perf_counter()
    process = subprocess.Popen(
        [*command_of(name, maps, out / "run"), *workers],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = []
    disturber = None
    for line in process.stderr:
        lines.append(line)
        if chance and line.startswith("note: cluster:"):
            disturber = Disturber(process.pid, line.partition(" at ")[2].partition(",")[0], chance)
            disturber.start()
    code = process.wait()
    seconds = perf_counter() - began
    if disturber:
        disturber.join()
    if code:
        raise RuntimeError(f"{name}: exit code {code}: {''.join(lines)}")
    facts = {"kills": disturber.kills, "late": disturber.late} if disturber else {"kills": 0, "late": False}
    return {"content": content_of(out), "seconds": round(seconds, 1), **facts}


def compare(names: list[str], disturbed: bool, seed: int) -> list[dict[str, Any]]:
    """Run commands in one thread and on a cluster, and compare what they write.

    A command that ends before five workers are killed is run again.
    """
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_maps(folder / "maps")
        for number, name in enumerate(names):
            if name in CASES and CASES[name][0] == "edges" and not _EDGE_WORLDS.exists():
                print(f"{name}: left out, there is no {_EDGE_WORLDS}")
                continue
            expected = run_case(name, folder / "maps", folder / f"{name}-thread", "--jobs", "1")
            runs: list[dict[str, Any]] = []
            while not runs or (disturbed and sum(run["kills"] for run in runs) < KILLS and len(runs) < MOST_RUNS):
                chance = Random(1000 * seed + 100 * number + len(runs)) if disturbed else None
                out = folder / f"{name}-cluster-{len(runs)}"
                runs.append(run_case(name, folder / "maps", out, "--cluster", "local:2", chance=chance))
            rows.append(
                {
                    "case": name,
                    "files": len(expected["content"]),
                    "equal": len(expected["content"]) > 0
                    and all(run["content"] == expected["content"] for run in runs),
                    "runs": len(runs),
                    "kills": sum(run["kills"] for run in runs),
                    "joined_late": sum(run["late"] for run in runs),
                    "seconds_in_a_thread": expected["seconds"],
                    "seconds_on_the_cluster": [run["seconds"] for run in runs],
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows


def stream(few: int = 25, many: int = 250, side: int = 1000) -> dict[str, Any]:
    """Measure the most memory of the processes of an evaluation, which must not depend on the number of maps."""
    figures: dict[str, Any] = {"megabytes_of_all_maps": many * side**2 / 1e6}
    with tempfile.TemporaryDirectory() as temporary:
        maps = Path(temporary) / "maps"
        for index, world in enumerate(GeneratedWorlds("forest", 5, seed=0, width=side, height=side)):
            for copy in range(index, many, 5):
                write_png(world, maps / "test" / f"{copy:04d}.png")
        command = [sys.executable, "-m", "sailplan", "evaluate", "--policies", "h_euc", "--cluster", "local:2"]
        for count in (few, many):
            process = subprocess.Popen(
                [*command, "--data", str(maps), "--limit", str(count)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            most: dict[int, int] = {}
            tree = psutil.Process(process.pid)
            while process.poll() is None:
                with suppress(psutil.NoSuchProcess):
                    for one in (tree, *tree.children(recursive=True)):
                        most[one.pid] = max(most.get(one.pid, 0), one.memory_info().rss)
                sleep(0.05)
            if process.returncode:
                raise RuntimeError(f"exit code {process.returncode}")
            own = most.pop(process.pid)
            figures[f"{count}_maps"] = {
                "megabytes_of_the_command": round(own / 1e6),
                "megabytes_of_scheduler_and_workers": sorted(
                    (round(size / 1e6) for size in most.values()), reverse=True
                ),
            }
    return figures


class Disturber(Thread):
    """Kills workers of a command at random moments, which are replaced, and lets another one join late."""

    def __init__(self, command: int, address: str, chance: Random) -> None:
        super().__init__()
        self._command, self._address, self._chance = psutil.Process(command), address, chance
        self.kills, self.late = 0, False

    def run(self) -> None:
        with tempfile.TemporaryFile("w+") as log:
            options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
            late = _dask("worker", self._address, *options, log=log)
            try:
                while self.kills < KILLS and self._waited(self._chance.uniform(0.1, RESTART_SECONDS)):
                    self._kill()
                self._command.wait()
            finally:
                late.kill()
                late.wait()
            log.seek(0)
            self.late = "Registered to:" in log.read()

    def _waited(self, seconds: float) -> bool:
        """Wait while the command runs; return False if it has ended."""
        end = perf_counter() + seconds
        while perf_counter() < end:
            if not self._runs():
                return False
            sleep(0.02)
        return self._runs()

    def _runs(self) -> bool:
        return bool(self._command.is_running() and self._command.status() != psutil.STATUS_ZOMBIE)

    def _kill(self) -> None:
        """Kill a worker, if there is one."""
        with suppress(psutil.NoSuchProcess):
            workers = [one for one in self._command.children(recursive=True) if _is_worker(one)]
            if workers:
                self._chance.choice(workers).kill()
                self.kills += 1


def _dask(command: str, *arguments: str, log: Any = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    called = [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments]
    return subprocess.Popen(called, stdout=subprocess.DEVNULL, stderr=log)


class Scheduler:
    """A Dask scheduler in a process of its own."""

    def __init__(self, port: int) -> None:
        self.address = f"tcp://127.0.0.1:{port}"
        self.process = _dask("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")

    @classmethod
    @contextmanager
    def started(cls, port: int = 18786) -> Iterator[Scheduler]:
        scheduler = cls(port)
        sleep(5.0)
        try:
            yield scheduler
        finally:
            scheduler.process.kill()
            scheduler.process.wait()


def _roll_outs(problems: list[LabelledProblem], learner: Policy) -> Callable[[], object]:
    """Return the roll-outs of a round of SaIL with the settings of the paper."""
    seeds = np.random.SeedSequence(0).spawn(len(problems))
    return lambda: collect(
        problems,
        learner,
        feature_set("paper17"),
        oracle_probability=0.5,
        samples=50,
        max_expansions=1100,
        seeds=seeds,
    )


def _seconds(function: Callable[[], object]) -> float:
    began = perf_counter()
    function()
    return perf_counter() - began


def _processor_seconds() -> dict[str, float]:
    """Return the time that the processes of this program have computed so far; waiting does not count."""
    own = psutil.Process()
    found = {"client": sum(own.cpu_times()[:2]), "scheduler": 0.0, "workers": 0.0}
    for one in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            found["workers" if _is_worker(one) else "scheduler"] += sum(one.cpu_times()[:2])
    return found


def _is_worker(process: psutil.Process) -> bool:
    return "spawn_main" in "".join(process.cmdline())


def _learner() -> LearnedPolicy:
    """Return a policy with a network of the size of the paper; its weights are random, which takes as long."""
    features, rng = feature_set("paper17"), np.random.default_rng(0)
    widths = (len(features.columns), 100, 50, 1)
    layers = [
        (rng.normal(size=shape).astype(np.float32), np.zeros(shape[1], np.float32))
        for shape in itertools.pairwise(widths)
    ]
    return LearnedPolicy(features, DenseNetwork(tuple(layers), Scaling.none(widths[0]), np.zeros(widths[0])))


def speed() -> dict[str, Any]:
    """Measure the roll-outs of the first round and of a later one, and the overhead of tasks of one item."""
    worlds = GeneratedWorlds("multiple_bugtraps", 200, seed=3)
    problems = label_problems([grid_problem(world) for world in worlds]).solvable
    # The first round of the paper takes a tenth of a second. A cluster is for calls that take seconds.
    first, later = _roll_outs(20 * problems, greedy("euclidean")), _roll_outs(10 * problems, _learner())
    overheads: dict[str, list[dict[str, float]]] = {where: [] for where in CLUSTERS}
    compared = {
        "roll_outs_of_the_first_round": _compared(first, lambda where: overheads[where].append(_overheads(problems))),
        "roll_outs_of_a_later_round": _compared(later),
    }
    summarised = {
        where: {
            key: {name: float(of([one[key] for one in found])) for name, of in SUMMARIES.items()} for key in found[0]
        }
        for where, found in overheads.items()
    }
    return {**compared, "overheads": summarised, "load": os.getloadavg()}


def _compared(
    work: Callable[[], object],
    on_cluster: Callable[[str], None] = lambda where: None,
    repetitions: int = 3,
    blocks: int = 3,
) -> dict[str, Any]:
    """Measure work in one thread, on one and on two workers, in turn.

    Times are medians, and the shortest one, which other programs on the machine have disturbed least. The seconds of
    the processor depend less on other programs.
    """
    work()
    times: dict[str, list[float]] = {where: [] for where in ("thread", *CLUSTERS)}
    computed: dict[str, list[dict[str, float]]] = {where: [] for where in times}

    def measure(where: str) -> None:
        before = _processor_seconds()
        times[where] += [_seconds(work) for _ in range(repetitions)]
        after = _processor_seconds()
        computed[where].append({name: (after[name] - before[name]) / repetitions for name in after})

    # One cluster after the other: idle workers of a second one would take time from the first.
    for _ in range(blocks):
        measure("thread")
        for where in CLUSTERS:
            with use_cluster(where):
                for _ in range(2):
                    work()
                measure(where)
                on_cluster(where)
    seconds = {
        where: {name: round(float(of(found)), 3) for name, of in SUMMARIES.items()} for where, found in times.items()
    }
    return {
        "seconds": seconds,
        "seconds_of_the_processor": {
            where: {name: round(float(np.median([one[name] for one in found])), 3) for name in found[0]}
            for where, found in computed.items()
        },
        "speed_up_of_two_workers": {
            name: round(seconds["local:1"][name] / seconds["local:2"][name], 2) for name in SUMMARIES
        },
        "speed_up_in_each_block": [
            round(float(np.median(one) / np.median(two)), 2)
            for one, two in zip(*(np.split(np.array(times[where]), blocks) for where in CLUSTERS), strict=True)
        ],
        "one_worker_to_a_thread": {
            name: round(seconds["local:1"][name] / seconds["thread"][name], 2) for name in SUMMARIES
        },
    }


def _overheads(problems: list[LabelledProblem], calls: int = 50) -> dict[str, float]:
    """Milliseconds for a task of one item that does nothing.

    The item is a number, or a problem that is on the cluster already; then one task at a time, from call to result.
    """
    with _one_item_in_a_task():
        began = sum(_processor_seconds().values())
        ms_per_task = _ms_per_task(list(range(1000)))
        used = sum(_processor_seconds().values()) - began
        return {
            "ms_per_task": ms_per_task,
            "ms_of_the_processor_per_task": round(1e3 * used / (1000 + WARM_UP), 2),
            "ms_per_task_with_a_problem": _ms_per_task(5 * problems),
            "ms_of_one_task_alone": round(1e3 * _seconds(lambda: [run_all(abs, [1]) for _ in range(calls)]) / calls, 2),
        }


@contextmanager
def _one_item_in_a_task() -> Iterator[None]:
    usual, jobs._CHUNK_SECONDS = jobs._CHUNK_SECONDS, 0.0
    try:
        yield
    finally:
        jobs._CHUNK_SECONDS = usual


def _ms_per_task(items: list[Any], function: Callable[[Any], None] = lambda item: None) -> float:
    # Whatever is sent once is sent here.
    run_all(function, iter(items[:WARM_UP]))
    return round(1e3 * _seconds(lambda: run_all(function, iter(items))) / len(items), 2)


def scale(seconds: float = 0.02, tasks: int = 500) -> dict[str, Any]:
    """Fit s + t / w, the time of a task on w workers, to tasks that only wait; compare with 1000 simulated workers.

    The simulation is one worker with 1000 threads: client and scheduler do what they would do for 1000 workers, but for
    their connections.
    """
    measured = {}
    with _one_item_in_a_task():
        for count in (1, 2, 4):
            with use_cluster(f"local:{count}"):
                measured[count] = _ms_per_task([seconds] * tasks * count, sleep)
        simulated = _simulated(4000)
    rows = np.array([[1.0, 1.0 / count] for count in measured])
    serial, work = np.linalg.lstsq(rows, np.array(list(measured.values())), rcond=None)[0].tolist()
    fitted = {"serial_ms": round(serial, 2), "work_ms": round(work, 2), "most_workers_of_use": round(work / serial)}
    return {"ms_per_task": measured, **fitted, "simulated_1000_workers": simulated}


def _simulated(tasks: int) -> dict[str, Any]:
    """Run tasks of one second on a worker with 1000 threads."""
    with Scheduler.started(18787) as scheduler:
        worker = _dask("worker", scheduler.address, "--nthreads", "1000", "--no-nanny", "--no-dashboard")
        try:
            with use_cluster(scheduler.address):
                ms_per_task = _ms_per_task([1.0] * tasks, sleep)
        finally:
            worker.kill()
            worker.wait()
    return {"tasks": tasks, "seconds_per_task": 1.0, "ms_per_task": ms_per_task, "ideal_ms_per_task": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bits", "kills", "speed", "stream", "scale"])
    parser.add_argument("cases", nargs="*", help=f"by default all: {', '.join([*CASES, EVALUATION])}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    names = arguments.cases or [*CASES, EVALUATION]
    figures: Any
    if arguments.what in ("bits", "kills"):
        figures = compare(names, arguments.what == "kills", arguments.seed)
    else:
        measures: dict[str, Callable[[], Any]] = {"speed": speed, "stream": stream, "scale": scale}
        figures = measures[arguments.what]()
        print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    if isinstance(figures, list) and not all(row["equal"] for row in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
