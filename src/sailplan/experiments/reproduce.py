"""Reproduce the paper: the trainings first, several at a time, then each part, then a page with all of it."""

from __future__ import annotations

from collections.abc import Sequence

from sailplan.experiments.adaptation import ADAPTATION, comparisons
from sailplan.experiments.convergence import CONVERGENCE
from sailplan.experiments.part import Experiment, Part
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.results_page import write_results
from sailplan.experiments.runs import ensure_runs
from sailplan.experiments.snapshots import SNAPSHOTS
from sailplan.experiments.table import TABLE
from sailplan.progress import ShowProgress, no_progress

EXPERIMENTS: dict[str, Experiment] = {
    "table": TABLE,
    "snapshots": SNAPSHOTS,
    "adaptation": ADAPTATION,
    "convergence": CONVERGENCE,
}
"""Every part by name."""


def reproduce(asked: Reproduction, names: Sequence[str], progress: ShowProgress = no_progress) -> dict[str, Part]:
    """Make the named parts, training what is missing."""
    runs = [run for name in names for run in EXPERIMENTS[name].runs(asked)]
    asked.begin()
    ensure_runs(list({run.folder: run for run in runs}.values()), jobs=asked.jobs, progress=progress)
    return {name: EXPERIMENTS[name].make(asked, progress) for name in names}


def reproduce_all(asked: Reproduction, progress: ShowProgress = no_progress) -> dict[str, Part]:
    """Make every part that the families allow, and one page of them: OUT/report.html."""
    names = [name for name in EXPERIMENTS if name != "adaptation" or comparisons(asked)]
    parts = reproduce(asked, names, progress)
    write_results(asked, parts)
    return parts
