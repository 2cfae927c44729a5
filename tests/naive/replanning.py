"""Replanning from its definition: all distances from scratch, by Dijkstra, before every choice."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import product
from math import ceil, inf

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray, is_compiled
from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN
from sailplan.graphs import ExplicitGraph, Graph, GridGraph, Problem, VoxelGraph
from sailplan.policies.replanning.beliefs import Belief
from sailplan.policies.replanning.policy import (
    MAX_MULTIPLIER,
    first_multipliers,
    in_rows,
    is_per_edge,
    whole_costs,
    whole_multipliers,
)


def believed_edges(
    problem: Problem, state: SearchState, multipliers: list[int] | None, per_edge: bool = False
) -> dict[int, list[tuple[int, int]]]:
    """The edges (source, cost) into each vertex that are not known to be invalid, in whole numbers.

    Costs are rounded to larger units if there are multipliers, also while all of them are 1.
    """
    graph = problem.graph
    assert is_compiled(graph)
    most = 256 if multipliers is None else int(MAX_MULTIPLIER) * 256
    computed = not isinstance(graph, GridGraph | ExplicitGraph | VoxelGraph)
    has_terrain = isinstance(graph, GridGraph) and graph.world.costs is not None
    steps, scale = whole_costs(graph, 4.0, most)
    wholes = steps.tolist()
    status, logged = state.status, {(source, target) for source, target in state.invalid_edges.tolist()}
    into: dict[int, list[tuple[int, int]]] = {vertex: [] for vertex in range(graph.vertex_count)}
    number = 0
    for source in range(graph.vertex_count):
        for target, cost in zip(*graph.successors(source), strict=True):
            if computed:
                whole = max(ceil(cost * scale), 1)
            elif isinstance(graph, VoxelGraph):
                whole = wholes[{1: 0, 2: 6, 3: 18}[round(cost**2)]]
            elif isinstance(graph, GridGraph):
                whole = wholes[0 if _is_straight(graph, source, target) else 4]
            else:
                whole = wholes[number]
            multiplier = 256 if multipliers is None else multipliers[number if per_edge else target]
            number += 1
            if INVALID in (status[source], status[target]) or (source, target) in logged:
                continue
            if isinstance(graph, GridGraph) and _cuts_a_corner(graph, state, source, target):
                continue
            if isinstance(graph, VoxelGraph) and _squeezes(graph, state, source, target):
                continue
            assert cost >= 0.0
            if has_terrain:
                whole = int(cost * scale + 0.5)
            into[target].append((source, whole * multiplier))
    return into


def _is_straight(graph: GridGraph, source: int, target: int) -> bool:
    (x, y), (to_x, to_y) = graph.cell(source), graph.cell(target)
    return x == to_x or y == to_y


def _cuts_a_corner(graph: GridGraph, state: SearchState, source: int, target: int) -> bool:
    if graph.moves.corner_cutting or _is_straight(graph, source, target):
        return False
    (x, y), (to_x, to_y) = graph.cell(source), graph.cell(target)
    return INVALID in (state.status[graph.vertex((x, to_y))], state.status[graph.vertex((to_x, y))])


def _squeezes(graph: VoxelGraph, state: SearchState, source: int, target: int) -> bool:
    ends = zip(graph.voxel(source), graph.voxel(target), strict=True)
    box = [graph.vertex(voxel) for voxel in product(*({one, other} for one, other in ends))]  # type: ignore[arg-type]
    return not graph.corner_cutting and any(
        state.status[vertex] == INVALID for vertex in box if vertex not in (source, target)
    )


def believed_distances(
    problem: Problem, state: SearchState, multipliers: list[int] | None, per_edge: bool = False
) -> dict[int, float]:
    """The distance of each vertex to the goal in the believed world, without a way through closed vertices."""
    into = believed_edges(problem, state, multipliers, per_edge)
    distances: dict[int, float] = {}
    waiting: list[tuple[float, int]] = [(0, problem.goal)]
    while waiting:
        distance, vertex = heappop(waiting)
        if vertex in distances or state.status[vertex] >= CLOSED:
            continue
        distances[vertex] = distance
        for source, cost in into[vertex]:
            heappush(waiting, (distance + cost, source))
    return distances


class NaiveReplanning:
    """The same policy for the reference engine, slow and plain."""

    def __init__(self, problem: Problem, state: SearchState, belief: Belief) -> None:
        self._problem, self._state, self._belief = problem, state, belief
        graph: Graph = problem.graph
        assert is_compiled(graph)
        self._graph = graph
        multipliers = first_multipliers(belief, None, problem, graph)
        self._multipliers = None if multipliers is None else self._wholes(multipliers)
        self._follower = belief.follow(problem)
        self._looked = (0, 0)
        self._entered: list[int] = []

    def _wholes(self, multipliers: FloatArray) -> list[int]:
        wholes: list[int] = whole_multipliers(multipliers, self._graph.arrays()).tolist()
        return wholes

    def observe(self, discovery: object) -> None:
        """Nothing: the state tells."""

    def add(self, vertices: Sequence[int]) -> None:
        """Remember the order of insertion."""
        self._entered += [vertex for vertex in vertices if vertex not in self._entered]

    def select(self) -> int | None:
        """The open vertex with the smallest (distance, insertion number)."""
        state = self._state
        now = state.expansions, len(state.invalid) + len(state.invalid_edges)
        if self._follower and (
            now[0] >= self._looked[0] + self._belief.refresh.expansions
            or now[1] >= self._looked[1] + self._belief.refresh.invalid
        ):
            self._looked = now
            multipliers = self._follower.update(state)
            if multipliers is not None:
                self._multipliers = self._wholes(in_rows(multipliers, self._graph, is_per_edge(self._belief)))
        distances = believed_distances(self._problem, state, self._multipliers, is_per_edge(self._belief))
        waiting = [vertex for vertex in self._entered if state.status[vertex] == OPEN]
        return min(waiting, key=lambda vertex: distances.get(vertex, inf), default=None)
