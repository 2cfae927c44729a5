"""The weights of stored worlds and the penalty, chosen by the cross-entropy method before the network is trained."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.learning.algorithms.planner.settings import PlannerSettings
from sailplan.policies.replanning.beliefs.pixels import Recall
from sailplan.policies.replanning.beliefs.prior import Penalty

_WEIGHTS = {
    "prior weight": (math.log(0.4), 1.5),
    "surprise": (math.log(10.0), 0.9),
    "1 - certainty": (math.log(0.003), 0.8),
    "sharpness": (math.log(1.8), 0.5),
    "doubt of blocked": (math.log(16.0), 0.8),
    "doubt of free": (math.log(3.5), 0.8),
    "reach": (math.log(25.0), 0.7),
    "local": (math.log(0.45), 0.6),
    "prior": (math.log(0.04), 0.8),
}
"""What each number of a vector stands for: its logarithm at 0, and the change of that logarithm per unit."""
_ELITE = 0.25
_LEAST_SPREAD = 0.15


def weights_of(vector: FloatArray) -> tuple[Recall, Penalty]:
    """The recall and the penalty that a vector stands for."""
    centres, units = np.array(list(_WEIGHTS.values())).T
    numbers = np.exp((centres + units * vector).clip(-12.0, 7.0)).tolist()
    prior_weight, surprise, doubt, sharpness, blocked, free, reach, local, prior = numbers
    recall = Recall(blocked, free, reach, min(local, 1.0), min(prior, 1.0))
    return recall, Penalty(prior_weight, surprise, 1.0 - min(doubt, 1.0), sharpness)


def tune(cost: Callable[[FloatArray], float], settings: PlannerSettings, rng: np.random.Generator) -> FloatArray:
    """Fit a Gaussian to the vectors of least cost, round by round; return the best vector of all."""
    mean, spread = np.zeros(len(_WEIGHTS)), np.ones(len(_WEIGHTS))
    best, least = mean, cost(mean)
    for _ in range(settings.tuning_rounds):
        drawn = mean + spread * rng.standard_normal((settings.tuning_vectors, len(mean)))
        costs = np.array([cost(vector) for vector in drawn])
        order = np.argsort(costs, kind="stable")
        elite = drawn[order[: max(1, round(_ELITE * len(drawn)))]]
        mean, spread = elite.mean(axis=0), np.maximum(elite.std(axis=0), _LEAST_SPREAD)
        if costs[order[0]] < least:
            best, least = drawn[order[0]], costs[order[0]]
    if settings.tuning_rounds and cost(mean) < least:
        best = mean
    return best
