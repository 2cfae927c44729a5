"""Planners on lattices of car-like and differential-drive robots: motions checked, expansions, cost and time.

Run `python benchmarks/lattice.py --data FOLDER`, with the folder that holds `maps/` and `lattice/`. Starts and goals
are random poses without collision that are connected and at least a third of the longer side of the map apart.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from sailplan.core import Policy, search
from sailplan.datasets import read_primitives, read_world
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.files import write_text
from sailplan.graphs import LatticeGraph, Problem
from sailplan.policies import a_star, load_policy, weighted_a_star

MAPS = ("depot", "tb3_sandbox")
ROBOTS = ("ackermann", "diff")
FOOTPRINT = [(-0.1, -0.15), (0.35, -0.15), (0.35, 0.15), (-0.1, 0.15)]
"""Corners in metres."""
POLICIES: dict[str, Policy] = {
    "A*, straight line": load_policy("a_star"),
    "A*": a_star("lower_bound"),
    "weighted A* 1.5": weighted_a_star(1.5, "lower_bound"),
    "optimistic": load_policy("optimistic"),
    "lazy": load_policy("lazy"),
    "lazy:1.5": load_policy("lazy:1.5"),
}
COLUMNS = ("pairs", "motions checked", "expansions", "cost / optimal", "largest", "ms")
LEAST_DISTANCE = 1 / 3


@dataclass(frozen=True)
class Row:
    """What one policy needed for one pair of poses."""

    lattice: str
    policy: str
    evaluations: int
    expansions: int
    cost_ratio: float
    milliseconds: float


def pairs(graph: LatticeGraph, count: int, rng: np.random.Generator) -> Iterator[tuple[Problem, float]]:
    """Yield problems that have a path, and the cost of the best one."""
    longer = max(graph.world.width, graph.world.height) * graph.primitives.resolution
    while count:
        start, goal = rng.integers(graph.vertex_count, size=2).tolist()
        far = math.dist(*graph.coordinates([start, goal])) >= LEAST_DISTANCE * longer
        if not far or graph.collision(start) or graph.collision(goal):
            continue
        problem = Problem(graph, start, goal, name=graph.world.name)
        best = search(problem, a_star("lower_bound"))
        if best.found:
            yield problem, best.cost
            count -= 1


def measure(lattice: str, problem: Problem, best: float) -> Iterator[Row]:
    """Run every policy on a problem; the first run of each compiles, so that only the second one is timed."""
    for name, policy in POLICIES.items():
        search(problem, policy)
        began = perf_counter()
        result = search(problem, policy)
        milliseconds = 1000 * (perf_counter() - began)
        yield Row(lattice, name, result.edge_evaluations, result.expansions, result.cost / best, milliseconds)


def run(data: Path, count: int, seed: int) -> list[Row]:
    """Search so many pairs on each map with each robot."""
    rows: list[Row] = []
    for map_name in MAPS:
        world = read_world(data / "maps" / f"{map_name}.yaml")
        for robot in ROBOTS:
            primitives = read_primitives(data / "lattice" / f"lattice_5cm_0.5m_{robot}.json")
            began = perf_counter()
            graph = LatticeGraph(world, primitives, FOOTPRINT)
            graph.backward_arrays()
            lattice = f"{map_name}, {robot}"
            print(f"{lattice}: {graph.vertex_count} poses, tables in {perf_counter() - began:.2f} s", flush=True)
            for problem, best in pairs(graph, count, np.random.default_rng(seed)):
                rows += measure(lattice, problem, best)
    return rows


def report(rows: list[Row]) -> str:
    """Return a table of medians for each lattice."""
    tables = []
    for lattice in dict.fromkeys(row.lattice for row in rows):
        lines = []
        for policy in POLICIES:
            some = [row for row in rows if (row.lattice, row.policy) == (lattice, policy)]
            ratios = np.array([row.cost_ratio for row in some])
            texts = [
                policy,
                f"{len(some)}",
                f"{np.median([row.evaluations for row in some]):.0f}",
                f"{np.median([row.expansions for row in some]):.0f}",
                f"{np.median(ratios):.3f}",
                f"{ratios.max():.3f}",
                f"{np.median([row.milliseconds for row in some]):.1f}",
            ]
            lines.append([Cell(text) for text in texts])
        tables.append(markdown(Sheet(f"Medians on {lattice}", COLUMNS, lines)))
    return "\n".join(tables)


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with maps/ and lattice/")
    parser.add_argument("--pairs", type=int, default=30, help="pairs of poses on each lattice")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="JSON file with a row for each search")
    options = parser.parse_args()
    rows = run(options.data, options.pairs, options.seed)
    print(report(rows))
    if options.out:
        write_text(options.out, json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
