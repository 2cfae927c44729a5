"""Roadmaps whose edges were checked in many worlds: evaluations of lazy search, learned and not.

    python benchmarks/edge_worlds.py train DATA RUNS [--names 2d_1,...] [--bound 1] [--network 2] [--cost-limit 1.1]
    python benchmarks/edge_worlds.py table DATA RUNS [--skip 100] [--out FILE.json]
    python benchmarks/edge_worlds.py compare DATA RUNS [--skip 100] [--out FILE.json]
    python benchmarks/edge_worlds.py overhead [--vertices 5000] [--worlds 1000]

DATA is a folder of files of edge worlds. `train` makes RUNS/any/NAME and RUNS/bound_1/NAME with the default settings of
`sailplan train --algorithm belief --objective evaluations`, which choose on the first 70 validation worlds. With
`--network N` it makes RUNS/network/NAME, with N further rounds that train a network of edges (`--network-rounds`); the
choice is made on all validation worlds before `--skip`. `table` prints mean evaluations with bootstrap intervals on
validation worlds after the first `--skip`, without repeated worlds and those without a path; LazySP is lazy search with
a bound of 1. `compare` prints the result of RUNS/network/NAME beside the posterior of the same run, with an interval of
the difference, on the worlds that chose and on the others. `overhead` prints the processor time of a
search without that of the checker, on a random roadmap in 7 dimensions and on one of 20,000 edges with a posterior.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan import Problem, Roadmap, load_policy, search
from sailplan.core import Limits, Policy
from sailplan.core.graph import FloatArray
from sailplan.datasets import read_edge_worlds
from sailplan.errors import SailplanError
from sailplan.graphs import ExplicitGraph
from sailplan.learning import BELIEF, train
from sailplan.learning.algorithms.belief_settings import BeliefSettings
from sailplan.learning.run_folder import read_metrics, read_plan
from sailplan.oracle import cost_to_go
from sailplan.policies.lazy import LazyPolicy
from sailplan.policies.replanning.beliefs import EdgePosterior
from sailplan.policies.replanning.beliefs.kernel.edges import learn_edges, probabilities_invalid

LAZY_SP = {
    f"LazySP {selector}": LazyPolicy(1.0, selector=selector) for selector in ("forward", "backward", "alternate")
}
RUN_FOLDERS = {"learned": "any", "network": "network", "learned, bound 1": "bound_1", "SaIL": "sail"}
RESAMPLES = 2000


def train_all(
    data: Path, runs: Path, names: list[str], bound: float, network: int, cost_limit: float, skip: int
) -> None:
    for name in names:
        kind = "network" if network else "any" if math.isinf(bound) else f"bound_{bound:g}"
        folder = runs / kind / name
        if (folder / "model.safetensors").exists():
            continue
        began = time.perf_counter()
        settings: dict[str, Any] = {"objective": "evaluations", "bound": bound, "cost_limit": cost_limit}
        if network:
            worlds = read_edge_worlds(data / f"{name}.npz")
            # Repeated worlds are left out, so that 100 worlds may be more than the first half.
            first = [world for world in worlds.split("validation")[0] if world < worlds.sizes[0] + skip]
            settings |= {"rounds": BELIEF.rounds + network, "network_rounds": network, "validation_worlds": len(first)}
        best = train(data / f"{name}.npz", algorithm="belief", out=folder, jobs=1, **settings).training.best
        print(f"{name}: {best.validation_evaluations:.1f} evaluations, {time.perf_counter() - began:.0f} s")


def policies_of(runs: Path, name: str) -> dict[str, Policy]:
    found: dict[str, Policy] = {**LAZY_SP, "lazy": LazyPolicy(), "optimistic": load_policy("optimistic")}
    for label, folder in RUN_FOLDERS.items():
        if (runs / folder / name).exists():
            found[label] = load_policy(str(runs / folder / name))
    return found


def posterior_of(run: Path) -> Policy:
    """Return what a run would have trained without the rounds of the network."""
    settings = read_plan(run).settings
    assert isinstance(settings, BeliefSettings)
    rounds = read_metrics(run)[: settings.rounds - settings.network_rounds]
    best = min(rounds, key=lambda one: one.validation_evaluations)
    return load_policy(str(run / "rounds" / f"{best.number:03d}.safetensors"))


def compare(data: Path, runs: Path, name: str, skip: int) -> dict[str, dict[str, float]]:
    """Return evaluations and costs of the posterior and of the result of a run that trained a network."""
    run = runs / "network" / name
    rows: dict[str, dict[str, float]] = {}
    policies = {"posterior": posterior_of(run), "result": load_policy(str(run))}
    for label, chosen in (("chosen on", True), ("others", False)):
        solvable = solvable_problems(data, name, skip, chosen)
        tables = {}
        for key, policy in policies.items():
            results = [search(problem, policy, Limits()) for problem, _ in solvable]
            costs = [result.cost / cost for result, (_, cost) in zip(results, solvable, strict=True)]
            tables[key] = np.array([[result.edge_evaluations for result in results], costs])
        drawn = np.random.default_rng(0).integers(len(solvable), size=(RESAMPLES, len(solvable)))
        ratios = tables["result"][0][drawn].mean(axis=1) / tables["posterior"][0][drawn].mean(axis=1) - 1.0
        before, after = (table.mean(axis=1).tolist() for table in tables.values())
        row = {"worlds": len(solvable), "posterior": before[0], "posterior cost": before[1], "result": after[0]}
        row |= {"result cost": after[1], "change": after[0] / before[0] - 1.0}
        rows[label] = row | dict(zip(("low", "high"), np.quantile(ratios, [0.025, 0.975]).tolist(), strict=True))
        print(f"{name}, {label}: " + ", ".join(f"{key} {value:.3f}" for key, value in rows[label].items()))
    return rows


def solvable_problems(data: Path, name: str, skip: int, first: bool = False) -> list[tuple[Problem, float]]:
    """Return the validation problems before or after the first `skip`, with the costs of their shortest paths."""
    worlds = read_edge_worlds(data / f"{name}.npz")
    kept = [world for world in worlds.split("validation")[0] if (world < worlds.sizes[0] + skip) == first]
    problems = [worlds.problem(world) for world in kept]
    shortest = [float(cost_to_go(problem)[problem.start]) for problem in problems]
    return [(problem, cost) for problem, cost in zip(problems, shortest, strict=True) if math.isfinite(cost)]


def measure(data: Path, runs: Path, name: str, skip: int) -> dict[str, dict[str, float]]:
    solvable = solvable_problems(data, name, skip)
    rng, rows = np.random.default_rng(0), {}
    for label, policy in policies_of(runs, name).items():
        results = [search(problem, policy, Limits()) for problem, _ in solvable]
        spent = np.array([result.edge_evaluations for result in results])
        means = rng.choice(spent, (RESAMPLES, len(spent))).mean(axis=1)
        rows[label] = {
            "worlds": len(spent),
            "mean": spent.mean(),
            "low": np.quantile(means, 0.025),
            "high": np.quantile(means, 0.975),
            "median": float(np.median(spent)),
            "expansions": float(np.mean([result.expansions for result in results])),
            "cost": float(np.mean([result.cost / cost for result, (_, cost) in zip(results, solvable, strict=True)])),
            "milliseconds": 1e3 * float(np.mean([result.timing.total for result in results])),
        }
    return rows


def show(name: str, rows: dict[str, dict[str, float]]) -> None:
    best = min(rows[label]["mean"] for label in LAZY_SP)
    print(f"\n{name}: {rows['lazy']['worlds']:.0f} worlds")
    for label, row in rows.items():
        print(
            f"  {label:24} {row['mean']:7.1f} ({row['low']:.1f} to {row['high']:.1f}) median {row['median']:6.1f}  "
            f"{row['mean'] / best:5.2f} of the best LazySP, cost {row['cost']:.3f}, "
            f"expansions {row['expansions']:6.1f}, {row['milliseconds']:.1f} ms"
        )


class Balls:
    """A checker: configurations outside some balls are valid."""

    def __init__(self, centres: FloatArray) -> None:
        self.centres, self.seconds = centres, 0.0

    def valid(self, configurations: FloatArray) -> NDArray[np.bool_]:
        began = time.thread_time()
        distances = np.linalg.norm(configurations[:, None] - self.centres, axis=2)
        outside: NDArray[np.bool_] = (distances > 0.4).all(axis=1)
        self.seconds += time.thread_time() - began
        return outside


def overhead(vertices: int, worlds: int) -> None:
    """Print the processor time of searches without that of the checker."""
    rng = np.random.default_rng(0)
    roadmap = Roadmap.sample([0.0] * 7, [1.0] * 7, vertices)
    checker, samples = Balls(rng.uniform(0.2, 0.8, (8, 7))), rng.uniform(size=(400, 7))
    ends = samples[checker.valid(samples)][:80].reshape(-1, 2, 7)
    for label, policy in {"lazy": LazyPolicy(), "lazy:1": LazyPolicy(1.0)}.items():
        times, to_pose = [], []
        for start, goal in ends:
            began = time.thread_time()
            problem = roadmap.problem(start, goal, checker, resolution=0.05)
            posed, before = time.thread_time(), checker.seconds
            search(problem, policy)
            times.append(time.thread_time() - posed - (checker.seconds - before))
            to_pose.append(posed - began)
        _print_times(f"{label}, {roadmap.vertex_count} vertices, {roadmap.edge_count} edges", times)
        _print_times("  to connect start and goal", to_pose)
    graph, table = _plane(4000, worlds + 60, rng)
    belief = EdgePosterior.of(graph, table[:worlds])
    policy = LazyPolicy(belief=belief, selector="doubtful")
    times, spent = [], []
    for row in table[worlds:]:
        problem = Problem(graph.with_results(row), int(rng.integers(4000)), int(rng.integers(4000)))
        began = time.thread_time()
        spent.append(search(problem, policy).edge_evaluations)
        times.append(time.thread_time() - began)
    _print_times(f"posterior, {worlds} worlds, {graph.edge_count} edges, {np.mean(spent):.0f} evaluations", times)
    memory, probabilities = belief.arrays(Problem(graph, 0, 1)), np.empty(graph.edge_count)
    for label, wanted in (("to learn a result", probabilities[:1]), ("to update all edges", probabilities)):
        times = []
        for edge in range(50):
            began = time.thread_time()
            learn_edges(memory, np.array([edge]), np.array([True]))
            probabilities_invalid(memory, wanted)
            times.append(time.thread_time() - began)
        _print_times(f"  {label}", times)


def _plane(vertices: int, worlds: int, rng: np.random.Generator) -> tuple[ExplicitGraph, NDArray[np.bool_]]:
    """Return a roadmap in the plane and the results of its edges in worlds with random holes."""
    places = rng.uniform(size=(vertices, 2))
    near = np.argsort(np.linalg.norm(places[:, None] - places, axis=2), axis=1)[:, 1:9]
    pairs = np.stack([np.repeat(np.arange(vertices), near.shape[1]), near.ravel()], axis=1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    lengths = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    table = np.column_stack([pairs, lengths])
    graph = ExplicitGraph.from_edges(vertices, table, undirected=True, coordinates=places)
    middles = (places[pairs[:, 0]] + places[pairs[:, 1]]) / 2
    holes = rng.uniform(0.1, 0.9, (worlds, 25, 2))
    free = [(np.linalg.norm(middles[:, None] - centres, axis=2) > 0.05).all(axis=1) for centres in holes]
    return graph, np.array(free)


def _print_times(label: str, seconds: list[float]) -> None:
    # Without the first ones, in which kernels are compiled.
    times = 1e3 * np.array(seconds[3:])
    print(f"{label}: median {np.median(times):.2f} ms, mean {times.mean():.2f} ms, largest {times.max():.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "table", "compare", "overhead"])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("runs", type=Path, nargs="?")
    parser.add_argument("--names")
    parser.add_argument("--bound", type=float, default=math.inf)
    parser.add_argument("--network", type=int, default=0)
    parser.add_argument("--cost-limit", type=float, default=BELIEF.cost_limit)
    parser.add_argument("--skip", type=int, default=100)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--vertices", type=int, default=5000)
    parser.add_argument("--worlds", type=int, default=1000)
    asked = parser.parse_args()
    if asked.what == "overhead":
        overhead(asked.vertices, asked.worlds)
        return
    if asked.data is None or asked.runs is None:
        raise SailplanError("give the folder of the data and that of the runs")
    names = asked.names.split(",") if asked.names else sorted(path.stem for path in asked.data.glob("*.npz"))
    if asked.what == "train":
        train_all(asked.data, asked.runs, names, asked.bound, asked.network, asked.cost_limit, asked.skip)
        return
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for name in names:
        if asked.what == "compare":
            tables[name] = compare(asked.data, asked.runs, name, asked.skip)
            continue
        tables[name] = measure(asked.data, asked.runs, name, asked.skip)
        show(name, tables[name])
    if asked.out:
        asked.out.write_text(json.dumps(tables, indent=1))


if __name__ == "__main__":
    main()
