"""The compiled walls against those in plain Python, which look at all invalid cells each time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, open_search, search
from sailplan.datasets import World, generate_world
from sailplan.graphs import GridGraph, Moves, Problem, grid_problem
from sailplan.policies import greedy
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.features.walls import WALLS
from tests.compiled_rows import compiled_rows
from tests.learned_policies import RULES, random_policy
from tests.naive.walls import wall_columns
from tests.same import assert_same_result
from tests.strategies import ALL_MOVES, grid_problems

FEATURES = FeatureSet((WALLS,))


@settings(max_examples=60)
@given(grid_problems(25, 30), st.integers(0, 2**32 - 1), st.sampled_from((0.02, 0.1, 0.3, 0.6)))
def test_any_cells_in_any_order(drawn: tuple[Problem, GridGraph], seed: int, share: float) -> None:
    problem, graph = drawn
    rng = np.random.default_rng(seed)
    state, order = SearchState(graph.vertex_count), rng.permutation(graph.vertex_count)
    state.forbid(order[: int(share * len(order))].tolist(), [])
    vertices = rng.integers(graph.vertex_count, size=20).tolist()
    assert FEATURES(problem, state, vertices).tolist() == wall_columns(problem, state, vertices).tolist()
    assert compiled_rows(FEATURES, problem, state, vertices).tolist() == FEATURES(problem, state, vertices).tolist()


@pytest.mark.parametrize("family", ["mazes", "multiple_bugtraps", "alternating_gaps"])
@pytest.mark.parametrize("moves", ALL_MOVES[:3])
def test_all_open_vertices_of_real_searches(family: str, moves: Moves) -> None:
    problem = grid_problem(generate_world(family, 1, 0, width=31, height=31), moves=moves)
    session = open_search(problem, greedy("euclidean"))
    met_a_wall = False
    for expansions in (1, 20, 60, 150, 300):
        session.run(Limits(expansions=expansions))
        vertices = session.state.frontier.tolist()
        rows = feature_set("walls")(problem, session.state, vertices)
        assert compiled_rows(feature_set("walls"), problem, session.state, vertices).tolist() == rows.tolist()
        assert rows[:, -5:].tolist() == wall_columns(problem, session.state, vertices).tolist()
        # The last column is the distance to the first wall on the way, or to the goal where there is none.
        met_a_wall = met_a_wall or bool((rows[:, -1] < rows[:, -5]).any())
    assert met_a_wall


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("moves", ALL_MOVES)
def test_engines_agree_on_searches_that_look_at_walls(rule: str, moves: Moves) -> None:
    for seed in range(2):
        policy = random_policy(seed, "walls", rule)
        problem = grid_problem(generate_world("multiple_bugtraps", 5, seed, width=21, height=25), moves=moves)
        one, other = (search(problem, policy, Limits(60), engine=engine) for engine in ("reference", "compiled"))
        assert_same_result(one, other)


def test_a_wall_that_grows_together_is_one() -> None:
    """Two arms that meet last: what is written at one root must be seen from all cells."""
    problem = grid_problem(World(np.zeros((9, 9), np.bool_)))
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    arms = [(2, y) for y in (1, 2, 3)] + [(6, y) for y in (1, 2, 3, 4, 5)]
    bridge = [(5, 6), (4, 6), (3, 5), (2, 4)]
    state = SearchState(graph.vertex_count)
    seen = []
    for cell in arms + bridge:
        state.forbid([graph.vertex(cell)], [])
        rows = compiled_rows(FEATURES, problem, state, list(range(graph.vertex_count)))
        assert rows.tolist() == wall_columns(problem, state, list(range(graph.vertex_count))).tolist()
        seen.append(rows[:, 1].sum())
    assert len(set(seen)) > 5
