"""How fast is the environment? Steps a second against expansions a second of the reference engine, in one run.

python benchmarks/environment.py [--family mazes] [--size 201] [--worlds 10] [--repeats 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import get_args

from sailplan.core import search
from sailplan.environment import GraphSearch
from sailplan.environment.view import Mode
from sailplan.evaluation import Choice, load_tasks
from sailplan.graphs import Problem
from sailplan.policies import greedy

GREEDY = greedy("euclidean")


def _search_all(problems: Sequence[Problem]) -> int:
    """Search each world with the reference engine; return how many expansions that took."""
    return sum(search(problem, GREEDY, engine="reference").expansions for problem in problems)


def _step_all(env: GraphSearch, worlds: int) -> int:
    """Play an episode on each world, with resets, always choosing the candidate closest to the goal: greedy search."""
    steps = 0
    for index in range(worlds):
        env.reset(options={"problem": index})
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(0)
            over, steps = terminated or truncated, steps + 1
    return steps


def _rates(work: Mapping[str, Callable[[], int]], repeats: int) -> dict[str, float]:
    """So many a second of each, the best of several turns: a machine that slows down slows all of them."""
    rates = dict.fromkeys(work, 0.0)
    for _ in range(repeats):
        for name, do in work.items():
            began = perf_counter()
            done = do()
            rates[name] = max(rates[name], done / (perf_counter() - began))
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", default="mazes")
    parser.add_argument("--size", type=int, default=201)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()

    choice = Choice("train", arguments.worlds, size=arguments.size)
    (tasks,) = load_tasks(arguments.family, choice)
    problems = [task.problem() for task in tasks.tasks]
    work: dict[str, Callable[[], int]] = {"reference": partial(_search_all, problems)}
    for mode in get_args(Mode):
        env = GraphSearch(problems=problems, mode=mode)
        _step_all(env, 1)  # compiles, or loads what was compiled
        work[mode] = partial(_step_all, env, len(problems))
    rates = _rates(work, arguments.repeats)
    print(
        f"{arguments.family}, {len(problems)} worlds of {arguments.size} x {arguments.size}; over the reference engine"
    )
    for name, rate in rates.items():
        print(f"{name:12s} {rate:8.0f} expansions/s {rate / rates['reference']:6.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rates))


if __name__ == "__main__":
    main()
