"""Every preset: as plain Python says, as the kernels say, and as a naive twin says, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, StopRule, open_search
from sailplan.core.kernel.arrays import CLOSED, OPEN
from sailplan.errors import FeatureError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import greedy
from sailplan.policies.features import PRESETS, feature_set
from sailplan.testing import draw_problem
from tests.compiled_rows import compiled_rows
from tests.naive.features import NAIVE
from tests.strategies import explicit_problems, grid_problems

PLANE = [name for name, features in PRESETS.items() if not features.needs_grid]


def _state_after(problem: Problem, expansions: int) -> SearchState:
    session = open_search(problem, greedy("manhattan"), stop=StopRule.GOAL_EXPANDED, engine="reference")
    session.run(Limits(expansions=expansions))
    return session.state


def _met(state: SearchState) -> list[int]:
    met: list[int] = np.flatnonzero((state.status == OPEN) | (state.status == CLOSED)).tolist()
    return met


def _assert_all_agree(name: str, problem: Problem, state: SearchState) -> None:
    features, vertices = feature_set(name), _met(state)
    rows = features(problem, state, vertices)
    assert rows.shape == (len(vertices), len(features.columns))
    assert rows.tolist() == compiled_rows(features, problem, state, vertices).tolist()
    if name in NAIVE:
        assert rows.tolist() == [NAIVE[name](problem, state, vertex) for vertex in vertices]


@pytest.mark.parametrize("name", PRESETS)
@settings(max_examples=40)
@given(drawn=grid_problems(20, 40), expansions=st.integers(0, 120))
def test_on_grids(name: str, drawn: tuple[Problem, GridGraph], expansions: int) -> None:
    _assert_all_agree(name, drawn[0], _state_after(drawn[0], expansions))


@pytest.mark.parametrize("name", PLANE)
@settings(max_examples=40)
@given(drawn=explicit_problems(dimensions=2), expansions=st.integers(0, 40))
def test_on_explicit_graphs(name: str, drawn: tuple[Problem, ExplicitGraph], expansions: int) -> None:
    _assert_all_agree(name, drawn[0], _state_after(drawn[0], expansions))


def test_every_set_of_the_paper_has_a_naive_twin() -> None:
    assert {"paper17", "relative", "patch"} == set(NAIVE) <= set(PRESETS)


def test_the_seventeen_of_the_paper_by_hand() -> None:
    problem = draw_problem("""
        ....G
        .#...
        S#...
    """)
    state = _state_after(problem, 1)
    assert state.invalid.tolist() == [1, 6]
    (row,) = feature_set("paper17")(problem, state, [5]).tolist()
    # (0, 1): (1, 1) is closest; (1, 0) was found first, and is as close along x; (1, 1) lies in its row.
    assert row == [0, 1, 1, 17**0.5, 5, 1, 4, 2, 1, 1, 1, 1, 0, 1, 1, 1, 0]


def test_the_relative_ones_by_hand() -> None:
    problem = draw_problem("""
        S#...
        ...#G
    """)
    state = _state_after(problem, 1)
    (row,) = feature_set("relative")(problem, state, [1]).tolist()
    length = 17**0.5
    # At (1, 0), with (1, 1) known to be blocked; the goal lies to the lower right, so that up is down.
    expected = [1, 1, 2**0.5, 3, 3, 1, 3, 0, 0, -1, 1, 0, -1, 0, 0, -1, 1]
    assert row == pytest.approx([number / length for number in expected], abs=1e-15)


@pytest.mark.parametrize("name", PRESETS)
def test_a_graph_that_is_not_in_the_plane_is_refused(name: str) -> None:
    for dimensions in (1, 3):
        graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=np.zeros((2, dimensions)))
        problem, state = Problem(graph, 0, 1, name="arm"), SearchState(2)
        with pytest.raises(FeatureError, match=r"^arm: "):
            feature_set(name)(problem, state, [0])


@pytest.mark.parametrize("name", sorted(set(PRESETS) - set(PLANE)))
def test_a_graph_that_is_no_grid_is_refused_by_what_looks_at_cells(name: str) -> None:
    problem = Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=np.zeros((2, 2))), 0, 1, name="road")
    state = SearchState(2)
    state.begin(0)
    with pytest.raises(FeatureError, match=r"^road: .* a grid$"):
        feature_set(name)(problem, state, [0])


def test_an_unknown_set_is_one_clear_line() -> None:
    with pytest.raises(FeatureError, match=r"^no feature set 'paper18'; there are paper17, relative, "):
        feature_set("paper18")


@pytest.mark.parametrize("name", PRESETS)
def test_no_vertices_give_no_rows(name: str) -> None:
    problem = draw_problem("S.G")
    assert feature_set(name)(problem, SearchState(3), []).shape == (0, len(feature_set(name).columns))
