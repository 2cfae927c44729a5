"""What the relative features do not depend on: which way the goal lies, and how large the world is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, StopRule, open_search
from sailplan.datasets import World
from sailplan.graphs import ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies import greedy
from sailplan.policies.features import feature_set
from sailplan.testing import draw_problem
from tests.strategies import explicit_problems, grid_problems


def _state_after(problem: Problem, expansions: int) -> SearchState:
    session = open_search(problem, greedy("euclidean"), stop=StopRule.GOAL_EXPANDED, engine="reference")
    session.run(Limits(expansions=expansions))
    return session.state


def _mirrored_state(state: SearchState, image: np.ndarray) -> SearchState:
    """Give each vertex's knowledge to its image; what is invalid stays in the order of discovery."""
    mirrored = SearchState(len(image))
    for name in ("status", "cost", "depth"):
        getattr(mirrored, name)[image] = getattr(state, name)
    mirrored.forbid(image[state.invalid].tolist(), [])
    return mirrored


@pytest.mark.parametrize("name", ["relative", "patch"])
@settings(max_examples=40)
@given(drawn=grid_problems(15, 20), expansions=st.integers(0, 60), axes=st.sampled_from([(0,), (1,), (0, 1)]))
def test_a_mirrored_search_looks_the_same(
    name: str, drawn: tuple[Problem, GridGraph], expansions: int, axes: tuple[int, ...]
) -> None:
    problem, graph = drawn
    start, goal = graph.cell(problem.start), graph.cell(problem.goal)
    # Where the goal lies straight up or to the right, no side of the way is its own.
    assume(start[0] != goal[0] and start[1] != goal[1])
    world = World(np.flip(graph.world.blocked, axes))
    image = np.flip(np.arange(graph.vertex_count).reshape(graph.world.blocked.shape), axes).reshape(-1)
    other = GridGraph(world, graph.moves)
    mirrored = grid_problem(
        world, other.cell(int(image[problem.start])), other.cell(int(image[problem.goal])), graph.moves
    )
    state = _state_after(problem, expansions)
    vertices = state.frontier.tolist()
    rows = feature_set(name)(problem, state, vertices)
    images = feature_set(name)(mirrored, _mirrored_state(state, image), image[vertices].tolist())
    assert np.allclose(rows, images, rtol=0.0, atol=1e-12)


@settings(max_examples=40)
@given(drawn=explicit_problems(dimensions=2), expansions=st.integers(0, 40), scale=st.sampled_from([0.5, 3.0, 1000.0]))
def test_a_graph_scaled_up_looks_the_same_but_for_depths(
    drawn: tuple[Problem, ExplicitGraph], expansions: int, scale: float
) -> None:
    problem, graph = drawn
    start, goal = graph.coordinates([problem.start, problem.goal])
    assume(np.hypot(*(goal - start)) > 1e-3)
    rows = graph.rows._replace(coordinates=graph.rows.coordinates * scale, costs=graph.rows.costs * scale)
    scaled = Problem(ExplicitGraph(rows), problem.start, problem.goal)
    state = _state_after(problem, expansions)
    other = _mirrored_state(state, np.arange(graph.vertex_count))
    # Entries of unseen vertices are undefined, and may be too large to scale.
    with np.errstate(over="ignore", invalid="ignore"):
        other.cost[:] = state.cost * scale
    features = feature_set("relative")
    vertices = state.frontier.tolist()
    one, two = features(problem, state, vertices), features(scaled, other, vertices)
    # Of equally close obstacles another may come out closest by a rounding: their distances stay.
    kept = [
        index
        for index, column in enumerate(features.columns)
        if column != "relative_depth" and ("obstacle" not in column or column.endswith("distance"))
    ]
    assert np.allclose(one[:, kept], two[:, kept], rtol=1e-9, atol=1e-9)


def test_a_world_of_finer_cells_looks_the_same() -> None:
    coarse = draw_problem("""
        ......G
        .##....
        S.#....
    """)
    assert isinstance(coarse.graph, GridGraph)
    fine = grid_problem(World(np.kron(coarse.graph.world.blocked, np.ones((2, 2))) > 0), (0, 0), (12, 4))
    one, two = SearchState(21), SearchState(84)
    for state, vertex, cost, depth, invalid in ((one, 1, 1.0, 1, 2), (two, 2, 2.0, 2, 4)):
        state.status[vertex], state.cost[vertex], state.depth[vertex] = 1, cost, depth
        state.forbid([invalid], [])
    assert np.allclose(feature_set("relative")(coarse, one, [1]), feature_set("relative")(fine, two, [2]), atol=1e-12)


def test_a_search_from_the_goal_to_itself_has_a_unit_too() -> None:
    problem = draw_problem("S.G")
    state = SearchState(3)
    state.begin(0)
    rows = feature_set("relative")(Problem(problem.graph, 0, 0), state, [0])
    assert np.array_equal(rows, np.zeros((1, 17)))
