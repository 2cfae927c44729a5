"""A belief about edges by a small network over features, of which the posterior of stored worlds is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.edge_posterior import (
    EdgePosterior,
    EdgePosteriorFollower,
    EdgeWeights,
)
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS, LEAST_PATH, EdgeNetworkArrays
from sailplan.policies.replanning.beliefs.kernel.edges import EdgeMemoryArrays
from sailplan.policies.replanning.beliefs.posterior import Memory

_MOST_UNITS = 1000
_MOST_PENALTY = 1000.0
_WORD = 8
"""Bytes of a word."""


class EdgeLayers(NamedTuple):
    """A hidden layer with ReLU and an output, which is added to the log odds of the posterior."""

    weights: FloatArray
    """Shape (units, features)."""
    biases: FloatArray
    """Shape (units,)."""
    outputs: FloatArray
    """Shape (units,)."""
    offset: float
    """Added to the output."""

    @classmethod
    def none(cls) -> EdgeLayers:
        """Return a network without units: the probabilities are those of the posterior."""
        return cls(np.empty((0, COLUMNS)), np.empty(0), np.empty(0), 0.0)


@dataclass(frozen=True, eq=False)
class StoredPaths:
    """Paths that are valid in many stored worlds, and the worlds as words: what searches share.

    Raises
    ------
    PolicyError
        If a path has no edges, or one that is not stored.
    """

    memory: Memory = field(repr=False)
    """The stored worlds of a roadmap."""
    paths: tuple[tuple[int, ...], ...] = ()
    """The numbers of the edges of each path."""

    def __post_init__(self) -> None:
        edges = self.memory.by_world.shape[1]
        if any(not path or not 0 <= min(path) <= max(path) < edges for path in self.paths):
            raise PolicyError("a path needs edges, all of which are stored")

    @cached_property
    def bits(self) -> NDArray[np.uint8]:
        """The bits of the worlds in which all edges of each path are valid."""
        by_edge, count = self.memory.bits_by_cell, len(self.memory.by_world)
        bits = np.empty((len(self.paths), by_edge.shape[1]), np.uint8)
        stored = np.packbits(np.ones(count, np.uint8), bitorder="little")
        for number, path in enumerate(self.paths):
            bits[number] = stored & ~np.bitwise_or.reduce(by_edge[list(path)], axis=0)
        return bits

    @cached_property
    def frequencies(self) -> FloatArray:
        """The frequency with which each path is valid."""
        frequencies: FloatArray = np.bitwise_count(self.bits).sum(axis=1) / len(self.memory.by_world)
        return frequencies

    @cached_property
    def by_edge(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of the first path through each edge, and the paths by edge."""
        edges = np.array([edge for path in self.paths for edge in path], np.int64)
        numbers = np.repeat(np.arange(len(self.paths)), [len(path) for path in self.paths]).astype(np.int64)
        first = np.searchsorted(np.sort(edges), np.arange(self.memory.by_world.shape[1] + 1)).astype(np.int64)
        return first, numbers[np.argsort(edges, kind="stable")]

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The stored worlds by edge, 64 in a word: bit b of word k is that of world 64 k + b."""
        by_edge = self.memory.bits_by_cell
        padded = np.zeros((len(by_edge), -(-by_edge.shape[1] // _WORD) * _WORD), np.uint8)
        padded[:, : by_edge.shape[1]] = by_edge
        return padded.view(np.uint64)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of worlds in which each edge is invalid."""
        counts: NDArray[np.int64] = self.memory.by_world.sum(axis=0, dtype=np.int64)
        return counts


