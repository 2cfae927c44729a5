"""Tables of summaries: as sheets, as Markdown and as plain objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.sheets import Cell, Sheet, in_markdown, markdown

HEADINGS = ["policy", "solved", "expansions", "95 %", "norm", "x oracle", "cost", "checks", "ms"]
EXPLANATION = (
    "expansions: mean over the worlds that can be solved, with its bootstrap interval; norm: the paper's normalised "
    "score; x oracle: times the clairvoyant's expansions; cost: path over optimal; checks: edges evaluated"
)


def as_objects(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Summaries or other dataclasses as objects, ready for JSON; NaN and infinity become None."""
    return [{name: _plain(value) for name, value in asdict(row).items()} for row in rows]


def family_sheet(summaries: Sequence[Summary]) -> Sheet:
    """The table of a family; the planner with the fewest expansions is bold."""
    rows = [[Cell(text, is_best(summary, summaries)) for text in _texts(summary)] for summary in summaries]
    return Sheet(title(summaries[0]), HEADINGS, rows)


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
    """Whether no planner of the family needs fewer expansions."""
    return _competes(summary) and summary.mean_expansions == min(
        rival.mean_expansions for rival in rivals if _competes(rival)
    )


def _competes(summary: Summary) -> bool:
    """Whether the policy competes; the oracle knows the world and is the limit."""
    return summary.policy != "oracle" and not math.isnan(summary.mean_expansions)


def _texts(summary: Summary) -> list[str]:
    """The row of a summary, under HEADINGS."""
    low, high = summary.ci95
    return [
        summary.policy,
        f"{summary.solved}/{summary.worlds}",
        f"{summary.mean_expansions:.1f}",
        f"{low:.0f}-{high:.0f}",
        f"{summary.normalised:.3f}",
        f"{summary.ratio_to_clairvoyant:.2f}",
        f"{summary.mean_cost_ratio:.3f}",
        f"{summary.mean_edge_evaluations:.0f}",
        f"{summary.ms_per_search:.2f}",
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
