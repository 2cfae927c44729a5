"""Random geometric graphs, explicit and as callbacks, and how many checks and expansions planners need on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sailplan.core import search
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.graphs import CallbackGraph, EdgeStatus, ExplicitGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy

VERTICES = 2000
NEIGHBOURS = 12
"""Of each vertex, or as many on the mean as a radius gives."""
INVALID_VERTICES = 0.05
GAP = 0.2
"""Of a wall's height."""
POLICIES = ("optimistic", "h_euc", "weighted_a_star", "a_star")
Kind = tuple[int, str, float]
"""Dimensions, how vertices are joined, and the share of invalid edges; WALLS where walls are what makes them so."""
WALLS = math.nan
KINDS: Sequence[Kind] = tuple(product((2, 3), ("nearest", "radius"), (0.1, 0.25, 0.4, WALLS)))
MEASURES = ("edge evaluations", "expansions")
RESAMPLES = 2000


@dataclass(frozen=True)
class Roadmaps:
    """Counts on the graphs of one kind, shape (graphs, policies)."""

    name: str
    graphs: int
    edge_evaluations: list[list[int]]
    expansions: list[list[int]]
    callbacks_agree: int
    """Graphs on which replanning counts the same over callbacks."""


def roadmap(kind: Kind, rng: np.random.Generator) -> Problem:
    """Points in the unit cube, joined both ways; from the one closest to its lowest corner to that of the highest."""
    dimensions, joined, invalid = kind
    points = rng.random((VERTICES, dimensions))
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(away, math.inf)
    near = away < np.sort(away.ravel())[VERTICES * NEIGHBOURS]
    if joined == "nearest":
        near = away <= np.sort(away, axis=1)[:, NEIGHBOURS - 1 : NEIGHBOURS]
    pairs = np.argwhere(np.triu(near | near.T))
    start, goal = (int(np.linalg.norm(points - corner, axis=1).argmin()) for corner in (0.0, 1.0))
    broken = pairs[through_walls(points, pairs) if math.isnan(invalid) else rng.random(len(pairs)) < invalid]
    gone = set(np.flatnonzero(rng.random(VERTICES) < INVALID_VERTICES).tolist()) - {start, goal}
    graph = ExplicitGraph.from_edges(
        VERTICES,
        [(int(one), int(other), float(away[one, other])) for one, other in both_ways(pairs)],
        coordinates=points,
        invalid_edges=[(int(one), int(other)) for one, other in both_ways(broken)],
        invalid_vertices=gone,
    )
    return Problem(graph, start, goal, name=f"{dimensions}-D, {joined}")


def through_walls(points: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each edge meets one of two walls across the cube: a gap is at the top of the first, below the second."""
    one, other = points[pairs[:, 0]], points[pairs[:, 1]]
    meets = np.zeros(len(pairs), np.bool_)
    for x, gap_above in ((1 / 3, True), (2 / 3, False)):
        along = (x - one[:, 0]) / (other[:, 0] - one[:, 0])
        height = one[:, 1] + along * (other[:, 1] - one[:, 1])
        closed = height < 1 - GAP if gap_above else height > GAP
        meets |= (along >= 0) & (along <= 1) & closed
    return meets


def both_ways(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((pairs, pairs[:, ::-1]))


def solvable_roadmaps(kind: Kind, count: int, rng: np.random.Generator) -> Iterator[Problem]:
    while count:
        problem = roadmap(kind, rng)
        if math.isfinite(cost_to_go(problem)[problem.start]):
            yield problem
            count -= 1


def as_callbacks(problem: Problem) -> Problem:
    """The same graph, met as it is searched; its states are the vertices."""
    graph = problem.graph

    def succ(vertex: int) -> Iterator[tuple[int, float]]:
        return zip(*graph.successors(vertex), strict=True)

    def check(vertex: int, target: int) -> EdgeStatus:
        return EdgeStatus(graph.evaluate(vertex, [target])[0])

    def place(vertex: int) -> Sequence[float]:
        return tuple(graph.coordinates([vertex])[0])

    return CallbackGraph(succ, check, place).problem(problem.start, problem.goal, name=problem.name)


def counts(problem: Problem, policy: str) -> tuple[int, int]:
    """The MEASURES of a search."""
    result = search(problem, load_policy(policy))
    assert result.found, f"{policy} found no path where there is one"
    return result.edge_evaluations, result.expansions


def run_kind(kind: Kind, count: int, rng: np.random.Generator) -> Roadmaps:
    problems = list(solvable_roadmaps(kind, count, rng))
    table = np.array([[counts(problem, policy) for policy in POLICIES] for problem in problems])
    over_callbacks = [counts(as_callbacks(problem), POLICIES[0]) for problem in problems]
    agreeing = sum(tuple(row[0]) == again for row, again in zip(table.tolist(), over_callbacks, strict=True))
    name = f"{kind[0]}-D, {kind[1]}, " + ("walls" if math.isnan(kind[2]) else f"{100 * kind[2]:.0f} %")
    return Roadmaps(name, count, table[:, :, 0].tolist(), table[:, :, 1].tolist(), agreeing)


def ratio_text(ours: NDArray[np.int64], others: NDArray[np.int64], rng: np.random.Generator) -> str:
    """Our mean over the others' with its 95 % interval, by resampling graphs."""
    picks = rng.integers(0, len(ours), (RESAMPLES, len(ours)))
    low, high = np.percentile(ours[picks].mean(axis=1) / others[picks].mean(axis=1), [2.5, 97.5])
    return f"{ours.mean() / others.mean():.2f} ({low:.2f}-{high:.2f})"


def report(rows: Sequence[Roadmaps], rng: np.random.Generator) -> None:
    headings = ("graphs", *POLICIES, *(f"optimistic over {other}" for other in POLICIES[1:]), "callbacks agree")
    for measure in MEASURES:
        lines = []
        for row in rows:
            table = np.array(getattr(row, measure.replace(" ", "_")))
            means = [f"{mean:.0f}" for mean in table.mean(axis=0)]
            ratios = [ratio_text(table[:, 0], others, rng) for others in table.T[1:]]
            texts = [row.name, *means, *ratios, f"{row.callbacks_agree} of {row.graphs}"]
            lines.append([Cell(text) for text in texts])
        print(markdown(Sheet(f"Mean {measure} on random geometric graphs", headings, lines)))


def compare_on_roadmaps(count: int, seed: int) -> list[Roadmaps]:
    """Search so many graphs of each kind, print the tables and return their rows."""
    rows = [run_kind(kind, count, np.random.default_rng([seed, place])) for place, kind in enumerate(KINDS)]
    report(rows, np.random.default_rng(seed))
    return rows
