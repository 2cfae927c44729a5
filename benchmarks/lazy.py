"""How many edges do lazy policies evaluate, what do their bounds hold, and what do they cost?

    python benchmarks/lazy.py DATA evaluations   edges evaluated by lazy and optimistic, and the cost of their paths
    python benchmarks/lazy.py DATA shortest      lazy:1 against A*; --scenarios FOLDER adds all .scen files in it
    python benchmarks/lazy.py DATA selectors     edges evaluated with each selector and by LWA*, on maps and on graphs
    python benchmarks/lazy.py DATA speed         time of an evaluation on worlds of two sizes; time limits in a repair
    python benchmarks/lazy.py DATA bounds        random cases in which a cost might exceed its bound

DATA is a folder with one folder a family, each with validation maps. The exit code is 1 if a result is wrong: a path of
another cost than A*'s, or one that exceeds its bound.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from effort import timed
from lazy_cases import LongEdges, random_graph, random_policy, random_problem
from roadmaps import KINDS, solvable_roadmaps
from sailplan.core import Limits, Policy, SearchResult, StopRule, open_search, search
from sailplan.datasets import FAMILIES, GeneratedWorlds, World
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.graphs import Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import SELECTORS, LazyPolicy, a_star, dijkstra, load_policy
from sailplan.policies.replanning.beliefs import Belief, Optimistic

TRIAL = {
    "alternating_gaps": 530,
    "single_bugtrap": 329,
    "shifting_gaps": 388,
    "forest": 320,
    "bugtrap_forest": 606,
    "gaps_and_forest": 976,
    "mazes": 366,
    "multiple_bugtraps": 654,
}
"""Mean edge evaluations of a first, slow version of the policy. They were measured on other maps than those of
this benchmark: on 20 test maps of each family."""
EXACT = 1e-9
"""Relative differences of costs up to this are due to rounding."""
GRAPHS = 1000
REPEATS = 3
"""Searches, of which the fastest counts."""
SIDES = (201, 1001)
WALLED_SIDE, WALLED_SECONDS = 1500, 0.01


def problems_of(data: Path, family: str, limit: int | None) -> list[Problem]:
    """The problems on the validation maps of a family that have a path."""
    (tasks,) = load_tasks(str(data / family), Choice("validation", limit))
    return [problem for problem in (task.problem() for task in tasks.tasks) if math.isfinite(optimum(problem))]


def optimum(problem: Problem) -> float:
    return float(cost_to_go(problem)[problem.start])


def evaluations(options: argparse.Namespace) -> int:
    """Compare lazy with optimistic search."""
    rows, few, like_trial = [], 0, 0
    for family in FAMILIES:
        problems = problems_of(options.data, family, options.limit or 20)
        best = np.array([optimum(problem) for problem in problems])
        lazy, optimistic = ([search(one, load_policy(name)) for one in problems] for name in ("lazy", "optimistic"))
        mine, others = mean_edges(lazy), mean_edges(optimistic)
        few, like_trial = few + (mine <= others / 3), like_trial + (mine <= 1.03 * TRIAL[family])
        costs = [f"{np.mean([one.cost for one in found] / best):.3f}" for found in (lazy, optimistic)]
        counts = (
            f"{mine:.1f}",
            f"{others:.1f}",
            f"{mine / others:.3f}",
            str(TRIAL[family]),
            f"{mine / TRIAL[family]:.3f}",
        )
        rows.append((family, str(len(problems)), *counts, *costs))
    headings = (
        "family",
        "maps",
        "lazy",
        "optimistic",
        "ratio",
        "trial",
        "over trial",
        "cost, lazy",
        "cost, optimistic",
    )
    show("Mean edge evaluations, and mean cost over the optimum", headings, rows)
    print(f"at most a third of optimistic's: {few} families; at most 1.03 times the trial's: {like_trial} families")
    return 0


def mean_edges(results: Sequence[SearchResult]) -> float:
    return float(np.mean([result.edge_evaluations for result in results]))


def shortest(options: argparse.Namespace) -> int:
    """Compare lazy:1 with A* on maps and scenarios, and with Dijkstra's algorithm on graphs."""
    rows, most, shares = [], 0.0, []
    for name, problems, whole in shortest_cases(options):
        lazy = [search(problem, LazyPolicy(1.0)) for problem in problems]
        full = [search(problem, whole, stop=StopRule.GOAL_EXPANDED) for problem in problems]
        off = max(difference(one.cost, other.cost) for one, other in zip(lazy, full, strict=True))
        most = max(most, off)
        share = mean_edges(lazy) / mean_edges(full)
        if name in FAMILIES:
            shares.append(share)
        rows.append(
            (name, str(len(lazy)), f"{off:.1e}", f"{mean_edges(lazy):.0f}", f"{mean_edges(full):.0f}", f"{share:.1%}")
        )
    headings = ("problems", "number", "largest difference of cost", "lazy:1", "A* or Dijkstra", "share")
    show("Edge evaluations until a shortest path is found", headings, rows)
    print(f"mean share over families: {np.mean(shares):.1%}; largest relative difference of cost: {most:.1e}")
    return int(most > EXACT)


