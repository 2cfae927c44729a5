"""SaIL through the planner beside the beliefs and optimistic replanning.

    python benchmarks/imitation.py table --data ../shared/data/motion_planning_datasets
    python benchmarks/imitation.py lazy
    python benchmarks/imitation.py elsewhere
    python benchmarks/imitation.py speed
    python benchmarks/imitation.py picture --families bugtrap_forest

`table` runs the pretrained policies of each family on the second half of the validation maps and on generated worlds of
a seed that no training uses. `lazy` does the same for edge evaluations of the lazy policies. `elsewhere` runs them
between random cells of generated worlds of 201 x 201 and 401 x 401. `speed` measures the time of an expansion.
`picture` draws the multipliers of a search before anything is known, soon after the first wall is seen, and at the end.
`--models DIR` names a folder of runs to use instead of the pretrained policies, with one folder a family.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from time import perf_counter

import numpy as np

from sailplan.core import Limits, Policy, open_search, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID
from sailplan.core.replay import ScriptedPolicy
from sailplan.core.result import Trace
from sailplan.datasets import FAMILIES, GeneratedWorlds
from sailplan.datasets.scenario import random_cells
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.animation import ShownMultipliers
from sailplan.evaluation.metrics import bootstrap_interval
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.graphs import grid_problem
from sailplan.graphs.grid.pictures import counted, draw_search, side_by_side, write_picture
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all
from sailplan.policies import load_policy

HALF = 50
FRESH_SEED = 31
"""Of generated worlds that no training or choice has seen."""
LIMITS = Limits(expansions=20_000)
AFTER_WALL = 8
"""Expansions between the first wall and the second picture."""


def expansions(policy: Policy, problems: Sequence[Problem]) -> FloatArray:
    """The expansions of a policy on each problem."""
    return np.array(run_all(lambda problem: search(problem, policy, LIMITS).expansions, problems, 2), np.float64)


def evaluations(policy: Policy, problems: Sequence[Problem]) -> FloatArray:
    """The edge evaluations of a policy on each problem."""
    return np.array(run_all(lambda problem: search(problem, policy).edge_evaluations, problems, 2), np.float64)


def solvable(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if np.isfinite(cost_to_go(problem)[problem.start])]


def validation_half(data: Path, family: str) -> list[Problem]:
    (tasks,) = load_tasks(str(data / family), Choice("validation", skip=HALF))
    return [task.problem() for task in tasks.tasks]


def fresh(family: str, count: int) -> list[Problem]:
    return [grid_problem(world) for world in GeneratedWorlds(family, count, FRESH_SEED)]


def between_random_cells(family: str, count: int, side: int) -> list[Problem]:
    rng, problems = np.random.default_rng([FRESH_SEED, side]), []
    for world in GeneratedWorlds(family, count, FRESH_SEED, width=side, height=side):
        start, goal = random_cells(world, rng)
        if world.is_free(start) and world.is_free(goal):
            problems.append(grid_problem(world, start, goal))
    return problems


def with_interval(counts: FloatArray) -> str:
    low, high = bootstrap_interval(counts, np.random.default_rng(0))
    return f"{counts.mean():.1f} ({low:.0f}-{high:.0f})"


def print_table(title: str, names: Sequence[str], rows: Sequence[tuple[str, list[FloatArray]]]) -> None:
    """Means with intervals, and ratios to the first policy."""
    headings = ["family", "worlds", *names, *(f"ratio, {name}" for name in names[1:])]
    lines = []
    for family, counts in rows:
        ratios = [one.mean() / counts[0].mean() for one in counts[1:]]
        texts = [family, str(len(counts[0])), f"{counts[0].mean():.1f}", *map(with_interval, counts[1:])]
        lines.append([Cell(text) for text in [*texts, *(f"{one:.3f}" for one in ratios)]])
    means = [mean(counts[place].mean() / counts[0].mean() for _, counts in rows) for place in range(1, len(names))]
    lines.append([Cell(text) for text in ["mean", *[""] * (1 + len(names)), *(f"{one:.3f}" for one in means)]])
    print(markdown(Sheet(title, headings, lines)), flush=True)


def compare(
    title: str,
    names: dict[str, Callable[[str], str]],
    families: Sequence[str],
    pose: Callable[[str], list[Problem]],
    count: Callable[[Policy, Sequence[Problem]], FloatArray] = expansions,
) -> None:
    rows = []
    for family in families:
        problems = solvable(pose(family))
        counts = [count(load_policy(policy(family)), problems) for policy in names.values()]
        rows.append((family, counts))
        print(family, *(f"{one.mean() / counts[0].mean():.3f}" for one in counts), flush=True)
    print_table(title, list(names), rows)


def speed(families: Sequence[str], sail: Callable[[str], str]) -> None:
    lines = []
    for family in families:
        problems = solvable(fresh(family, 20))
        texts = [family]
        for name in ("optimistic", f"belief:{family}", sail(family)):
            policy = load_policy(name)
            search(problems[0], policy, LIMITS)
            began = perf_counter()
            spent = sum(search(problem, policy, LIMITS).expansions for problem in problems)
            seconds = perf_counter() - began
            texts += [f"{1e3 * seconds / len(problems):.1f}", f"{1e6 * seconds / spent:.0f}"]
        lines.append([Cell(text) for text in texts])
    headings = ["family"]
    headings += [f"{name}, {unit}" for name in ("optimistic", "belief", "SaIL") for unit in ("ms", "µs an expansion")]
    print(markdown(Sheet("Time of a search in one thread", headings, lines)), flush=True)


def draw(family: str, name: str, path: Path) -> None:
    """Draw the first fresh world in which the policy meets a wall and needs at most a tenth more than the oracle."""
    policy = load_policy(name)
    for problem in solvable(fresh(family, 40)):
        result = search(problem, policy, LIMITS)
        first = first_wall(problem, result.trace)
        if 0 < first < 150 and result.expansions < 1.1 * expansions(load_policy("oracle"), [problem])[0]:
            break
    pictures, shown = [], ShownMultipliers(problem, policy)
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    for step in (0, first + AFTER_WALL, result.expansions):
        # The belief follows every step, as in the search.
        while replayed.state.expansions < step:
            replayed.advance(Limits(expansions=replayed.state.expansions + 1))
            multipliers = shown.at(replayed.state)
        multipliers = shown.at(replayed.state)
        path_cells = result.path if step == result.expansions else ()
        caption = f"{name} · {counted(replayed.state)}"
        pictures.append(draw_search(problem, replayed.state, path_cells, caption, multipliers, 400))
    write_picture(side_by_side(pictures), path)


def first_wall(problem: Problem, trace: Trace) -> int:
    """The number of expansions after which the first invalid cell is known; 0 if there is none."""
    replayed = open_search(problem, ScriptedPolicy(trace))
    for step in range(1, len(trace.expanded) + 1):
        replayed.advance(Limits(expansions=step))
        if (replayed.state.status == INVALID).any():
            return step
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "lazy", "elsewhere", "speed", "picture"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--models", type=Path)
    parser.add_argument("--worlds", type=int, default=200, help="generated worlds of each family")
    parser.add_argument("--families", default=",".join(FAMILIES))
    arguments = parser.parse_args()
    families = arguments.families.split(",")

    def sail(family: str) -> str:
        return str(arguments.models / family) if arguments.models else f"sail:{family}"

    names: dict[str, Callable[[str], str]] = {
        "oracle": lambda family: "oracle",
        "optimistic": lambda family: "optimistic",
        "belief": lambda family: f"belief:{family}",
        "SaIL": sail,
    }
    worlds = arguments.worlds
    if arguments.what == "table":
        data = arguments.data
        compare("Second half of the validation maps", names, families, lambda one: validation_half(data, one))
        compare(f"{worlds} generated worlds", names, families, lambda family: fresh(family, worlds))
    elif arguments.what == "lazy":
        lazy: dict[str, Callable[[str], str]] = {
            "lazy": lambda family: "lazy",
            "lazy-belief": lambda family: f"lazy-belief:{family}",
            "lazy-sail": lambda family: f"lazy-sail:{family}",
        }
        half = partial(validation_half, arguments.data)
        compare("Evaluations, second half of the validation maps", lazy, families, half, evaluations)
        compare(f"Evaluations, {worlds} generated worlds", lazy, families, partial(fresh, count=worlds), evaluations)
    elif arguments.what == "elsewhere":
        del names["belief"]
        for side in (201, 401):
            title = f"{worlds} generated worlds of {side} x {side}, random start and goal"
            compare(title, names, families, partial(between_random_cells, count=worlds, side=side))
    elif arguments.what == "speed":
        speed(families, sail)
    else:
        draw(families[0], sail(families[0]), Path("docs/multipliers.png"))


if __name__ == "__main__":
    main()
