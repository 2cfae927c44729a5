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
LEAST = 1e-3
"""The smallest gap that is drawn."""
Steps = Sequence[tuple[int, float]]
"""The evaluations at which each solution was found, and its cost over the optimum."""


def draw_anytime(families: Mapping[str, Mapping[str, Sequence[Steps]]], path: Path) -> None:
    """Draw the mean gap over the maps of each family; the gap of a map without a path is 1."""
    figure = Figure(figsize=(12.0, 6.0), dpi=90, layout="constrained")
    panels = figure.subplots(2, -(-len(families) // 2), sharex=True, sharey=True, squeeze=False)
    every = [steps for curves in families.values() for maps in curves.values() for steps in maps]
    evaluations = np.geomspace(0.7 * min(steps[0][0] for steps in every), max(steps[-1][0] for steps in every), 600)
    for axes, (family, curves) in zip(panels.flat, families.items(), strict=False):
        for name, maps in curves.items():
            gaps = np.mean([1.0 - 1.0 / at(steps, evaluations) for steps in maps], axis=0)
            axes.plot(evaluations, np.maximum(gaps, LEAST / 2), color=COLOURS[name], linewidth=1.6, label=LABELS[name])
        axes.set(xscale="log", yscale="log", xlim=(evaluations[0], evaluations[-1]), ylim=(LEAST, 1.3))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.set_title(family, fontsize=10)
        axes.grid(alpha=0.3)
    figure.supxlabel("edge evaluations", fontsize=10)
    figure.supylabel("mean of (cost - optimum) / cost; 100 % without a path", fontsize=10)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=10)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")


def at(steps: Steps, evaluations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cost over the optimum after so many evaluations; infinite before the first solution."""
    found, ratios = zip(*steps, strict=True)
    return np.array([np.inf, *ratios])[np.searchsorted(found, evaluations, side="right")]
