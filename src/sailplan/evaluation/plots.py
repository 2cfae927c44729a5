"""Plots, with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sailplan.files import FilePath, whole_file


def draw_convergence(curves: Mapping[str, Sequence[float]], path: FilePath, title: str = "Convergence") -> None:
    """Draw mean expansions on the validation worlds by round, a curve for each training, as a PNG file."""
    figure = Figure(figsize=(6.4, 4.0), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for name, expansions in curves.items():
        if not expansions:
            continue
        rounds = range(1, len(expansions) + 1)
        (line,) = axes.plot(rounds, expansions, marker="o", markersize=4)
        # As it is: matplotlib would pass over a name that begins with _, and read one with $ as a formula.
        line.set_label("\u200b" + name.replace("$", r"\$"))
        best = min(rounds, key=lambda number: expansions[number - 1])
        axes.plot([best], [expansions[best - 1]], marker="*", markersize=14, color=line.get_color(), linestyle="none")
    axes.set_xlabel("round (the star marks the one that is kept)")
    axes.set_ylabel("mean expansions on validation worlds")
    axes.set_title(title)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend()
    with whole_file(path) as file:
        figure.savefig(file, format="png")
