from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, open_search
from sailplan.errors import FeatureError
from sailplan.graphs import GridGraph, Problem
from sailplan.policies import greedy
from sailplan.policies.features import FeatureSet, Patch
from sailplan.policies.features.kernel import LARGEST_RADIUS
from sailplan.testing import draw_problem
from tests.compiled_rows import compiled_rows
from tests.naive.features import patch
from tests.strategies import grid_problems


def _state_after(problem: Problem, expansions: int) -> SearchState:
    session = open_search(problem, greedy("euclidean"), engine="reference")
    session.run(Limits(expansions=expansions))
    return session.state


def _picture(problem: Problem, state: SearchState, vertex: int, radius: int) -> str:
    """Draw the patch as a map, top row first: # invalid, . free, ? unknown."""
    (row,) = Patch(radius)(problem, state, [vertex]).tolist()
    letters = ["?.#"[(0, -1, 1).index(int(number))] for number in row]
    side = 2 * radius + 1
    return "\n".join("".join(letters[first : first + side]) for first in range((side - 1) * side, -1, -side))


def test_what_is_unknown_free_invalid_and_outside() -> None:
    problem = draw_problem("""
        ....G
        .#...
        S....
    """)
    assert isinstance(problem.graph, GridGraph)
    before = SearchState(15)
    before.begin(problem.start)
    assert _picture(problem, before, 0, 2) == "##???\n##???\n##.??\n#####\n#####"
    assert _picture(problem, _state_after(problem, 1), 0, 2) == "##???\n##.#?\n##..?\n#####\n#####"


def test_it_is_mirrored_so_that_the_goal_is_to_the_upper_right() -> None:
    problem = draw_problem("""
        ....S
        .....
        G....
    """)
    assert _picture(problem, _state_after(problem, 1), problem.start, 1) == "#..\n#..\n###"


@settings(max_examples=30)
@given(drawn=grid_problems(9, 9), expansions=st.integers(0, 30), radius=st.sampled_from([1, 3, LARGEST_RADIUS]))
def test_like_the_naive_one_and_like_the_kernels(
    drawn: tuple[Problem, GridGraph], expansions: int, radius: int
) -> None:
    problem, _ = drawn
    state = _state_after(problem, expansions)
    vertices = state.frontier[:3].tolist()
    rows = Patch(radius)(problem, state, vertices)
    assert rows.tolist() == [patch(problem, state, vertex, radius) for vertex in vertices]
    assert rows.tolist() == compiled_rows(FeatureSet((Patch(radius),)), problem, state, vertices).tolist()


def test_a_radius_that_is_none_or_too_large() -> None:
    for radius in (0, -1, LARGEST_RADIUS + 1):
        with pytest.raises(FeatureError, match=rf"^the radius of a patch must be 1 \.\. 127, got {radius}$"):
            Patch(radius)
