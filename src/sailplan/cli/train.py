"""`sailplan train`: learn a policy from worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sailplan.cli.options import Json
from sailplan.cli.settings_options import add_settings, given_settings
from sailplan.datasets.scenario import Endpoints
from sailplan.experiments.training import run_training
from sailplan.learning import Round
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName, Preset
from sailplan.learning.run_folder import Plan, read_plan
from sailplan.progress import show_progress


def train(
    context: typer.Context,
    data: Annotated[str | None, typer.Option(help="A folder with train/ and validation/, or a family.")] = None,
    algorithm: Annotated[
        AlgorithmName, typer.Option(help="SaIL, supervised, cross-entropy, Q-learning, or a belief.")
    ] = "sail",
    preset: Annotated[Preset, typer.Option(help="What the settings below are unless said.")] = "default",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the training.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder; needs nothing else.")] = None,
    endpoints: Annotated[Endpoints, typer.Option(help="Search between corners or random cells.")] = "corners",
    data_seed: Annotated[int, typer.Option(min=0, help="Seed of generated worlds and random endpoints.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on them.")] = 2,
    as_json: Json = False,
    **changes: Any,
) -> None:
    """Learn a policy from worlds; every setting can be changed by an option of its name."""
    given = given_settings(changes)
    if resume is not None:
        if _said(context) - {"resume", "jobs", "as_json"}:
            raise typer.BadParameter("--resume goes on with the settings of the run; say nothing else but --jobs")
        plan, folder = read_plan(resume), resume
    elif data is None or out is None:
        raise typer.BadParameter("say --data and --out, or --resume")
    else:
        settings = ALGORITHMS[algorithm].preset(preset).changed(**given)
        plan, folder = Plan(algorithm, _lasting(data), seed, settings, endpoints, data_seed), out
    facts = run(plan, folder, jobs=jobs, resume=resume is not None)
    typer.echo(json.dumps(facts) if as_json else _lines(facts))


def run(plan: Plan, folder: Path, *, jobs: int, resume: bool = False) -> dict[str, Any]:
    """Train as planned, with a progress bar, and return the facts."""
    with show_progress("training", plan.settings.rounds) as step:

        def on_round(done: Round) -> None:
            step(
                f"round {done.number}: mixing {done.mixing:.2f}, {done.examples} examples, "
                f"loss {done.loss:.3f}, validation {done.validation_expansions:.0f} expansions"
            )

        return run_training(plan, folder, jobs=jobs, resume=resume, on_round=on_round)


def _said(context: typer.Context) -> set[str]:
    """The names of the options that are on the command line."""
    return {name for name in context.params if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"}


def _lasting(data: str) -> str:
    """The path of the data as it holds from any folder; the name of a family stays as it is."""
    return str(Path(data).resolve()) if Path(data).exists() else data


def _lines(facts: dict[str, Any]) -> str:
    picture = facts["picture"] or "none: pip install 'sailplan[plot]'"
    return "\n".join(
        [
            f"{facts['run']}: round {facts['best_round']} of {facts['rounds']} is best",
            f"  validation  {facts['validation_expansions']:.1f} expansions on average",
            f"  examples    {facts['examples']} ({facts['worlds_without_path']} worlds without a path left out)",
            f"  time        {facts['seconds']:.0f} s (rolling out {facts['seconds_rolling_out']:.0f}, "
            f"fitting {facts['seconds_fitting']:.0f}, validating {facts['seconds_validating']:.0f})",
            f"  picture     {picture}",
            f"  model       {facts['model']}",
        ]
    )


add_settings(train)
