"""Distances to the goal in the world as it is believed to be: made for a search, repaired when the belief changes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import CompiledGraph, FloatArray
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState, allocate_state
from sailplan.errors import PolicyError
from sailplan.kernels.arrays import (
    FAR,
    INVALID_EDGES,
    INVALID_VERTICES,
    NEAR,
    CsrArrays,
    GridArrays,
    QueueArrays,
    StateArrays,
)
from sailplan.kernels.believed_edges import NO_WAY, UNCHARGED
from sailplan.kernels.heap import FIRST_ROOM, allocate_queues, enlarge_queues
from sailplan.kernels.policy_arrays import ReplanningArrays
from sailplan.kernels.recharging import begin_settling, charge, put_all, settle
from sailplan.kernels.replanning import CLOCKS, EPOCH, LOOK_AT_EXPANSIONS, LOOK_AT_KNOWN, with_more_room
from sailplan.policies.replanning.beliefs.belief import NEVER, Belief, Follower, Refresh

MOST_CHARGE = 1000.0
_NEVER = np.iinfo(np.int64).max


def make_plan(graph: CompiledGraph, problem: Problem, belief: Belief, effort: float) -> ReplanningArrays:
    """The bounds of a search before anything is known."""
    rows, count = graph.arrays(), graph.vertex_count
    charges = belief.charges(problem)
    if charges is None and belief.refresh != NEVER:
        # A follower may charge later, and kernels write to the charges that there are.
        charges = np.ones(count)
    wholes = np.empty(0, np.int64) if charges is None else whole_charges(charges, count)
    on_empty_grid = charges is None and isinstance(rows, GridArrays)
    plan = ReplanningArrays(
        steps=whole_costs(rows, count, UNCHARGED if charges is None else int(MOST_CHARGE) * UNCHARGED, effort),
        charges=wholes,
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
    plan.clock[[LOOK_AT_EXPANSIONS, LOOK_AT_KNOWN]] = _NEVER
    plan.clock[EPOCH] = 1
    if not on_empty_grid:
        begin_settling(plan, problem.goal)
        _settle(graph, _turned_round(graph, plan), allocate_state(count))
    return plan


def attend(graph: CompiledGraph, problem: Problem, belief: Belief, plan: ReplanningArrays) -> Attendant | None:
    """What lets a belief look at a search; None where its charges stay as they are."""
    follower = belief.follow(problem)
    return None if follower is None else Attendant(graph, plan, follower, belief.refresh)


class Attendant:
    """Lets a belief look at a search, and repairs distances where it charges otherwise than before."""

    def __init__(self, graph: CompiledGraph, plan: ReplanningArrays, follower: Follower, refresh: Refresh) -> None:
        if min(refresh) < 1:
            raise PolicyError(f"a belief is asked again after at least 1 expansion or obstacle, got {refresh}")
        self._graph, self._plan, self._follower, self._refresh = graph, plan, follower, refresh
        self._wait(0, 0)

    def __call__(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Ask the belief; return the open list, which may have needed more room."""
        counts = state.arrays.counts
        self._wait(state.expansions, int(counts[INVALID_VERTICES] + counts[INVALID_EDGES]))
        charges = self._follower.look(state)
        if charges is None:
            return queue
        recharge(self._graph, self._plan, whole_charges(charges, self._graph.vertex_count), state.arrays)
        waiting = state.frontier
        queue = with_room(queue, len(waiting))
        put_all(self._plan, queue, waiting)
        return queue

    def _wait(self, expansions: int, known: int) -> None:
        self._plan.clock[LOOK_AT_EXPANSIONS] = min(expansions + self._refresh.expansions, _NEVER)
        self._plan.clock[LOOK_AT_KNOWN] = min(known + self._refresh.invalid, _NEVER)


def with_room(queue: QueueArrays, count: int) -> QueueArrays:
    """The same queues, or larger ones where there is no room for so many more entries."""
    while 2 * (queue.levels[:, [NEAR, FAR]].sum(axis=1).max() + count) > queue.ranks.shape[1]:
        queue = enlarge_queues(queue)
    return queue


def recharge(graph: CompiledGraph, plan: ReplanningArrays, charges: NDArray[np.int64], state: StateArrays) -> None:
    """Charge otherwise than before; what is open is then to be put in again."""
    plan = _turned_round(graph, plan)
    first = 0
    while (first := charge(graph.backward_arrays(), plan, state, first, charges)) < len(charges):
        plan = with_more_room(plan)
    _settle(graph, plan, state)


def whole_charges(charges: FloatArray, count: int) -> NDArray[np.int64]:
    """Charges in parts of 256, at least one part; what is no number charges nothing."""
    if charges.shape != (count,):
        raise PolicyError(f"a belief gave charges of shape {charges.shape} for {count} vertices")
    kept = np.clip(np.nan_to_num(charges, nan=1.0), 1.0 / UNCHARGED, MOST_CHARGE)
    return np.rint(kept * UNCHARGED).astype(np.int64)


def _settle(graph: CompiledGraph, plan: ReplanningArrays, state: StateArrays) -> None:
    backward = graph.backward_arrays()
    degree = int(np.diff(backward.first).max(initial=0)) if isinstance(backward, CsrArrays) else graph.max_degree
    while not settle(backward, plan, state, degree):
        plan = with_more_room(plan)


def _turned_round(graph: CompiledGraph, plan: ReplanningArrays) -> ReplanningArrays:
    """The same for the edges turned round, in the order of `backward_arrays`."""
    rows = graph.arrays()
    if isinstance(rows, GridArrays):
        return plan
    order = np.argsort(rows.targets, kind="stable")
    return plan._replace(steps=plan.steps[order], removed=plan.removed[order])


def whole_costs(rows: GridArrays | CsrArrays, count: int, most_charge: int, effort: float) -> NDArray[np.int64]:
    """What edges cost in a unit so fine that the longest path is still less than NO_WAY; none costs nothing."""
    plain = np.repeat([1.0, rows.diagonal_cost], 4) if isinstance(rows, GridArrays) else rows.costs
    # In parts of the dearest edge: what is small or large as a number is so no longer.
    costs = plain / (plain.max(initial=0.0) or 1.0)
    if isinstance(rows, CsrArrays) and len(costs):
        # The checks that it takes to expand the vertices that edges leave.
        degrees = np.diff(rows.first)
        costs = costs + effort * costs.mean() * np.repeat(degrees, degrees) / degrees.mean()
    longest = max(float(costs.max(initial=0.0)), 1.0) * count * most_charge
    # Of 2^60 a part is left for paths that are longer for rounding up.
    unit = math.floor(math.log2(NO_WAY >> 1) - math.log2(longest))
    return np.maximum(np.rint(np.ldexp(costs, unit)), 1.0).astype(np.int64)
