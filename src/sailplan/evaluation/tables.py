"""Tables of summaries: as sheets, as Markdown and as plain objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.sheets import Cell, Sheet, in_markdown, markdown

HEADINGS = ["policy", "solved", "expansions", "evaluated", "95 %", "norm", "x limit", "cost", "ms"]
SPARE = ["95 %", "norm", "ms"]
"""Columns that a narrow terminal leaves out, in this order."""
EXPLANATION = (
    "expansions, evaluated: mean numbers of expanded vertices and of evaluated edges over the worlds that can be "
    "solved; 95 %: bootstrap interval of the expansions, or of the evaluated edges if no vertex is expanded; norm: the "
    "paper's normalised score; x limit: times the clairvoyant's expansions, or times the fewest edges of a valid path "
    "if no vertex is expanded; cost: path over optimal"
)
_EXPANSIONS, _EVALUATED = HEADINGS.index("expansions"), HEADINGS.index("evaluated")


def as_objects(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Summaries or other dataclasses as objects, ready for JSON; NaN and infinity become None."""
    return [{name: _plain(value) for name, value in asdict(row).items()} for row in rows]


def family_sheet(summaries: Sequence[Summary]) -> Sheet:
    """The table of a family; the fewest expansions and the fewest evaluated edges are bold, with their planners."""
    return Sheet(title(summaries[0]), HEADINGS, [_cells(summary, summaries) for summary in summaries], SPARE)


def family_sheets(summaries: Sequence[Summary]) -> list[Sheet]:
    """A table for each family."""
    return [family_sheet(rows) for rows in by_family(summaries).values()]


def as_markdown(summaries: Sequence[Summary]) -> str:
    """The tables as Markdown, with the explanation of the columns."""
    return "\n".join([*map(markdown, family_sheets(summaries)), in_markdown(EXPLANATION), ""])


def by_family(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    """The summaries of each family."""
    families: dict[str, list[Summary]] = {}
    for summary in summaries:
        families.setdefault(summary.family, []).append(summary)
    return families


def title(summary: Summary) -> str:
    """The family, and its number of worlds."""
    left_out = f", {summary.unsolvable} unsolvable left out" if summary.unsolvable else ""
    return f"{summary.family}: {summary.worlds} worlds{left_out}"


def is_best(summary: Summary, rivals: Sequence[Summary]) -> bool:
    """Whether no planner of the family that expands vertices needs fewer expansions."""
    return _expands(summary) and summary.mean_expansions == min(
        rival.mean_expansions for rival in rivals if _expands(rival)
    )


def evaluates_least(summary: Summary, rivals: Sequence[Summary]) -> bool:
    """Whether no planner of the family evaluates fewer edges."""
    return _competes(summary) and summary.mean_edge_evaluations == min(
        rival.mean_edge_evaluations for rival in rivals if _competes(rival)
    )


def _competes(summary: Summary) -> bool:
    """Whether the policy competes; the oracle knows the world and is the limit."""
    return summary.policy != "oracle" and not math.isnan(summary.mean_expansions)


def _expands(summary: Summary) -> bool:
    return _competes(summary) and not summary.requests_edges


def _cells(summary: Summary, rivals: Sequence[Summary]) -> list[Cell]:
    bold = {_EXPANSIONS: is_best(summary, rivals), _EVALUATED: evaluates_least(summary, rivals)}
    bold[0] = any(bold.values())
    return [Cell(text, bold.get(column, False)) for column, text in enumerate(_texts(summary))]


def _texts(summary: Summary) -> list[str]:
    """The row of a summary, under HEADINGS."""
    by_edges = summary.requests_edges
    low, high = summary.ci95_edge_evaluations if by_edges else summary.ci95
    return [
        summary.policy,
        f"{summary.solved}/{summary.worlds}",
        "-" if by_edges else f"{summary.mean_expansions:.1f}",
        f"{summary.mean_edge_evaluations:.0f}",
        f"{low:.0f}-{high:.0f}",
        "-" if by_edges else f"{summary.normalised:.3f}",
        "-" if math.isnan(summary.ratio_to_clairvoyant) else f"{summary.ratio_to_clairvoyant:.2f}",
        f"{summary.mean_cost_ratio:.3f}",
        f"{summary.ms_per_search:.2f}",
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
