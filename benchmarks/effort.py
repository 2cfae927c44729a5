"""What does replanning cost, and when does it pay? Time against the cost of a check, by policy and family.

    python benchmarks/effort.py effort   times with edges that take 0 to 1000 µs to check, and where they break even
    python benchmarks/effort.py growth   replanning by itself, on generated worlds of 201 x 201 and 1001 x 1001
    python benchmarks/effort.py graphs   counts on random geometric graphs, explicit and as callbacks
    python benchmarks/effort.py plot     the times of an earlier `effort --json FILE` as docs/effort.png

Worlds are generated unless --data names a folder with one folder a family. The compiled engine waits inside Eval, by
the processor's cycle counter (`waiting.py`). Where waiting takes longer than --patience, a time is computed as
t = a + edges x cost, with a measured at cost 0, and marked ~; the model is held against all that was waited for.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from time import process_time

import numpy as np

from effort_tables import COSTS, SIDES, Effort, Growth, report_efforts, report_growth
from roadmaps import compare_on_roadmaps
from sailplan.core import Policy, SearchResult, open_search
from sailplan.datasets import FAMILIES, GeneratedWorlds
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.errors import SailplanError
from sailplan.graphs import Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy
from waiting import waiting

OTHERS = ("h_euc", "weighted_a_star", "a_star", "sail:{family}")
BELIEF = "belief:{family}"
"""The learned belief, where this version of the package has one."""
LAZY_BELIEF = "lazy-belief:{family}"
REPEATS = 5
"""Searches at cost 0, of which the fastest counts."""


def timed(problem: Problem, policy: Policy, repeats: int = 1) -> tuple[SearchResult, float, float]:
    """A search, and the least seconds of several, with set-up and of the search alone.

    Seconds of the processor, which are those of the clock where a core has nothing else to do.
    """
    whole = alone = math.inf
    for _ in range(repeats):
        began = process_time()
        session = open_search(problem, policy)
        opened = process_time()
        result = session.run()
        ended = process_time()
        whole, alone = min(whole, ended - began), min(alone, ended - opened)
    return result, whole, alone


def measure(family: str, name: str, policy: Policy, problems: Sequence[Problem], patience: float) -> Effort:
    """Search at cost 0, then wait at each other cost for as many of the problems as `patience` seconds allow."""
    for first in (problems[0], waiting(problems[0], 0)):
        timed(first, policy)  # compiles
    results, base, alone = zip(*(timed(problem, policy, REPEATS) for problem in problems), strict=True)
    edges = np.array([result.edge_evaluations for result in results])
    ms, waited, off = [1e3 * float(np.mean(base))], [len(problems)], list[float | None]([0.0])
    for cost in COSTS[1:]:
        model = base + 1e-6 * cost * edges
        count = int((np.cumsum(model) <= patience).sum())
        times = [
            wait(problem, policy, cost, result) for problem, result in zip(problems[:count], results, strict=False)
        ]
        ms.append(1e3 * float(np.mean(times if count == len(problems) else model)))
        waited.append(count)
        off.append(sum(times) / float(model[:count].sum()) - 1 if count else None)
    expansions = float(np.mean([result.expansions for result in results]))
    search_ms = 1e3 * float(np.mean(alone))
    return Effort(family, name, len(problems), expansions, float(edges.mean()), search_ms, ms, waited, off)


def wait(problem: Problem, policy: Policy, cost: float, expected: SearchResult) -> float:
    """The seconds of the same search where a check takes so many microseconds."""
    result, seconds, _ = timed(waiting(problem, cost), policy)
    assert (result.path, result.edge_evaluations) == (expected.path, expected.edge_evaluations), "another search"
    return seconds


def policies_for(family: str, belief: str | None) -> dict[str, Policy]:
    """The policies by the names that they have in tables; a belief that was not asked for may be missing."""
    made = {pattern.partition(":")[0]: load_policy(pattern.format(family=family)) for pattern in OTHERS}
    made["optimistic"] = load_policy("optimistic")
    try:
        made["belief"] = load_policy((belief or BELIEF).format(family=family))
    except SailplanError:
        if belief:
            raise
    made["lazy"] = load_policy("lazy")
    made["lazy-belief"] = load_policy(LAZY_BELIEF.format(family=family))
    return made


def efforts(options: argparse.Namespace) -> Iterator[Effort]:
    """Measure every policy on every family."""
    choice = Choice(options.split, options.limit, options.seed)
    for family in FAMILIES:
        (tasks,) = load_tasks(str(Path(options.data) / family) if options.data else family, choice)
        problems = [problem for problem in (task.problem() for task in tasks.tasks) if solvable(problem)]
        for name, policy in policies_for(family, options.belief).items():
            yield measure(family, name, policy, problems, options.patience)


def solvable(problem: Problem) -> bool:
    return math.isfinite(cost_to_go(problem)[problem.start])


def growth(family: str, side: int, count: int, seed: int) -> Growth:
    """Measure replanning on generated worlds of one size."""
    policy, worlds = load_policy("optimistic"), GeneratedWorlds(family, count, seed, width=side, height=side)
    problems = [problem for problem in map(grid_problem, worlds) if solvable(problem)]
    timed(problems[0], policy)
    results, base, alone = zip(*(timed(problem, policy, REPEATS) for problem in problems), strict=True)
    expansions = float(np.mean([result.expansions for result in results]))
    return Growth(family, side, expansions, 1e3 * float(np.mean(base)), 1e3 * float(np.mean(alone)))


def run(options: argparse.Namespace) -> Sequence[object]:
    """Measure and print what was asked for; return the rows."""
    if options.what == "effort":
        rows = list(efforts(options))
        report_efforts(rows)
        return rows
    if options.what == "growth":
        sizes = [growth(family, side, options.limit, options.seed) for family in FAMILIES for side in SIDES]
        report_growth(sizes)
        return sizes
    return compare_on_roadmaps(options.limit, options.seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("effort", "growth", "graphs", "plot"))
    parser.add_argument("--data", help="a folder with one folder a family; by default worlds are generated")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--limit", type=int, default=20, help="worlds of each family, or graphs of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of generated worlds and graphs")
    parser.add_argument("--belief", help=f"name of the learned belief; by default {BELIEF}, if there is such a policy")
    parser.add_argument("--patience", type=float, default=3.0, help="seconds to wait for one policy, family and cost")
    parser.add_argument("--json", type=Path, help="write all rows to this file; plot reads those of effort from it")
    options = parser.parse_args()
    if options.what == "plot":
        if not options.json:
            parser.error("plot needs --json FILE, as effort wrote it")
        from effort_plot import draw_effort  # matplotlib, which nothing else needs

        draw_effort(json.loads(options.json.read_text()), COSTS, Path("docs/effort.png"))
        return
    rows = run(options)
    if options.json:
        options.json.write_text(json.dumps(rows, default=asdict, indent=1) + "\n")


if __name__ == "__main__":
    main()
