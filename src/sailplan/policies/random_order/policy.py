"""Policies that explore: any open vertex, or that of another policy except for some random steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sailplan.core.graph import Problem, is_finite
from sailplan.core.kernel.arrays import OPEN
from sailplan.core.kernel.random import draw
from sailplan.core.policy import CompiledForm, Discovery, Policy
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.policies.mixture.policy import MixturePolicy, check_seed
from sailplan.policies.random_order.kernel import RandomArrays


@dataclass(frozen=True)
class RandomPolicy:
    """Expands any open vertex, each as likely as the others."""

    seed: int = 0
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def open(self, problem: Problem, state: SearchState) -> RandomFrontier:
        """Begin the open list of a search."""
        return RandomFrontier(self.seed, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The list of open vertices for the compiled engine."""
        if not is_finite(problem.graph):
            return None
        return CompiledForm(
            RandomArrays(
                members=np.empty(problem.graph.vertex_count, np.int32),
                member_count=np.zeros(1, np.int64),
                draws=np.zeros(1, np.int64),
                seed=self.seed,
            )
        )


class RandomFrontier:
    """The open list as a list from which a member is taken out by moving the last one to its place."""

    def __init__(self, seed: int, state: SearchState) -> None:
        self._seed, self._state = seed, state
        self._members: list[int] = []
        self._met: set[int] = set()
        self._draws = 0

    def observe(self, discovery: Discovery) -> None:
        """Nothing: chance learns nothing."""

    def add(self, vertices: Sequence[int]) -> None:
        """List vertices that are new."""
        self._members += [vertex for vertex in vertices if vertex not in self._met]
        self._met.update(vertices)

    def select(self) -> int | None:
        """Draw a member; those that another policy has expanded are thrown away."""
        while self._members:
            place = int(draw(self._seed, self._draws) * len(self._members))
            self._draws += 1
            vertex, last = self._members[place], self._members.pop()
            if place < len(self._members):
                self._members[place] = last
            if self._state.status[vertex] == OPEN:
                return vertex
        return None


def epsilon_greedy(policy: Policy, exploration: float, seed: int) -> MixturePolicy:
    """The policy, except that each step is a random one with this probability (ε)."""
    # Two streams of chance: one for the coin, one for the vertex.
    return MixturePolicy(RandomPolicy(seed ^ 1), policy, exploration, seed)
