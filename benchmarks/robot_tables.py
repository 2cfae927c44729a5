"""Tables and plots of the results of `robots.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sailplan.evaluation.metrics import bootstrap_interval
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.files import atomic_write

Row = Mapping[str, Any]
COMPLETE = "A*"
"""The planner that decides whether the roadmap has a path."""
BAD_ENDS = "start or goal in collision"
_CUT_OFF = 0.1
"""If a search reaches less than this part of the largest number of vertices, its start is cut off."""


def report(rows: Sequence[Row], planners: Sequence[str]) -> None:
    """Print which problems the roadmap solves, and the planners on those that it solves and on all."""
    for robot in dict.fromkeys(row["robot"] for row in rows):
        mine = [row for row in rows if row["robot"] == robot]
        print(markdown(solvable(robot, mine)))
        present = [name for name in planners if any(row["planner"] == name for row in mine)]
        solved = {row["problem"] for row in mine if row["planner"] == COMPLETE and row["found"]}
        print(markdown(compared(f"{robot}: {len(solved)} problems that the roadmap solves", mine, present, solved)))
        everything = {row["problem"] for row in mine if row["outcome"] != BAD_ENDS}
        title = f"{robot}: all {len(everything)} problems with valid ends"
        print(markdown(compared(title, mine, present, everything)))


def solvable(robot: str, rows: Sequence[Row]) -> Sheet:
    """How many problems of each family the roadmap solves, and why not the others."""
    complete = [row for row in rows if row["planner"] == COMPLETE]
    most = max((row["reached"] for row in complete), default=0)
    lines = []
    for family in sorted({row["family"] for row in complete}):
        here = [row for row in complete if row["family"] == family]
        reasons = [_reason(row, most) for row in here if not row["found"]]
        counts = ", ".join(f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons))
        lines.append([Cell(family), Cell(str(len(here))), Cell(str(sum(row["found"] for row in here))), Cell(counts)])
    total = sum(row["found"] for row in complete)
    lines.append([Cell("all"), Cell(str(len(complete))), Cell(str(total)), Cell("")])
    return Sheet(f"{robot}: what the roadmap solves", ("family", "problems", "solved", "why not"), lines)


def _reason(row: Row, most: int) -> str:
    if row["outcome"] == "frontier_empty":
        return "start cut off" if row["reached"] < _CUT_OFF * most else "goal cut off"
    return str(row["outcome"])


def compared(title: str, rows: Sequence[Row], planners: Sequence[str], problems: set[str]) -> Sheet:
    """Each planner on some problems: means and medians of what it checked, its time, and its path."""
    shortest = {row["problem"]: row["length"] for row in rows if row["planner"] == COMPLETE and row["found"]}
    headings = (
        "planner",
        "found",
        "edges",
        "median",
        "configurations",
        "ms",
        "median",
        "CPU ms",
        "over shortest",
        "length",
    )
    lines = []
    for planner in planners:
        mine = [row for row in rows if row["planner"] == planner and row["problem"] in problems]
        found = [row for row in mine if row["found"]]
        edges, seconds = (np.array([row[name] for row in mine], float) for name in ("edges", "seconds"))
        ratios = np.array([row["length"] / shortest[row["problem"]] for row in found if row["problem"] in shortest])
        texts = (
            planner,
            f"{len(found)} of {len(mine)}",
            _with_interval(edges, 0),
            f"{np.median(edges):.0f}" if len(edges) else "",
            _with_interval(np.array([row["configurations"] for row in mine], float), 0),
            _with_interval(1e3 * seconds, 1),
            f"{1e3 * np.median(seconds):.1f}" if len(seconds) else "",
            _with_interval(np.array([1e3 * row["cpu_seconds"] for row in mine]), 1),
            _with_interval(ratios, 3),
            _with_interval(np.array([row["length"] for row in found], float), 2),
        )
        lines.append([Cell(text) for text in texts])
    return Sheet(title, headings, lines)


def _with_interval(values: NDArray[np.float64], digits: int) -> str:
    """The mean with its bootstrap interval."""
    if not len(values):
        return ""
    low, high = bootstrap_interval(values, np.random.default_rng(0))
    return f"{values.mean():.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def draw(rows: Sequence[Row], planners: Sequence[str], folder: Path) -> None:
    """Draw the share of problems solved, and the length of paths, over edges and configurations checked."""
    for robot in dict.fromkeys(row["robot"] for row in rows):
        mine = [row for row in rows if row["robot"] == robot and row["outcome"] != BAD_ENDS]
        figure = Figure(figsize=(12.0, 4.6), dpi=90, layout="constrained")
        panels = figure.subplots(1, 3)
        for planner in planners:
            ours = [row for row in mine if row["planner"] == planner]
            if ours:
                for axes, measure in zip(panels, ("edges", "configurations", "seconds"), strict=False):
                    spent = sorted(row[measure] for row in ours if row["found"])
                    axes.step(spent, np.arange(1, len(spent) + 1) / len(ours), where="post", label=planner)
        for axes, label in zip(panels, ("edges checked", "configurations checked", "seconds"), strict=True):
            axes.set(xscale="log", xlabel=label, ylim=(0, 1))
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("share of problems solved")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", fontsize=9)
        _save(figure, folder / f"robots_{robot}_success.png")
        _save(_costs(mine, planners), folder / f"robots_{robot}_cost.png")


def _costs(rows: Sequence[Row], planners: Sequence[str]) -> Figure:
    """Mean edges checked and mean length over the shortest path of the roadmap, a point for each planner."""
    shortest = {row["problem"]: row["length"] for row in rows if row["planner"] == COMPLETE and row["found"]}
    figure = Figure(figsize=(7.0, 4.6), dpi=90, layout="constrained")
    axes = figure.subplots()
    for planner in planners:
        ours = [row for row in rows if row["planner"] == planner and row["found"] and row["problem"] in shortest]
        if ours:
            ratio = np.mean([row["length"] / shortest[row["problem"]] for row in ours])
            axes.plot(np.mean([row["edges"] for row in ours]), ratio, "o", label=planner)
    axes.set(xscale="log", xlabel="mean edges checked", ylabel="mean length over the shortest on the roadmap")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize=9)
    return figure


def _save(figure: Figure, path: Path) -> None:
    with atomic_write(path) as file:
        figure.savefig(file, format="png")
    print(path)
