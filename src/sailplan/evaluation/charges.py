"""What the belief of a policy charges as a search goes on, to be looked at."""

from __future__ import annotations

import numpy as np

from sailplan.core import Policy, SearchState
from sailplan.core.graph import FloatArray, is_finite
from sailplan.core.problem import Problem
from sailplan.policies.replanning.beliefs import Follower
from sailplan.policies.replanning.policy import ReplanningPolicy


class ChargesShown:
    """Lets the belief of a policy look at a search that is watched, apart from the one that it steered."""

    def __init__(self, problem: Problem, policy: Policy | None) -> None:
        self._charges: FloatArray | None = None
        self._follower: Follower | None = None
        graph = problem.graph
        if isinstance(policy, ReplanningPolicy) and is_finite(graph) and not policy.belief.why_unsupported(problem):
            self._charges = policy.belief.multipliers(problem)
            self._follower = policy.belief.follow(problem)
            if self._follower and self._charges is None:
                self._charges = np.ones(graph.vertex_count)

    def at(self, state: SearchState) -> FloatArray | None:
        """The charge of every vertex by what is known in this state; None where there is no belief that charges."""
        looked = self._follower.update(state) if self._follower else None
        if looked is not None:
            self._charges = looked
        return self._charges