def shortest_cases(options: argparse.Namespace) -> Iterator[tuple[str, list[Problem], Policy]]:
    """Names, problems, and a policy that finds shortest paths."""
    for family in FAMILIES:
        yield family, problems_of(options.data, family, options.limit), a_star("octile")
    for file in sorted(options.scenarios.rglob("*.scen")) if options.scenarios else ():
        (tasks,) = load_tasks(str(file))
        rows = np.unique(
            np.linspace(0, len(tasks.tasks) - 1, min(options.rows or len(tasks.tasks), len(tasks.tasks))).astype(int)
        )
        name = f"{tasks.family}, {len(rows)} of {len(tasks.tasks)} rows"
        yield name, [tasks.tasks[row].problem() for row in rows.tolist()], a_star("octile")
    rng = np.random.default_rng(options.seed)
    for undirected in (False, True):
        name = f"{'undirected' if undirected else 'directed'} graphs"
        yield name, [random_graph(rng, undirected=undirected) for _ in range(GRAPHS // 2)], dijkstra()


def difference(cost: float, other: float) -> float:
    """The relative difference of two costs; infinite if only one is."""
    return 0.0 if cost == other else abs(cost - other) / max(min(cost, other), 1e-300)


def selectors(options: argparse.Namespace) -> int:
    """Count the edges that each selector takes, with a bound of 1 and without a bound."""
    for bound in (1.0, math.inf):
        rows = []
        for name, problems, belief in selector_cases(options):
            policies: list[Policy] = [LazyPolicy(bound, belief_for(one, belief), one) for one in SELECTORS]
            if math.isinf(bound):
                policies.append(LazyPolicy(bound, belief))
            else:
                policies.append(load_policy("lwa_star"))
            found = [counts_within(problems, policy, options.patience) for policy in policies]
            used = min(map(len, found))
            means = [float(np.mean(counts[:used])) for counts in found]
            texts = (Cell(f"{mean:.0f}", mean == min(means)) for mean in means)
            rows.append([Cell(name), Cell(str(used)), *texts])
        last = "lwa_star" if bound == 1.0 else "forward, with the belief"
        title = "Mean edge evaluations by selector, " + ("shortest paths" if bound == 1.0 else "any path")
        print(markdown(Sheet(title, ("problems", "number", *SELECTORS, last), rows)), flush=True)
    return 0


def belief_for(selector: str, belief: Belief) -> Belief:
    return belief if selector == "doubtful" else Optimistic()


def selector_cases(options: argparse.Namespace) -> Iterator[tuple[str, list[Problem], Belief]]:
    """Names, problems, and the belief of the selector `doubtful`."""
    for family in FAMILIES:
        policy = load_policy(f"lazy-belief:{family}")
        assert isinstance(policy, LazyPolicy)
        yield family, problems_of(options.data, family, options.limit or 20), policy.belief
    for place, kind in enumerate(KINDS):
        problems = list(solvable_roadmaps(kind, options.graphs, np.random.default_rng([options.seed, place])))
        name = f"{kind[0]}-D, {kind[1]}, " + ("walls" if math.isnan(kind[2]) else f"{100 * kind[2]:.0f} %")
        yield name, problems, LongEdges()


def counts_within(problems: Sequence[Problem], policy: Policy, patience: float) -> list[int]:
    """The edge evaluations on as many problems as can be searched in so many seconds, at least one."""
    began, found = perf_counter(), list[int]()
    for problem in problems:
        found.append(search(problem, policy).edge_evaluations)
        if perf_counter() - began > patience:
            break
    return found


def speed(options: argparse.Namespace) -> int:
    """Time lazy search on maps, on generated worlds of two sizes, and where a limit is reached in a repair."""
    rows, lazy = [], load_policy("lazy")
    for family in FAMILIES:
        cases = [problems_of(options.data, family, options.limit or 20)]
        for side in SIDES:
            worlds = GeneratedWorlds(family, options.worlds, options.seed, width=side, height=side)
            cases.append([problem for problem in map(grid_problem, worlds) if math.isfinite(optimum(problem))])
        timed(cases[0][0], lazy)
        texts, micros = [], []
        for problems in cases:
            found = [timed(problem, lazy, REPEATS) for problem in problems]
            edges, ms = mean_edges([one for one, _, _ in found]), 1e3 * float(np.mean([whole for _, whole, _ in found]))
            micros.append(1e3 * ms / edges)
            texts += [f"{edges:.0f}", f"{ms:.2f}", f"{micros[-1]:.1f}"]
        rows.append((family, *texts, f"{micros[2] / micros[1]:.2f}", f"{micros[2] / micros[0]:.2f}"))
    cases_of = ("maps", *(f"generated {side}" for side in SIDES))
    headings = [f"{what}, {case}" for case in cases_of for what in ("edges", "ms", "µs an evaluation")]
    show("Time of lazy search, with set-up", ("family", *headings, "growth", "over maps"), rows)
    walled_in()
    return 0


def walled_in() -> None:
    """Print how long searches with a time limit take where the goal cannot be reached."""
    blocked = np.zeros((WALLED_SIDE, WALLED_SIDE), np.bool_)
    blocked[-3:, -3:] = True
    blocked[-1, -1] = False
    problem = grid_problem(World(blocked, name="walled in"))
    for name in ("lazy", "lazy:1", "optimistic"):
        policy, limits = load_policy(name), Limits(seconds=WALLED_SECONDS)
        search(grid_problem(World(blocked[-50:, -50:], name="small")), policy, limits)
        session = open_search(problem, policy)
        began = perf_counter()
        result = session.run(limits)
        spent = perf_counter() - began
        print(f"{name}, goal walled in, {WALLED_SIDE} x {WALLED_SIDE}, limit {WALLED_SECONDS} s: {spent:.4f} s", end="")
        print(f" ({result.outcome.value}, {result.edge_evaluations} evaluations)")


def bounds(options: argparse.Namespace) -> int:
    """Count costs that exceed their bound, paths found where there is none, and paths that were not found."""
    rng = np.random.default_rng(options.seed)
    exceeded = invented = missed = early = 0
    for _ in range(options.cases):
        problem, policy = random_problem(rng), random_policy(rng)
        best, session = optimum(problem), open_search(problem, policy)
        for budget in np.sort(rng.integers(0, 60, rng.integers(0, 4))).tolist():
            result = session.run(Limits(evaluations=budget))
            early += result.found
            exceeded += result.edge_evaluations > budget or exceeds(result, best)
        result = session.run()
        exceeded += exceeds(result, best) or (result.found and result.bound > policy.bound)
        invented += result.found and not math.isfinite(best)
        missed += math.isfinite(best) and not result.found
    print(f"{options.cases} cases: {exceeded} exceed a bound or budget, {invented} paths where there is none,")
    print(f"{missed} paths not found; {early} paths were found within a budget")
    return int(exceeded + invented + missed > 0)


def exceeds(result: SearchResult, best: float) -> bool:
    """Whether a path costs more than its bound allows, or less than the optimum."""
    if not result.found:
        return False
    above = math.isfinite(result.bound) and result.cost > result.bound * best * (1 + EXACT) + 1e-12
    return above or result.cost < best * (1 - EXACT)


def show(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(markdown(Sheet(title, headings, [[Cell(text) for text in row] for row in rows])), flush=True)


MEASUREMENTS = {one.__name__: one for one in (evaluations, shortest, selectors, speed, bounds)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("what", choices=list(MEASUREMENTS))
    parser.add_argument("--limit", type=int, help="maps of each family; by default 20, and all for shortest")
    parser.add_argument("--scenarios", type=Path, help="a folder with .scen files and their maps, for shortest")
    parser.add_argument("--rows", type=int, help="rows of each .scen file, evenly spread; by default all")
    parser.add_argument("--graphs", type=int, default=5, help="random geometric graphs of each kind, for selectors")
    parser.add_argument(
        "--patience",
        type=float,
        default=3.0,
        help="seconds for one selector and family; fewer problems if it needs more",
    )
    parser.add_argument("--worlds", type=int, default=5, help="generated worlds of each size, for speed")
    parser.add_argument("--cases", type=int, default=10_000, help="random cases, for bounds")
    parser.add_argument("--seed", type=int, default=0, help="of generated worlds, graphs and cases")
    options = parser.parse_args()
    return MEASUREMENTS[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
