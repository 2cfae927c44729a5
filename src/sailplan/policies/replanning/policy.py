"""Replanning: each open vertex by its shortest path to the goal in the world as the search believes it to be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import CompiledGraph, FloatArray, Problem, is_compiled
from sailplan.core.kernel.arrays import NO_ROOM, NO_VERTEX, QueueArrays, StateArrays
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.policy import CompiledForm, Discovery
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState, allocate_queues, allocate_state, enlarge_queues, with_room
from sailplan.errors import GraphError, ModelError, PolicyError
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.explore import explore
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays
from sailplan.policies.replanning.beliefs.belief import NEVER, SAVEABLE, Belief, Optimistic, Tensors
from sailplan.policies.replanning.kernel.decrease import begin_settling, set_multipliers, settle
from sailplan.policies.replanning.kernel.edges import (
    CLOCKS,
    EPOCH,
    NO_WAY,
    TERRAIN_UNIT,
    UNIT,
    UPDATE_AT_EXPANSIONS,
    UPDATE_AT_KNOWN,
    ReplanningArrays,
)
from sailplan.policies.replanning.kernel.repair import belief_due, offer_open, select_open
from sailplan.policies.replanning.update import NEVER_DUE, BeliefUpdate

_MAX_EFFORT = 1000.0
MAX_MULTIPLIER = 1000.0


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
        form = CompiledForm(plan, notes=notes, enlarge=enlarge)
        follower = belief.follow(problem)
        if follower is None:
            return form
        return replace(form, update=BeliefUpdate(plan, follower, belief.refresh, partial(repair, graph, plan)))


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


@singledispatch
def plain_costs(rows: object, effort: float) -> FloatArray | None:
    """What edges cost in parts of the most expensive one, before multipliers; None where the graph is unsupported.

    By slot on a grid, by edge in sparse rows. There `effort` counts the evaluations that it takes to expand the vertex
    that an edge leaves, for a mean vertex in mean edges.
    """
    return None


@plain_costs.register
def _(rows: GridArrays, effort: float) -> FloatArray:
    return _in_parts(np.repeat([1.0, rows.diagonal_cost], 4))


@plain_costs.register
def _(rows: TerrainArrays, effort: float) -> FloatArray:
    return _in_parts(np.repeat([1.0, rows.diagonal_cost], 4))


@plain_costs.register
def _(rows: CsrArrays, effort: float) -> FloatArray:
    costs = _in_parts(rows.costs)
    if len(costs):
        degrees = np.diff(rows.first)
        costs = costs + effort * costs.mean() * np.repeat(degrees, degrees) / degrees.mean()
    return costs


def _in_parts(costs: FloatArray) -> FloatArray:
    # What is small or large as a number is so no longer.
    return costs / (costs.max(initial=0.0) or 1.0)


_UNSUPPORTED = plain_costs.dispatch(object)


def is_supported(graph: CompiledGraph) -> bool:
    """Whether there are kernels to replan over such a graph."""
    return plain_costs.dispatch(type(graph.arrays())) is not _UNSUPPORTED


def allocate_bounds(graph: CompiledGraph, problem: Problem, belief: Belief, effort: float) -> ReplanningArrays:
    """The bounds of a search before anything is known."""
    rows, count = graph.arrays(), graph.vertex_count
    multipliers = belief.multipliers(problem)
    if multipliers is None and belief.refresh != NEVER:
        # A follower may change them later, and kernels write to the multipliers that there are.
        multipliers = np.ones(count)
    on_empty_grid = multipliers is None and isinstance(rows, GridArrays)
    terrain = np.rint(rows.terrain * TERRAIN_UNIT).astype(np.int64) if isinstance(rows, TerrainArrays) else None
    plan = ReplanningArrays(
        steps=whole_costs(rows, count, effort, UNIT if multipliers is None else int(MAX_MULTIPLIER) * UNIT, terrain),
        terrain=np.empty(0, np.int64) if terrain is None else terrain,
        multipliers=np.empty(0, np.int64) if multipliers is None else whole_multipliers(multipliers, count),
        removed=np.zeros(len(rows.targets) if isinstance(rows, CsrArrays) else 0, np.bool_),
        bounds=np.zeros(count, np.int64),
        from_empty_grid=on_empty_grid,
        onward=np.zeros(count, np.int32),
        confirmed=np.zeros(count, np.int64),
        numbers=np.zeros(count, np.int64),
        clock=np.zeros(CLOCKS, np.int64),
        travelled=np.empty(count, np.int64),
        phases=np.zeros(count, np.int64),
        came_from=np.empty(count, np.int32),
        came_by=np.empty(count, np.int32),
        done=np.empty(count, np.int32),
        waiting=allocate_queues(1, FIRST_ROOM + 2 * graph.max_degree),
    )
    plan.clock[[UPDATE_AT_EXPANSIONS, UPDATE_AT_KNOWN]] = NEVER_DUE
    plan.clock[EPOCH] = 1
    if not on_empty_grid:
        begin_settling(plan, problem.goal)
        _settle(graph, _reversed(graph, plan), allocate_state(count))
    return plan


def enlarge(plan: ReplanningArrays) -> ReplanningArrays:
    """The same with twice the room for what waits in a repair."""
    return plan._replace(waiting=enlarge_queues(plan.waiting))


def whole_multipliers(multipliers: FloatArray, count: int) -> NDArray[np.int64]:
    """Multipliers in parts of UNIT, at least one part; one that is not a number counts as 1."""
    if multipliers.shape != (count,):
        raise PolicyError(f"a belief gave multipliers of shape {multipliers.shape} for {count} vertices")
    kept = np.clip(np.nan_to_num(multipliers, nan=1.0), 1.0 / UNIT, MAX_MULTIPLIER)
    return np.rint(kept * UNIT).astype(np.int64)


def _settle(graph: CompiledGraph, plan: ReplanningArrays, state: StateArrays) -> None:
    """Lower the bounds until nothing waits."""
    while not settle(graph.backward_arrays(), plan, state, graph.max_in_degree):
        plan = enlarge(plan)


def _reversed(graph: CompiledGraph, plan: ReplanningArrays) -> ReplanningArrays:
    """The same for the reversed edges, in the order of `backward_arrays`."""
    rows = graph.arrays()
    if not isinstance(rows, CsrArrays):
        return plan
    order = np.argsort(rows.targets, kind="stable")
    return plan._replace(steps=plan.steps[order], removed=plan.removed[order])


def whole_costs(
    rows: object, count: int, effort: float, max_multiplier: int, terrain: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """What edges cost in a unit so fine that the longest path is still less than NO_WAY; none costs nothing."""
    costs = plain_costs(rows, effort)
    assert costs is not None
    longest = max(float(costs.max(initial=0.0)), 1.0) * count * max_multiplier
    if terrain is not None:
        longest *= 2.0 * float(terrain.max())
    # Of 2^60 a part is left for paths that are longer for rounding up.
    unit = math.floor(math.log2(NO_WAY >> 1) - math.log2(longest))
    return np.maximum(np.rint(np.ldexp(costs, unit)), 1.0).astype(np.int64)


def repair(graph: CompiledGraph, plan: ReplanningArrays, multipliers: FloatArray, state: StateArrays) -> None:
    """Change the multipliers; what is open is then to be put in again."""
    wholes, plan, first = whole_multipliers(multipliers, graph.vertex_count), _reversed(graph, plan), 0
    while (first := set_multipliers(graph.backward_arrays(), plan, state, first, wholes)) < len(wholes):
        plan = enlarge(plan)
    _settle(graph, plan, state)
