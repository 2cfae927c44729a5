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
OPTIMAL = ("A*", "LazySP forward", "LazySP backward", "LazySP alternate", "learned LazySP")
"""Planners whose paths are shortest ones of the roadmap; it has a path if one of them finds it."""
_COLOURS = 10
BAD_ENDS = "start or goal in collision"


def report(rows: Sequence[Row], planners: Sequence[str]) -> None:
    """Print which problems the roadmap solves, and the planners on those that it solves and on all."""
    for robot in dict.fromkeys(row["robot"] for row in rows):
        mine = [row for row in rows if row["robot"] == robot]
        print(markdown(solvable(robot, mine)))
        present = [name for name in planners if any(row["planner"] == name for row in mine)]
        solved = set(shortest_lengths(mine))
        print(markdown(compared(f"{robot}: {len(solved)} problems that the roadmap solves", mine, present, solved)))
        everything = {row["problem"] for row in mine if row["outcome"] != BAD_ENDS}
        title = f"{robot}: all {len(everything)} problems with valid ends"
        print(markdown(compared(title, mine, present, everything)))


def shortest_lengths(rows: Sequence[Row]) -> dict[str, float]:
    """The lengths of shortest paths on the roadmap, by the problems that it solves."""
    found = [row for row in rows if row["planner"] in OPTIMAL and row["found"]]
    return {row["problem"]: row["length"] for row in found}


def solvable(robot: str, rows: Sequence[Row]) -> Sheet:
    """How many problems of each family the roadmap solves, and why not the others."""
    solved, lines = shortest_lengths(rows), []
    families = {row["problem"]: row["family"] for row in rows}
    for family in [*sorted(set(families.values())), "all"]:
        here = [name for name, its in families.items() if family in (its, "all")]
        reasons = [_reason([row for row in rows if row["problem"] == name]) for name in here if name not in solved]
        counts = ", ".join(f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons))
        lines.append([Cell(text) for text in (family, str(len(here)), str(len(here) - len(reasons)), counts)])
    return Sheet(f"{robot}: what the roadmap solves", ("family", "problems", "solved", "why not"), lines)


def _reason(rows: Sequence[Row]) -> str:
    """Why the roadmap does not solve a problem, given the results of all planners."""
    outcomes = {row["outcome"] for row in rows if row["planner"] in OPTIMAL}
    if BAD_ENDS in outcomes:
        return BAD_ENDS
    return "no path with all samples" if "frontier_empty" in outcomes else "time limit"


def compared(title: str, rows: Sequence[Row], planners: Sequence[str], problems: set[str]) -> Sheet:
    """Each planner on some problems: means and medians of what it checked, its time, and its path."""
    shortest = shortest_lengths(rows)
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
        for number, planner in enumerate(planners):
            ours, style = [row for row in mine if row["planner"] == planner], _style(number)
            if ours:
                for axes, measure in zip(panels, ("edges", "configurations", "seconds"), strict=False):
                    spent = sorted(row[measure] for row in ours if row["found"])
                    axes.step(spent, np.arange(1, len(spent) + 1) / len(ours), where="post", label=planner, **style)
        for axes, label in zip(panels, ("edges checked", "configurations checked", "seconds"), strict=True):
            axes.set(xscale="log", xlabel=label, ylim=(0, 1))
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("share of problems solved")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", fontsize=9)
        _save(figure, folder / f"robots_{robot}_success.png")
        _save(_costs(mine, planners), folder / f"robots_{robot}_cost.png")


def _style(number: int) -> dict[str, Any]:
    """The colour and the line of a planner, which no other one has."""
    return {"color": f"C{number % _COLOURS}", "linestyle": ("-", "--")[number // _COLOURS]}


def _costs(rows: Sequence[Row], planners: Sequence[str]) -> Figure:
    """Mean edges checked and mean length over the shortest path of the roadmap, a point for each planner."""
    shortest = shortest_lengths(rows)
    figure = Figure(figsize=(7.0, 4.6), dpi=90, layout="constrained")
    axes = figure.subplots()
    for number, planner in enumerate(planners):
        ours = [row for row in rows if row["planner"] == planner and row["found"] and row["problem"] in shortest]
        if ours:
            ratio = np.mean([row["length"] / shortest[row["problem"]] for row in ours])
            marker = "os"[number // _COLOURS]
            axes.plot(
                np.mean([row["edges"] for row in ours]), ratio, marker, label=planner, color=_style(number)["color"]
            )
    axes.set(xscale="log", xlabel="mean edges checked", ylabel="mean length over the shortest on the roadmap")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize=9)
    return figure


def _save(figure: Figure, path: Path) -> None:
    with atomic_write(path) as file:
        figure.savefig(file, format="png")
    print(path)
