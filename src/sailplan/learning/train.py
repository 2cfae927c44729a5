"""A training on worlds, kept in a run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from sailplan.core import Policy
from sailplan.datasets.labelled import training_problems
from sailplan.datasets.tasks import Choice
from sailplan.errors import SailplanError
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.rounds import Round, Training
from sailplan.learning.run_folder import Plan, RunFolder, digest_of

PICTURE = "convergence.png"


def run_training(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 1,
    resume: bool = False,
    on_round: Callable[[Round], None] = lambda done: None,
    baselines: Mapping[str, Policy] | None = None,
) -> Training:
    """Train as planned, or continue the run in the folder.

    Parameters
    ----------
    plan
        What to train, on which worlds.
    folder
        Folder of the run. It gets settings, metrics, the policy of each round, the result as `model.safetensors` and,
        if matplotlib is installed, the plot `convergence.png`.
    jobs
        Number of threads; the result does not depend on it.
    resume
        Whether to continue the run in the folder; else the folder must not hold one.
    on_round
        Called after each round.
    baselines
        Policies to validate beside the result.

    Returns
    -------
    Training
        The policy and what each round did.

    Raises
    ------
    SailplanError
        If the worlds cannot be read or learned from, or the folder does not fit.
    """
    train_choice = Choice("train", plan.settings.training_worlds, plan.data_seed, endpoints=plan.endpoints)
    validation_choice = replace(train_choice, split="validation", limit=plan.settings.validation_worlds)
    train, validation = training_problems(plan.data, train_choice, validation_choice)
    keeper = (RunFolder.resume if resume else RunFolder.begin)(folder, plan, digest_of([*train, *validation]))
    try:
        training = ALGORITHMS[plan.algorithm].train(
            train,
            validation,
            plan.settings,
            seed=plan.seed,
            jobs=jobs,
            keeper=keeper,
            on_round=on_round,
            baselines=baselines,
        )
    except SailplanError:
        if not resume:
            keeper.abandon()
        raise
    _draw(training, folder)
    return training


def _draw(training: Training, folder: Path) -> None:
    """Plot the convergence, if matplotlib is installed."""
    try:
        from sailplan.learning.convergence import draw_convergence
    except ModuleNotFoundError:
        return
    draw_convergence(
        {folder.resolve().name: [done.validation_expansions for done in training.rounds]}, folder / PICTURE
    )
