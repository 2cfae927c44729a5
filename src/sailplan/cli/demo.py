"""`sailplan demo`: a minute's tour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image

from sailplan.cli.evaluate import benchmark, print_tables
from sailplan.evaluation.animation import frames
from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.pictures import draw_search, side_by_side, write_animation, write_picture
from sailplan.evaluation.records import Record, write_records
from sailplan.evaluation.report import write_report
from sailplan.evaluation.tables import as_markdown
from sailplan.evaluation.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.files import write_text
from sailplan.graphs.problem import Problem
from sailplan.policies.catalogue import make_policy
from sailplan.search import Limits, open_search
from sailplan.worlds import write_png

FAMILIES = ("single_bugtrap", "forest", "mazes")
POLICIES = ["a_star", "weighted_a_star", "h_euc", "h_man", "mha_star", "oracle"]
SIDE_BY_SIDE = ["a_star", "h_euc", "oracle"]


def demo(
    out: Annotated[Path, typer.Option(help="Folder for what the tour makes.")] = Path("demo"),
    worlds: Annotated[int, typer.Option(min=1, help="Worlds of each family in the table.")] = 25,
) -> None:
    """A minute's tour: generated worlds, planners side by side, a table, pictures and a page."""
    typer.echo("The first search compiles the engine (some seconds); it is kept for the next time.")
    task_sets = [task_set for family in FAMILIES for task_set in load_tasks(family, Choice("test", limit=worlds))]
    records = benchmark(POLICIES, task_sets, Limits())
    summaries = summarise(records)
    print_tables(summaries)
    pictures = {}
    for task_set in task_sets:
        task = _hardest(task_set, records)
        write_png(task.scenario.world, out / "worlds" / f"{task_set.family}.png")
        pictures[task_set.family] = side_by_side([_picture(task.problem(), name) for name in SIDE_BY_SIDE])
        write_picture(pictures[task_set.family], out / f"{task_set.family}.png")
    write_records(records, out / "records.csv")
    write_text(out / "table.md", as_markdown(summaries))
    _film(_hardest(task_sets[0], records).problem(), "h_euc", out / "single_bugtrap.gif")
    introduction = f"{worlds} generated worlds of each family; the oracle knows the world and is the limit."
    write_report(out / "report.html", "sailplan: a minute's tour", introduction, summaries, pictures)
    typer.echo(f"\nThe table, the pictures and report.html are in {out.resolve()}")
    typer.echo(f"Next: {_command()} plan {out / 'worlds' / 'mazes.png'} --policy h_euc --png my_search.png")


def _command() -> str:
    """What the user types to get here again."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "sailplan" and not called.is_absolute() else "sailplan"


def _hardest(task_set: TaskSet, records: list[Record]) -> Task:
    """The world on which a greedy search does worst: there is most to see."""
    greedy = {one.problem: one.expansions for one in records if one.policy == "h_euc" and one.family == task_set.family}
    return max(task_set.tasks, key=lambda task: greedy[task.name])


def _picture(problem: Problem, name: str) -> Image.Image:
    session = open_search(problem, make_policy(name))
    result = session.run()
    caption = f"{name}: {result.expansions} expansions, cost {result.cost:.1f}"
    return draw_search(problem, session.state, result.path, caption)


def _film(problem: Problem, name: str, path: Path) -> None:
    result = open_search(problem, make_policy(name)).run()
    write_animation(list(frames(problem, result, f"{problem.name} · {name}")), path)
