"""The network over features of edges by its definition: all stored worlds are counted for each edge."""

from __future__ import annotations

import math

import numpy as np

from sailplan.graphs import Problem
from sailplan.policies.replanning.beliefs import EdgeLayers, EdgeNetwork, EdgePosterior, StoredPaths
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS
from tests.naive.edge_posterior import NaivePosterior


class NaiveEdgeNetwork(NaivePosterior):
    """The probability that each edge is invalid, and its penalty, given the results of some edges."""

    def __init__(self, belief: EdgeNetwork, problem: Problem) -> None:
        super().__init__(belief.posterior, problem)
        self.belief, self.known = belief, dict[int, bool]()
        self.kept = np.delete(self.worlds, list(belief.posterior.ignored), axis=0)
        self.doubts[list(belief.posterior.ignored)] = np.inf

    def learn(self, edge: int, invalid: bool) -> None:
        """Add the doubt in worlds that differ, and remember the result."""
        super().learn(edge, invalid)
        self.known[edge] = invalid

    def features(self, edge: int) -> list[float]:
        """The inputs of the network for an edge."""
        frequency = float(self.worlds[:, edge].mean())
        given = [frequency]
        for other, invalid in self.known.items():
            same = self.kept[self.kept[:, other] == invalid]
            given.append((float(same[:, edge].sum()) + 2.0 * frequency) / (len(same) + 2.0))
        odds = [_log_odds(one) for one in (super().invalid(edge), frequency, min(given), max(given))]
        smoothing = self.weights.smoothing * math.exp(self.doubts.min() / self.weights.patience)
        trust = math.log(smoothing / float(np.exp(self.doubts.min() - self.doubts).sum()))
        near = [self.known_at(edge, invalid) for invalid in (True, False)]
        return [*odds, float(self.lengths[edge]), math.log(self.best_path(edge) + 0.02), trust, *near]

    def known_at(self, edge: int, invalid: bool) -> float:
        """How many edges at each end of an edge are known to be invalid, or valid; at most 4."""
        others = [self.ends[other] for other, result in self.known.items() if result == invalid]
        return float(min(4, sum(ends.count(end) for ends in others for end in self.ends[edge])))

    def best_path(self, edge: int) -> float:
        """The largest probability of a stored path through an edge."""
        chances = [0.0]
        for path in self.belief.stored.paths:
            if edge in path and not any(self.known.get(one, False) for one in path):
                valid = np.array([not world[list(path)].any() for world in self.worlds])
                chances.append(self.share(valid))
        return max(chances)

    def invalid(self, edge: int) -> float:
        """The probability of an edge, by the network."""
        row, layers = np.array(self.features(edge)), self.belief.layers
        hidden = np.maximum(layers.weights @ row + layers.biases, 0.0)
        odds = row[0] + layers.offset + float(layers.outputs @ hidden)
        certainty = self.weights.certainty
        return float(np.clip(1.0 / (1.0 + math.exp(-odds)), 1.0 - certainty, certainty))

    def surprise(self, edge: int) -> float:
        """The penalty of an edge, in units of the surprise."""
        path = math.log(1.02) - self.features(edge)[5]
        return self.belief.effort + super().surprise(edge) + self.belief.joint * path


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 0.003), 0.997)
    return math.log(kept / (1.0 - kept))


def random_network(posterior: EdgePosterior, problem: Problem, rng: np.random.Generator) -> EdgeNetwork:
    """Draw a network of three units and some paths, which need not lead anywhere."""
    weights, biases, outputs = (0.3 * rng.standard_normal(shape) for shape in ((3, COLUMNS), 3, 3))
    layers = EdgeLayers(weights, biases, outputs, rng.uniform(-0.5, 0.5))
    sizes = rng.integers(1, posterior.edges + 1, size=4).tolist()
    paths = tuple(tuple(sorted(rng.permutation(posterior.edges)[:size].tolist())) for size in sizes)
    effort, joint = rng.uniform(0.0, 1.0, 2).tolist()
    stored = StoredPaths(posterior.memory, paths)
    return EdgeNetwork(posterior, problem.start, problem.goal, stored, layers, effort, joint)
