"""Train a score on generated worlds as in the paper, save it, and compare it with greedy search on other worlds.

`sailplan.train` trains on a folder of maps, with a run folder and progress, and by default through the planner.
"""

from __future__ import annotations

from sailplan.core import search
from sailplan.datasets import GeneratedWorlds
from sailplan.graphs import grid_problem
from sailplan.learning import PAPER, train_sail
from sailplan.policies import greedy, load_policy, save_policy


def main() -> None:
    """Train, save, load and compare."""
    # Small settings, for a training of a few seconds; use PAPER unmodified for real work.
    settings = PAPER.changed(rounds=2, worlds_per_round=10, samples_per_world=20, hidden=(16, 8))

    worlds = GeneratedWorlds("alternating_gaps", size=25, seed=1, width=61, height=61)
    problems = [grid_problem(world) for world in worlds]
    training = train_sail(
        train=problems[:10],
        validation=problems[10:15],
        settings=settings,
        seed=0,
        jobs=2,
        on_round=lambda done: print(f"round {done.number}: {done.validation_expansions:.0f} expansions on validation"),
    )
    save_policy(training.policy, "my_policy.safetensors")

    for name, planner in {"learned": load_policy("my_policy.safetensors"), "Euclidean": greedy("euclidean")}.items():
        expansions = [search(problem, planner).expansions for problem in problems[15:]]
        print(f"{name}: {sum(expansions) / len(expansions):.0f} expansions on average on ten new worlds")


if __name__ == "__main__":
    main()
