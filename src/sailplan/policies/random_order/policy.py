"""Random policies: all steps, or some steps of another policy."""

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
from sailplan.policies.mixture.policy import MixturePolicy, checked_seed
from sailplan.policies.random_order.kernel import RandomArrays


@dataclass(frozen=True)
class RandomPolicy:
    """A policy that expands a random open vertex, all with the same probability.

    Raises
    ------
    PolicyError
        If the seed is not between 0 and 2^63.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), RandomPolicy(seed=1)).expansions
    3
    """

    seed: int = 0
    """The same seed gives the same search."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", checked_seed(self.seed))

    def open(self, problem: Problem, state: SearchState) -> RandomFrontier:
        """Create the open list of a search."""
        return RandomFrontier(self.seed, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the list of open vertices for the compiled engine."""
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
    """The open list as an unordered list; the last member replaces one that is removed."""

    def __init__(self, seed: int, state: SearchState) -> None:
        self._seed, self._state = seed, state
        self._members: list[int] = []
        self._met: set[int] = set()
        self._draws = 0

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: the order is random."""

    def add(self, vertices: Sequence[int]) -> None:
        """Add new vertices."""
        self._members += [vertex for vertex in vertices if vertex not in self._met]
        self._met.update(vertices)

    def select(self) -> int | None:
        """Draw a member; members that another policy has expanded are dropped."""
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
    """Return a policy that selects like another one, but at random in some steps.

    Parameters
    ----------
    policy
        The other policy.
    exploration
        The probability of a random selection at each step (ε).
    seed
        The same seed gives the same search.

    Returns
    -------
    MixturePolicy
        The policy.

    Raises
    ------
    PolicyError
        If `exploration` is not a probability, or the seed is not between 0 and 2^63.

    Examples
    --------
    >>> from sailplan import load_policy
    >>> epsilon_greedy(load_policy("h_euc"), exploration=0.1, seed=0).probability
    0.1
    """
    # Different streams of random numbers for the choice of the policy and of the vertex.
    return MixturePolicy(RandomPolicy(seed ^ 1), policy, exploration, seed)
