"""Train a policy on worlds, in a run folder: `train` for users, `run_training` for the command line and experiments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, get_args

from sailplan.core import Note, Policy
from sailplan.core.graph import Problem
from sailplan.datasets.labelled import TrainingProblems, training_problems
from sailplan.datasets.scenario import Endpoints
from sailplan.datasets.tasks import Choice, holds_edge_worlds
from sailplan.errors import GraphError, SailplanError, TrainingError
from sailplan.files import exists
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName, Preset
from sailplan.learning.rounds import Round, Training, check_minutes
from sailplan.learning.run_folder import Plan, RunFolder, digest_of
from sailplan.learning.settings import TrainingSettings
from sailplan.locks import locked
from sailplan.parallel import ShowProgress, no_progress, show_progress
from sailplan.policies.features import ROADMAP
from sailplan.policies.keyed.policy import greedy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.policy import optimistic

PICTURE = "convergence.png"
RUNS = "runs"
"""Folder of the runs that were given no folder."""


class TrainedPolicy(Policy, Protocol):
    """A policy that knows the run in which it was trained."""

    run: Path
    """Folder of the run."""
    training: Training
    """What each round did, and the baselines."""


def train(
    data: str | PathLike[str],
    *,
    algorithm: AlgorithmName = "sail",
    preset: Preset | None = None,
    out: str | PathLike[str] | None = None,
    seed: int = 0,
    jobs: int = 2,
    endpoints: Endpoints = "auto",
    data_seed: int = 0,
    max_minutes: float | None = None,
    **settings: Any,
) -> TrainedPolicy:
    """Train a policy, with a progress bar if standard error is a terminal.

    Parameters
    ----------
    data
        A folder with train/ and validation/, a flat folder of maps of any sizes (the last fifth is for validation), a
        `.scen` file, an `.npz` file of edge worlds, or the name of a family to generate.
    algorithm
        `sail`, `sl` (behaviour cloning), `cem` (cross-entropy), `ql` (Q-learning) or `belief`.
    preset
        `default` (also if None) or `paper`: the settings that are not given.
    out
        Folder of the run; by default a new folder `runs/ALGORITHM-DATA-NUMBER`. It must not hold a run.
    seed
        Seed of the training.
    jobs
        Number of threads; the result does not depend on it.
    endpoints
        `corners`, `random`, or `auto`: random free cells in worlds whose corners are blocked.
    data_seed
        Seed of generated worlds and random endpoints.
    max_minutes
        When this time is over, the current round is finished and the best policy so far is the result, with a note in
        `training.notes`. `sailplan train --resume` continues the run. None for no limit.
    **settings
        Settings of the algorithm by name, for example `rounds=3`; see `sailplan.learning.ALGORITHMS`. On edge worlds
        `sail` and `sl` use the features `roadmap`, which store the training worlds, unless `features` names others.

    Returns
    -------
    TrainedPolicy
        The best policy. Its attribute `run` is the folder of the run, `training` holds the rounds and the mean
        expansions of `optimistic` and `h_euc` on the same validation worlds. With `algorithm="belief",
        objective="evaluations"` it is a `LazyPolicy`, and edge evaluations are compared with those of `lazy` and
        `optimistic`.

    Raises
    ------
    SailplanError
        If an argument is wrong, the worlds cannot be learned from, or the folder holds a run.
    """
    if not isinstance(data, str | PathLike):
        raise TrainingError(f"data must be a folder, a file or the name of a family, got {data!r:.60}")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise TrainingError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
    if preset not in (None, *get_args(Preset)):
        raise TrainingError(f"no preset {preset!r}; there are {', '.join(get_args(Preset))}")
    if not isinstance(jobs, int) or jobs < 1:
        raise TrainingError(f"jobs must be a positive number of threads, got {jobs!r}")
    if not isinstance(out, str | PathLike | None):
        raise TrainingError(f"out must be a folder, got {out!r:.60}")
    check_minutes(max_minutes)
    plan = make_plan(data, algorithm, preset or "default", seed, endpoints, data_seed, settings)
    folder = _new_folder(plan) if out is None else Path(out)
    training = run_training(
        plan, folder, jobs=jobs, progress=show_progress, baselines=baselines(plan), max_minutes=max_minutes
    )
    policy: Any = training.policy
    # Policies are frozen dataclasses; what they were trained on is no part of their value.
    object.__setattr__(policy, "run", folder)
    object.__setattr__(policy, "training", training)
    trained: TrainedPolicy = policy
    return trained


def make_plan(
    data: str | PathLike[str],
    algorithm: AlgorithmName,
    preset: Preset,
    seed: int,
    endpoints: Endpoints,
    data_seed: int,
    settings: Mapping[str, Any],
) -> Plan:
    """The plan of a training, with the path of the data so that it is valid from any folder."""
    lasting = str(Path(data).resolve()) if exists(data) else str(data)
    base = _base_settings(algorithm, preset, settings.get("features"), lasting)
    paper = ALGORITHMS[algorithm].presets["paper"]
    if preset == "default" and type(base) is not type(paper):
        inner = getattr(paper, "network", None)
        of_paper = [
            name for name in settings if not hasattr(base, name) and (hasattr(paper, name) or hasattr(inner, name))
        ]
        if of_paper:
            raise TrainingError(f"{', '.join(of_paper)}: with --preset paper only")
    return Plan(algorithm, lasting, seed, base.changed(**settings), endpoints, data_seed)


def _base_settings(algorithm: AlgorithmName, preset: Preset, features: str | None, data: str) -> TrainingSettings:
    """The settings of a preset; with the default one, those for roadmaps if the data or the features are theirs."""
    chosen = ALGORITHMS[algorithm]
    settings = chosen.presets[preset]
    # If the preset has no features, those for roadmaps are also used with other features on edge worlds.
    named = features if features == ROADMAP or hasattr(settings, "features") else None
    if preset == "default" and chosen.on_roadmaps and (named == ROADMAP if named else holds_edge_worlds(data)):
        return chosen.on_roadmaps
    return settings


def baselines(plan: Plan) -> dict[str, Policy]:
    """Policies that need no training, to compare a trained policy with."""
    if plan.settings.minimised == "evaluations":
        bound = getattr(plan.settings, "bound", math.inf)
        name = "lazy" if math.isinf(bound) else f"lazy:{bound:g}"
        return {name: LazyPolicy(bound), "optimistic": optimistic()}
    return {"optimistic": optimistic(), "h_euc": greedy("euclidean")}


def run_training(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 1,
    resume: bool = False,
    progress: ShowProgress = no_progress,
    baselines: Mapping[str, Policy] | None = None,
    max_minutes: float | None = None,
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
    progress
        Displays the rounds.
    baselines
        Policies to validate beside the result.
    max_minutes
        When this time is over, no further round begins, and the result has a note; None for no limit. It is no part of
        the plan: a run that is resumed without it is the same as one that was not stopped.

    Returns
    -------
    Training
        The policy and what each round did.

    Raises
    ------
    SailplanError
        If the worlds cannot be read or learned from, the folder does not fit, or another process works in it.
    """
    worlds = training_problems(plan.data, *choices_of(plan))
    with locked(folder, error=TrainingError) as is_locked:
        training = _train_in(folder, worlds, plan, jobs, resume, progress, baselines or {}, max_minutes)
    unguarded = Note("run", f"{folder}: this file system has no locks; start no other training in this folder")
    return replace(training, notes=(*worlds.notes, *training.notes, *(() if is_locked else (unguarded,))))


