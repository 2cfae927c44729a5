"""Policies made of others: two that take turns by a coin, and one drawn from many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from sailplan.core.compiled_engine import compiled_form
from sailplan.core.graph import Problem
from sailplan.core.kernel.random import coin
from sailplan.core.policy import CompiledForm, Discovery, Frontier, Policy
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.policies.learned.policy import MOST_PARTS, LearnedPolicy, Tensors, build_policies, describe_policies
from sailplan.policies.mixture.kernel import MixtureArrays


@dataclass(frozen=True, eq=False)
class MixturePolicy:
    """At each step the first policy selects with some probability, else the second (the paper's π_mix).

    Each keeps its own queue of the whole open list, and passes over what the other has expanded.
    """

    first: Policy
    second: Policy
    probability: float
    """Of the first (β)."""
    seed: int
    """The coin of each step depends on it and on the number of expansions alone."""
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise PolicyError(f"a probability lies between 0 and 1, got {self.probability}")
        check_seed(self.seed)

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Begin both open lists; one alone where the other never selects."""
        if self.probability in (0.0, 1.0):
            return (self.first if self.probability else self.second).open(problem, state)
        return MixtureFrontier(self, state, self.first.open(problem, state), self.second.open(problem, state))

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Both for the compiled engine, where neither needs Python; one alone where the other never selects."""
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


def check_seed(seed: int) -> None:
    """Refuse a seed that the kernels cannot take."""
    if not 0 <= seed < 1 << 63:
        raise PolicyError(f"a seed lies between 0 and 2^63, got {seed}")


class MixtureFrontier:
    """Both open lists of one search."""

    def __init__(self, mixture: MixturePolicy, state: SearchState, first: Frontier, second: Frontier) -> None:
        self._mixture, self._state = mixture, state
        self._first, self._second = first, second
        self.notes: tuple[Note, ...] = (*getattr(first, "notes", ()), *getattr(second, "notes", ()))

    def observe(self, discovery: Discovery) -> None:
        """Tell both."""
        self._first.observe(discovery)
        self._second.observe(discovery)

    def add(self, vertices: Sequence[int]) -> None:
        """Add to both."""
        self._first.add(vertices)
        self._second.add(vertices)

    def select(self) -> int | None:
        """Let the coin decide who selects."""
        heads = coin(self._mixture.seed, self._state.expansions, self._mixture.probability)
        return (self._first if heads else self._second).select()


@dataclass(frozen=True, eq=False)
class OneOfMany:
    """Searches each problem with one of several policies, drawn at random: a mixture of the rounds of a training."""

    policies: tuple[Policy, ...]
    seed: int = 0
    """The draw depends on it and on the problem alone."""
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        if not self.policies:
            raise PolicyError("a mixture needs at least one policy")

    def drawn(self, problem: Problem) -> Policy:
        """The policy that searches this problem."""
        told = f"{self.seed} {problem.name} {problem.start} {problem.goal}"
        return self.policies[crc32(told.encode()) % len(self.policies)]

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Begin the open list of the one drawn."""
        return self.drawn(problem).open(problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The form of the one drawn."""
        return compiled_form(self.drawn(problem), problem)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """The header and tensors for a model file; raises ModelError where the policies cannot be saved."""
        if len(self.policies) > MOST_PARTS:
            raise ModelError(f"at most {MOST_PARTS} policies go into a file, not {len(self.policies)}")
        return describe_policies(self.policies, self.seed)

    @staticmethod
    def build(header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> LearnedPolicy | OneOfMany:
        """Make a policy of what `describe` returned, for one policy or for several."""
        policies, seed = build_policies(header, tensors, stop), header["seed_of_mixture"]
        if seed is not None:
            return OneOfMany(policies, int(seed), stop)
        if len(policies) > 1:
            raise ModelError(f"{len(policies)} policies")
        return policies[0]
