"""The network over features of edges by its definition: all stored worlds are counted for each edge."""

from __future__ import annotations

import math

import numpy as np

from sailplan.graphs import Problem
from sailplan.policies.replanning.beliefs import EdgeNetwork
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
        return [*odds, float(self.lengths[edge]), math.log(self.best_path(edge) + 0.02)]

    def best_path(self, edge: int) -> float:
        """The largest probability of a stored path through an edge."""
        chances = [0.0]
        for path in self.belief.stored.paths:
            if edge in path and not any(self.known.get(one, False) for one in path):
                chances.append(self.share(~self.worlds[:, list(path)].any(axis=1)))
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
