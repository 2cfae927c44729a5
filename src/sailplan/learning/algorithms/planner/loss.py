"""The loss of the paper at one state of a search, and its derivative with respect to cost multipliers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem, is_compiled
from sailplan.core.kernel.arrays import OPEN
from sailplan.core.state import allocate_state
from sailplan.learning.algorithms.planner.kernel import add_path_gradients
from sailplan.policies.replanning.kernel.edges import NO_WAY, UNIT
from sailplan.policies.replanning.policy import allocate_bounds

MOST_REGRET = 3.0
"""Larger differences of the cost-to-go count as this. A search may continue anywhere at no cost, so that expanding a
vertex that is off every shortest path wastes one expansion, however far off it is."""
_NEARLY_BEST = 1.0
"""Vertices whose cost-to-go exceeds the smallest one by less than this are as good as the best."""
_LEAST_GRADIENT = 1e-5


class Loss(NamedTuple):
    """The loss at a state."""

    value: float
    """The expected regret: the cost-to-go of the vertex that is selected, less the smallest one of the open list."""
    regret: float
    """The regret of the vertex that is closest to the goal in the believed world."""
    gradient: FloatArray
    """The derivative of the loss with respect to the multiplier of each vertex."""


def planner_loss(
    problem: Problem, status: NDArray[np.uint8], multipliers: FloatArray, table: FloatArray, temperature: float
) -> Loss:
    """Return the loss of selecting open vertices with probabilities softmin(distance / temperature).

    Parameters
    ----------
    problem
        A problem on a graph with arrays.
    status
        The status of each vertex.
    multipliers
        The cost multiplier of each vertex.
    table
        The true cost-to-go of each vertex.
    temperature
        The least temperature. It is half of the difference between the distance of the best vertex and the smallest
        distance, if this is larger: otherwise the derivative would vanish just where the order is clearly wrong.

    Returns
    -------
    Loss
        The value, the regret of the policy, and the derivative.
    """
    graph = problem.graph
    assert is_compiled(graph)
    gradient = np.zeros(graph.vertex_count)
    state = allocate_state(graph.vertex_count)
    state.status[:] = status
    plan = allocate_bounds(graph, problem, multipliers, 0.0, state=state)
    candidates = np.flatnonzero((status == OPEN) & (plan.bounds < NO_WAY) & np.isfinite(table))
    if len(candidates) < 2:
        return Loss(0.0, 0.0, gradient)
    distances = plan.bounds[candidates] / (UNIT * plan.scale)
    regrets = np.minimum(table[candidates] - table[candidates].min(), MOST_REGRET)
    probabilities, temperature = selection_probabilities(distances, regrets, temperature)
    value = float(probabilities @ regrets)
    slopes = probabilities * (value - regrets) / temperature
    matter = np.abs(slopes) > _LEAST_GRADIENT
    add_path_gradients(graph.arrays(), plan, state, candidates[matter], slopes[matter], gradient)
    return Loss(value, float(regrets[distances.argmin()]), gradient)


def selection_probabilities(distances: FloatArray, regrets: FloatArray, least: float) -> tuple[FloatArray, float]:
    """Return the probability with which each vertex is selected, and the temperature; see `planner_loss`."""
    smallest = distances.min()
    temperature = max(least, float(distances[regrets < _NEARLY_BEST].min() - smallest) / 2.0)
    weights = np.exp((smallest - distances) / temperature)
    return weights / weights.sum(), temperature
