"""Direct search for a network of edges: its numbers and output weights follow the edge evaluations themselves.

Cross-entropy fits the probability of edges, and a search needs more than that: which errors cost evaluations. As on
grids (`planner.direct_search`), a perturbation and its opposite are rolled out on the same world, and the difference of
what they spend, times the perturbation, estimates the gradient of the smoothed objective. The price of long paths is a
multiplier that grows while paths are longer than the limit on average.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.datasets.labelled import LabelledProblem
from sailplan.learning.adam import Adam
from sailplan.learning.regressors import Examples
from sailplan.parallel import run_all
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.edge_network import EdgeLayers, EdgeNetwork

WEIGHTS = {
    "surprise": 0.5,
    "doubt_of_invalid": 0.6,
    "doubt_of_valid": 0.6,
    "smoothing": 0.5,
    "patience": 0.7,
    "sharing": 0.4,
    "detour": 0.6,
}
"""The weights of the posterior that are changed, and the change of the logarithm of each per unit of a vector."""
_PENALTIES = 0.3
"""The change of effort and joint per unit, in mean lengths."""
_ODDS = 0.2
"""The change of the log odds per unit of an output weight, in the root mean square over examples."""
_OTHERS = 3
"""Numbers of a vector between the weights and the outputs: effort, joint and the offset of the output."""
_MOST_LOG, _LEAST_LOG, _MOST = 7.0, -9.0, 1e3
_DEVIATION = 0.5
"""Standard deviation of the perturbations, in units."""
_RATES = 0.12, 0.03
"""Largest change in the first and in the last step, in units."""
_MOMENTUM, _SCALING = 0.85, 0.97
"""Decay of the running means of the gradient, which is also that of the average that is kept, and of its square."""
_MOST_DIFFERENCE = 0.5
"""Limit of the difference of a pair, in mean evaluations of a search: few worlds would outweigh all others."""
_PRICE_RATE, _MOST_PRICE = 10.0, 20.0
"""Change of the price of a path in each step per excess of its cost, and the limit of the price."""
_LONGEST = 5.0
"""A search is stopped after so many times the mean evaluations: longer ones take most of the time, and the difference
of a pair is limited anyway."""

Spent = Callable[[LazyPolicy, LabelledProblem, int], tuple[float, float]]
"""The evaluations of a search of a training problem, which stops after a number of them, and the cost of its path in
shortest paths."""


class Schedule(NamedTuple):
    """How many searches are made."""

    steps: int
    pairs: int
    """Pairs of opposite perturbations in each step."""


SCHEDULE = Schedule(90, 24)
"""What training uses."""


@dataclass(frozen=True, eq=False)
class EdgeDirectSearch:
    """Minimises the evaluations of searches of training problems."""

    problems: Sequence[LabelledProblem]
    spent: Spent
    cost_limit: float
    scales: FloatArray
    """The root mean square of each hidden unit over examples; see `unit_scales`."""
    jobs: int
    schedule: Schedule

    def descend(self, policy: LazyPolicy, mean_spent: float, rng: np.random.Generator) -> LazyPolicy:
        """Take steps from a policy, which needs `mean_spent` evaluations; return the average of the last steps."""
        vector, kept = np.zeros((2, len(WEIGHTS) + _OTHERS + len(self.scales)))
        adam, price, steps = Adam(vector.shape, _MOMENTUM, _SCALING), 1.0, self.schedule.steps
        for step in range(1, steps + 1):
            gradient, cost = self._gradient(policy, vector, mean_spent, price, rng)
            price = float(np.clip(price + _PRICE_RATE * (cost - self.cost_limit), 0.0, _MOST_PRICE))
            vector = vector - (_RATES[0] + (_RATES[1] - _RATES[0]) * step / steps) * adam.direction(gradient)
            kept = _MOMENTUM * kept + (1.0 - _MOMENTUM) * vector
        return changed(policy, kept, self.scales)

    def _gradient(
        self, policy: LazyPolicy, vector: FloatArray, mean_spent: float, price: float, rng: np.random.Generator
    ) -> tuple[FloatArray, float]:
        """The mean over pairs of perturbations, each on a random problem, and the mean cost of their paths."""
        most, spent, scales = round(_LONGEST * mean_spent), self.spent, self.scales
        sources = rng.spawn(self.schedule.pairs)
        # Drawn here, so that a task gets its problem and not all of them.
        problems = [self.problems[int(source.integers(len(self.problems)))] for source in sources]

        def roll_out(pair: tuple[LabelledProblem, np.random.Generator]) -> tuple[FloatArray, float]:
            problem, source = pair
            drawn = source.standard_normal(len(vector))
            (one, first), (other, second) = (
                spent(changed(policy, vector + sign * _DEVIATION * drawn, scales), problem, most) for sign in (1, -1)
            )
            difference = ((one - other) / mean_spent + price * (first - second)) / 2.0
            return float(np.clip(difference, -_MOST_DIFFERENCE, _MOST_DIFFERENCE)) * drawn, (first + second) / 2.0

        pairs = run_all(roll_out, list(zip(problems, sources, strict=True)), self.jobs)
        return np.mean([pair[0] for pair in pairs], axis=0), float(np.mean([pair[1] for pair in pairs]))


def unit_scales(layers: EdgeLayers, examples: Examples) -> FloatArray:
    """Return the root mean square of each hidden unit over examples; a unit that is rarely active counts as others."""
    hidden = np.maximum(examples.rows @ layers.weights.T + layers.biases, 0.0)
    scales = np.sqrt((hidden**2).mean(axis=0))
    raised: FloatArray = np.maximum(scales, max(float(np.median(scales)), 1e-3))
    return raised


def changed(policy: LazyPolicy, vector: FloatArray, scales: FloatArray) -> LazyPolicy:
    """Return a policy with other numbers and outputs; a vector of zeros changes nothing but by rounding."""
    belief = policy.belief
    assert isinstance(belief, EdgeNetwork)
    before, count = belief.weights, len(WEIGHTS)
    logs = np.log([max(getattr(before, name), 1e-6) for name in WEIGHTS]) + vector[:count] * list(WEIGHTS.values())
    numbers = np.exp(logs.clip(_LEAST_LOG, _MOST_LOG)).tolist()
    weights = replace(before, **dict(zip(WEIGHTS, numbers, strict=True)))
    effort, joint = (
        min(max(0.0, own * before.surprise + _PENALTIES * float(change)) / weights.surprise, _MOST)
        for own, change in zip((belief.effort, belief.joint), vector[count : count + 2], strict=True)
    )
    layers = belief.layers._replace(
        outputs=belief.layers.outputs + _ODDS * vector[count + _OTHERS :] / scales,
        offset=belief.layers.offset + _ODDS * float(vector[count + 2]),
    )
    posterior = replace(belief.posterior, weights=weights)
    return replace(policy, belief=replace(belief, posterior=posterior, layers=layers, effort=effort, joint=joint))
