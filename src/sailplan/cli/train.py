"""`sailplan train`: learn a policy from worlds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Literal

import typer

from sailplan.cli.options import Json
from sailplan.cli.progress import progress
from sailplan.cli.settings_options import add_settings, given_settings
from sailplan.errors import SailplanError
from sailplan.evaluation.tasks import Choice
from sailplan.evaluation.training_data import training_problems
from sailplan.graphs.problem import Problem
from sailplan.learning import CLONING, Round, train_behaviour_cloning, train_sail
from sailplan.learning.lessons import Lessons
from sailplan.learning.run_folder import Algorithm, Plan, RunFolder, digest_of, read_metrics, read_plan
from sailplan.learning.settings import DEFAULT, PAPER
from sailplan.policies.model_file import MODEL
from sailplan.worlds.endpoints import Endpoints

Preset = Literal["paper", "default"]
ALGORITHMS: dict[Algorithm, Callable[..., Any]] = {"sail": train_sail, "sl": train_behaviour_cloning}
PRESETS = {
    ("sail", "paper"): PAPER,
    ("sail", "default"): DEFAULT,
    ("sl", "paper"): CLONING,
    ("sl", "default"): CLONING,
}
PICTURE = "convergence.png"


def train(
    data: Annotated[str | None, typer.Option(help="A folder with train/ and validation/, or a family.")] = None,
    algorithm: Annotated[Algorithm, typer.Option(help="SaIL, or supervised on the oracle's way.")] = "sail",
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
        if data is not None or out is not None or given:
            raise typer.BadParameter("--resume goes on with the settings of the run; say nothing else but --jobs")
        plan, folder = read_plan(resume), resume
    elif data is None or out is None:
        raise typer.BadParameter("say --data and --out, or --resume")
    else:
        settings = PRESETS[algorithm, preset].changed(**given)
        plan, folder = Plan(algorithm, _lasting(data), seed, settings, endpoints, data_seed), out
    facts = run(plan, folder, jobs=jobs, resume=resume is not None)
    typer.echo(json.dumps(facts) if as_json else _lines(facts))


def run(plan: Plan, folder: Path, *, jobs: int, resume: bool = False) -> dict[str, Any]:
    """Train as planned, with a progress bar, and return the facts."""
    began = perf_counter()
    train_choice = Choice("train", plan.settings.training_worlds, plan.data_seed, endpoints=plan.endpoints)
    validation_choice = replace(train_choice, split="validation", limit=plan.settings.validation_worlds)
    problems = training_problems(plan.data, train_choice, validation_choice)
    digest = digest_of([*problems[0], *problems[1]])
    keeper = (RunFolder.resume if resume else RunFolder.begin)(folder, plan, digest)
    try:
        left_out = _train(plan, *problems, keeper, jobs)
    except SailplanError:
        if not resume:
            keeper.abandon()
        raise
    return {**_facts(folder), "worlds_without_path": left_out, "seconds": perf_counter() - began}


def _train(plan: Plan, train: list[Problem], validation: list[Problem], keeper: RunFolder, jobs: int) -> int:
    """Train with a progress bar; return how many worlds were left out because they have no path."""
    left_out = 0

    def on_begin(*lessons: Lessons) -> None:
        nonlocal left_out
        left_out = sum(one.unsolvable for one in lessons)

    with progress("training", plan.settings.rounds) as step:

        def on_round(done: Round) -> None:
            step(
                f"round {done.number}: β {done.oracle_probability:.2f}, {done.examples} examples, "
                f"loss {done.loss:.3f}, validation {done.validation_expansions:.0f} expansions"
            )

        ALGORITHMS[plan.algorithm](
            train,
            validation,
            plan.settings,
            seed=plan.seed,
            jobs=jobs,
            keeper=keeper,
            on_begin=on_begin,
            on_round=on_round,
        )
    return left_out


def _lasting(data: str) -> str:
    """The path of the data as it holds from any folder; the name of a family stays as it is."""
    return str(Path(data).resolve()) if Path(data).exists() else data


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
