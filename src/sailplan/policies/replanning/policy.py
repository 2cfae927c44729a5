"""Replanning: open vertices ordered by their shortest path to the goal in the believed world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sailplan.core.compiled_engine import allocate_search, graph_edges
from sailplan.core.graph import CompiledGraph, FloatArray, Graph, Problem, as_real, is_compiled
from sailplan.core.kernel.arrays import NO_ROOM, NO_TIME, NO_VERTEX, QueueArrays, StateArrays
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.policy import CompiledForm, Discovery
from sailplan.core.result import Note, StopRule, check_time, parts_of
from sailplan.core.state import (
    SearchState,
    allocate_queues,
    allocate_state,
    enlarge_queues,
    sparse_empty,
    sparse_zeros,
    with_room,
)
from sailplan.errors import GraphError, ModelError, PolicyError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.explore import explore
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays
from sailplan.graphs.roadmap.kernel import MetricCsrArrays
from sailplan.graphs.voxels.kernel.edges import VoxelArrays
from sailplan.policies.replanning.beliefs.belief import NEVER, SAVEABLE, Belief, Follower, Optimistic, Tensors
from sailplan.policies.replanning.kernel.decrease import (
    DONE_SETTLING,
    MARGIN,
    FallArrays,
    begin_settling,
    put_all,
    round_multipliers,
    set_multipliers,
    settle,
)
from sailplan.policies.replanning.kernel.edges import (
    CLOCKS,
    EPOCH,
    HORIZON,
    NO_HORIZON,
    NO_WAY,
    SHORT,
    UNIT,
    UPDATE_AT_KNOWN,
    UPDATE_AT_STEPS,
    ReplanningArrays,
    largest_cost,
)
from sailplan.policies.replanning.kernel.open_list import belief_due, offer_open, select_open
from sailplan.policies.replanning.update import NEVER_DUE, BeliefUpdate

_MAX_EFFORT = 1000.0
MAX_MULTIPLIER = 1000.0
_SAMPLED_VERTICES = 1024
_SETTLED_AT_ONCE = 1 << 13
"""Number of vertices whose bounds are lowered before the time limit is checked, which takes about a millisecond."""
_MANY_VERTICES = 4096
"""The unit of costs in rows with a lower bound is that of as many vertices or more: it has to exceed the rounding
errors of distances."""
_FEWEST_BUCKETS, _BUCKETS_ACROSS = 256, 16
"""The number of buckets in which bounds are lowered, and for each vertex of a row if the graph is a square grid."""
_SAMPLE_MARGIN = 256.0
"""How many times the largest edge cost of a sample of vertices other edges may cost, if the graph has no
`max_edge_cost`."""


def optimistic() -> ReplanningPolicy:
    """Return replanning with the belief that everything unseen is free.

    Returns
    -------
    ReplanningPolicy
        The policy; it needs no training.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S#.G ...."), optimistic()).found
    True
    """
    return ReplanningPolicy()


@dataclass(frozen=True)
class ReplanningPolicy:
    """A policy that expands the open vertex that is closest to the goal in the believed world.

    Edges known to be invalid are ignored; the costs of other edges are multiplied by the multiplier that the belief
    assigns to them or to their target. Distances are repaired when the search uncovers more and when the belief
    changes. The policy calls `successors` only and evaluates no edges.

    Raises
    ------
    PolicyError
        If the effort is out of its range.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S#.G ...."), ReplanningPolicy()).expansions
    3
    """

    belief: Belief = field(default_factory=Optimistic)
    """The source of the multipliers. If it does not support a problem, all are 1, and the result has a note. On graphs
    that are neither grids nor explicit, multipliers below 1 count as 1."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""
    effort: float = 4.0
    """On graphs whose vertices differ in degree (not on grids): the weight of the evaluations at a vertex compared with
    the costs of its edges, in mean edge costs for a vertex of mean degree. The aim is few evaluations, not short
    paths."""

    def __post_init__(self) -> None:
        if not 0.0 <= as_real(self.effort) <= _MAX_EFFORT:
            raise PolicyError(f"effort must be between 0 and {_MAX_EFFORT:.0f}, got {self.effort!r}")

    def open(self, problem: Problem, state: SearchState) -> ReplanningFrontier:
        """Create the open list of a search; a graph without arrays is explored first, and must be finite."""
        graph = problem.graph
        if not is_supported(graph):
            graph = explore(problem, checked=False, why="to replan over")
        if graph.vertex_count >= 1 << VERTEX_BITS:
            raise GraphError(f"{problem.name}: {graph.vertex_count} vertices, too many to replan over")
        state.make_room(graph.vertex_count)
        return ReplanningFrontier(graph, problem, self._form(graph, problem), state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the bounds for the compiled engine; None if it does not support the graph."""
        graph = problem.graph
        return self._form(graph, problem) if is_supported(graph) else None

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the header and tensors for a model file; raises ModelError if the belief cannot be saved."""
        facts, tensors = describe_belief(self.belief)
        return {"belief": facts, "effort": self.effort}, tensors

    @classmethod
    def build(cls, header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> ReplanningPolicy:
        """Create a policy from what `describe` returned."""
        return cls(build_belief(header["belief"], tensors), stop, float(header["effort"]))

    def _form(self, graph: CompiledGraph, problem: Problem) -> CompiledForm:
        belief, notes = supported_belief(self.belief, problem)
        follower = belief.follow(problem)
        multipliers = first_multipliers(belief, follower, problem, graph)
        plan = self._allocate(graph, problem, multipliers, is_per_edge(belief))
        form = CompiledForm(plan, notes=notes, enlarge=enlarge)
        if follower is None:
            return form

        decrease = Decrease(graph, plan)

        def insert_again(state: SearchState, queue: QueueArrays) -> QueueArrays:
            decrease.settle(state.arrays)
            opened = state.frontier
            queue = with_room(queue, len(opened))
            put_all(plan, queue, opened)
            return queue

        def change(multipliers: FloatArray, state: SearchState) -> None:
            decrease.set_multipliers(in_rows(multipliers, graph, plan.per_edge), state.arrays)
            decrease.begin(int(plan.bounds[state.frontier].min(initial=NO_WAY)))

        update_belief = BeliefUpdate(plan, follower, belief.refresh)

        def update(state: SearchState, queue: QueueArrays) -> QueueArrays:
            if not plan.clock[SHORT]:
                return update_belief(state, queue, change, insert_again)
            # A search that has come to the horizon goes on beyond it: settling in steps takes longer than at once.
            decrease.begin(NO_HORIZON)
            return insert_again(state, queue)

        return replace(form, update=update)

    def _allocate(
        self, graph: CompiledGraph, problem: Problem, multipliers: FloatArray | None, per_edge: bool
    ) -> ReplanningArrays:
        """Allocate the bounds of a search, from those of an earlier search if they are the same."""
        rows = graph.arrays()
        # Bounds on a grid do not depend on its cells before anything is known. A read-only array has not changed since.
        if multipliers is None or multipliers.flags.writeable or not isinstance(rows, GridArrays):
            return allocate_bounds(graph, problem, multipliers, self.effort, per_edge)
        grid = (problem.goal, *rows[1:])
        for first in self._kept:
            if first.grid == grid and first.multipliers is multipliers:
                return allocate_bounds(graph, problem, multipliers, self.effort, per_edge, first=first)
        plan = allocate_bounds(graph, problem, multipliers, self.effort, per_edge)
        self._kept[:] = [FirstBounds(grid, multipliers, plan.multipliers.copy(), plan.bounds.copy())]
        return plan

    @cached_property
    def _kept(self) -> list[FirstBounds]:
        """The bounds with which the last search has started, for the next one; replaced as a whole."""
        return []


class FirstBounds(NamedTuple):
    """The bounds of a search before anything is known."""

    grid: tuple[Any, ...]
    """The goal, and the fields of the grid but its cells."""
    multipliers: FloatArray
    """The multipliers from which they were computed."""
    wholes: NDArray[np.int64]
    """These multipliers as integers."""
    bounds: NDArray[np.int64]
    """The bound of each vertex."""


def describe_belief(belief: Belief) -> tuple[dict[str, Any], Tensors]:
    """Return the facts and tensors of a belief for a model file; raises ModelError if it cannot be saved."""
    kind = getattr(belief, "saved_as", None)
    if kind is None or SAVEABLE[kind] is not type(belief):
        raise ModelError(f"only beliefs that are declared saveable can be saved, not {type(belief).__name__}")
    facts, tensors = SAVEABLE[kind].describe(belief)
    return {"kind": kind, **facts}, tensors


def build_belief(facts: Mapping[str, Any], tensors: Tensors) -> Belief:
    """Create a belief from what `describe_belief` returned."""
    if facts["kind"] not in SAVEABLE:
        raise ModelError(f"no belief {facts['kind']!r} in this version")
    belief: Belief = SAVEABLE[facts["kind"]].build(facts, tensors)
    return belief


def supported_belief(belief: Belief, problem: Problem) -> tuple[Belief, tuple[Note, ...]]:
    """Return the belief if it supports a problem, otherwise the optimistic one and a note."""
    reason = belief.why_unsupported(problem)
    if not reason and is_per_edge(belief) and not isinstance(problem.graph, ExplicitGraph):
        reason = "it supports the edges of explicit graphs, and this is another graph"
    if reason:
        return Optimistic(), (Note(belief.name, f"the belief is not used: {reason}"),)
    graph = problem.graph
    if isinstance(belief, Optimistic) or not is_compiled(graph) or is_settled(graph.arrays(), True):
        return belief, ()
    return belief, (Note(belief.name, "multipliers below 1 count as 1 on this kind of graph"),)


def is_per_edge(belief: Belief) -> bool:
    """Return whether a belief has a multiplier for each edge, not for each vertex."""
    return bool(getattr(belief, "per_edge", False))


def first_multipliers(
    belief: Belief, follower: Follower | None, problem: Problem, graph: CompiledGraph
) -> FloatArray | None:
    """Return the multipliers before anything is known; None if all of them are 1 and remain so."""
    computed = getattr(follower, "multipliers", None)
    # A belief may be its own follower; then this is a method.
    multipliers = computed if isinstance(computed, np.ndarray) else belief.multipliers(problem)
    per_edge = is_per_edge(belief)
    if multipliers is not None:
        return in_rows(multipliers, graph, per_edge)
    return None if belief.refresh == NEVER else in_rows(np.ones(_multiplier_count(graph, per_edge)), graph, per_edge)


def in_rows(multipliers: FloatArray, graph: CompiledGraph, per_edge: bool) -> FloatArray:
    """Return multipliers for each vertex as they are, and those for each edge in the order of the rows of the graph.

    Raises PolicyError if there are not as many numbers as there must be.
    """
    count = _multiplier_count(graph, per_edge)
    given = multipliers if isinstance(multipliers, np.ndarray) else np.array(multipliers, ndmin=1)
    if given.shape != (count,):
        what = "edges" if per_edge else "vertices"
        raise PolicyError(f"a belief returned multipliers of shape {given.shape} for {count} {what}")
    if given.dtype.kind not in "biuf":
        raise PolicyError(f"a belief returned multipliers of type {given.dtype}, not numbers")
    # The same array if it can be: bounds are kept for an array that is read-only. Kernels are compiled for both.
    numbers = np.require(given, np.float64, ["C", "A", "E"])
    return numbers[graph.arrays().given] if per_edge else numbers


def _multiplier_count(graph: CompiledGraph, per_edge: bool) -> int:
    """Return the number of multipliers: one for each vertex, or one for each edge of an explicit graph."""
    if not per_edge:
        return graph.vertex_count
    assert isinstance(graph, ExplicitGraph)
    return graph.edge_count


class ReplanningFrontier:
    """The open list of the reference engine, which uses the kernels of the compiled engine."""

    def __init__(self, graph: CompiledGraph, problem: Problem, form: CompiledForm, state: SearchState) -> None:
        self.notes = form.notes
        self._form, self._state = form, state
        self._plan = form.arrays
        self._search = allocate_search(graph, problem, form, state)

    def observe(self, discovery: Discovery) -> None:
        """Raise GraphError if the graph has a vertex that was not found before the search."""
        targets = [
            *discovery.successors,
            *discovery.invalid_vertices,
            *(target for _, target in discovery.invalid_edges),
        ]
        if max(targets, default=0) >= len(self._plan.numbers):
            raise GraphError(
                f"successors({discovery.vertex}): vertex {max(targets)} was not returned in an earlier call"
            )

    def add(self, vertices: Sequence[int]) -> None:
        """Insert new vertices."""
        self._refresh(with_room(self._search.queue, len(vertices)))
        offer_open(self._search, self._plan, np.asarray(vertices, np.int64))

    def select(self) -> int | None:
        """Remove and return the vertex that is closest to the goal."""
        self._refresh(self._search.queue)
        while True:
            if self._form.update and belief_due(self._search, self._plan):
                self._refresh(self._form.update(self._state, self._search.queue))
            vertex: int = select_open(self._search, self._plan)
            if vertex == NO_ROOM:
                self._plan = enlarge(self._plan)
            elif vertex != NO_TIME:
                return None if vertex == NO_VERTEX else vertex

    def _refresh(self, queue: QueueArrays) -> None:
        """Use the current arrays of the state and the queues, which may have been enlarged."""
        self._search = self._search._replace(state=self._state.arrays, queue=queue)


@singledispatch
def plain_costs(rows: object, effort: float) -> FloatArray | None:
    """Return the costs of edges before multipliers; None if they are computed during the search.

    By slot on a grid and on voxels, by edge in sparse rows. In sparse rows the effort of evaluating all edges of the
    source is added, in mean edge costs for a vertex of mean degree.
    """
    return None


@plain_costs.register(GridArrays)
@plain_costs.register(TerrainArrays)
def _(rows: GridArrays | TerrainArrays, effort: float) -> FloatArray:
    return np.repeat([1.0, rows.diagonal_cost], 4)


@plain_costs.register
def _(rows: VoxelArrays, effort: float) -> FloatArray:
    return rows.costs


@plain_costs.register
def _(rows: CsrArrays, effort: float) -> FloatArray:
    if not len(rows.costs) or not effort:
        return rows.costs
    costs = rows.costs / (rows.costs.max() or 1.0)
    degrees = np.diff(rows.first)
    weighted: FloatArray = costs + effort * costs.mean() * np.repeat(degrees, degrees) / degrees.mean()
    return weighted


def is_supported(graph: Graph) -> TypeGuard[CompiledGraph]:
    """Return whether the kernels support a graph; any other one has to be explored first."""
    return is_compiled(graph)


def is_settled(rows: object, with_multipliers: bool) -> bool:
    """Return whether the bounds of all vertices are computed before a search, not where it goes."""
    if isinstance(rows, GridArrays | MetricCsrArrays):
        return with_multipliers
    return isinstance(rows, CsrArrays | TerrainArrays)


def allocate_bounds(
    graph: CompiledGraph,
    problem: Problem,
    multipliers: FloatArray | None,
    effort: float,
    per_edge: bool = False,
    state: StateArrays | None = None,
    first: FirstBounds | None = None,
) -> ReplanningArrays:
    """Allocate the bounds of a search in a state; if there is none, before anything is known.

    They are computed unless `first` has them.
    """
    rows, count = graph.arrays(), graph.vertex_count
    # The lower bound of sparse rows is one of their costs, without the effort.
    settled = is_settled(rows, multipliers is not None) or (effort > 0.0 and isinstance(rows, CsrArrays))
    most = UNIT if multipliers is None else int(MAX_MULTIPLIER) * UNIT
    steps, scale = whole_costs(graph, effort, most, settled)
    if multipliers is None:
        wholes = np.empty(0, np.int64)
    else:
        wholes = whole_multipliers(multipliers, rows, timed=True) if first is None else first.wholes.copy()
    # On large maps these arrays are most of the memory.
    slots: Any = np.int16 if graph.max_degree < np.iinfo(np.int16).max else np.int32
    plan = ReplanningArrays(
        goal=problem.goal,
        degree=graph.max_degree,
        steps=steps,
        scale=scale,
        multipliers=wholes,
        per_edge=per_edge,
        removed=sparse_zeros(_removable_edges(graph), np.bool_),
        edge_of=graph.reversed_rows if isinstance(graph, ExplicitGraph) else np.empty(0, np.int64),
        bounds=sparse_zeros(count, np.int64) if first is None else first.bounds.copy(),
        from_lower_bound=not settled,
        onward=sparse_zeros(count, slots),
        confirmed=sparse_zeros(count, np.int32),
        numbers=sparse_zeros(count, np.int64),
        clock=np.zeros(CLOCKS, np.int64),
        travelled=sparse_empty(count, np.int64),
        phases=sparse_zeros(count, np.int32),
        came_from=sparse_empty(count, np.int32),
        came_by=sparse_empty(count, slots),
        done=sparse_empty(count, np.int32),
        waiting=allocate_queues(1, FIRST_ROOM + 2 * graph.max_degree),
    )
    plan.clock[[UPDATE_AT_STEPS, UPDATE_AT_KNOWN]] = NEVER_DUE
    plan.clock[EPOCH], plan.clock[HORIZON] = 1, NO_HORIZON
    if settled and first is None:
        Decrease(graph, plan).settle_from_goal(allocate_state(count) if state is None else state)
    return plan


def _removable_edges(graph: CompiledGraph) -> int:
    """Return the number of entries for edges that are found to be invalid: none on grids, where cells tell."""
    rows = graph.arrays()
    if isinstance(rows, CsrArrays):
        return len(rows.targets)
    return graph_edges(graph) if plain_costs(rows, 0.0) is None else 0


def enlarge(plan: ReplanningArrays) -> ReplanningArrays:
    """Return the same bounds with twice the room in the queue of repairs."""
    return plan._replace(waiting=enlarge_queues(plan.waiting))


def whole_multipliers(multipliers: FloatArray, rows: object, *, timed: bool = False) -> NDArray[np.int64]:
    """Convert multipliers to integers in units of 1 / UNIT; NaN becomes 1.

    They are at least one unit. Where bounds start from the lower bound of the graph, they are at least 1, so that it
    remains one. If `timed`, raises OutOfTime at the time limit.
    """
    least = 1.0 / UNIT if is_settled(rows, True) else 1.0
    wholes = np.empty(len(multipliers), np.int64)
    for part in parts_of(len(wholes), timed=timed):
        round_multipliers(multipliers[part], least, MAX_MULTIPLIER, wholes[part])
    return wholes


def whole_costs(
    graph: CompiledGraph, effort: float, max_multiplier: int, settled: bool = True
) -> tuple[NDArray[np.int64], float]:
    """Return costs of edges as positive integers, in the smallest unit with which all paths are below NO_WAY.

    The second value is the factor by which they are larger than the costs. The first one is empty if the costs are
    computed during the search, as in rows with a lower bound unless bounds are `settled` before it.
    """
    rows, longest = graph.arrays(), float(graph.vertex_count) * max_multiplier
    if isinstance(rows, MetricCsrArrays) and not settled:
        return np.empty(0, np.int64), _power_of_two_scale(graph, max(longest, float(_MANY_VERTICES * max_multiplier)))
    costs = plain_costs(rows, effort)
    if costs is None:
        return np.empty(0, np.int64), _power_of_two_scale(graph, longest)
    # Normalised, so that very small or very large costs can be represented.
    highest = float(costs.max(initial=0.0)) or 1.0
    costs = costs / highest
    if isinstance(rows, TerrainArrays):
        longest *= float(rows.terrain.max())
    # Half of the range is reserved for rounding up.
    unit = math.floor(math.log2(NO_WAY >> 1) - math.log2(longest))
    scale = math.ldexp(1.0, unit) / highest
    return np.maximum(np.rint(np.ldexp(costs, unit)), 1.0).astype(np.int64), scale


def _power_of_two_scale(graph: CompiledGraph, longest: float) -> float:
    """Return the scale of costs that are computed during the search.

    It is a power of two, so that integer costs and bounds are represented exactly.
    """
    highest = getattr(graph, "max_edge_cost", None)
    if highest is None:
        stride = max(1, graph.vertex_count // _SAMPLED_VERTICES)
        highest = largest_cost(graph.arrays(), graph.vertex_count, stride) * (1.0 if stride == 1 else _SAMPLE_MARGIN)
    # A part of the range is reserved for rounding up, and because floats have fewer digits than the integers.
    unit = math.floor(math.log2(NO_WAY >> 4) - math.log2(longest))
    return math.ldexp(1.0, unit - math.frexp(float(highest) or 1.0)[1])


class Decrease:
    """Lowers the bounds of a search when multipliers fall, as far as it needs them; see `kernel/decrease.py`."""

    def __init__(self, graph: CompiledGraph, plan: ReplanningArrays) -> None:
        self._rows, self._backward, self._plan = graph.arrays(), graph.backward_arrays(), plan
        self._falls = _allocate_falls(plan)
        self._limit, self._needed = NO_HORIZON, False

    def settle_from_goal(self, state: StateArrays) -> None:
        """Compute all bounds from the goal on; raises OutOfTime at the time limit."""
        for part in parts_of(len(self._plan.bounds), timed=True):
            self._plan.bounds[part] = NO_WAY
        begin_settling(self._plan, self._falls, self._plan.goal)
        self.settle(state)

    def set_multipliers(self, multipliers: FloatArray, state: StateArrays) -> None:
        """Change the multipliers; `settle` must follow, and then the caller must insert the open vertices again."""
        wholes = whole_multipliers(multipliers, self._rows)
        set_multipliers(self._rows, self._backward, self._plan, self._falls, state, wholes)
        self._limit, self._needed = NO_HORIZON, False

    def begin(self, least: int) -> None:
        """Let `settle` lower only the bounds that a search needs; `least` is the smallest one of its open vertices."""
        self._limit, self._needed = NO_HORIZON if least >= NO_WAY else least + (least >> MARGIN), True

    def settle(self, state: StateArrays) -> None:
        """Lower the bounds; raises OutOfTime at the time limit, after which the next call continues."""
        while True:
            left: int = settle(
                self._rows,
                self._backward,
                self._plan,
                self._falls,
                state,
                self._limit,
                self._needed,
                _SETTLED_AT_ONCE,
            )
            if left == DONE_SETTLING:
                self._limit, self._needed = NO_HORIZON, False
                return
            self._limit = left
            check_time()


def _allocate_falls(plan: ReplanningArrays) -> FallArrays:
    """Allocate empty buckets, a few for each edge of usual cost, and enough for a path across a grid."""
    count = len(plan.bounds)
    # If there are no costs, their unit tells: it is the smallest one with which all paths are below NO_WAY.
    usual = UNIT * float(plan.steps.mean()) if len(plan.steps) else (NO_WAY >> 4) / (count * MAX_MULTIPLIER)
    heads, tails = np.zeros((2, _FEWEST_BUCKETS + _BUCKETS_ACROSS * math.isqrt(count)), np.int32)
    before, after, buckets = np.zeros((3, count), np.int32)
    shift = max(0, math.frexp(usual)[1] - 2)
    return FallArrays(heads, tails, before, after, buckets, shift, np.full(1, len(heads), np.int64))
