"""Random problems for hypothesis: what it draws is small, so that what fails shrinks to a small world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from sailplan.datasets import World
from sailplan.graphs import (
    MOVINGAI_MOVES,
    PAPER_MOVES,
    ExplicitGraph,
    GridGraph,
    Moves,
    Problem,
    VoxelGraph,
    grid_problem,
)
from sailplan.policies import CATALOGUE

FOUR_CONNECTED = Moves(diagonal=False)
UNIT_DIAGONALS = Moves(diagonal_cost=1.0)
CHEAP_DIAGONALS = Moves(diagonal_cost=0.5)
DEAR_DIAGONALS = Moves(corner_cutting=False, diagonal_cost=3.0)
ALL_MOVES = (PAPER_MOVES, MOVINGAI_MOVES, FOUR_CONNECTED, UNIT_DIAGONALS, CHEAP_DIAGONALS, DEAR_DIAGONALS)
ON_ANY_GRAPH = [name for name in CATALOGUE if name != "walls"]
"""The names of the policies that are not for grids only."""


@st.composite
def grid_problems(
    draw: st.DrawFn, height: int = 40, width: int = 60, moves: Sequence[Moves] = ALL_MOVES, *, terrain: bool = False
) -> tuple[Problem, GridGraph]:
    """Draw a problem on a random world of at most this height and width, with or without terrain, and its graph."""
    shape = draw(st.integers(1, height)), draw(st.integers(1, width))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    blocked = rng.random(shape) < draw(st.sampled_from((0.0, 0.1, 0.25, 0.4)))
    start, goal = ((int(rng.integers(shape[1])), int(rng.integers(shape[0]))) for _ in range(2))
    for x, y in (start, goal):
        blocked[y, x] = False
    # Costs of a few kinds make ties.
    costs = rng.choice((1.0, 1.5, 4.0, 37.3), shape) if terrain else None
    problem = grid_problem(World(blocked, name="random", costs=costs), start, goal, draw(st.sampled_from(moves)))
    assert isinstance(problem.graph, GridGraph)
    return problem, problem.graph


@st.composite
def explicit_problems(
    draw: st.DrawFn, vertices: int = 40, dimensions: int | None = None, undirected: bool | None = None
) -> tuple[Problem, ExplicitGraph]:
    """Draw a problem on a random graph, directed or not, with invalid edges and vertices, and the graph."""
    count = draw(st.integers(1, vertices))
    if dimensions is None:
        dimensions = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = np.argwhere(rng.random((count, count)) < draw(st.sampled_from((0.0, 0.1, 0.3))))
    if undirected is None:
        undirected = draw(st.booleans())
    if undirected:
        ends = ends[ends[:, 0] < ends[:, 1]]
    rng.shuffle(ends)
    # Costs of a few kinds, zero among them, make ties.
    costs = rng.choice((0.0, 1.0, 2.5, np.sqrt(2.0)), len(ends))
    places = rng.integers(0, 5, (count, dimensions)) if draw(st.booleans()) else rng.normal(size=(count, dimensions))
    fails = rng.random(len(ends)) < draw(st.sampled_from((0.0, 0.2)))
    start, goal = rng.integers(count, size=2).tolist()
    graph = ExplicitGraph.from_edges(
        count,
        [(source, target, cost) for (source, target), cost in zip(ends.tolist(), costs.tolist(), strict=True)],
        undirected=undirected,
        coordinates=places,
        invalid_edges=ends[fails].tolist(),
        invalid_vertices=np.flatnonzero(rng.random(count) < draw(st.sampled_from((0.0, 0.1)))).tolist(),
    )
    return Problem(graph, start, goal, name="random"), graph


@st.composite
def voxel_problems(draw: st.DrawFn, side: int = 8) -> tuple[Problem, VoxelGraph]:
    """Draw a problem on a random volume of at most this side, and its graph."""
    shape = draw(st.tuples(*[st.integers(1, side)] * 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    blocked = rng.random(shape) < draw(st.sampled_from((0.0, 0.1, 0.25, 0.4)))
    start, goal = (tuple(rng.integers(shape).tolist()) for _ in range(2))
    blocked[start] = blocked[goal] = False
    graph = VoxelGraph(blocked, draw(st.sampled_from((6, 18, 26))), draw(st.booleans()), name="random")
    return graph.problem(start, goal), graph
