"""The posterior of edges: stored worlds of a roadmap, weighted by their agreement with the evaluated edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.kernel.edges import (
    VERSION,
    EdgeMemoryArrays,
    learn_edges,
    probabilities_invalid,
)
from sailplan.policies.replanning.beliefs.posterior import Memory

ALWAYS = Refresh(1, 1)
_MOST_EDGES = 1 << 26
_MOST_WORLDS = 100_000


@dataclass(frozen=True)
class EdgeWeights:
    """The weights of an edge posterior.

    Raises
    ------
    PolicyError
        If a weight is out of its range.
    """

    surprise: float = 2.0
    """The cost of an edge is its length - surprise * (mean length) * log(probability that it is valid)."""
    doubt_of_invalid: float = 1.0
    """Doubt for an edge that is known to be invalid and valid in a stored world, whose weight is exp(-doubt)."""
    doubt_of_valid: float = 1.0
    """Doubt for an edge that is known to be valid and invalid in a stored world."""
    smoothing: float = 0.3
    """Weight of the frequency of an edge in all worlds, compared with the world that agrees best."""
    patience: float = 10.0
    """If there is doubt in that world too, the weight of the frequencies is larger by a factor of e for each so much
    doubt: a world that is like no stored one must not be taken for the one that is least unlike it."""
    certainty: float = 0.99
    """Upper limit of probabilities, and of their complements."""
    sharing: float = 1.0
    """For the selector `critical`: exponent of the share of almost shortest paths that contain an edge."""
    detour: float = 0.125
    """For the selector `critical`: the weight of a path decreases to 1/e for a detour of this many mean lengths."""

    haste: float = 1.3
    """Weight of the distance to the goal in the search for a candidate path, if there is no bound; with 1 it is the
    shortest one, which takes more time."""

    def __post_init__(self) -> None:
        numbers = list(asdict(self).values())
        if not (all(isfinite(number) and number >= 0.0 for number in numbers) and 0.5 <= self.certainty < 1.0):
            raise PolicyError(f"weights must be finite and not negative, the certainty in [0.5, 1), got {self}")
        if self.haste < 1.0:
            raise PolicyError(f"haste must be at least 1, got {self.haste}")
        if min(self.detour, self.smoothing, self.patience) <= 0.0:
            raise PolicyError(f"detour, smoothing and patience must be positive, got {self}")


@saveable("edge posterior")
@dataclass(frozen=True)
class EdgePosterior:
    """The probability that each edge of a roadmap is invalid, from stored worlds that agree with the evaluated edges.

    It supports the roadmap whose edges were stored, with any start and goal, and with edges added at the end. In a
    stored world, such an edge is estimated to be invalid if most stored edges at the nearest vertex are; its
    probability is the mean of that of the estimate and of the frequency of all edges, as little is known about it.
    `LazyPolicy` computes the probabilities only for the edges that it considers.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.policies import LazyPolicy
    >>> edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.1), (2, 3, 1.1)]
    >>> graph = ExplicitGraph.from_edges(4, edges, invalid_edges=[(1, 3)])
    >>> belief = EdgePosterior.of(graph, np.array([[1, 0, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1]]))
    >>> search(Problem(graph, 0, 3), LazyPolicy(belief=belief)).edge_evaluations
    2
    """

    roadmap: str
    """The digest of the edges; see `ExplicitGraph.digest`."""
    memory: Memory
    """The stored worlds: 1 if an edge is invalid."""
    weights: EdgeWeights = field(default_factory=EdgeWeights)
    """The weights."""
    name: str = "edge posterior"
    """The name of the belief in notes."""
    refresh: Refresh = ALWAYS
    """When the belief is updated in a search by vertices, or with multipliers."""
    per_edge: bool = True
    """There is a multiplier for each edge."""
    ignored: tuple[int, ...] = ()
    """Numbers of stored worlds that have no weight, for training; not saved."""

    @classmethod
    def of(cls, graph: ExplicitGraph, valid: Any, weights: EdgeWeights | None = None) -> EdgePosterior:
        """Store worlds.

        Parameters
        ----------
        graph
            The roadmap.
        valid
            Array of shape (worlds, edges), true where an edge is valid.
        weights
            The weights; see `EdgeWeights`.

        Returns
        -------
        EdgePosterior
            The belief.

        Raises
        ------
        PolicyError
            If the array does not have a column for each edge, or is empty.
        """
        table = np.asarray(valid, bool)
        if table.ndim != 2 or table.shape[1] != graph.edge_count or not table.size:
            raise PolicyError(f"worlds of shape {table.shape} for {graph.edge_count} edges")
        memory = Memory((~table).astype(np.uint8))
        return cls(graph.digest(graph.edge_count), memory, weights or EdgeWeights())

    @property
    def edges(self) -> int:
        """Number of edges about which worlds are stored."""
        return int(self.memory.by_world.shape[1])

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        graph = problem.graph
        if not isinstance(graph, ExplicitGraph):
            return "it supports the edges of explicit graphs, and this is another graph"
        if graph.edge_count < self.edges or graph.digest(self.edges) != self.roadmap:
            return f"it was learned on another roadmap, of {self.edges} edges"
        return ""

    def arrays(self, graph: ExplicitGraph) -> EdgeMemoryArrays:
        """Return the stored worlds for kernels, before anything is known."""
        weights, worlds, by_edge = self.weights, len(self.memory.by_world), self.memory.bits_by_cell
        added = self._added(graph)
        doubts = np.full(8 * by_edge.shape[1], np.inf)
        doubts[:worlds] = 0.0
        doubts[list(self.ignored)] = np.inf
        return EdgeMemoryArrays(
            worlds=by_edge,
            added=np.ascontiguousarray(np.packbits(added, axis=0, bitorder="little").T),
            frequencies=np.append(self.memory.frequencies, self.memory.frequencies.mean()),
            doubts=doubts,
            tables=np.empty((by_edge.shape[1], 256), np.float32),
            total=np.zeros(2),
            clock=np.array([0, -1], np.int64),
            doubt_of_invalid=weights.doubt_of_invalid,
            doubt_of_valid=weights.doubt_of_valid,
            smoothing=weights.smoothing,
            patience=weights.patience,
            certainty=weights.certainty,
        )

    def _added(self, graph: ExplicitGraph) -> NDArray[np.uint8]:
        """Return whether each edge that is not stored is estimated to be invalid, in each world."""
        if graph.edge_count == self.edges:
            return np.zeros((len(self.memory.by_world), 0), np.uint8)
        ends = graph.edges()[:, :2].astype(np.int64)
        others, is_stored = ends[self.edges :], np.zeros(graph.vertex_count, np.bool_)
        is_stored[ends[: self.edges]] = True
        anchor = np.where(is_stored, np.arange(graph.vertex_count), -1)
        for one, other in ((0, 1), (1, 0)):
            # A new vertex counts as the first stored one that it is joined to.
            joined = (anchor[others[:, one]] < 0) & is_stored[others[:, other]]
            vertices, first = np.unique(others[joined, one], return_index=True)
            anchor[vertices] = others[joined, other][first]
        one, other = others.T
        nearest = np.where(
            is_stored[one], one, np.where(is_stored[other], other, np.maximum(anchor[one], anchor[other]))
        )
        vertices, which = np.unique(nearest, return_inverse=True)
        return self._mostly_invalid(graph, vertices)[:, which]

    def _mostly_invalid(self, graph: ExplicitGraph, vertices: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return whether most stored edges at each vertex are invalid, in each world; most of all edges for -1."""
        sides = [graph.rows] if graph.undirected else [graph.rows, graph.backward_arrays()]
        table = np.empty((len(self.memory.by_world), len(vertices)), np.uint8)
        for index, vertex in enumerate(vertices.tolist()):
            edges = np.concatenate([side.given[side.first[vertex] : side.first[vertex + 1]] for side in sides])
            around = self.memory.by_cell[edges[edges < self.edges]] if vertex >= 0 else self.memory.by_cell
            table[:, index] = 2 * around.sum(axis=0, dtype=np.int64) > len(around)
        return table

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers before anything is known."""
        return EdgePosteriorFollower(self, problem).multipliers()

    def follow(self, problem: Problem) -> EdgePosteriorFollower:
        """Return the state of the belief for one search."""
        return EdgePosteriorFollower(self, problem)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        worlds, edges = self.memory.by_world.shape
        facts = {
            "name": self.name,
            "roadmap": self.roadmap,
            "worlds": worlds,
            "edges": edges,
            "weights": asdict(self.weights),
            "refresh": list(self.refresh),
        }
        return facts, {"worlds": self.memory.packed()}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> EdgePosterior:
        """Create a belief from what `describe` returned."""
        worlds, edges, packed = int(facts["worlds"]), int(facts["edges"]), tensors["worlds"]
        if not (0 < worlds <= _MOST_WORLDS and 0 < edges <= _MOST_EDGES) or packed.dtype != np.uint8:
            raise ModelError(f"{worlds} worlds of {edges} edges, of type {packed.dtype}")
        memory, weights = Memory.unpacked(packed, worlds, edges), EdgeWeights(**facts["weights"])
        return cls(str(facts["roadmap"]), memory, weights, str(facts["name"]), Refresh.build(facts["refresh"]))


class EdgePosteriorFollower:
    """The doubt in each world during one search."""

    def __init__(self, belief: EdgePosterior, problem: Problem) -> None:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        self._graph, self._belief = graph, belief
        self._memory = belief.arrays(graph)
        self.lengths = np.empty(graph.edge_count)
        """The length of each edge."""
        self.lengths[graph.rows.given] = graph.rows.costs
        self.known: dict[int, bool] = {}
        """Whether each edge with a known result is invalid, in the order in which the results were learned."""
        self._evaluated, self._invalid, self._expanded = 0, 0, 0

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if nothing was learned."""
        return self.multipliers() if self.learn(state) else None

    def learn(self, state: SearchState) -> bool:
        """Learn the results that are new in the state of the search; return whether a stored edge is among them."""
        before = int(self._memory.clock[VERSION])
        results: dict[int, bool] = {}
        for source, target, status in state.evaluated[self._evaluated :].tolist():
            results[self._number(source, target)] = bool(status)
        self._evaluated = len(state.evaluated)
        for source, target in state.invalid_edges[self._invalid :].tolist():
            results[self._number(source, target)] = True
        self._invalid = len(state.invalid_edges)
        self._add_expanded(state, results)
        new = {edge: invalid for edge, invalid in results.items() if edge not in self.known}
        self.known |= new
        learn_edges(self._memory, np.array(list(new), np.int64), np.array(list(new.values()), np.bool_))
        return bool(self._memory.clock[VERSION] > before)

    def _add_expanded(self, state: SearchState, results: dict[int, bool]) -> None:
        """Add the edges of vertices that were expanded, unless their targets had been expanded before."""
        expanded = state.expanded.tolist()
        done = set(expanded[: self._expanded])
        invalid = {(source, target) for source, target in state.invalid_edges.tolist()}
        for vertex in expanded[self._expanded :]:
            for number, target in self._edges_of(vertex):
                if target not in done:
                    wrong = (vertex, target) in invalid or state.status[target] == INVALID
                    results.setdefault(number, wrong)
            done.add(vertex)
        self._expanded = len(expanded)

    def _edges_of(self, vertex: int) -> Iterable[tuple[int, int]]:
        """Return the number and the target of each edge of a vertex."""
        rows = self._graph.rows
        edges = slice(rows.first[vertex], rows.first[vertex + 1])
        return zip(rows.given[edges].tolist(), rows.targets[edges].tolist(), strict=True)

    def _number(self, source: int, target: int) -> int:
        return next(number for number, end in self._edges_of(source) if end == target)

    def probabilities(self) -> FloatArray:
        """Return the probability that each edge is invalid."""
        probabilities = np.empty(self._graph.edge_count)
        probabilities_invalid(self._memory, probabilities)
        return probabilities

    def multipliers(self) -> FloatArray:
        """Return the multiplier of each edge."""
        lengths = np.maximum(self.lengths, 1e-12)
        per_length = self._belief.weights.surprise * self.lengths.mean() / lengths
        multipliers: FloatArray = 1.0 - per_length * np.log1p(-self.probabilities())
        return multipliers
