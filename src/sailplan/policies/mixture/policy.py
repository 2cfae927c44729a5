"""Policies that combine other policies: at each step, or for each problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from sailplan.core.compiled_engine import compiled_form
from sailplan.core.graph import Problem
from sailplan.core.kernel.random import coin
from sailplan.core.policy import CompiledForm, Discovery, Frontier, Policy, as_vertex
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.policies.features.feature import Tensors
from sailplan.policies.learned.policy import MOST_PARTS, LearnedPolicy, build_policies, describe_policies
from sailplan.policies.mixture.kernel import MixtureArrays


@dataclass(frozen=True, eq=False)
class MixturePolicy:
    """A policy in which one of two policies is drawn at each step to select a vertex (π_mix of the paper).

    Each of them has its own queues of all open vertices, and skips vertices that the other has expanded.

    Raises
    ------
    PolicyError
        If the probability is not between 0 and 1, or the seed is not between 0 and 2^63.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> from sailplan.testing import draw_problem
    >>> mixture = MixturePolicy(load_policy("oracle"), load_policy("h_euc"), probability=0.5, seed=0)
    >>> search(draw_problem("S..G"), mixture).found
    True
    """

    first: Policy
    """The policy that is drawn with the given probability."""
    second: Policy
    """The other policy."""
    probability: float
    """The probability of the first policy (β)."""
    seed: int
    """The draw of a step depends on the seed and on the number of expansions only."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise PolicyError(f"a probability must be between 0 and 1, got {self.probability}")
        object.__setattr__(self, "seed", checked_seed(self.seed))

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Create both open lists; one only if the other never selects."""
        if self.probability in (0.0, 1.0):
            return (self.first if self.probability else self.second).open(problem, state)
        return MixtureFrontier(self, state, self.first.open(problem, state), self.second.open(problem, state))

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return both policies for the compiled engine; None if one needs updates in Python."""
        if self.probability in (0.0, 1.0):
            return compiled_form(self.first if self.probability else self.second, problem)
        first, second = compiled_form(self.first, problem), compiled_form(self.second, problem)
        if first is None or second is None or any(form.update or form.enlarge for form in (first, second)):
            return None
        return CompiledForm(
            MixtureArrays(first.arrays, second.arrays, first.queues, self.probability, self.seed),
            queues=first.queues + second.queues,
            needs_obstacles=first.needs_obstacles or second.needs_obstacles,
            needs_walls=first.needs_walls or second.needs_walls,
            notes=first.notes + second.notes,
        )


def checked_seed(seed: object) -> int:
    """Return a seed as an int; raises PolicyError if the kernels cannot represent it."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 1 << 63:
        raise PolicyError(f"a seed must be between 0 and 2^63, got {seed!r}")
    return int(seed)


class MixtureFrontier:
    """Both open lists of one search."""

    def __init__(self, mixture: MixturePolicy, state: SearchState, first: Frontier, second: Frontier) -> None:
        self._mixture, self._state = mixture, state
        self._first, self._second = first, second
        self.notes: tuple[Note, ...] = (*getattr(first, "notes", ()), *getattr(second, "notes", ()))

    def observe(self, discovery: Discovery) -> None:
        """Pass the discovery to both open lists."""
        self._first.observe(discovery)
        self._second.observe(discovery)

    def add(self, vertices: Sequence[int]) -> None:
        """Add vertices to both open lists."""
        self._first.add(vertices)
        self._second.add(vertices)

    def select(self) -> int | None:
        """Draw the open list of this step, and select from it."""
        heads = coin(self._mixture.seed, self._state.expansions, self._mixture.probability)
        return as_vertex((self._first if heads else self._second).select(), "a mixture")


@dataclass(frozen=True, eq=False)
class OneOfMany:
    """A policy that searches each problem with one of several policies, drawn at random.

    Training returns such a mixture of its rounds.

    Raises
    ------
    PolicyError
        If there is no policy.

    Examples
    --------
    >>> from sailplan import load_policy
    >>> from sailplan.testing import draw_problem
    >>> policies = load_policy("h_euc"), load_policy("h_man")
    >>> OneOfMany(policies).drawn(draw_problem("S..G")) in policies
    True
    """

    policies: tuple[Policy, ...]
    """The policies."""
    seed: int = 0
    """The draw depends on the seed and on the problem only."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if not self.policies:
            raise PolicyError("a mixture needs at least one policy")

    def drawn(self, problem: Problem) -> Policy:
        """Return the policy that searches a problem."""
        key = f"{self.seed} {problem.name} {problem.start} {problem.goal}"
        return self.policies[crc32(key.encode("utf-8", "surrogatepass")) % len(self.policies)]

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Create the open list of the policy drawn."""
        return self.drawn(problem).open(problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the compiled form of the policy drawn."""
        return compiled_form(self.drawn(problem), problem)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the header and tensors for a model file; raises ModelError if the policies cannot be saved."""
        if len(self.policies) > MOST_PARTS:
            raise ModelError(f"a file contains at most {MOST_PARTS} policies, not {len(self.policies)}")
        return describe_policies(self.policies, self.seed)

    @staticmethod
    def build(header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> LearnedPolicy | OneOfMany:
        """Create a policy from what `describe` returned, for one policy or for several."""
        policies, seed = build_policies(header, tensors, stop), header["seed_of_mixture"]
        if seed is not None:
            return OneOfMany(policies, int(seed), stop)
        if len(policies) > 1:
            raise ModelError(f"{len(policies)} policies")
        return policies[0]
