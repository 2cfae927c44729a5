"""Proofs that a heuristic never overestimates, from which bounds of the path cost follow."""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

import numpy as np

from sailplan.core.graph import Problem
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.lattice.graph import LatticeGraph

ADMISSIBLE = ("auto", "octile", "euclidean", "zero")
"""Names of heuristics for policies with a bound; "auto" is the first of the others that never overestimates."""
_ROUNDING = 1e-12
"""Costs that are less than this share below the distance of their ends were rounded differently."""

_PROVEN: WeakKeyDictionary[ExplicitGraph, bool] = WeakKeyDictionary()
"""Whether no edge of each graph costs less than its length; all edges are compared only once."""


def never_overestimates(heuristic: str, problem: Problem) -> bool:
    """Return whether a heuristic is known to be consistent on the graph of a problem, and 0 at its goal.

    That is, no edge costs less than the heuristic decreases along it; then the heuristic is at most the cost to the
    goal as well. False if this is not known.

    Parameters
    ----------
    heuristic
        A name in `HEURISTICS`.
    problem
        The problem. On a grid its moves are considered, on a lattice its motions, on an explicit graph the costs of
        all edges, whether they are valid or not.

    Returns
    -------
    bool
        Whether it is consistent.

    Examples
    --------
    >>> from sailplan.graphs import ExplicitGraph
    >>> graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0, 0), (2, 0)])
    >>> never_overestimates("zero", Problem(graph, 0, 1)), never_overestimates("euclidean", Problem(graph, 0, 1))
    (True, False)
    """
    graph = problem.graph
    if heuristic in ("zero", "lower_bound"):
        return True
    if isinstance(graph, GridGraph):
        # Terrain costs are at least 1.
        long_enough = not graph.moves.diagonal or graph.moves.diagonal_cost >= math.sqrt(2.0)
        return heuristic == "octile" or (heuristic == "euclidean" and long_enough)
    if heuristic == "euclidean" and isinstance(graph, LatticeGraph):
        return graph.primitives.cost_per_metre >= 1.0 - _ROUNDING
    if heuristic != "euclidean" or not isinstance(graph, ExplicitGraph):
        return False
    if graph not in _PROVEN:
        _PROVEN[graph] = _costs_are_at_least_lengths(graph)
    return _PROVEN[graph]


def admissible_heuristic(name: str, problem: Problem) -> str:
    """Return the heuristic that a name in `ADMISSIBLE` stands for on the graph of a problem."""
    if name != "auto":
        return name
    return next(heuristic for heuristic in ADMISSIBLE[1:] if never_overestimates(heuristic, problem))


def _costs_are_at_least_lengths(graph: ExplicitGraph) -> bool:
    rows = graph.rows
    if rows.coordinates.shape[1] == 0:
        return False
    sources = np.repeat(np.arange(graph.vertex_count), np.diff(rows.first))
    lengths = np.sqrt(((rows.coordinates[sources] - rows.coordinates[rows.targets]) ** 2).sum(axis=1))
    return bool((rows.costs >= lengths * (1.0 - _ROUNDING)).all())
