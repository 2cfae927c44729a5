"""Trainings and evaluations on Dask clusters: equal bits whatever happens to workers, speed-up, overhead, and scaling.

    python benchmarks/cluster.py bits [CASE ...]     each training on two workers, compared with one thread
    python benchmarks/cluster.py kills [CASE ...]    the same, with workers killed at random and one that joins late
    python benchmarks/cluster.py speed               roll-outs on one and on two workers, and the overhead of a task
    python benchmarks/cluster.py scale               tasks on 1, 2 and 4 workers, a model, and 1000 simulated workers

With `--json FILE` the figures are written to a file as well.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any

import numpy as np

import sailplan.parallel.cluster as clusters
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.evaluation import evaluate
from sailplan.graphs import grid_problem
from sailplan.learning.algorithms import AlgorithmName, Preset
from sailplan.learning.algorithms.sail import collect
from sailplan.learning.train import baselines, make_plan, run_training
from sailplan.parallel import run_all, use_cluster
from sailplan.policies import greedy
from sailplan.policies.features import feature_set

_EDGE_WORLDS = Path("../shared/data/edge_worlds/2d_1.npz")
_SHORT: dict[str, Any] = {"max_expansions": 400, "validation_expansions": 2000}
_PAPER: dict[str, Any] = {**_SHORT, "worlds_per_round": 30, "samples_per_world": 20, "hidden": (20,), "epochs": 2}
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
_VECTORS: dict[str, Any] = {**_SHORT, "rounds": 3, "vectors": 10, "worlds_per_vector": 8}
_EDGES: dict[str, Any] = {"rounds": 2, "training_worlds": 60, "validation_worlds": 30}
CASES: dict[str, tuple[str, AlgorithmName, Preset, dict[str, Any]]] = {
    "sail": ("maps", "sail", "default", _PLANNER),
    "sail-evaluations": ("maps", "sail", "default", {**_PLANNER, "objective": "evaluations"}),
    "sail-paper": ("maps", "sail", "paper", {**_PAPER, "rounds": 3}),
    "sl": ("maps", "sl", "default", {**_PAPER, "rounds": 1}),
    "cem": ("maps", "cem", "default", {**_VECTORS, "hidden": (10,)}),
    "ql": ("maps", "ql", "default", {**_PAPER, "rounds": 3}),
    "belief": ("maps", "belief", "default", _VECTORS),
    "belief-roadmap": ("edges", "belief", "default", {**_EDGES, "vectors": 6, "worlds_per_vector": 10}),
    "sail-roadmap": ("edges", "sail", "default", {**_EDGES, "worlds_per_round": 30, "epochs": 2}),
}
"""Trainings: the data, the algorithm, the preset and the settings that are changed."""
EVALUATION = "evaluate"
"""The case that is no training: records of policies on worlds."""
POLICIES = ["h_euc", "a_star_octile", "optimistic", "lazy", "sail:forest", "belief:forest"]
KILLS = 5


def write_maps(folder: Path) -> None:
    for split, count, seed in (("train", 40, 0), ("validation", 20, 1), ("test", 60, 2)):
        for index, world in enumerate(GeneratedWorlds("bugtrap_forest", count, seed=seed, width=61, height=61)):
            write_png(world, folder / split / f"{index:03d}.png")


def run_case(name: str, maps: Path, folder: Path) -> dict[str, bytes]:
    """Run a training or an evaluation; return everything that it gave, without times."""
    if name == EVALUATION:
        records = evaluate(maps, POLICIES, split="test").records
        return {"records": json.dumps([asdict(replace(one, milliseconds=0.0)) for one in records]).encode()}
    data, algorithm, preset, changes = CASES[name]
    plan = make_plan(maps if data == "maps" else _EDGE_WORLDS, algorithm, preset, 0, "auto", 0, changes)
    run_training(plan, folder, baselines=baselines(plan))
    files = [*folder.rglob("*.safetensors"), *folder.rglob("*.npz")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(files)}


def compare(names: list[str], disturbed: bool, seed: int) -> list[dict[str, Any]]:
    """Run cases in one thread and on a cluster, and compare what they give."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        maps = Path(temporary) / "maps"
        write_maps(maps)
        where = "local:2" if not disturbed else stack.enter_context(Scheduler.started()).address
        for number, name in enumerate(names):
            if name in CASES and CASES[name][0] == "edges" and not _EDGE_WORLDS.exists():
                print(f"{name}: left out, there is no {_EDGE_WORLDS}")
                continue
            # The first run compiles; the second one tells how long the undisturbed run takes.
            expected = run_case(name, maps, Path(temporary) / f"{number}-compiling")
            began = perf_counter()
            again = run_case(name, maps, Path(temporary) / f"{number}-thread")
            seconds = perf_counter() - began
            with Disturbed(where, seconds, Random(seed + number)) if disturbed else _undisturbed(where) as killed:
                began = perf_counter()
                with use_cluster(where):
                    found = run_case(name, maps, Path(temporary) / f"{number}-cluster")
                on_cluster = perf_counter() - began
            equal = expected == again == found
            rows.append({"case": name, "files": len(found), "equal": equal, "kills": len(killed)})
            rows[-1] |= {"seconds_in_a_thread": round(seconds, 1), "seconds_on_the_cluster": round(on_cluster, 1)}
            print(json.dumps(rows[-1]), flush=True)
    return rows


