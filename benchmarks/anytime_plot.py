"""Path cost against edge evaluations of anytime searches, a panel for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from sailplan.files import atomic_write

COLOURS = {"lazy": "tab:red", "weighted A*": "tab:green"}
LABELS = {"lazy": "improve(lazy)", "weighted A*": "anytime weighted A*, cells counted once"}
Steps = Sequence[tuple[int, float]]
"""The evaluations at which each solution was found, and its cost over the optimum."""


def draw_anytime(families: Mapping[str, Mapping[str, Sequence[Steps]]], path: Path) -> None:
    """Draw the median over the maps and the quartiles, from where on most maps have a path."""
    figure = Figure(figsize=(12.0, 6.0), dpi=90, layout="constrained")
    panels = figure.subplots(2, -(-len(families) // 2), sharex=True, squeeze=False)
    every = [steps[-1][0] for curves in families.values() for maps in curves.values() for steps in maps]
    first = min(steps[0][0] for curves in families.values() for maps in curves.values() for steps in maps)
    evaluations = np.geomspace(0.8 * first, max(every), 600)
    for axes, (family, curves) in zip(panels.flat, families.items(), strict=False):
        for name, maps in curves.items():
            table = np.array([at(steps, evaluations) for steps in maps])
            low, middle, high = np.percentile(table, [25, 50, 75], axis=0, method="nearest")
            axes.plot(evaluations, finite(middle), color=COLOURS[name], linewidth=1.6, label=LABELS[name])
            both = np.isfinite(high)
            axes.fill_between(evaluations[both], low[both], high[both], color=COLOURS[name], alpha=0.2, linewidth=0)
        axes.set_xscale("log")
        axes.set_xlim(evaluations[0], evaluations[-1])
        axes.set_ylim(bottom=1.0)
        axes.margins(y=0.05)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_title(family, fontsize=10)
        axes.grid(alpha=0.3)
    figure.supxlabel("edge evaluations", fontsize=10)
    figure.supylabel("path cost over the optimum", fontsize=10)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=10)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")


def at(steps: Steps, evaluations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cost over the optimum after so many evaluations; infinite before the first solution."""
    found, ratios = zip(*steps, strict=True)
    return np.array([np.inf, *ratios])[np.searchsorted(found, evaluations, side="right")]


def finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)
