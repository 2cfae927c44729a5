"""Reproduce the paper: the trainings first, several at a time, then each part, then a page with all parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sailplan import __version__
from sailplan.errors import SailplanError
from sailplan.evaluation.player import player_part
from sailplan.evaluation.report import heading, note, paragraph, picture, write_page
from sailplan.evaluation.sheets import Cell, Sheet, html
from sailplan.experiments.adaptation import ADAPTATION, comparisons
from sailplan.experiments.convergence import CONVERGENCE
from sailplan.experiments.reproduction import Experiment, Part, Reproduction
from sailplan.experiments.runs import Run, ensure_runs, runs_of
from sailplan.experiments.snapshots import SNAPSHOTS
from sailplan.experiments.table import TABLE
from sailplan.files import file_bytes
from sailplan.learning.run_folder import versions
from sailplan.parallel import ShowProgress, no_progress

PAGE = "report.html"
EXPERIMENTS: dict[str, Experiment] = {
    "table": TABLE,
    "snapshots": SNAPSHOTS,
    "adaptation": ADAPTATION,
    "convergence": CONVERGENCE,
}
"""The experiments by name."""


def reproduce(asked: Reproduction, names: Sequence[str], progress: ShowProgress = no_progress) -> dict[str, Part]:
    """Run the named experiments after the trainings that are missing; one process at a time may do so in a folder."""
    runs = [run for name in names for run in EXPERIMENTS[name].runs(asked)]
    with asked.begun():
        return _parts(asked, names, runs, progress)


def reproduce_all(asked: Reproduction, progress: ShowProgress = no_progress) -> dict[str, Part]:
    """Run every experiment that the families allow, and write the page OUT/report.html."""
    names = [name for name in EXPERIMENTS if name != "adaptation" or comparisons(asked)]
    runs = [run for name in names for run in EXPERIMENTS[name].runs(asked)]
    with asked.begun():
        parts = _parts(asked, names, runs, progress)
        write_results(asked, parts)
    return parts


def _parts(asked: Reproduction, names: Sequence[str], runs: Sequence[Run], progress: ShowProgress) -> dict[str, Part]:
    ensure_runs(list({run.folder: run for run in runs}.values()), jobs=asked.jobs, progress=progress)
    return {name: EXPERIMENTS[name].make(asked, progress) for name in names}


def write_results(asked: Reproduction, parts: Mapping[str, Part]) -> None:
    """Write the page atomically."""
    runs = runs_of(asked, asked.trained, asked.families)
    headline = f"Trained with {asked.label}."
    scenes = [scene for part in parts.values() for scene in part.scenes]
    sheets = [_facts(asked, runs), _worlds(parts["table"]), _settings(asked), _trainings(runs)]
    body = [
        note(headline) if asked.quick else paragraph(headline),
        paragraph(
            f"Reported: {asked.worlds}. Fewer expansions are better; the oracle knows the world, it is the limit."
        ),
        *(line for part in parts.values() for line in _section(part)),
        heading("How it was made"),
        *map(html, sheets),
        *([player_part(scenes)] if scenes else []),
    ]
    write_page(asked.out / PAGE, f"Learning Heuristic Search via Imitation, reproduced ({asked.label})", body)


def _section(part: Part) -> list[str]:
    """A part with its tables, remarks and figures."""
    lines = [heading(part.title), *map(html, part.sheets[:1]), *map(paragraph, part.notes), *map(html, part.sheets[1:])]
    for figure in part.figures:
        lines.append(picture(file_bytes(figure.file, error=SailplanError), figure.title))
        lines += [paragraph(figure.caption)] if figure.caption else []
    return lines


def _facts(asked: Reproduction, runs: Sequence[Run]) -> Sheet:
    facts = {
        "settings": asked.label,
        "worlds": "generated" if asked.data is None else str(asked.data.resolve()),
        "split": asked.split,
        "families": ", ".join(asked.families),
        "seed of the trainings": asked.seed,
        "trainings": len(runs),
        "seconds of all trainings": f"{sum(run.seconds for run in runs):.0f}",
        "sailplan": __version__,
        **versions(),
    }
    return _sheet("Facts", ["", "value"], [[name, value] for name, value in facts.items()])


def _worlds(table: Part) -> Sheet:
    counts = {row["family"]: (row["worlds"], row["unsolvable"]) for row in table.numbers}
    rows = [[family, *numbers] for family, numbers in counts.items()]
    return _sheet("Worlds that are reported", ["family", "searched", "left out: no path"], rows)


def _settings(asked: Reproduction) -> Sheet:
    """Every setting of every algorithm; a dash if it has no such setting."""
    settings = {one.label: _flat(asked.plan(one, asked.families[0]).settings.as_json()) for one in asked.trained}
    names = dict.fromkeys(name for values in settings.values() for name in values)
    rows = [[name, *(_text(values.get(name, "-")) for values in settings.values())] for name in names]
    return _sheet(f"Settings of the trainings ({asked.label})", ["setting", *settings], rows)


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, including those of the network."""
    inner = settings.pop("network", {})
    return {**settings, **inner}


def _text(value: Any) -> str:
    """The value of a setting as on the command line."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _trainings(runs: Sequence[Run]) -> Sheet:
    rows = []
    for run in runs:
        done = run.rounds
        best = min(done, key=lambda one: one.validation_expansions)
        kept = f"{best.number} of {len(done)}"
        rows.append(
            [run.folder.name, kept, f"{best.validation_expansions:.1f}", done[-1].examples, f"{run.seconds:.1f}"]
        )
    return _sheet(
        "Trainings (the first of an installation compile the engine, too)",
        ["run", "round kept", "validation expansions", "examples", "seconds"],
        rows,
    )


def _sheet(title: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> Sheet:
    return Sheet(title, headings, [[Cell(str(value)) for value in row] for row in rows])
