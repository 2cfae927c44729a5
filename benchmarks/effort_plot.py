"""Time of a search against what a check of an edge costs, a panel for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sailplan.files import atomic_write

COLOURS = {
    "h_euc": "tab:orange",
    "weighted_a_star": "tab:green",
    "a_star": "tab:gray",
    "sail": "tab:blue",
    "optimistic": "tab:red",
    "belief": "tab:purple",
    "lazy": "black",
    "lazy-belief": "tab:cyan",
}


def draw_effort(rows: Sequence[Mapping[str, Any]], costs: Sequence[float], path: Path) -> None:
    """Draw the model as lines, what was measured as dots; rows are those of `effort --json`."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    figure = Figure(figsize=(12.0, 6.4), dpi=90, layout="constrained")
    panels = figure.subplots(2, -(-len(families) // 2), sharex=True, sharey=True, squeeze=False)
    microseconds = np.geomspace(0.01, max(costs), 60)
    for axes, family in zip(panels.flat, families, strict=False):
        for row in (row for row in rows if row["family"] == family):
            colour = COLOURS[row["policy"]]
            axes.plot(microseconds, row["ms"][0] + 1e-3 * row["edges"] * microseconds, color=colour, linewidth=1.2)
            dots = [place for place, waited in enumerate(row["waited"]) if waited == row["problems"] and costs[place]]
            axes.plot([costs[one] for one in dots], [row["ms"][one] for one in dots], "o", color=colour, markersize=4)
        axes.set(xscale="log", yscale="log")
        axes.set_title(family, fontsize=10)
        axes.grid(alpha=0.3)
    figure.supxlabel("cost of a check, µs", fontsize=10)
    figure.supylabel("milliseconds a problem", fontsize=10)
    names = list(dict.fromkeys(row["policy"] for row in rows))
    lines = [panels[0, 0].lines[2 * place] for place in range(len(names))]
    figure.legend(lines, names, loc="outside upper center", ncols=len(names), fontsize=10)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")