def choices_of(plan: Plan) -> tuple[Choice, Choice]:
    """Which worlds a plan trains and validates on."""
    choice = Choice("train", plan.settings.training_worlds, plan.data_seed, endpoints=plan.endpoints)
    return choice, replace(choice, split="validation", limit=plan.settings.validation_worlds)


def _train_in(
    folder: Path,
    worlds: TrainingProblems,
    plan: Plan,
    jobs: int,
    resume: bool,
    progress: ShowProgress,
    baselines: Mapping[str, Policy],
    max_minutes: float | None,
) -> Training:
    train, validation, notes = worlds
    if plan.endpoints == "auto" and not notes:
        # All corners are free: the run is the same as one that was asked to search between corners.
        plan = replace(plan, endpoints="corners")
    keeper = (RunFolder.resume if resume else RunFolder.begin)(folder, plan, digest_of([*train, *validation]))
    objective = plan.settings.minimised
    with progress("training", plan.settings.rounds) as step:

        def on_round(done: Round) -> None:
            step(
                f"round {done.number}: mixing {done.mixing:.2f}, {done.examples} examples, "
                f"loss {done.loss:.3f}, validation {done.validated(objective):.0f} {objective}"
            )

        try:
            training = ALGORITHMS[plan.algorithm].train(
                train,
                validation,
                plan.settings,
                seed=plan.seed,
                jobs=jobs,
                keeper=keeper,
                on_round=on_round,
                baselines=_applicable(baselines, train),
                max_minutes=max_minutes,
            )
        except SailplanError:
            if not resume:
                keeper.abandon()
            raise
    _draw(training, folder)
    return training


def _applicable(baselines: Mapping[str, Policy], problems: Sequence[Problem]) -> dict[str, Policy]:
    """The baselines without `h_euc` if the graph has no coordinates."""
    try:
        for problem in problems[:1]:
            problem.graph.coordinates([problem.goal])
    except GraphError:
        return {name: policy for name, policy in baselines.items() if name != "h_euc"}
    return dict(baselines)


def _new_folder(plan: Plan) -> Path:
    """The first folder of runs that does not exist yet."""
    name, number = f"{plan.algorithm}-{Path(plan.data).stem}", 1
    while (Path(RUNS) / f"{name}-{number}").exists():
        number += 1
    return Path(RUNS) / f"{name}-{number}"


def _draw(training: Training, folder: Path) -> None:
    """Plot the convergence, if matplotlib is installed."""
    try:
        from sailplan.learning.convergence import draw_convergence
    except ModuleNotFoundError:
        return
    validated = [done.validated(training.objective) for done in training.rounds]
    draw_convergence({folder.resolve().name: validated}, folder / PICTURE, counted=training.objective)
