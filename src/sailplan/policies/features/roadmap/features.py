"""Features of vertices of a roadmap: distances to the goal through what the search knows and believes of its edges.

They are defined on explicit graphs with any number of coordinates, or none, and for any start and goal. The unit of
lengths is the shortest path from start to goal if all edges are valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError, ModelError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.policies.features.feature import SAVED_SETS, FeatureSet, Tensors
from sailplan.policies.features.roadmap.knowledge import Knowledge, coordinate_columns, free_distances, path_span
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior

ROADMAP = "roadmap"
"""The name of the feature set."""
LENGTHS = ("g", "depth", "free", "optimistic", "prior", "believed")
EDGES = ("onward", "invalid_edges", "unknown_edges")
PLACES = ("h_euc", "along", "aside")
_MOST_DIMENSIONS = 1000


@dataclass(frozen=True)
class RoadmapColumns:
    """Columns of an open vertex of a roadmap.

    - `g`: the cost of the best path found to it; `depth`: the number of its edges, times their mean length.
    - `free`: the distance to the goal if all edges are valid; `optimistic`: if all are that are not known to be
      invalid; `prior`: through costs by the frequencies in the stored worlds; `believed`: through costs by the
      posterior, given the results that the search knows. The cost of an edge is its length - surprise * (mean length) *
      log(probability that it is valid).
    - `onward`: the probability that the first edge of the believed path is valid.
    - `invalid_edges`: the number of edges into the vertex known to be invalid; `unknown_edges`: the number of edges
      out of it without a known result.
    - With coordinates: `h_euc`, the straight-line distance to the goal; `along`, how far the vertex is from the start
      in the direction of the goal; `aside`, its distance from the line through both; `to_goal_0`, `to_goal_1`, ..., the
      offset to the goal along each axis.

    Examples
    --------
    >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], coordinates=[[0.0], [1.0], [2.0]])
    >>> columns = RoadmapColumns(EdgePosterior.of(graph, np.array([[1, 1], [1, 0]])), dimensions=1)
    >>> columns.columns[-2:]
    ('aside', 'to_goal_0')
    >>> state = SearchState(3)
    >>> state.begin(0)
    >>> dict(zip(columns.columns, columns(Problem(graph, 0, 2), state, [0])[0].tolist()))["free"]
    1.0
    """

    belief: EdgePosterior
    """The stored worlds and their weights."""
    dimensions: int
    """Number of coordinates of the roadmap; 0 if it has none."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        axes = tuple(f"to_goal_{axis}" for axis in range(self.dimensions))
        return (*LENGTHS, *EDGES, *(PLACES if axes else ()), *axes)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Compute the features of open vertices; see `follow` for many calls in one search."""
        return self.follow(problem)(problem, state, vertices)

    def follow(self, problem: Problem) -> FollowedColumns:
        """Return the same columns for the calls of one search, between which results of edges are remembered.

        Raises
        ------
        FeatureError
            If the problem is on another roadmap.
        """
        graph = problem.graph
        reason = self.belief.why_unsupported(problem)
        if reason:
            raise FeatureError(f"{problem.name}: the policy cannot be used here: {reason}")
        assert isinstance(graph, ExplicitGraph)
        if graph.rows.coordinates.shape[1] != self.dimensions:
            found = graph.rows.coordinates.shape[1]
            raise FeatureError(f"{problem.name}: {found} coordinates, the policy was learned with {self.dimensions}")
        return FollowedColumns(self, problem, graph)

    def span(self, problem: Problem) -> float:
        """Return the length of the shortest path from start to goal if all edges are valid; 1 if there is none."""
        graph = problem.graph
        if not isinstance(graph, ExplicitGraph):
            raise FeatureError(f"{problem.name}: the features {ROADMAP} need an explicit graph")
        return path_span(free_distances(graph, problem.goal), problem.start)

    def held_out(self, problem: Problem) -> RoadmapColumns:
        """Return the columns without the stored worlds that equal that of a problem, for training on it."""
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        invalid = np.empty(graph.edge_count, np.uint8)
        invalid[graph.rows.given] = graph.rows.verdicts != 0
        same = (self.belief.memory.by_world == invalid[: self.belief.edges]).all(axis=1)
        return replace(self, belief=replace(self.belief, ignored=tuple(np.flatnonzero(same).tolist())))

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        facts, tensors = self.belief.describe()
        return {"dimensions": self.dimensions, "posterior": facts}, tensors


class FollowedColumns:
    """The columns in one search."""

    def __init__(self, features: RoadmapColumns, problem: Problem, graph: ExplicitGraph) -> None:
        self.columns = features.columns
        self._knowledge = Knowledge(features.belief, problem, graph)
        self._places = coordinate_columns(graph.rows.coordinates, problem)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Compute the features of open vertices, shape (vertices, columns)."""
        known, chosen = self._knowledge, np.asarray(vertices, np.int64)
        known.learn(state)
        lengths = (
            state.cost[chosen],
            state.depth[chosen] * known.step,
            *(table[chosen] for table in (known.free, known.optimistic, known.prior, known.believed)),
        )
        edges = np.empty((len(chosen), len(EDGES)))
        known.fill_edges(chosen, edges)
        return np.hstack([np.column_stack(lengths) / known.span, edges, self._places[chosen] / known.span])


def roadmap_features(belief: EdgePosterior, dimensions: int) -> FeatureSet:
    """Return the feature set of a roadmap.

    The initial estimate of the cost-to-go is the distance that the posterior believes in.

    Parameters
    ----------
    belief
        The stored worlds of the roadmap and their weights.
    dimensions
        Number of coordinates of the roadmap; 0 if it has none.

    Returns
    -------
    FeatureSet
        The set, which is saved in model files with the stored worlds.

    Examples
    --------
    >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)])
    >>> features = roadmap_features(EdgePosterior.of(graph, np.array([[1, 1], [1, 0]])), dimensions=0)
    >>> features.columns[-3:]
    ('onward', 'invalid_edges', 'unknown_edges')
    """
    return FeatureSet((RoadmapColumns(belief, dimensions),), ROADMAP, "span", estimate=(("believed", 1.0),))


def _build(facts: Mapping[str, Any], tensors: Tensors) -> FeatureSet:
    """Create the set from what `RoadmapColumns.describe` returned."""
    dimensions = int(facts["dimensions"])
    if not 0 <= dimensions <= _MOST_DIMENSIONS:
        raise ModelError(f"a roadmap with {dimensions} coordinates")
    return roadmap_features(EdgePosterior.build(facts["posterior"], tensors), dimensions)


SAVED_SETS[ROADMAP] = _build
