"""The paper's table (its Fig. 2): every system on every family, ours beside the published number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from sailplan.evaluation.metrics import Summary, normalised, summarise
from sailplan.evaluation.records import Record
from sailplan.evaluation.sheets import Cell, Sheet, in_markdown, latex, markdown
from sailplan.evaluation.tables import as_objects, by_family, is_best
from sailplan.experiments.reproduction import Experiment, Part, Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.searches import records_of
from sailplan.experiments.systems import PUBLISHED, SOURCES
from sailplan.files import FilePath, write_csv, write_text
from sailplan.parallel import ShowProgress

_HEADINGS = ["planner", "published", "ours", "95 %", "expansions", "x oracle", "solved", "ms"]


@dataclass(frozen=True)
class Row:
    """A system on a family."""

    family: str
    system: str
    label: str
    settings: str
    """The settings of the trainings in words."""
    published: float | None
    source: str | None
    """Source of the published number."""
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
    """Write the rows atomically as CSV."""
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


def scores_sheet(asked: Reproduction, groups: Sequence[Sequence[Row]]) -> Sheet:
    """Our scores, with the published ones in brackets: one row per family, one column per system, and the sums."""
    rows = [[Cell(group[0].family), *(Cell(_score(row), row.best) for row in group)] for group in groups]
    sums = [_sum([group[column] for group in groups]) for column in range(len(asked.systems))]
    least = min((ours for ours, _, competes in sums if competes), default=None)
    rows.append(
        [Cell("sum"), *(Cell(_pair(ours, published), competes and ours == least) for ours, published, competes in sums)]
    )
    title = f"Normalised expansions (published), {asked.worlds}, {asked.label}"
    return Sheet(title, ["family", *(system.label for system in asked.systems)], rows)


def family_sheet(group: Sequence[Row]) -> Sheet:
    """Every system on one family; the best planner is bold."""
    first = group[0]
    left_out = f", {first.unsolvable} unsolvable left out" if first.unsolvable else ""
    title = f"{first.family}: {first.worlds} worlds{left_out}, {first.settings}"
    return Sheet(title, _HEADINGS, [_cells(row) for row in group])


def notes(asked: Reproduction, rows: Sequence[Row]) -> list[str]:
    """Remarks on the table."""
    lines = [
        f"Trained with {asked.label}, seed {asked.seed}; {asked.worlds}.",
        "Scores are clip((mean expansions - 200) / 4800, 0, 1) over the worlds that can be solved, with a bootstrap "
        "95 % interval; a search ends after 20000 expansions. The planner with the fewest expansions in its family is "
        "bold; the oracle knows the world: it is the limit. x oracle: times its expansions; ms: of a search.",
    ]
    for source in dict.fromkeys(row.source for row in rows if row.source):
        labels = dict.fromkeys(row.label for row in rows if row.source == source)
        lines.append(f"Published numbers of {', '.join(labels)}: {source}.")
    for system in asked.systems:
        if system.preset != "paper":
            lines.append(f"{system.label}: with the {system.preset} preset of this library, not the paper's settings.")
    if asked.split != "test":
        lines.append(f"These are {asked.split} worlds: the trainings have seen worlds of this split.")
    return lines


def _cells(row: Row) -> list[Cell]:
    ours = [
        f"{row.normalised:.3f}",
        f"{row.normalised_low:.3f}-{row.normalised_high:.3f}",
        f"{row.mean_expansions:.1f}",
        f"{row.ratio_to_clairvoyant:.2f}",
        f"{row.solved}/{row.worlds}",
        f"{row.ms_per_search:.2f}",
    ]
    published = "-" if row.published is None else f"{row.published:.3f}"
    return [Cell(row.label, row.best), Cell(published), *(Cell(text, row.best) for text in ours)]


def _score(row: Row) -> str:
    return _pair(row.normalised, row.published)


def _pair(ours: float, published: float | None) -> str:
    return f"{ours:.3f}" if published is None else f"{ours:.3f} ({published:.3f})"


def _sum(rows: Sequence[Row]) -> tuple[float, float | None, bool]:
    """The sums of our scores and of the published ones of a system, and whether it competes."""
    published = [row.published for row in rows if row.published is not None]
    total = sum(published) if len(published) == len(rows) else None
    return sum(row.normalised for row in rows), total, rows[0].system != "oracle"


def _runs(asked: Reproduction) -> list[Run]:
    return runs_of(asked, asked.trained, asked.families)


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Search all worlds, and write the table as CSV, Markdown and LaTeX."""
    rows = rows_of(asked, records_of(asked, asked.systems, asked.families, progress))
    groups = [[row for row in rows if row.family == family] for family in asked.families]
    sheets = [scores_sheet(asked, groups), *map(family_sheet, groups)]
    remarks = notes(asked, rows)
    files = [asked.out / f"table.{suffix}" for suffix in ("csv", "md", "tex")]
    write_rows(rows, files[0])
    write_text(files[1], "\n".join([*map(markdown, sheets), *(in_markdown(line) + "\n" for line in remarks)]))
    write_text(files[2], "\n".join([*(f"% {line}" for line in remarks), "", *map(latex, sheets)]))
    return Part("The paper's table", as_objects(rows), files, sheets, remarks)


TABLE = Experiment(_runs, _make)
