"""`sailplan demo`: a short tour."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image
from rich.console import Console

from sailplan.cli.train import run
from sailplan.core import Limits, open_search, search
from sailplan.core.graph import Problem
from sailplan.datasets import write_png
from sailplan.datasets.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.evaluation.animation import frames
from sailplan.evaluation.evaluate import Evaluation, evaluate_tasks
from sailplan.evaluation.player import player_part, record_scene
from sailplan.evaluation.records import Record, write_records
from sailplan.evaluation.report import write_report
from sailplan.evaluation.tables import as_markdown
from sailplan.files import write_text
from sailplan.graphs.grid.pictures import draw_search, side_by_side, write_animation, write_picture
from sailplan.learning import DEFAULT
from sailplan.learning.run_folder import Plan
from sailplan.policies.catalogue import load_policy

TRAINED_ON = "alternating_gaps"
FAMILIES = (TRAINED_ON, "single_bugtrap", "mazes")
BASELINES = ["lazy", "optimistic", "a_star", "weighted_a_star", "h_euc", "mha_star", "oracle"]
_FRAMES = 60
_SIDE = 400
"""Side of a picture in pixels."""
SETTINGS = DEFAULT.changed(
    rounds=2,
    training_worlds=300,
    worlds_per_round=40,
    samples_per_world=6,
    random_endpoints=0.0,
    validation_worlds=40,
    components=32,
    steps=40,
    routes=64,
    search_steps=12,
    search_pairs=50,
)
"""Small settings, for a training of about a minute."""


def demo(
    out: Annotated[Path, typer.Option(help="Folder for what the tour makes.")] = Path("demo"),
    worlds: Annotated[int, typer.Option(min=1, help="Unseen worlds of each family in the table.")] = 25,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of the training.")] = SETTINGS.rounds,
) -> None:
    """A short tour: train a policy, compare it with planners on unseen worlds, a table, pictures and a page.

    Example:
      sailplan demo --out demo --worlds 10
    """
    typer.echo("The first searches compile the engine (about a minute); it is kept for the next time.")
    learned = {family: f"sail:{family}" for family in FAMILIES}
    learned[TRAINED_ON] = _train(out / "training", rounds)
    task_sets = [task_set for family in FAMILIES for task_set in load_tasks(family, Choice("test", limit=worlds))]
    searched = [
        evaluate_tasks([one], [*BASELINES, learned[one.family], f"lazy-belief:{one.family}"], Limits())
        for one in task_sets
    ]
    evaluation = Evaluation([record for one in searched for record in one.records])
    records, summaries = evaluation.records, evaluation.summaries
    Console().print(evaluation)
    pictures, scenes = {}, []
    for task_set in task_sets:
        family, task = task_set.family, _hardest(task_set, records)
        write_png(task.scenario.world, out / "worlds" / f"{family}.png")
        shown = {"h_euc": "h_euc", "optimistic": "optimistic", "SaIL": learned[family], "lazy": "lazy"}
        shown["lazy-belief"] = f"lazy-belief:{family}"
        pictures[family] = side_by_side([_picture(task.problem(), name, policy) for name, policy in shown.items()])
        write_picture(pictures[family], out / f"{family}.png")
        scenes.append(record_scene(task, {name: load_policy(policy) for name, policy in shown.items()}))
    write_records(records, out / "records.csv")
    write_text(out / "table.md", as_markdown(summaries))
    raced = {"optimistic": "optimistic", "SaIL": learned[TRAINED_ON]}
    _film(_hardest(task_sets[0], records).problem(), raced, out / f"{TRAINED_ON}.gif")
    gain = _gain(evaluation)
    introduction = (
        f"{worlds} generated worlds of each family that no training has seen. On {TRAINED_ON} SaIL is the policy "
        "trained just now, elsewhere one that comes with the package; optimistic needs no training and replans "
        "where it meets an obstacle. The oracle knows the world and is the limit. lazy evaluates one edge at a time, "
        f"lazy-belief does so with what it has learned from other worlds of the family. {gain}"
    )
    page = out / "report.html"
    write_report(page, "sailplan: a short tour", introduction, summaries, pictures, [player_part(scenes)])
    typer.echo(f"\n{gain}")
    typer.echo(f"The training, the table, the pictures and report.html are in {out.resolve()}")
    typer.echo(f"Next: {_command()} plan {out / 'worlds' / 'mazes.png'} --png my_search.png")
    typer.echo(
        "That is with lazy; --policy sail:mazes is SaIL, --policy a_star_octile or lazy:1 gives a shortest path."
    )


def _train(folder: Path, rounds: int) -> str:
    """Train, and return the folder of the run."""
    if folder.exists():
        shutil.rmtree(folder)
    facts = run(Plan("sail", TRAINED_ON, 0, SETTINGS.changed(rounds=rounds)), folder, jobs=2)
    typer.echo(
        f"Trained on {SETTINGS.training_worlds} worlds of {TRAINED_ON} in {facts['seconds']:.0f} s, {facts['rounds']} "
        f"rounds: {facts['validation_expansions']:.0f} expansions on validation worlds."
    )
    return str(folder)


def _gain(evaluation: Evaluation) -> str:
    """How many expansions SaIL saves on the family that it was trained on just now."""
    counts = {one.policy: one for one in evaluation.summaries if one.family == TRAINED_ON}
    optimistic, oracle = counts["optimistic"].mean_expansions, counts["oracle"].mean_expansions
    trained = next(one for name, one in counts.items() if name not in BASELINES and not name.startswith("lazy"))
    saved = 1.0 - trained.mean_expansions / optimistic
    return (
        f"On {TRAINED_ON} SaIL, trained just now, needs {trained.mean_expansions:.0f} expansions, {saved:.0%} fewer "
        f"than optimistic ({optimistic:.0f}); the oracle needs {oracle:.0f}."
    )


def _command() -> str:
    """The command as the user typed it."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "sailplan" and not called.is_absolute() else "sailplan"


def _hardest(task_set: TaskSet, records: Sequence[Record]) -> Task:
    """The world on which a greedy search needs the most expansions."""
    greedy = {one.problem: one.expansions for one in records if one.policy == "h_euc" and one.family == task_set.family}
    return max((task for task in task_set.tasks if isinstance(task, Task)), key=lambda task: greedy[task.name])


def _picture(problem: Problem, name: str, policy: str) -> Image.Image:
    session = open_search(problem, load_policy(policy))
    result = session.run()
    counts = f"{result.edge_evaluations} evaluations"
    if result.expansions:
        counts = f"{result.expansions} expansions, {counts}"
    return draw_search(problem, session.state, result.path, f"{name}: {counts}", side=_SIDE)


def _film(problem: Problem, raced: dict[str, str], path: Path) -> None:
    """Write searches side by side as an animation, with the same number of expansions per frame."""
    policies = {name: load_policy(policy) for name, policy in raced.items()}
    results = {name: search(problem, policy) for name, policy in policies.items()}
    pace = _FRAMES / max(1, *(result.expansions for result in results.values()))
    films = [
        list(frames(problem, result, name, max(2, round(pace * result.expansions)), policies[name]))
        for name, result in results.items()
    ]
    length = max(map(len, films))
    rows = [side_by_side([film[min(step, len(film) - 1)] for film in films]) for step in range(length)]
    write_animation(rows, path)
