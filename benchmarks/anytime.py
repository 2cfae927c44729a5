"""Answers that improve over time: `sailplan.core.improve` with a lazy policy against anytime weighted A*.

    python benchmarks/anytime.py DATA [--limit 20] [--plot docs/anytime.png]

DATA is a folder with one folder a family, each with validation maps. The baseline searches with weighted A* again and
again, with falling weights, as ARA* does. It is counted in its favour: each cell that it meets counts as one
evaluation, however many edges lead to it and however often it is met. The area is that of the gap over the
evaluations, from 0 to the last one of the baseline; the gap is 1 before there is a path, and then
(cost - optimum) / cost. The exit code is 1 if no path is found where there is one, a cost rises, a bound is wrong
or the last path is not optimal.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, Solution, StopRule, improve, search
from sailplan.datasets import FAMILIES
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.graphs import GridGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies import LazyPolicy, weighted_a_star

WEIGHTS = (3.0, 2.0, 1.5, 1.2, 1.1, 1.0)
"""Of the heuristic of the baseline, in this order."""
EXACT = 1e-9
"""Relative differences of costs up to this are due to rounding."""
LIMITS = Limits(evaluations=100_000)
"""More than any search needs, so that one that does not end is noticed."""
Steps = list[tuple[int, float]]
"""The evaluations at which each solution was found, and its cost over the optimum."""


@dataclass(frozen=True)
class Run:
    """Both anytime searches on one map."""

    lazy: Steps
    baseline: Steps
    first: float
    """Evaluations until the first solution over those of a plain lazy search."""
    rises: int
    """Solutions that cost more than the one before."""
    wrong: int
    """Solutions with a bound or a lower bound that is not true."""
    optimal: bool
    """Whether the last solution has an optimal cost, and says so."""

    def area(self, steps: Steps) -> float:
        """The mean gap from 0 to the last evaluation of the baseline."""
        end = self.baseline[-1][0]
        found = [min(evaluations, end) for evaluations, _ in steps] + [end]
        gaps = [1.0 - 1.0 / ratio for _, ratio in steps]
        return (found[0] + float(np.dot(np.diff(found), gaps))) / end


def run(problem: Problem, best: float, weights: Sequence[float]) -> Run | None:
    """Search one map; None if no path was found within the limits."""
    solutions = list(improve(problem, LazyPolicy(), LIMITS))
    if not solutions:
        return None
    costs, last = [one.cost for one in solutions], solutions[-1]
    return Run(
        [(one.evaluations, one.cost / best) for one in solutions],
        anytime_weighted_a_star(problem, best, weights),
        solutions[0].evaluations / search(problem, LazyPolicy()).edge_evaluations,
        sum(later > earlier for earlier, later in pairwise(costs)),
        sum(is_wrong(one, best) for one in solutions),
        last.bound == 1.0 and abs(last.cost - best) <= EXACT * best,
    )


def is_wrong(solution: Solution, best: float) -> bool:
    return solution.lower_bound > best * (1 + EXACT) or solution.cost > solution.bound * best * (1 + EXACT)


def anytime_weighted_a_star(problem: Problem, best: float, weights: Sequence[float]) -> Steps:
    """Search with one weight after the other; keep the cheapest path."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    expanded = np.zeros((graph.world.height, graph.world.width), np.bool_)
    steps, least = Steps(), math.inf
    for weight in weights:
        result = search(problem, weighted_a_star(weight, "octile"), stop=StopRule.GOAL_EXPANDED)
        expanded.ravel()[result.trace.expanded] = True
        least = min(least, result.cost)
        steps.append((cells_met(expanded), least / best))
    return steps


def cells_met(expanded: NDArray[np.bool_]) -> int:
    """The number of cells to which an edge of an expanded cell leads, all but the start."""
    met = np.zeros((expanded.shape[0] + 2, expanded.shape[1] + 2), np.bool_)
    for x in range(3):
        for y in range(3):
            met[y : y + expanded.shape[0], x : x + expanded.shape[1]] |= expanded
    return int(met[1:-1, 1:-1].sum()) - 1


def runs_of(folder: Path, limit: int | None, weights: Sequence[float]) -> tuple[list[Run], int]:
    """Search all validation maps of a family that have a path; also return on how many none was found."""
    (tasks,) = load_tasks(str(folder), Choice("validation", limit))
    runs, failed = [], 0
    for task in tasks.tasks:
        problem = task.problem()
        best = float(cost_to_go(problem)[problem.start])
        if not math.isfinite(best):
            continue
        if found := run(problem, best, weights):
            runs.append(found)
        else:
            print(f"{folder.name}, {task.name}: no path found", flush=True)
            failed += 1
    return runs, failed


def texts(family: str, runs: Sequence[Run]) -> tuple[str, ...]:
    both = [one.lazy for one in runs], [one.baseline for one in runs]
    areas = [np.mean([one.area(steps) for one, steps in zip(runs, every, strict=True)]) for every in both]
    return (
        family,
        str(len(runs)),
        f"{np.mean([len(one.lazy) for one in runs]):.1f}",
        f"{max(one.first for one in runs):.3f}",
        f"{np.mean([one.lazy[0][0] for one in runs]):.0f}",
        f"{np.mean([one.lazy[-1][0] for one in runs]):.0f}",
        f"{np.mean([one.baseline[0][0] for one in runs]):.0f}",
        f"{np.mean([one.baseline[-1][0] for one in runs]):.0f}",
        f"{areas[0]:.4f}",
        f"{areas[1]:.4f}",
        f"{areas[0] / areas[1]:.3f}",
        str(sum(one.area(one.lazy) < one.area(one.baseline) for one in runs)),
    )


HEADINGS = (
    "family",
    "maps",
    "solutions",
    "largest first over lazy",
    "evaluations, first",
    "last",
    "baseline, first",
    "last",
    "area",
    "area, baseline",
    "ratio",
    "maps with a smaller area",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, help="maps of each family; by default all")
    parser.add_argument(
        "--weights", type=float, nargs="+", default=WEIGHTS, help="of the baseline, one after the other"
    )
    parser.add_argument("--plot", type=Path, help="draw cost over evaluations to this png file")
    options = parser.parse_args()
    found = {family: runs_of(options.data / family, options.limit, options.weights) for family in FAMILIES}
    families, failed = {family: runs for family, (runs, _) in found.items()}, sum(one for _, one in found.values())
    rows = [[Cell(text) for text in texts(family, runs)] for family, runs in families.items()]
    print(markdown(Sheet("Anytime search; areas are mean gaps", HEADINGS, rows)))
    every = [one for runs in families.values() for one in runs]
    rises, wrong, optimal = (sum(getattr(one, what) for one in every) for what in ("rises", "wrong", "optimal"))
    print(
        f"{len(every)} maps: {optimal} end with an optimal path; {rises} costs rise, {wrong} bounds are wrong;", end=""
    )
    print(f" {failed} without a path")
    if options.plot:
        from anytime_plot import draw_anytime  # matplotlib, which nothing else needs

        draw_anytime(
            {
                family: {"lazy": [one.lazy for one in runs], "weighted A*": [one.baseline for one in runs]}
                for family, runs in families.items()
            },
            options.plot,
        )
    return int(rises + wrong + failed > 0 or optimal < len(every))


if __name__ == "__main__":
    sys.exit(main())
