"""Replanning: each open vertex by its shortest path to the goal in the world as the search believes it to be."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sailplan.core.graph import is_compiled
from sailplan.core.limits import StopRule
from sailplan.core.policy import Discovery
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.errors import BeliefWarning, GraphError, PolicyError
from sailplan.graphs.explore import explore
from sailplan.kernels.arrays import NO_ROOM, NO_VERTEX
from sailplan.kernels.heap import FIRST_ROOM, VERTEX_BITS, allocate_queues
from sailplan.kernels.policy_arrays import ReplanningArrays
from sailplan.kernels.replanning import belief_due, offer_open, select_open, with_more_room
from sailplan.policies.replanning.beliefs.belief import Belief
from sailplan.policies.replanning.beliefs.optimistic import Optimistic
from sailplan.policies.replanning.bounds import Attendant, attend, make_plan, with_room

_MOST_EFFORT = 1000.0


def optimistic() -> ReplanningPolicy:
    """Replanning with a belief that knows nothing: the unseen is free."""
    return ReplanningPolicy()


@dataclass(frozen=True)
class ReplanningPolicy:
    """Expands the open vertex that is closest to the goal in the world as it is believed to be.

    Edges known to be invalid are left out, others cost what they cost times what the belief charges for the vertex
    that they lead to. Distances are repaired as the search uncovers more and the belief changes. Only Succ is asked.
    """

    belief: Belief = field(default_factory=Optimistic)
    """Where it knows nothing of a problem, nothing is charged, and a BeliefWarning says so."""
    stop: StopRule = StopRule.GOAL_GENERATED
    effort: float = 4.0
    """Where vertices differ in how many edges leave them, not on grids: what the checks at a vertex count beside the
    costs of its edges, for a mean vertex in mean edges. It is few checks that are wanted, not a short path."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.effort <= _MOST_EFFORT:
            raise PolicyError(f"effort must be between 0 and {_MOST_EFFORT:.0f}, got {self.effort}")

    def open(self, problem: Problem, state: SearchState) -> ReplanningFrontier:
        """Begin the open list; a graph without arrays is explored with Succ first, and must be finite."""
        return ReplanningFrontier(self, problem, state)

    def arrays(self, problem: Problem) -> ReplanningArrays | None:
        """The bounds for the compiled engine."""
        graph = problem.graph
        return make_plan(graph, problem, self._fitting(problem), self.effort) if is_compiled(graph) else None

    def attend(self, problem: Problem, arrays: ReplanningArrays) -> Attendant | None:
        """What is to be called whenever the belief is due; None where it never is."""
        if not is_compiled(problem.graph) or self.belief.misfit(problem):
            return None
        return attend(problem.graph, problem, self.belief, arrays)

    def _fitting(self, problem: Problem) -> Belief:
        reason = self.belief.misfit(problem)
        if not reason:
            return self.belief
        warnings.warn(BeliefWarning(problem.name, self.belief.name, reason), stacklevel=5)
        return Optimistic()


class ReplanningFrontier:
    """The open list of the reference engine. It shares its kernels with the compiled one."""

    def __init__(self, policy: ReplanningPolicy, problem: Problem, state: SearchState) -> None:
        graph = problem.graph
        finite = graph if is_compiled(graph) else explore(problem, checked=False, why="to replan over")
        if finite.vertex_count >= 1 << VERTEX_BITS:
            raise GraphError(f"{problem.name}: {finite.vertex_count} vertices, too many to replan over")
        state.make_room(finite.vertex_count)
        belief = policy._fitting(problem)
        self._state, self._goal = state, problem.goal
        self._graph = finite.arrays()
        self._plan = make_plan(finite, problem, belief, policy.effort)
        self._attend = attend(finite, problem, belief, self._plan)
        self._queue = allocate_queues(1, FIRST_ROOM)

    def observe(self, discovery: Discovery) -> None:
        """See to it that the graph is what it was; the state tells what is known to be invalid."""
        told = [*discovery.successors, *discovery.invalid_vertices, *(target for _, target in discovery.invalid_edges)]
        if max(told, default=0) >= len(self._plan.numbers):
            raise GraphError(
                f"successors({discovery.vertex}): vertex {max(told)} was not there when it was asked before"
            )

    def add(self, vertices: Sequence[int]) -> None:
        """Put in the vertices that are new."""
        self._queue = with_room(self._queue, len(vertices))
        entered = np.asarray(vertices, np.int64)
        offer_open(self._graph, self._plan, self._queue, self._state.arrays, self._goal, entered)

    def select(self) -> int | None:
        """Take out the vertex that is closest to the goal."""
        while True:
            if self._attend and belief_due(self._plan, self._state.arrays):
                self._queue = self._attend(self._state, self._queue)
            vertex: int = select_open(self._graph, self._plan, self._queue, self._state.arrays, self._goal)
            if vertex != NO_ROOM:
                return None if vertex == NO_VERTEX else vertex
            self._plan = with_more_room(self._plan)
