"""`sailplan train`: learn a policy from worlds."""

from __future__ import annotations

import inspect
import json
from dataclasses import Field, fields
from math import isnan
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from sailplan.cli.main import on_cluster, tell
from sailplan.cli.options import MOST_JOBS, TRAINING, WORLDS, ClusterAddress, Json
from sailplan.datasets.scenario import Endpoints
from sailplan.errors import TrainingError
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName, Preset
from sailplan.learning.rounds import Training
from sailplan.learning.run_folder import Plan, read_plan
from sailplan.learning.settings import NetworkSettings
from sailplan.learning.train import PICTURE, baselines, make_plan, run_training
from sailplan.parallel import show_progress
from sailplan.policies.catalogue import MODEL

_PANELS = {
    "TrainingSettings": "Settings of every algorithm",
    "PlannerSettings": "Settings of SaIL through the planner (sail with the preset default)",
    "SailSettings": "Settings of roll-outs (sail, sl, ql)",
    "QLearningSettings": "Settings of roll-outs (sail, sl, ql)",
    "ScoreSettings": "Settings of scores (sail with the preset paper, sl, cem, ql)",
    "CrossEntropySettings": "Settings of scores (sail with the preset paper, sl, cem, ql)",
    "NetworkSettings": "Settings of scores (sail with the preset paper, sl, cem, ql)",
    "VectorSettings": "Settings of parameter vectors (cem, belief)",
    "BeliefSettings": "Settings of beliefs (belief)",
}
"""Titles of the groups of settings in the help, by the class that defines them."""


def train(
    context: typer.Context,
    data: Annotated[
        str | None,
        typer.Option(
            help="A folder with train/ and validation/, a flat folder of maps, or a family.", rich_help_panel=WORLDS
        ),
    ] = None,
    algorithm: Annotated[
        AlgorithmName,
        typer.Option(help="SaIL, supervised, cross-entropy, Q-learning, or a belief.", rich_help_panel=TRAINING),
    ] = "sail",
    preset: Annotated[
        Preset, typer.Option(help="Values of the settings below that are not given.", rich_help_panel=TRAINING)
    ] = "default",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the training.", rich_help_panel=TRAINING)] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", rich_help_panel=TRAINING)] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Continue the run in this folder; needs no other option.", rich_help_panel=TRAINING),
    ] = None,
    endpoints: Annotated[
        Endpoints,
        typer.Option(
            help="Search between corners or random cells; auto: random where a corner is blocked.",
            rich_help_panel=WORLDS,
        ),
    ] = "auto",
    data_seed: Annotated[
        int, typer.Option(min=0, help="Seed of generated worlds and random endpoints.", rich_help_panel=WORLDS)
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_JOBS, help="Threads; the result does not depend on them.", rich_help_panel=TRAINING
        ),
    ] = 2,
    cluster: ClusterAddress = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(
            help="Finish the current round after this time, and keep the best; --resume continues.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    as_json: Json = False,
    **changes: Any,
) -> None:
    """Learn a policy from worlds. Every setting can be changed by an option of its name.

    Example:
      sailplan train --data my_maps --out run
    """
    given = _given_settings(changes)
    if resume is not None:
        if _options_given(context) - {"resume", "jobs", "cluster", "max_minutes", "as_json"}:
            raise typer.BadParameter(
                "--resume continues with the settings of the run; "
                "give no other option but --jobs, --cluster or --max-minutes"
            )
        plan, folder = read_plan(resume), resume
    elif data is None or out is None:
        raise typer.BadParameter("give --data and --out, or --resume")
    else:
        plan, folder = make_plan(data, algorithm, preset, seed, endpoints, data_seed, given), out
    with on_cluster(cluster):
        facts = run(plan, folder, jobs=jobs, resume=resume is not None, max_minutes=max_minutes)
    typer.echo(json.dumps(facts) if as_json else _lines(facts))


def run(
    plan: Plan, folder: Path, *, jobs: int, resume: bool = False, max_minutes: float | None = None
) -> dict[str, Any]:
    """Train with a progress bar, and return the facts."""
    began = perf_counter()
    training = run_training(
        plan,
        folder,
        jobs=jobs,
        resume=resume,
        progress=show_progress,
        baselines=baselines(plan),
        max_minutes=max_minutes,
    )
    for note in training.notes:
        tell(note)
    return {**_facts(training, folder), "seconds": perf_counter() - began}


