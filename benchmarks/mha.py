"""Multi-heuristic A* with the queue of SaIL: what does a bound of the path cost take?

    python benchmarks/mha.py DATA [--limit 20] [--bounds 1.5 2 3]

DATA is a folder with one folder a family, each with validation maps. For each family and bound: expansions and edge
evaluations of SaIL alone, of multi-heuristic A* with SaIL as its policy, and of A* until the goal is expanded; and the
cost of the paths over the optimum. The exit code is 1 if a path exceeds its bound.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sailplan.core import Policy, StopRule, search
from sailplan.datasets import FAMILIES, read_world
from sailplan.graphs import Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import a_star, load_policy, shared_mha_star


@dataclass
class Effort:
    """The searches of one policy in one family, an entry for each map."""

    expansions: list[int]
    evaluations: list[int]
    ratios: list[float]
    """Path cost over the optimum."""


def measure(policy: Policy, problems: Sequence[Problem], best: Sequence[float], stop: StopRule | None = None) -> Effort:
    effort = Effort([], [], [])
    for problem, optimum in zip(problems, best, strict=True):
        result = search(problem, policy, stop=stop)
        effort.expansions.append(result.expansions)
        effort.evaluations.append(result.edge_evaluations)
        effort.ratios.append(result.cost / optimum)
    return effort


def solvable(folder: Path, limit: int | None) -> tuple[list[Problem], list[float]]:
    """The problems of a folder of maps that have a path, and the optimal costs."""
    problems = [grid_problem(read_world(file)) for file in sorted(folder.glob("*.png"))[:limit]]
    best = [float(cost_to_go(problem)[problem.start]) for problem in problems]
    kept = [number for number, cost in enumerate(best) if math.isfinite(cost)]
    return [problems[number] for number in kept], [best[number] for number in kept]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--bounds", type=float, nargs="+", default=[1.5, 2.0, 3.0])
    given = parser.parse_args()
    print(f"{'':34}{'expansions':^27}{'evaluations':^27}{'largest cost':^14}")
    print(
        f"{'family':<20}{'maps':>5}{'bound':>7}  " + f"{'SaIL':>9}{'MHA*':>9}{'A*':>9}" * 2 + f"{'SaIL':>7}{'MHA*':>7}"
    )
    exceeded = 0
    for family in FAMILIES:
        problems, best = solvable(given.data / family / "validation", given.limit)
        if not problems:
            continue
        learned = load_policy(f"sail:{family}")
        sail = measure(learned, problems, best)
        whole = measure(a_star("octile"), problems, best, StopRule.GOAL_EXPANDED)
        for bound in given.bounds:
            bounded = measure(shared_mha_star(bound, [learned]), problems, best)
            exceeded += sum(ratio > bound * (1 + 1e-12) for ratio in bounded.ratios)
            efforts = sail, bounded, whole
            print(
                f"{family:<20}{len(problems):>5}{bound:>7.2f}  "
                + "".join(f"{np.mean(effort.expansions):>9.0f}" for effort in efforts)
                + "".join(f"{np.mean(effort.evaluations):>9.0f}" for effort in efforts)
                + f"{max(sail.ratios):>7.3f}{max(bounded.ratios):>7.3f}",
                flush=True,
            )
    print(f"paths that exceed their bound: {exceeded}")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
