"""Bounds of the distances to the goal: allocated for a search, repaired when the belief changes."""

from __future__ import annotations

import math
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import CompiledGraph, FloatArray, Problem
from sailplan.core.kernel.arrays import FAR, INVALID_EDGES, INVALID_VERTICES, NEAR, QueueArrays, StateArrays
from sailplan.core.kernel.heap import FIRST_ROOM
from sailplan.core.state import SearchState, allocate_queues, allocate_state, enlarge_queues
from sailplan.errors import PolicyError
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays
from sailplan.policies.replanning.beliefs.belief import NEVER, Belief, Follower, Refresh
from sailplan.policies.replanning.kernel.decrease import begin_settling, put_all, set_multipliers, settle
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

MAX_MULTIPLIER = 1000.0
_NEVER = np.iinfo(np.int64).max


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
    plan.clock[[UPDATE_AT_EXPANSIONS, UPDATE_AT_KNOWN]] = _NEVER
    plan.clock[EPOCH] = 1
    if not on_empty_grid:
        begin_settling(plan, problem.goal)
        _settle(graph, _reversed(graph, plan), allocate_state(count))
    return plan


def enlarge(plan: ReplanningArrays) -> ReplanningArrays:
    """The same with twice the room for what waits in a repair."""
    return plan._replace(waiting=enlarge_queues(plan.waiting))


class BeliefUpdate:
    """Updates the belief of one search when it is due, and repairs distances where its multipliers have changed."""

    def __init__(self, graph: CompiledGraph, plan: ReplanningArrays, follower: Follower, refresh: Refresh) -> None:
        if min(refresh) < 1:
            raise PolicyError(f"a belief is updated after at least 1 expansion or obstacle, got {refresh}")
        self._graph, self._plan, self._follower, self._refresh = graph, plan, follower, refresh
        self._wait(0, 0)

    def __call__(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Update the belief; return the open list, which may have needed more room."""
        counts = state.arrays.counts
        self._wait(state.expansions, int(counts[INVALID_VERTICES] + counts[INVALID_EDGES]))
        multipliers = self._follower.update(state)
        if multipliers is None:
            return queue
        repair(self._graph, self._plan, whole_multipliers(multipliers, self._graph.vertex_count), state.arrays)
        waiting = state.frontier
        queue = with_room(queue, len(waiting))
        put_all(self._plan, queue, waiting)
        return queue

    def _wait(self, expansions: int, known: int) -> None:
        self._plan.clock[UPDATE_AT_EXPANSIONS] = min(expansions + self._refresh.expansions, _NEVER)
        self._plan.clock[UPDATE_AT_KNOWN] = min(known + self._refresh.invalid, _NEVER)


def with_room(queue: QueueArrays, count: int) -> QueueArrays:
    """The same queues, or larger ones where there is no room for so many more entries."""
    while 2 * (queue.levels[:, [NEAR, FAR]].sum(axis=1).max() + count) > queue.ranks.shape[1]:
        queue = enlarge_queues(queue)
    return queue


def repair(graph: CompiledGraph, plan: ReplanningArrays, multipliers: NDArray[np.int64], state: StateArrays) -> None:
    """Change the multipliers; what is open is then to be put in again."""
    plan = _reversed(graph, plan)
    first = 0
    while (first := set_multipliers(graph.backward_arrays(), plan, state, first, multipliers)) < len(multipliers):
        plan = enlarge(plan)
    _settle(graph, plan, state)


def whole_multipliers(multipliers: FloatArray, count: int) -> NDArray[np.int64]:
    """Multipliers in parts of UNIT, at least one part; one that is not a number counts as 1."""
    if multipliers.shape != (count,):
        raise PolicyError(f"a belief gave multipliers of shape {multipliers.shape} for {count} vertices")
    kept = np.clip(np.nan_to_num(multipliers, nan=1.0), 1.0 / UNIT, MAX_MULTIPLIER)
    return np.rint(kept * UNIT).astype(np.int64)


def _settle(graph: CompiledGraph, plan: ReplanningArrays, state: StateArrays) -> None:
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
