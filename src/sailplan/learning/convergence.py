"""The convergence plot of trainings, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from sailplan.files import FilePath, atomic_write, escaped

COLOURS = {"SaIL": "tab:blue", "SL": "tab:orange", "CEM": "tab:green", "QL": "tab:red"}
"""A system has the same colour in every plot; other curves take the next colour."""
_FEW = 4
"""With more curves than this the legend is placed beside the plot."""


def draw_convergence(
    curves: Mapping[str, Sequence[float]],
    path: FilePath,
    title: str = "Convergence",
    *,
    logarithmic: bool = False,
    counted: str = "expansions",
) -> None:
    """Plot mean expansions on the validation worlds by round, with one curve per training, and write a PNG file.

    Parameters
    ----------
    curves
        Mean expansions of each round, by the name of the training.
    path
        The file to write.
    title
        Title of the plot.
    logarithmic
        Whether the axis of the expansions is logarithmic.
    counted
        What the numbers count, if not expansions.
    """
    figure = Figure(figsize=(6.4, 4.0), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for name, means in curves.items():
        if not means:
            continue
        rounds = range(1, len(means) + 1)
        (line,) = axes.plot(rounds, means, marker="o", markersize=4, color=COLOURS.get(name))
        # Unmodified, matplotlib would skip a name that begins with _, and read one with $ as a formula.
        line.set_label("\u200b" + escaped(name).replace("$", r"\$"))
        best = min(rounds, key=lambda number: means[number - 1])
        axes.plot([best], [means[best - 1]], marker="*", markersize=14, color=line.get_color(), linestyle="none")
    axes.set_xlabel("round (the star marks the one that is kept)")
    axes.set_ylabel(f"mean {counted} on validation worlds")
    axes.set_title(escaped(title).replace("$", r"\$"), fontsize=11)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if logarithmic:
        _count_in_powers(axes)
    else:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3, which="both")
    if len(curves) > _FEW:
        figure.legend(loc="outside right upper", fontsize="small")
    elif axes.lines:
        axes.legend()
    with atomic_write(path) as file:
        figure.savefig(file, format="png")


def _count_in_powers(axes: Axes) -> None:
    """A logarithmic axis with a few plain numbers as marks."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
