"""The rows of the paper's table: a system on a family, with every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from sailplan.evaluation.metrics import Summary, normalised, summarise
from sailplan.evaluation.paper import PUBLISHED, SOURCES
from sailplan.evaluation.records import Record
from sailplan.evaluation.tables import by_family, is_best
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.runs import runs_of
from sailplan.files import FilePath, write_csv


@dataclass(frozen=True)
class Row:
    """A system on a family."""

    family: str
    system: str
    label: str
    settings: str
    """Whose settings the trainings had."""
    published: float | None
    source: str | None
    """Where the published number is from."""
    normalised: float
    normalised_low: float
    normalised_high: float
    """Bootstrap 95 % interval of the score."""
    best: bool
    """Whether no planner needed fewer expansions in this family."""
    mean_expansions: float
    expansions_low: float
    expansions_high: float
    ratio_to_clairvoyant: float
    worlds: int
    unsolvable: int
    """Worlds left out because the goal cannot be reached."""
    solved: int
    mean_cost_ratio: float
    mean_edge_evaluations: float
    ms_per_search: float
    training_seconds: float | None


def rows_of(asked: Reproduction, records: Sequence[Record]) -> list[Row]:
    """A row for each system and family."""
    return [_row(asked, one, rivals) for rivals in by_family(summarise(records)).values() for one in rivals]


def write_rows(rows: Sequence[Row], path: FilePath) -> None:
    """Write the rows as CSV, whole or not at all."""
    write_csv(path, [one.name for one in fields(Row)], map(asdict, rows))


def _row(asked: Reproduction, summary: Summary, rivals: Sequence[Summary]) -> Row:
    system = asked.system(summary.policy)
    (run,) = runs_of(asked, [system], [summary.family]) if system.trained else [None]
    return Row(
        family=summary.family,
        system=system.name,
        label=system.label,
        settings=asked.label,
        published=PUBLISHED[summary.family].get(system.name),
        source=SOURCES.get(system.name),
        normalised=summary.normalised,
        normalised_low=normalised(summary.ci95[0]),
        normalised_high=normalised(summary.ci95[1]),
        best=is_best(summary, rivals),
        mean_expansions=summary.mean_expansions,
        expansions_low=summary.ci95[0],
        expansions_high=summary.ci95[1],
        ratio_to_clairvoyant=summary.ratio_to_clairvoyant,
        worlds=summary.worlds,
        unsolvable=summary.unsolvable,
        solved=summary.solved,
        mean_cost_ratio=summary.mean_cost_ratio,
        mean_edge_evaluations=summary.mean_edge_evaluations,
        ms_per_search=summary.ms_per_search,
        training_seconds=None if run is None else run.seconds,
    )
