"""Replanning: each open vertex by its shortest path to the goal in the world as the search believes it to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import CompiledGraph, Problem, is_compiled
from sailplan.core.kernel.arrays import NO_ROOM, NO_VERTEX, QueueArrays
from sailplan.core.kernel.heap import VERTEX_BITS
from sailplan.core.policy import CompiledForm, Discovery
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import GraphError, ModelError, PolicyError
from sailplan.graphs.explore import explore
from sailplan.policies.replanning.beliefs.belief import SAVEABLE, Belief, Optimistic, Tensors
from sailplan.policies.replanning.bounds import BeliefUpdate, allocate_bounds, enlarge, is_supported, with_room
from sailplan.policies.replanning.kernel.repair import belief_due, offer_open, select_open

_MAX_EFFORT = 1000.0


def optimistic() -> ReplanningPolicy:
    """Replanning with a belief that knows nothing: the unseen is free."""
    return ReplanningPolicy()


@dataclass(frozen=True)
class ReplanningPolicy:
    """Expands the open vertex that is closest to the goal in the world as it is believed to be.

    Edges known to be invalid are left out; the cost of others is multiplied by what the belief says of the vertex that
    they lead to. Distances are repaired as the search uncovers more and the belief changes. Only Succ is asked.
    """

    belief: Belief = field(default_factory=Optimistic)
    """Where it does not support a problem, all multipliers are 1, and a note in the result says so."""
    stop: StopRule = StopRule.GOAL_GENERATED
    effort: float = 4.0
    """Where vertices differ in how many edges leave them, not on grids: what the evaluations at a vertex count beside
    the costs of its edges, for a mean vertex in mean edges. Few evaluations are wanted, not a short path."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.effort <= _MAX_EFFORT:
            raise PolicyError(f"effort must be between 0 and {_MAX_EFFORT:.0f}, got {self.effort}")

    def open(self, problem: Problem, state: SearchState) -> ReplanningFrontier:
        """Begin the open list; a graph without arrays is explored with Succ first, and must be finite."""
        graph = problem.graph
        if not (is_compiled(graph) and is_supported(graph)):
            graph = explore(problem, checked=False, why="to replan over")
        if graph.vertex_count >= 1 << VERTEX_BITS:
            raise GraphError(f"{problem.name}: {graph.vertex_count} vertices, too many to replan over")
        state.make_room(graph.vertex_count)
        explored = Problem(graph, problem.start, problem.goal, name=problem.name)
        return ReplanningFrontier(explored, self._form(graph, problem), state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The bounds for the compiled engine."""
        graph = problem.graph
        return self._form(graph, problem) if is_compiled(graph) and is_supported(graph) else None

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """The header and tensors for a model file; raises ModelError where the belief cannot be saved."""
        kind = getattr(self.belief, "saved_as", None)
        if kind is None or SAVEABLE[kind] is not type(self.belief):
            raise ModelError(f"only beliefs that are declared saveable can be saved, not {type(self.belief).__name__}")
        facts, tensors = SAVEABLE[kind].describe(self.belief)
        return {"belief": {"kind": kind, **facts}, "effort": self.effort}, tensors

    @classmethod
    def build(cls, header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> ReplanningPolicy:
        """Make a policy of what `describe` returned."""
        facts = header["belief"]
        if facts["kind"] not in SAVEABLE:
            raise ModelError(f"no belief {facts['kind']!r} in this version")
        return cls(SAVEABLE[facts["kind"]].build(facts, tensors), stop, float(header["effort"]))

    def _form(self, graph: CompiledGraph, problem: Problem) -> CompiledForm:
        belief, notes = self.belief, tuple[Note, ...]()
        if reason := belief.why_unsupported(problem):
            notes = (Note(belief.name, f"the belief is not used on {problem.name}: {reason}"),)
            belief = Optimistic()
        plan = allocate_bounds(graph, problem, belief, self.effort)
        follower = belief.follow(problem)
        update = None if follower is None else BeliefUpdate(graph, plan, follower, belief.refresh)
        return CompiledForm(plan, notes=notes, update=update, enlarge=enlarge)


class ReplanningFrontier:
    """The open list of the reference engine. It shares its kernels with the compiled one."""

    def __init__(self, problem: Problem, form: CompiledForm, state: SearchState) -> None:
        self.notes = form.notes
        self._form, self._state = form, state
        self._plan = form.arrays
        self._search = allocate_search(problem, form, state)

    def observe(self, discovery: Discovery) -> None:
        """See to it that the graph is what it was; the state tells what is known to be invalid."""
        told = [*discovery.successors, *discovery.invalid_vertices, *(target for _, target in discovery.invalid_edges)]
        if max(told, default=0) >= len(self._plan.numbers):
            raise GraphError(
                f"successors({discovery.vertex}): vertex {max(told)} was not there when it was asked before"
            )

    def add(self, vertices: Sequence[int]) -> None:
        """Put in the vertices that are new."""
        self._refresh(with_room(self._search.queue, len(vertices)))
        offer_open(self._search, self._plan, np.asarray(vertices, np.int64))

    def select(self) -> int | None:
        """Take out the vertex that is closest to the goal."""
        self._refresh(self._search.queue)
        while True:
            if self._form.update and belief_due(self._search, self._plan):
                self._refresh(self._form.update(self._state, self._search.queue))
            vertex: int = select_open(self._search, self._plan)
            if vertex != NO_ROOM:
                return None if vertex == NO_VERTEX else vertex
            self._plan = enlarge(self._plan)

    def _refresh(self, queue: QueueArrays) -> None:
        """Follow the state and the queues, whose arrays may have been enlarged."""
        self._search = self._search._replace(state=self._state.arrays, queue=queue)