def _facts(training: Training, folder: Path) -> dict[str, Any]:
    rounds, evaluations = training.rounds, training.best.validation_evaluations
    return {
        "run": str(folder),
        "model": str(folder / MODEL),
        "picture": str(folder / PICTURE) if (folder / PICTURE).exists() else None,
        "rounds": len(rounds),
        "best_round": training.best.number,
        "objective": training.objective,
        "validation_expansions": training.best.validation_expansions,
        "validation_evaluations": None if isnan(evaluations) else evaluations,
        "examples": rounds[-1].examples,
        "seconds_rolling_out": sum(done.seconds_rolling_out for done in rounds),
        "seconds_fitting": sum(done.seconds_fitting for done in rounds),
        "seconds_validating": sum(done.seconds_validating for done in rounds),
        "worlds_without_path": training.unsolvable,
        "baselines": dict(training.baselines),
        "better_baselines": training.better_baselines,
    }


def _options_given(context: typer.Context) -> set[str]:
    """The names of the options that are on the command line."""
    return {name for name in context.params if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"}


def _lines(facts: dict[str, Any]) -> str:
    picture = facts["picture"] or "none: pip install '.[plot]' in a checkout"
    objective = facts["objective"]
    beside = ", ".join(f"{name} {mean:.1f}" for name, mean in facts["baselines"].items())
    better = [
        f"  note        {name} needs fewer {objective} on these worlds than what was trained, without training"
        for name in facts["better_baselines"]
    ]
    return "\n".join(
        [
            f"{facts['run']}: round {facts['best_round']} of {facts['rounds']} is best",
            f"  validation  {facts[f'validation_{objective}']:.1f} {objective} on average",
            f"  baselines   {beside} {objective} on the same worlds",
            *better,
            f"  examples    {facts['examples']} ({facts['worlds_without_path']} worlds without a path left out)",
            f"  time        {facts['seconds']:.0f} s (rolling out {facts['seconds_rolling_out']:.0f}, "
            f"fitting {facts['seconds_fitting']:.0f}, validating {facts['seconds_validating']:.0f})",
            f"  picture     {picture}",
            f"  model       {facts['model']}",
        ]
    )


def _given_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """The settings that are on the command line."""
    given = {name: value for name, value in changes.items() if value is not None}
    if "hidden" in given:
        try:
            given["hidden"] = tuple(int(number) for number in given["hidden"].split(","))
        except ValueError as error:
            raise TrainingError(f"hidden must be numbers separated by commas, not {given['hidden']!r}") from error
    return given


def _settings_fields() -> list[tuple[Field[Any], str]]:
    """The settings of all algorithms, each name once, and the title of its group in the help."""
    presets = [type(preset) for entry in ALGORITHMS.values() for preset in entry.presets.values()]
    kinds: list[type[Any]] = [NetworkSettings, *presets]
    found: dict[str, tuple[Field[Any], str]] = {}
    for kind in kinds:
        for one in fields(kind):
            # The class that first defines the setting; the classes that extend it may only change its default.
            home = next(base for base in reversed(kind.__mro__) if one.name in inspect.get_annotations(base))
            if one.name != "network":
                found.setdefault(one.name, (one, _PANELS.get(home.__name__, "Other settings")))
    order = [*_PANELS.values(), "Other settings"]
    return sorted(found.values(), key=lambda pair: order.index(pair[1]))


def _add_settings() -> None:
    """Give the command an option for every setting, with its sentence as help."""
    signature = inspect.signature(train, eval_str=True)
    kept = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    types: dict[str, Any] = {"int": int, "float": float, "bool": bool, "str": str}
    for one, panel in _settings_fields():
        option = typer.Option(help=one.metadata["help"], rich_help_panel=panel)
        kind: Any = Annotated[types.get(str(one.type), str) | None, option]
        kept.append(inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind))
    train.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    train.__annotations__ = {one.name: one.annotation for one in kept}


_add_settings()
