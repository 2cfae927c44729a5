"""Planners on lattices of car-like and differential-drive robots: motions checked, expansions, cost and time.

Run `python benchmarks/lattice.py --data FOLDER`, with the folder that holds `maps/` and `lattice/`. Starts and goals
are random poses without collision that are connected and at least a third of the longer side of the free part of the
map apart.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

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
    "A*": a_star("lower_bound"),
    "weighted A* 1.5": weighted_a_star(1.5, "lower_bound"),
    "optimistic": load_policy("optimistic"),
    "lazy": load_policy("lazy"),
    "lazy:1.5": load_policy("lazy:1.5"),
    "lazy:1": load_policy("lazy:1"),
}
COLUMNS = ("policy", "pairs", "motions checked", "expansions", "cost / optimal", "largest", "ms")
"""Time is that of the processor, so that other programs do not count."""
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


def pairs(graph: LatticeGraph, count: int, rng: np.random.Generator) -> Iterator[Problem]:
    """Yield problems that have a path."""
    rows, columns = np.nonzero(~graph.world.blocked)
    longer = (max(np.ptp(rows), np.ptp(columns)) + 1) * graph.primitives.resolution
    while count:
        start, goal = rng.integers(graph.vertex_count, size=2).tolist()
        far = math.dist(*graph.coordinates([start, goal])) >= LEAST_DISTANCE * longer
        if not far or graph.collision(start) or graph.collision(goal):
            continue
        problem = Problem(graph, start, goal, name=graph.world.name)
        if search(problem, POLICIES["weighted A* 1.5"]).found:
            yield problem
            count -= 1


def measure(lattice: str, problem: Problem) -> Iterator[Row]:
    """Run every policy on a problem; A* is the first of them and gives the optimum."""
    best = math.nan
    for name, policy in POLICIES.items():
        began = process_time()
        result = search(problem, policy)
        milliseconds = 1000 * (process_time() - began)
        best = result.cost if name == "A*" else best
        yield Row(lattice, name, result.edge_evaluations, result.expansions, result.cost / best, milliseconds)


def run(data: Path, count: int, seed: int) -> list[Row]:
    """Search so many pairs on each map with each robot."""
    found: list[Row] = []
    for map_name in MAPS:
        world = read_world(data / "maps" / f"{map_name}.yaml")
        for robot in ROBOTS:
            primitives = read_primitives(data / "lattice" / f"lattice_5cm_0.5m_{robot}.json")
            began = process_time()
            graph = LatticeGraph(world, primitives, FOOTPRINT)
            graph.backward_arrays()
            lattice = f"{map_name}, {robot}"
            print(f"{lattice}: {graph.vertex_count} poses, tables in {process_time() - began:.2f} s", flush=True)
            problems = pairs(graph, count, np.random.default_rng(seed))
            if not found:
                # The first searches compile.
                list(measure(lattice, next(pairs(graph, 1, np.random.default_rng(seed)))))
            rows = [row for problem in problems for row in measure(lattice, problem)]
            print(report(rows), flush=True)
            found += rows
    return found


def report(rows: list[Row]) -> str:
    """Return a table of medians on one lattice."""
    lines = []
    for policy in POLICIES:
        some = [row for row in rows if row.policy == policy]
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
    return markdown(Sheet(f"Medians on {rows[0].lattice}", COLUMNS, lines))


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with maps/ and lattice/")
    parser.add_argument("--pairs", type=int, default=30, help="pairs of poses on each lattice")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="JSON file with a row for each search")
    options = parser.parse_args()
    rows = run(options.data, options.pairs, options.seed)
    if options.out:
        write_text(options.out, json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
