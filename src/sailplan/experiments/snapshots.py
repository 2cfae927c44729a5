"""The paper's Fig. 3: how the frontier of SaIL evolves in each family, beside the ends of SL and h_EUC."""

from __future__ import annotations

from typing import Any

from sailplan.core import Policy, SearchResult, replay, search
from sailplan.core.graph import Problem
from sailplan.datasets.tasks import Task
from sailplan.errors import SailplanError
from sailplan.evaluation.animation import steps
from sailplan.evaluation.benchmark import PAPER_LIMITS
from sailplan.evaluation.figures import Panel, draw_figure
from sailplan.evaluation.player import Scene, record_scene, write_player
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.experiments.reproduction import Experiment, Figure, Part, Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.searches import policy_of, records_of
from sailplan.graphs.grid.pictures import draw_panel, write_picture
from sailplan.parallel import ShowProgress

WORLD_RULE = "The world of a family is the one that is harder for h_EUC than three quarters of the others."
"""In the median world of some families the obstacle is out of the way."""
_MOMENTS = {"a third": 1 / 3, "two thirds": 2 / 3, "the end": 1.0}
"""Shares of SaIL's expansions."""
_RIVALS = ("sl", "h_euc")


def telling_task(asked: Reproduction, family: str) -> Task:
    """The world that WORLD_RULE chooses among those that can be solved."""
    records = records_of(asked, [asked.system("h_euc")], [family])
    solvable = [index for index, record in enumerate(records) if record.outcome != UNSOLVABLE]
    if not solvable:
        raise SailplanError(f"{asked.source(family)}: no world of split {asked.split} has a path")
    ordered = sorted(solvable, key=lambda index: records[index].expansions)
    task = asked.tasks(family).tasks[ordered[3 * len(ordered) // 4]]
    assert isinstance(task, Task)
    return task


def watch(problem: Problem, policy: Policy) -> SearchResult:
    """Search with the limits of the table."""
    return search(problem, policy, PAPER_LIMITS)


def panel_of(problem: Problem, result: SearchResult, share: float = 1.0) -> Panel:
    """Draw the search after a share of its steps; at the end, with the path."""
    unit = "evaluations" if len(result.trace.evaluated) else "expansions"
    if share < 1.0:
        count = round(share * steps(result))
        return Panel(draw_panel(problem, replay(problem, result.trace, count)), f"{count} {unit}")
    caption = f"{steps(result)} {unit}" + ("" if result.found else ", no path yet")
    return Panel(draw_panel(problem, replay(problem, result.trace), result.path), caption)


def numbers_of(asked: Reproduction, family: str, world: str, policy: str, result: SearchResult) -> dict[str, Any]:
    """The numbers of a search, ready for JSON."""
    return {
        "family": family,
        "world": world,
        "policy": policy,
        "expansions": result.expansions,
        "edge_evaluations": result.edge_evaluations,
        "found": result.found,
        "cost": result.cost if result.found else None,
        "settings": asked.label,
    }


def _runs(asked: Reproduction) -> list[Run]:
    return runs_of(asked, [asked.system("sail"), asked.system("sl")], asked.families)


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Search one world of each family, and draw the searches."""
    rows: dict[str, list[Panel]] = {}
    numbers: list[dict[str, Any]] = []
    scenes: list[Scene] = []
    with progress("drawing snapshots", len(asked.families)) as step:
        for family in asked.families:
            task = telling_task(asked, family)
            problem = task.problem()
            ends = {name: watch(problem, policy_of(asked, asked.system(name), family)) for name in ("sail", *_RIVALS)}
            rows[family] = [panel_of(problem, ends["sail"], share) for share in _MOMENTS.values()]
            rows[family] += [panel_of(problem, ends[name]) for name in _RIVALS]
            numbers += [numbers_of(asked, family, task.name, name, result) for name, result in ends.items()]
            systems = [asked.system(name) for name in ends]
            policies = {system.label: policy_of(asked, system, family) for system in systems}
            scenes.append(record_scene(task, policies, PAPER_LIMITS))
            step()
    sail = asked.system("sail").label
    columns = [*(f"{sail}, {moment}" for moment in _MOMENTS), *(asked.system(name).label for name in _RIVALS)]
    caption = f"{WORLD_RULE} {asked.worlds.capitalize()}; trained with {asked.label}, seed {asked.seed}."
    title = "Snapshots: what a search has uncovered"
    file = asked.out / "snapshots.png"
    write_picture(draw_figure(title, caption, columns, rows), file)
    page = asked.out / "snapshots.html"
    write_player(page, title, scenes)
    return Part("Snapshots", numbers, [file, page], figures=[Figure(file, title)], scenes=scenes)


SNAPSHOTS = Experiment(_runs, _make)
