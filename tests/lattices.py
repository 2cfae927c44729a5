"""Small lattices for tests: primitives, footprints and random problems."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numba import njit

from sailplan.core.kernel.edges import edge_cost, locate, lower_bound, position, slot_count, successor, verdict
from sailplan.datasets import World
from sailplan.graphs import LatticeGraph, MotionPrimitives, Problem
from sailplan.graphs.lattice.footprint import FootprintLike
from sailplan.graphs.lattice.kernel import LatticeArrays
from sailplan.graphs.lattice.primitives import four_ways

CAR = ((-0.2, -0.3), (0.9, -0.3), (0.9, 0.3), (-0.2, 0.3))
"""Corners of a footprint in metres, for cells of half a metre."""
ARROW = ((-0.3, -0.6), (0.9, 0.0), (-0.3, 0.6), (0.1, 0.0))
"""Not convex."""
FORWARD = four_ways([(1, 0, 0), (2, 1, 1), (2, -1, -1)], resolution=0.5)
"""Ahead, and curves to both sides."""
WITH_TURNS = four_ways([(1, 0, 0), (1, 1, 1), (1, -1, -1), (0, 0, 1), (0, 0, -1), (-1, 0, 0)], resolution=0.5)
"""Also turns in place, and back."""
SKEWED = MotionPrimitives(0.5, FORWARD.headings, FORWARD.primitives[:-1], name="skewed")
"""Not the same after a quarter turn: one heading lacks a curve."""
ALL_PRIMITIVES = (FORWARD, WITH_TURNS, SKEWED, FORWARD.with_reverse(2.0))
FOOTPRINTS: tuple[FootprintLike, ...] = (0.0, 0.3, CAR, ARROW)


@njit
def _fill(arrays, vertex, ends, costs):  # type: ignore[no-untyped-def]
    place = locate(arrays, vertex)
    for slot in range(slot_count(arrays, place)):
        ends[slot, 0] = successor(arrays, place, slot)
        if ends[slot, 0] >= 0:
            costs[slot] = edge_cost(arrays, place, slot, ends[slot, 0])
            ends[slot, 1] = verdict(arrays, place, slot, ends[slot, 0])
    return slot_count(arrays, place)


@njit
def kernel_position(arrays, vertex):  # type: ignore[no-untyped-def]
    """Return the position of a vertex in kernels."""
    return position(arrays, vertex)


@njit
def kernel_bound(arrays, vertex, other):  # type: ignore[no-untyped-def]
    """Return the lower bound of the cost between two vertices in kernels."""
    return lower_bound(arrays, vertex, other)


def kernel_edges(arrays: LatticeArrays, vertex: int) -> list[tuple[int, float, int]]:
    """Return the target, the cost and the verdict of each edge of a vertex in kernels."""
    ends, costs = np.empty((100, 2), np.int64), np.empty(100)
    count = _fill(arrays, vertex, ends, costs)
    rows = zip(ends[:count].tolist(), costs[:count].tolist(), strict=True)
    return [(target, cost, status) for (target, status), cost in rows if target >= 0]


@st.composite
def lattice_problems(draw: st.DrawFn, height: int = 12, width: int = 14) -> tuple[Problem, LatticeGraph]:
    """Draw a problem on a lattice over a random world; start and goal may collide, as vertices of other graphs may."""
    shape = draw(st.integers(1, height)), draw(st.integers(1, width))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    blocked = rng.random(shape) < draw(st.sampled_from((0.0, 0.05, 0.15)))
    graph = LatticeGraph(
        World(blocked, name="random"), draw(st.sampled_from(ALL_PRIMITIVES)), draw(st.sampled_from(FOOTPRINTS))
    )
    start, goal = rng.integers(graph.vertex_count, size=2).tolist()
    return Problem(graph, start, goal, name="random"), graph
