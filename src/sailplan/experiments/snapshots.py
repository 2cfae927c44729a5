"""The paper's Fig. 3: how the frontier of SaIL evolves in each family, beside the ends of SL and h_EUC."""

from __future__ import annotations

from typing import Any

from sailplan.evaluation.figures import Panel, draw_figure
from sailplan.evaluation.pictures import write_picture
from sailplan.experiments.panels import WORLD_RULE, numbers_of, panel_of, telling_task, watch
from sailplan.experiments.part import Experiment, Figure, Part
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.searches import policy_of
from sailplan.progress import ShowProgress

_MOMENTS = {"a third": 1 / 3, "two thirds": 2 / 3, "the end": 1.0}
"""Of SaIL's expansions."""
_RIVALS = ("sl", "h_euc")


def _runs(asked: Reproduction) -> list[Run]:
    return runs_of(asked, [asked.system("sail"), asked.system("sl")], asked.families)


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Search a world of each family, and draw what was uncovered."""
    rows: dict[str, list[Panel]] = {}
    numbers: list[dict[str, Any]] = []
    with progress("drawing snapshots", len(asked.families)) as step:
        for family in asked.families:
            task = telling_task(asked, family)
            problem = task.problem()
            ends = {name: watch(problem, policy_of(asked, asked.system(name), family)) for name in ("sail", *_RIVALS)}
            rows[family] = [panel_of(problem, ends["sail"], share) for share in _MOMENTS.values()]
            rows[family] += [panel_of(problem, ends[name]) for name in _RIVALS]
            numbers += [numbers_of(asked, family, task.name, name, result) for name, result in ends.items()]
            step()
    sail = asked.system("sail").label
    columns = [*(f"{sail}, {moment}" for moment in _MOMENTS), *(asked.system(name).label for name in _RIVALS)]
    caption = f"{WORLD_RULE} {asked.worlds.capitalize()}; trained with {asked.label}, seed {asked.seed}."
    title = "Snapshots: what a search has uncovered"
    file = asked.out / "snapshots.png"
    write_picture(draw_figure(title, caption, columns, rows), file)
    return Part("Snapshots", numbers, [file], figures=[Figure(file, title)])


SNAPSHOTS = Experiment(_runs, _make)