@contextmanager
def _undisturbed(where: str) -> Iterator[list[int]]:
    yield []


def _dask(command: str, *arguments: str) -> subprocess.Popen[bytes]:
    called = [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments]
    return subprocess.Popen(called, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


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


class Disturbed:
    """Workers of which one is killed at random moments and replaced, and a second one that joins late."""

    def __init__(self, address: str, seconds: float, chance: Random) -> None:
        self._address, self._chance, self._ended = address, chance, Event()
        # Start-up and the replacement of workers take a few seconds.
        self._moments = sorted(chance.uniform(2.0, 8.0 + 2.0 * seconds) for _ in range(KILLS))
        self._workers: list[subprocess.Popen[bytes]] = []
        self._thread = Thread(target=self._disturb)
        self.killed: list[int] = []

    def __enter__(self) -> list[int]:
        self._begin()
        self._thread.start()
        return self.killed

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        for worker in self._workers:
            worker.kill()
            worker.wait()

    def _begin(self) -> None:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        self._workers.append(_dask("worker", self._address, *options))

    def _disturb(self) -> None:
        began = perf_counter()
        self._ended.wait(3.0)
        self._begin()
        for moment in self._moments:
            if self._ended.wait(max(0.0, began + moment - perf_counter())):
                return
            victim = self._workers.pop(self._chance.randrange(len(self._workers)))
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            self.killed.append(victim.pid)
            self._begin()


def _roll_outs(problems: list[LabelledProblem]) -> Callable[[], object]:
    """Return the roll-outs of a round of SaIL with the settings of the paper."""
    seeds = np.random.SeedSequence(0).spawn(len(problems))
    return lambda: collect(
        problems,
        greedy("euclidean"),
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


def speed(repetitions: int = 5) -> dict[str, Any]:
    """Measure roll-outs on one and on two workers, and the overhead of tasks of one item."""
    worlds = GeneratedWorlds("multiple_bugtraps", 200, seed=3)
    problems = label_problems([grid_problem(world) for world in worlds]).solvable
    # A round of the paper takes a quarter of a second; ten of them are worth a cluster.
    roll_out = _roll_outs(10 * problems)
    roll_out()
    times: dict[str, list[float]] = {where: [] for where in ("thread", "local:1", "local:2")}
    times["thread"] = [_seconds(roll_out) for _ in range(repetitions)]
    overheads = []
    # One cluster after the other: idle workers of a second one would take time from the first.
    for where in ("local:1", "local:2"):
        with use_cluster(where):
            roll_out()
            roll_out()
            times[where] = [_seconds(roll_out) for _ in range(repetitions)]
            overheads.append({"where": where, **_overheads(problems)})
    medians = {where: float(np.median(found)) for where, found in times.items()}
    return {
        "seconds": {where: round(found, 3) for where, found in medians.items()},
        "speed_up_of_two_workers": round(medians["local:1"] / medians["local:2"], 2),
        "overheads": overheads,
    }


def _overheads(problems: list[LabelledProblem]) -> dict[str, float]:
    """Milliseconds for a task of one item that does nothing: a number, and a problem that is on the cluster already."""
    with _one_item_in_a_task():
        return {
            "ms_per_task": _ms_per_task(list(range(1000))),
            "ms_per_task_with_a_problem": _ms_per_task(5 * problems),
        }


@contextmanager
def _one_item_in_a_task() -> Iterator[None]:
    usual, clusters._CHUNK_SECONDS = clusters._CHUNK_SECONDS, 0.0
    try:
        yield
    finally:
        clusters._CHUNK_SECONDS = usual


def _ms_per_task(items: list[Any], function: Callable[[Any], None] = lambda item: None) -> float:
    # Whatever is sent once is sent here.
    run_all(function, iter(items[:200]))
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
    parser.add_argument("what", choices=["bits", "kills", "speed", "scale"])
    parser.add_argument("cases", nargs="*", help=f"by default all: {', '.join([*CASES, EVALUATION])}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    names = arguments.cases or [*CASES, EVALUATION]
    figures: Any
    if arguments.what in ("bits", "kills"):
        figures = compare(names, arguments.what == "kills", arguments.seed)
    else:
        figures = speed() if arguments.what == "speed" else scale()
        print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    if isinstance(figures, list) and not all(row["equal"] for row in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
