"""How the paper's table is laid out: the scores of all families at a glance, then a sheet for each family."""

from __future__ import annotations

from collections.abc import Sequence

from sailplan.evaluation.sheets import Cell, Sheet
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.table_rows import Row

_HEADINGS = ["planner", "published", "ours", "95 %", "expansions", "x oracle", "solved", "ms"]


def scores_sheet(asked: Reproduction, groups: Sequence[Sequence[Row]]) -> Sheet:
    """Our scores, the published ones in brackets: a row a family, a column a system, and the sums."""
    rows = [[Cell(group[0].family), *(Cell(_score(row), row.best) for row in group)] for group in groups]
    sums = [_sum([group[column] for group in groups]) for column in range(len(asked.systems))]
    least = min((ours for ours, _, rival in sums if rival), default=None)
    rows.append([Cell("sum"), *(Cell(_pair(ours, told), rival and ours == least) for ours, told, rival in sums)])
    title = f"Normalised expansions (published), {asked.worlds}, {asked.label}"
    return Sheet(title, ["family", *(system.label for system in asked.systems)], rows)


def family_sheet(group: Sequence[Row]) -> Sheet:
    """Every system on one family; the best planner is bold."""
    first = group[0]
    left_out = f", {first.unsolvable} unsolvable left out" if first.unsolvable else ""
    title = f"{first.family}: {first.worlds} worlds{left_out}, {first.settings}"
    return Sheet(title, _HEADINGS, [_cells(row) for row in group])


def notes(asked: Reproduction, rows: Sequence[Row]) -> list[str]:
    """What a reader of the table has to know."""
    told = [
        f"Trained with {asked.label}, seed {asked.seed}; {asked.worlds}.",
        "Scores are clip((mean expansions - 200) / 4800, 0, 1) over the worlds that can be solved, with a bootstrap "
        "95 % interval; a search ends after 20000 expansions. The planner with the fewest expansions in its family is "
        "bold; the oracle knows the world: a limit, not a rival. x oracle: times its expansions; ms: of a search.",
    ]
    for source in dict.fromkeys(row.source for row in rows if row.source):
        labels = dict.fromkeys(row.label for row in rows if row.source == source)
        told.append(f"Published numbers of {', '.join(labels)}: {source}.")
    for system in asked.systems:
        if system.preset != "paper":
            told.append(f"{system.label}: with the {system.preset} preset of this library, not the paper's settings.")
    if asked.split != "test":
        told.append(f"These are {asked.split} worlds: trainings have looked at worlds of this split.")
    return told


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
    """Our scores and the published ones of a system, summed, and whether it is a rival."""
    published = [row.published for row in rows if row.published is not None]
    told = sum(published) if len(published) == len(rows) else None
    return sum(row.normalised for row in rows), told, rows[0].system != "oracle"