@saveable("edge network")
@dataclass(frozen=True, eq=False)
class EdgeNetwork:
    """The probability that each edge of a roadmap is invalid, by a network that corrects an edge posterior.

    The features of an edge are the posterior, its frequency, the smallest and largest frequency given the result of a
    single evaluated edge, its length, the probability of the best stored path through it, the weight of the frequencies
    in the posterior, and the numbers of edges at its ends known to be invalid and valid. The penalty of an edge is
    surprise * (mean length) * (effort - log(probability that it is valid) + joint * -log(probability of that path)).

    The network was learned for one start and goal. For others, and on a roadmap to which edges were added, the
    posterior is used without it.

    Raises
    ------
    PolicyError
        If the layers do not fit, a path has an edge that is not stored, or a penalty is out of its range.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.policies import LazyPolicy
    >>> edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.1), (2, 3, 1.1)]
    >>> graph = ExplicitGraph.from_edges(4, edges, invalid_edges=[(1, 3)])
    >>> posterior = EdgePosterior.of(graph, np.array([[1, 0, 1, 1], [1, 1, 1, 1]]))
    >>> paths = StoredPaths(posterior.memory, ((0, 1), (2, 3)))
    >>> belief = EdgeNetwork(posterior, start=0, goal=3, stored=paths, joint=1.0)
    >>> search(Problem(graph, 0, 3), LazyPolicy(belief=belief)).edge_evaluations
    2
    """

    posterior: EdgePosterior
    """The stored worlds and their weights."""
    start: int
    goal: int
    """The ends of the paths."""
    stored: StoredPaths
    """Paths that are often valid."""
    layers: EdgeLayers = field(default_factory=EdgeLayers.none)
    """The network."""
    effort: float = 0.0
    """The penalty of an edge for being evaluated, in units of the surprise: the larger, the fewer edges has a path."""
    joint: float = 0.0
    """The penalty for each unit of the negative logarithm of the probability of a path, in the same unit."""
    name: str = "edge network"
    """The name of the belief in notes."""
    per_edge: bool = True
    """There is a multiplier for each edge."""

    def __post_init__(self) -> None:
        weights, biases, outputs, offset = self.layers
        if weights.shape != (len(biases), COLUMNS) or biases.shape != outputs.shape or len(biases) > _MOST_UNITS:
            raise PolicyError(f"a hidden layer of shape {weights.shape} for {COLUMNS} features")
        if not (all(np.isfinite(one).all() for one in (weights, biases, outputs)) and isfinite(offset)):
            raise PolicyError("weights of a network must be finite")
        if not all(0.0 <= one <= _MOST_PENALTY for one in (self.effort, self.joint)):
            raise PolicyError(f"effort and joint must be between 0 and {_MOST_PENALTY:.0f}, got {self}")
        if self.stored.memory is not self.posterior.memory:
            raise PolicyError("paths and posterior need the same worlds")

    @property
    def weights(self) -> EdgeWeights:
        """The weights of the posterior."""
        return self.posterior.weights

    @property
    def refresh(self) -> Refresh:
        """When the belief is updated in a search by vertices, or with multipliers."""
        return self.posterior.refresh

    @property
    def most_surprise(self) -> float:
        """Upper limit of the penalty of an edge, in units of the surprise."""
        return self.posterior.most_surprise + self.effort + self.joint * log(1.0 / LEAST_PATH + 1.0)

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return self.posterior.why_unsupported(problem)

    def arrays(self, problem: Problem) -> EdgeNetworkArrays | EdgeMemoryArrays:
        """Return what is stored for kernels, before anything is known; only the posterior if the network has none."""
        posterior, graph = self.posterior.arrays(problem), problem.graph
        assert isinstance(graph, ExplicitGraph)
        edges = self.posterior.edges
        if (problem.start, problem.goal) != (self.start, self.goal) or graph.edge_count != edges:
            return posterior
        words, counts, worlds = self._words()
        lengths = np.empty(edges)
        lengths[graph.rows.given] = graph.rows.costs / (float(graph.rows.costs.mean()) or 1.0)
        ends = np.empty((edges, 2), np.int64)
        ends[graph.rows.given, 0] = np.repeat(np.arange(graph.vertex_count), np.diff(graph.rows.first))
        ends[graph.rows.given, 1] = graph.rows.targets
        stored, count = self.stored, len(self.stored.paths)
        return EdgeNetworkArrays(
            posterior=posterior,
            words=words,
            counts=counts,
            worlds=worlds,
            learned=np.empty(edges, np.int64),
            results=np.empty(edges, np.bool_),
            learned_count=np.zeros(1, np.int64),
            read=np.zeros(edges, np.int64),
            extremes=np.column_stack([self.posterior.memory.frequencies] * 2),
            lengths=lengths,
            ends=ends,
            known_at=np.zeros((graph.vertex_count, 2), np.int64),
            paths=stored.bits,
            path_frequencies=stored.frequencies,
            path_first=stored.by_edge[0],
            path_numbers=stored.by_edge[1],
            path_invalid=np.zeros(count, np.bool_),
            path_versions=np.full(count, -1, np.int64),
            path_chances=np.empty(count),
            versions=np.full(edges, -1, np.int64),
            chances=np.empty(edges),
            surprises=np.empty(edges),
            row=np.empty(COLUMNS),
            **self.layers._asdict(),
            effort=self.effort,
            joint=self.joint,
        )

    def _words(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
        """Return the worlds by edge in words, without those that are ignored, the counts by edge, and their number."""
        words, counts, ignored = self.stored.words, self.stored.counts, self.posterior.without_weight
        if ignored:
            kept = np.full(words.shape[1] * _WORD, 255, np.uint8)
            for world in ignored:
                kept[world // 8] &= np.uint8(255 - (1 << world % 8))
            words = words & kept.view(np.uint64)
            counts = counts - self.posterior.memory.by_world[ignored].sum(axis=0, dtype=np.int64)
        return words, counts, len(self.posterior.memory.by_world) - len(ignored)

    def held_out(self, worlds: tuple[int, ...]) -> EdgeNetwork:
        """Return the belief with some stored worlds ignored, for training."""
        return replace(self, posterior=replace(self.posterior, ignored=worlds))

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers before anything is known."""
        return EdgePosteriorFollower(self, problem).multipliers()

    def follow(self, problem: Problem) -> EdgePosteriorFollower:
        """Return the state of the belief for one search."""
        return EdgePosteriorFollower(self, problem)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        posterior, tensors = self.posterior.describe()
        facts = {
            "name": self.name,
            "posterior": posterior,
            "ends": [self.start, self.goal],
            "offset": self.layers.offset,
            "effort": self.effort,
            "joint": self.joint,
        }
        layers = {name: np.ascontiguousarray(getattr(self.layers, name)) for name in ("weights", "biases", "outputs")}
        lengths = np.array([len(path) for path in self.stored.paths], np.int64)
        edges = np.array([edge for path in self.stored.paths for edge in path], np.int64)
        return facts, {**tensors, **layers, "path_lengths": lengths, "path_edges": edges}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> EdgeNetwork:
        """Create a belief from what `describe` returned."""
        posterior = EdgePosterior.build(facts["posterior"], tensors)
        numbers = [tensors[name] for name in ("weights", "biases", "outputs")]
        paths = [tensors[name] for name in ("path_lengths", "path_edges")]
        if any(one.dtype != np.float64 for one in numbers) or any(one.dtype != np.int64 for one in paths):
            raise ModelError("tensors of a network of edges have other types")
        lengths, edges = paths
        if lengths.ndim != 1 or edges.ndim != 1 or (lengths < 1).any() or lengths.sum() != len(edges):
            raise ModelError(f"paths of {lengths.tolist()[:9]} edges, and {len(edges)} edges")
        parts = np.split(edges, np.cumsum(lengths)[:-1]) if len(lengths) else []
        start, goal = (int(end) for end in facts["ends"])
        try:
            return cls(
                posterior,
                start,
                goal,
                StoredPaths(posterior.memory, tuple(tuple(part.tolist()) for part in parts)),
                EdgeLayers(numbers[0], numbers[1], numbers[2], float(facts["offset"])),
                float(facts["effort"]),
                float(facts["joint"]),
                str(facts["name"]),
            )
        except PolicyError as error:
            raise ModelError(str(error)) from error
