"""The posterior of edges: stored worlds of a roadmap, weighted by their agreement with the evaluated edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem, as_real
from sailplan.core.kernel.arrays import INVALID
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.files import fault_line
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable, set_floats
from sailplan.policies.replanning.beliefs.kernel.edges import (
    AddedEdgeArrays,
    EdgeMemoryArrays,
    find_added,
    find_collisions,
    learn_edges,
    probabilities_invalid,
    surprises,
)
from sailplan.policies.replanning.beliefs.posterior import Memory

ALWAYS = Refresh(1, 1)
_MOST_EDGES = 1 << 26
_MOST_WORLDS = 100_000
_LARGEST_WEIGHT = 1e9
"""Products of weights, lengths and numbers of vertices are converted to integers."""
_MOST_SURPRISE = 8.0
"""-log(1 - certainty) is below this at the largest certainty."""


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
    narrowness: float = 1.0
    """For edges that were added to the roadmap: the shape of the Gamma distribution of the rate of collisions along an
    edge whose ends are valid, before any of them is evaluated."""
    openness: float = 4.0
    """The rate of that distribution, in mean lengths of edges: the larger, the rarer are collisions."""
    region: float = 0.3
    """The part of what an edge of an added vertex tells that holds for all vertices near the same end of the path."""
    haste: float = 1.0
    """Weight of the distance to the other end in the search for a candidate path, if there is no bound. With more than
    1 the candidate need not be the shortest one, which may take less time."""

    def __post_init__(self) -> None:
        numbers = list(asdict(self).values())
        sound = all(0.0 <= as_real(one) <= _LARGEST_WEIGHT for one in numbers)
        if not sound or not 0.5 <= self.certainty < 1.0:
            form = f"finite and not negative, at most {_LARGEST_WEIGHT:g}"
            raise PolicyError(f"weights must be {form}, the certainty in [0.5, 1), got {self}")
        if self.haste < 1.0:
            raise PolicyError(f"haste must be at least 1, got {self.haste}")
        if min(self.detour, self.smoothing, self.patience, self.openness) <= 0.0:
            raise PolicyError(f"detour, smoothing, patience and openness must be positive, got {self}")
        set_floats(self, *asdict(self))


class EdgeBelief(Protocol):
    """A belief about edges that lazy search evaluates where it looks."""

    @property
    def weights(self) -> EdgeWeights:
        """The weights of the posterior."""

    @property
    def most_surprise(self) -> float:
        """Upper limit of the penalty of an edge, in units of `EdgeWeights.surprise`."""

    def arrays(self, problem: Problem) -> Any:
        """Return what is stored for kernels, before anything is known."""


@saveable("edge posterior")
@dataclass(frozen=True)
class EdgePosterior:
    """The probability that each edge of a roadmap is invalid, from stored worlds that agree with the evaluated edges.

    It supports the roadmap whose edges were stored, with any start and goal, and with vertices and edges added at the
    end. An added edge, about which nothing is stored, is valid if no stored end of it is in collision, which the worlds
    tell, and if nothing is in between, which is the less likely the longer it is. How likely is learned in the search,
    for the space around the start, around the goal, and around each vertex: rates of collisions have Gamma
    distributions. `LazyPolicy` computes the probabilities only for the edges that it considers.

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
    """Numbers of stored worlds that have no weight, for training; not saved. If no other world is left, none is."""

    def __post_init__(self) -> None:
        worlds = set(range(len(self.memory.by_world)))
        if not set(self.ignored) <= worlds:
            raise PolicyError(f"ignored worlds are numbered from 0 to {len(worlds) - 1}, got {str(self.ignored)[:100]}")

    @property
    def without_weight(self) -> list[int]:
        """The stored worlds that are ignored: without any world there would be no probabilities."""
        worlds = sorted(set(self.ignored))
        return worlds if len(worlds) < len(self.memory.by_world) else []

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
            If the graph is of another kind, or the array does not have a column for each edge, or is empty.
        """
        if not isinstance(graph, ExplicitGraph):
            raise PolicyError(f"worlds are stored for an ExplicitGraph, got {type(graph).__name__}")
        try:
            table = np.asarray(valid, bool)
        except ValueError as error:
            raise PolicyError(f"worlds must have a result for each edge ({fault_line(error)})") from error
        if table.ndim != 2 or table.shape[1] != graph.edge_count or not table.size:
            raise PolicyError(f"worlds of shape {table.shape} for {graph.edge_count} edges")
        memory = Memory((~table).astype(np.uint8))
        return cls(graph.digest(graph.edge_count), memory, weights or EdgeWeights())

    @property
    def edges(self) -> int:
        """Number of edges about which worlds are stored."""
        return int(self.memory.by_world.shape[1])

    @property
    def most_surprise(self) -> float:
        """Upper limit of the penalty of an edge, in units of the surprise."""
        return _MOST_SURPRISE

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        graph = problem.graph
        if not isinstance(graph, ExplicitGraph):
            return "it supports the edges of explicit graphs, and this is another graph"
        if graph.edge_count < self.edges or graph.digest(self.edges) != self.roadmap:
            return f"it was learned on another roadmap, of {self.edges} edges"
        return ""

    def arrays(self, problem: Problem) -> EdgeMemoryArrays:
        """Return the stored worlds for kernels, before anything is known."""
        weights, worlds, by_edge = self.weights, len(self.memory.by_world), self.memory.bits_by_cell
        doubts = np.full(8 * by_edge.shape[1], np.inf)
        doubts[:worlds] = 0.0
        doubts[self.without_weight] = np.inf
        return EdgeMemoryArrays(
            worlds=by_edge,
            frequencies=self.memory.frequencies,
            added=self._added(problem),
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

    def _added(self, problem: Problem) -> AddedEdgeArrays:
        """Describe the edges that are not stored."""
        graph, weights = problem.graph, self.weights
        assert isinstance(graph, ExplicitGraph)
        rows, count = graph.rows, graph.edge_count - self.edges
        is_stored, ends, lengths = (
            np.zeros(graph.vertex_count, np.bool_),
            np.empty((count, 2), np.int64),
            np.empty(count),
        )
        if count:
            find_added(rows.first, rows.targets, rows.given, rows.costs, self.edges, is_stored, ends, lengths)
        vertices, sides = np.unique(ends, return_inverse=True)
        worlds = self.memory.bits_by_cell
        collisions, scratch = np.empty((count, worlds.shape[1]), np.uint8), np.empty(worlds.shape[1], np.uint8)
        find_collisions(rows.first, rows.given, worlds, ends, scratch, collisions)
        spaces = np.array([[weights.narrowness, weights.openness]] * 2)
        return AddedEdgeArrays(
            ends=collisions,
            frequencies=np.bitwise_count(collisions).sum(axis=1) / len(self.memory.by_world),
            lengths=lengths / (float(rows.costs.mean()) or 1.0) if count else lengths,
            sides=sides.reshape(ends.shape),
            regions=np.where(is_stored[vertices], -1, _regions(problem, vertices)),
            narrowness=np.zeros((len(vertices), 2)),
            spaces=spaces,
            openness=weights.openness,
            sharing=weights.region,
        )

    def held_out(self, worlds: tuple[int, ...]) -> EdgePosterior:
        """Return the belief with some stored worlds ignored, for training."""
        return replace(self, ignored=worlds)

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


def _regions(problem: Problem, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 1 for vertices that are nearer to the goal than to the start; without coordinates only for the goal."""
    assert isinstance(problem.graph, ExplicitGraph)
    places, ends = problem.graph.rows.coordinates, (problem.start, problem.goal)
    near_goal = vertices == problem.goal
    if places.shape[1]:
        to_start, to_goal = (((places[vertices] - places[end]) ** 2).sum(axis=1) for end in ends)
        near_goal = to_goal < to_start
    regions: NDArray[np.int64] = near_goal.astype(np.int64)
    return regions


class EdgePosteriorFollower:
    """What a belief has learned during one search: the doubt in each world."""

    def __init__(self, belief: EdgeBelief, problem: Problem) -> None:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        self._graph, self._belief = graph, belief
        self._memory = belief.arrays(problem)
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
        """Learn the results that are new in the state of the search; return whether there are any."""
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
        return bool(new)

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
        penalties = np.empty(self._graph.edge_count)
        surprises(self._memory, penalties)
        lengths = np.maximum(self.lengths, 1e-12)
        per_length = self._belief.weights.surprise * self.lengths.mean() / lengths
        multipliers: FloatArray = 1.0 + per_length * penalties
        return multipliers
