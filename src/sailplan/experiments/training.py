"""A training on whatever holds worlds, kept in a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from sailplan.datasets.labelled import Lessons
from sailplan.datasets.tasks import Choice
from sailplan.datasets.training_data import training_problems
from sailplan.errors import SailplanError
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.rounds import Round
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_metrics
from sailplan.policies.model_file import MODEL

PICTURE = "convergence.png"


def run_training(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 1,
    resume: bool = False,
    on_round: Callable[[Round], None] = lambda done: None,
) -> dict[str, Any]:
    """Train as planned, or go on with what the folder holds, and return the facts."""
    began = perf_counter()
    left_out = 0

    def on_begin(*lessons: Lessons) -> None:
        nonlocal left_out
        left_out = sum(one.unsolvable for one in lessons)

    train_choice = Choice("train", plan.settings.training_worlds, plan.data_seed, endpoints=plan.endpoints)
    validation_choice = replace(train_choice, split="validation", limit=plan.settings.validation_worlds)
    problems = training_problems(plan.data, train_choice, validation_choice)
    keeper = (RunFolder.resume if resume else RunFolder.begin)(folder, plan, digest_of([*problems[0], *problems[1]]))
    try:
        ALGORITHMS[plan.algorithm].train(
            *problems,
            plan.settings,
            seed=plan.seed,
            jobs=jobs,
            keeper=keeper,
            on_begin=on_begin,
            on_round=on_round,
        )
    except SailplanError:
        if not resume:
            keeper.abandon()
        raise
    return {**_facts(folder), "worlds_without_path": left_out, "seconds": perf_counter() - began}


def is_finished(folder: Path, plan: Plan) -> bool:
    """Whether the folder holds the result of the plan."""
    return (folder / MODEL).exists() and len(read_metrics(folder)) == plan.settings.rounds


def _facts(folder: Path) -> dict[str, Any]:
    rounds = read_metrics(folder)
    best = min(rounds, key=lambda one: one.validation_expansions)
    return {
        "run": str(folder),
        "model": str(folder / MODEL),
        "picture": _draw(folder, rounds),
        "rounds": len(rounds),
        "best_round": best.number,
        "validation_expansions": best.validation_expansions,
        "examples": rounds[-1].examples,
        "seconds_rolling_out": sum(one.seconds_rolling_out for one in rounds),
        "seconds_fitting": sum(one.seconds_fitting for one in rounds),
        "seconds_validating": sum(one.seconds_validating for one in rounds),
    }


def _draw(folder: Path, rounds: list[Round]) -> str | None:
    try:
        from sailplan.evaluation.plots import draw_convergence
    except ModuleNotFoundError:
        return None
    draw_convergence({folder.resolve().name: [one.validation_expansions for one in rounds]}, folder / PICTURE)
    return str(folder / PICTURE)
