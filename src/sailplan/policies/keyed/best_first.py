"""Best-first policies: one or more queues, each ordered by a key, that take turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sailplan.core.graph import Problem
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.keyed.heuristics import HEURISTICS, Key
from sailplan.policies.keyed.kernel import CLEARANCE, OBSTACLE, KeyArrays
from sailplan.policies.keyed.queues import QueueFrontier


@dataclass(frozen=True)
class BestFirst:
    """Expands the open vertex with the smallest key; several keys take turns, a queue each."""

    keys: tuple[Key, ...]
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        if not self.keys:
            raise PolicyError("a best-first policy needs a key")

    def open(self, problem: Problem, state: SearchState) -> QueueFrontier:
        """Begin the open list of a search."""
        return QueueFrontier(state, [(key.score(problem, state), key.cost_weight > 0) for key in self.keys])

    @cached_property
    def _form(self) -> CompiledForm:
        keys = KeyArrays(
            heuristic=np.array([HEURISTICS[key.heuristic].code for key in self.keys], np.int64),
            cost_weight=np.array([key.cost_weight for key in self.keys], np.float64),
            heuristic_weight=np.array([key.heuristic_weight for key in self.keys], np.float64),
            table=np.empty((0, 0)),
        )
        return CompiledForm(keys, queues=len(self.keys), needs_obstacles=needs_obstacles(keys))

    def compiled(self, problem: Problem) -> CompiledForm:
        """The keys for the compiled engine; raises GraphError where they need coordinates and there are none."""
        if any(key.needs_coordinates for key in self.keys):
            problem.graph.coordinates([problem.goal])
        return self._form


def needs_obstacles(keys: KeyArrays) -> bool:
    """Whether a key is about the closest known invalid vertex."""
    return OBSTACLE in keys.heuristic or CLEARANCE in keys.heuristic
