"""Imitation: the loss of the paper at states of roll-outs, its derivative, and steps of extra costs along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem, is_compiled
from sailplan.core.kernel.arrays import OPEN
from sailplan.core.state import allocate_state
from sailplan.learning.adam import Adam
from sailplan.learning.algorithms.planner.kernel import add_path_gradients
from sailplan.learning.algorithms.planner.settings import PlannerSettings
from sailplan.parallel import run_all
from sailplan.policies.replanning.beliefs.kernel.pixels import collect, spread
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import Recollection
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, world_of
from sailplan.policies.replanning.kernel.edges import NO_WAY, UNIT
from sailplan.policies.replanning.policy import allocate_bounds

_MOMENTUM, _SCALING = 0.9, 0.99
"""Decay of the running means of the gradient and of its square."""
_LEAST_SCALE = 0.1
"""Pixels on few paths have small gradients; they move at most this many times as slowly as those with the largest."""
_AVERAGING = 0.98
"""Decay of the running average of the offsets, which is what is kept."""
_BLUR = 2.0
"""Standard deviation in pixels of the Gaussian that smooths gradients: neighbouring pixels have similar costs."""


MOST_REGRET = 3.0
"""Larger differences of the cost-to-go count as this. A search may continue anywhere at no cost, so that expanding a
vertex that is off every shortest path wastes one expansion, however far off it is."""
_NEARLY_BEST = 1.0
"""Vertices whose cost-to-go exceeds the smallest one by less than this are as good as the best."""
_LEAST_GRADIENT = 1e-5


@dataclass(frozen=True, eq=False)
class Moment:
    """A state that is learned from."""

    problem: Problem
    table: FloatArray
    """The true cost-to-go of each cell."""
    status: NDArray[np.uint8]
    blocked: Floats
    """The probability that an unseen cell of each pixel is blocked."""
    regret: Floats
    """The expected regret of each pixel."""
    sent_once: ClassVar[bool] = True
    """A cluster receives it once, and it is drawn for many steps."""


def moment_of(belief: LearnedMultipliers, problem: Problem, table: FloatArray, status: NDArray[np.uint8]) -> Moment:
    """Return a state with what the belief predicts there."""
    world, terms = world_of(problem), belief.terms(problem)
    recollection = Recollection(belief.mixture, terms.recall, world.width, world.height)
    recollection.observe(status)
    recollection.apply()
    maps = recollection.blocked(), belief.regret(terms, recollection)
    return Moment(problem, table, status, *(one.astype(np.float32) for one in maps))


def imitate(
    belief: LearnedMultipliers,
    moments: Sequence[Moment],
    settings: PlannerSettings,
    rng: np.random.Generator,
    jobs: int,
) -> tuple[LearnedMultipliers, float]:
    """Follow the gradient of the loss with respect to the offsets; return the belief and the mean loss."""
    assert belief.offsets is not None
    offsets = belief.offsets.astype(np.float64)
    kept, losses, adam = offsets.copy(), 0.0, Adam(offsets.shape, _MOMENTUM, _SCALING, _LEAST_SCALE)
    for _ in range(settings.steps):
        drawn = [moments[index] for index in rng.integers(len(moments), size=settings.batch_size)]
        now = replace(belief, offsets=offsets.astype(np.float32))
        parts = run_all(partial(offset_gradient, now, temperature=settings.temperature), drawn, jobs)
        gradient = _SMOOTH @ sum(part for part, _ in parts) @ _SMOOTH.T
        losses += sum(loss for _, loss in parts) / len(parts)
        offsets = offsets - settings.learning_rate * adam.direction(gradient)
        kept = _AVERAGING * kept + (1.0 - _AVERAGING) * offsets
    return replace(belief, offsets=kept.astype(np.float32)), losses / settings.steps


def offset_gradient(belief: LearnedMultipliers, moment: Moment, temperature: float) -> tuple[FloatArray, float]:
    """Return the derivative of the loss at a state with respect to each offset, and the loss."""
    assert belief.offsets is not None
    problem, status = moment.problem, moment.status
    world = world_of(problem)
    multipliers, gradient = np.zeros(len(status)), np.empty((PIXELS, PIXELS))
    values = belief.predict(belief.terms(problem), *(one.astype(np.float64) for one in (moment.blocked, moment.regret)))
    spread(values, status, world.width, world.height, 0, world.height, 0.0, multipliers)
    loss = planner_loss(problem, status, multipliers, moment.table, temperature)
    collect(loss.gradient, status, world.width, world.height, gradient)
    # The derivative of the softplus is the logistic function.
    return gradient / (1.0 + np.exp(-belief.offsets.astype(np.float64))), loss.value


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


def _smoothing() -> FloatArray:
    """The weights of neighbouring pixels along one axis, shape (PIXELS, PIXELS)."""
    distances = np.subtract.outer(np.arange(PIXELS), np.arange(PIXELS))
    weights = np.exp(-0.5 * (distances / _BLUR) ** 2)
    normalised: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normalised


_SMOOTH = _smoothing()
