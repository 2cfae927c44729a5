"""Figures of policies by family, with intervals, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from sailplan.files import atomic_write

COLOURS = ["#999999", "#56B4E9", "#CC79A7", "#D55E00", "#009E73", "#0072B2"]
"""Colours that readers with any kind of colour vision tell apart (Okabe and Ito)."""
MARKERS = ["s", "v", "D", "^", "P", "o"]
Interval = tuple[float, float, float]
"""A value, and the ends of its interval."""


def draw_results(families: Sequence[str], policies: Mapping[str, Sequence[Interval]], label: str, path: Path) -> None:
    """Draw a row for each family, and a mark for each policy."""
    figure = Figure(figsize=(9.0, 0.62 * len(families) + 1.4), dpi=100, layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(families))[::-1]
    for place, (name, intervals) in enumerate(policies.items()):
        values, low, high = np.array(intervals).T
        offset = 0.62 * (0.5 - (place + 0.5) / len(policies))
        axes.errorbar(
            values,
            rows + offset,
            xerr=[values - low, high - values],
            fmt=MARKERS[place],
            color=COLOURS[place],
            markersize=5.5,
            linewidth=1.3,
            label=name,
        )
    for row in rows[:-1]:
        axes.axhline(row - 0.5, color="0.88", linewidth=0.8)
    axes.set(xscale="log", xlabel=label, ylim=(-0.5, len(families) - 0.5))
    axes.set_yticks(rows, families)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="x", which="both", alpha=0.25)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=len(policies), fontsize=9)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")
