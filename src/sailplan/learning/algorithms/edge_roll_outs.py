"""Searches of training worlds with a belief that stores these worlds: it ignores the one that it is searched in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sailplan.core import search
from sailplan.core.graph import Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.learning.algorithms.belief_settings import BeliefSettings
from sailplan.learning.roadmaps import results_of
from sailplan.learning.rounds import limits_of
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.edge_network import EdgeNetwork
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior
from sailplan.policies.replanning.policy import ReplanningPolicy

Rolled = TypeVar("Rolled", bound=LazyPolicy | ReplanningPolicy)


@dataclass(frozen=True, eq=False)
class EdgeRollOuts:
    """Rolls out policies on training problems."""

    settings: BeliefSettings
    equals: dict[bytes, tuple[int, ...]]
    """The numbers of the stored worlds that are equal, by the digest of their results."""

    @classmethod
    def of(cls, valid: NDArray[np.bool_], settings: BeliefSettings) -> EdgeRollOuts:
        """Find equal worlds; `valid` has a row of results for each stored world."""
        worlds, kinds = np.unique(np.packbits(valid, axis=1), axis=0, return_inverse=True)
        if len(worlds) == 1:
            raise TrainingError(f"{len(valid)} worlds, all equal: a world is rolled out with others stored")
        members = (tuple(np.flatnonzero(kinds == kind).tolist()) for kind in range(len(worlds)))
        return cls(settings, dict(zip(map(_digest, worlds), members, strict=True)))

    def held_out(self, policy: Rolled, problem: Problem) -> Rolled:
        """Return a policy whose belief ignores the stored worlds that equal a training problem."""
        assert isinstance(policy.belief, EdgePosterior | EdgeNetwork)
        world = np.packbits(results_of([problem])[0])
        return replace(policy, belief=policy.belief.held_out(self.equals[_digest(world)]))

    def spent(
        self, policy: LazyPolicy | ReplanningPolicy, labelled: LabelledProblem, most: int | None = None
    ) -> tuple[float, float]:
        """Return what is minimised in a search of a training problem, and the cost of its path in shortest paths.

        The search stops after `most`, or what the settings say.
        """
        settings, problem = self.settings, labelled.problem
        limits = limits_of(settings.minimised, most or settings.max_expansions)
        result = search(problem, self.held_out(policy, problem), limits)
        spent = result.expansions if settings.minimised == "expansions" else result.edge_evaluations
        shortest = float(labelled.table[problem.start])
        return spent, result.cost / shortest if result.found and shortest else 1.0


def _digest(world: NDArray[np.uint8]) -> bytes:
    return blake2b(world.tobytes(), digest_size=16).digest()
