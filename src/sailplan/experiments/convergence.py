"""The paper's Fig. 4b: expansions on the validation worlds after each round of training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sailplan.errors import SailplanError
from sailplan.experiments.reproduction import Experiment, Figure, Part, Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.systems import System
from sailplan.files import write_csv
from sailplan.parallel import ShowProgress

_COMPARED = ("sail", "cem", "ql")
_COLUMNS = ["system", "family", "seed", "settings", "round", "validation_expansions", "mixing", "examples", "loss"]


def _compared(asked: Reproduction) -> list[System]:
    return [one for one in asked.trained if one.name in _COMPARED]


def _family(asked: Reproduction) -> str:
    """The paper's family or, if it is not part of the reproduction, the first."""
    return "forest" if "forest" in asked.families else asked.families[0]


def _both(asked: Reproduction) -> tuple[list[Run], list[Run]]:
    """The runs of every system on one family, and those of SaIL on every family."""
    return runs_of(asked, _compared(asked), [_family(asked)]), runs_of(asked, [asked.system("sail")], asked.families)


def _runs(asked: Reproduction) -> list[Run]:
    try:
        import sailplan.learning.convergence  # noqa: F401
    except ModuleNotFoundError as error:
        raise SailplanError("plots need matplotlib: pip install '.[plot]' in a checkout") from error
    systems, families = _both(asked)
    return _each_once([*systems, *families])


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Plot the curves and write them as CSV."""
    systems, families = _both(asked)
    numbers = [row for run in _each_once([*systems, *families]) for row in _numbers(asked, run)]
    table = asked.out / "convergence.csv"
    write_csv(table, _COLUMNS, numbers)
    caption = f"Mean expansions on the validation worlds after each round; {asked.label}, seed {asked.seed}."
    figures = [
        _draw(
            asked, "convergence.png", f"Convergence on {_family(asked)}", caption, {r.system.label: r for r in systems}
        ),
        _draw(asked, "convergence_families.png", "Convergence of SaIL", caption, {r.family: r for r in families}),
    ]
    return Part("Convergence", numbers, [table, *(one.file for one in figures)], figures=figures)


def _draw(asked: Reproduction, name: str, title: str, caption: str, runs: dict[str, Run]) -> Figure:
    from sailplan.learning.convergence import draw_convergence

    curves = {label: [one.validation_expansions for one in run.rounds] for label, run in runs.items()}
    draw_convergence(curves, asked.out / name, f"{title} ({asked.label})", logarithmic=True)
    return Figure(asked.out / name, title, caption)


def _each_once(runs: Sequence[Run]) -> list[Run]:
    return list({run.folder: run for run in runs}.values())


def _numbers(asked: Reproduction, run: Run) -> list[dict[str, Any]]:
    facts = {"system": run.system.name, "family": run.family, "seed": asked.seed, "settings": asked.label}
    return [{**facts, "round": one.number, **{name: getattr(one, name) for name in _COLUMNS[5:]}} for one in run.rounds]


CONVERGENCE = Experiment(_runs, _make)
