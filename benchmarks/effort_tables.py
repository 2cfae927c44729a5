"""What `effort.py` measures, a row for each policy and family, and the tables made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sailplan.evaluation.sheets import Cell, Sheet, markdown

COSTS = (0, 1, 10, 100, 1000)
"""Microseconds that a check takes."""
REPLANNERS = ("optimistic", "belief", "lazy", "lazy-belief")
"""Policies that are compared with all others before them."""
SIDES = (201, 1001)


@dataclass(frozen=True)
class Effort:
    """One policy on the problems of one family; means over these."""

    family: str
    policy: str
    problems: int
    expansions: float
    edges: float
    """Edge evaluations."""
    search_ms: float
    """At cost 0, the search alone."""
    ms: Sequence[float]
    """At each of the COSTS, with all that is set up for the search: state, queue and, where there is one, the plan."""
    waited: Sequence[int]
    """On how many problems each was really waited for; where not on all, the time is computed."""
    off: Sequence[float | None]
    """By which share the times waited for differ from the model; None where there are none."""


@dataclass(frozen=True)
class Growth:
    """Replanning on generated worlds of one size; means."""

    family: str
    side: int
    expansions: float
    ms: float
    """With set-up."""
    search_ms: float

    @property
    def us(self) -> float:
        """Microseconds an expansion, with set-up."""
        return 1e3 * self.ms / self.expansions

    @property
    def search_us(self) -> float:
        return 1e3 * self.search_ms / self.expansions


def break_even(replanner: Effort, others: Sequence[Effort]) -> str:
    """The costs of a check, in µs, at which the replanner is faster than all others, by the model."""
    least, most = 0.0, math.inf
    for other in others:
        behind, fewer = 1e3 * (replanner.ms[0] - other.ms[0]), other.edges - replanner.edges
        if fewer > 0:
            least = max(least, behind / fewer)
        elif behind >= 0:
            return "never"
        elif fewer < 0:
            most = min(most, behind / fewer)
    if least >= most:
        return "never"
    return _short(least) if most == math.inf else f"{_short(least)} to {_short(most)}"


def report_efforts(rows: Sequence[Effort]) -> None:
    """Print times, where they break even, replanning by itself, and how well the model fits."""
    families: dict[str, dict[str, Effort]] = {}
    for row in rows:
        families.setdefault(row.family, {})[row.policy] = row
    headings = ("family, policy", "problems", "expansions", "edges", *(f"{cost} µs" for cost in COSTS))
    _print("Milliseconds a problem by the cost of a check; ~ computed", headings, [_effort_texts(row) for row in rows])
    for name in REPLANNERS:
        if name in next(iter(families.values())):
            _report_break_even(name, families)
    headings = ("family", "ms", "search alone", "µs an expansion", "search alone")
    alone = [one["optimistic"] for one in families.values()]
    sizes = [Growth(row.family, 0, row.expansions, row.ms[0], row.search_ms) for row in alone]
    texts = [(row.family, f"{row.ms:.3f}", f"{row.search_ms:.3f}", *_us_texts(row)) for row in sizes]
    _print("Optimistic replanning by itself, at 0 µs", headings, texts)
    for place, cost in enumerate(COSTS[1:], 1):
        _report_fit(f"{cost} µs", place, rows)


def report_growth(rows: Sequence[Growth]) -> None:
    """Print what an expansion costs on worlds of both sizes."""
    headings = [f"{what}, {side}" for side in SIDES for what in ("expansions", "ms", "µs an expansion", "search alone")]
    lines = []
    for small, large in zip(rows[::2], rows[1::2], strict=True):
        texts = [text for row in (small, large) for text in (f"{row.expansions:.0f}", f"{row.ms:.2f}", *_us_texts(row))]
        ratios = f"{large.us / small.us:.2f}", f"{large.search_us / small.search_us:.2f}"
        lines.append((small.family, *texts, *ratios))
    title = "Optimistic replanning as worlds grow; ratios of µs an expansion"
    _print(title, ("family", *headings, "ratio", "search alone"), lines)


def _report_break_even(name: str, families: Mapping[str, Mapping[str, Effort]]) -> None:
    policies = next(iter(families.values()))
    rivals = [one for one in policies if one not in REPLANNERS[REPLANNERS.index(name) :]]
    lines = []
    for family, rows in families.items():
        others = [rows[rival] for rival in rivals]
        lines.append((family, *(break_even(rows[name], [one]) for one in others), break_even(rows[name], others)))
    title = f"The cost of a check, in µs, from which on {name} is faster"
    _print(title, ("family", *(f"than {rival}" for rival in rivals), "than all"), lines)


def _report_fit(cost: str, place: int, rows: Sequence[Effort]) -> None:
    known = [(off, f"{row.family}, {row.policy}") for row in rows if (off := row.off[place]) is not None]
    if known:
        worst, name = max(known, key=lambda one: abs(one[0]))
        middle = float(np.median([off for off, _ in known]))
        print(f"{cost}: {len(known)} of {len(rows)} rows waited for, {middle:+.1%} from the model", end="")
        print(f" on the median, {worst:+.1%} at most ({name})")


def _effort_texts(row: Effort) -> tuple[str, ...]:
    marks = ("" if waited == row.problems else "~" for waited in row.waited)
    times = (mark + _short(time) for mark, time in zip(marks, row.ms, strict=True))
    return f"{row.family}, {row.policy}", str(row.problems), f"{row.expansions:.0f}", f"{row.edges:.0f}", *times


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2g}"


def _us_texts(row: Growth) -> tuple[str, str]:
    return f"{row.us:.2f}", f"{row.search_us:.2f}"


def _print(title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    print(markdown(Sheet(title, headings, [[Cell(text) for text in row] for row in rows])), flush=True)
