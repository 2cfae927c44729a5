from __future__ import annotations

import numpy as np
import pytest

from sailplan.errors import WorldError
from sailplan.graphs import GridGraph
from sailplan.testing import draw_problem, draw_world, random_problem
from tests.strategies import FOUR_CONNECTED


def test_a_picture_has_its_top_row_first() -> None:
    world = draw_world(
        """
        ..#
        #..
        """,
        name="sketch",
    )
    assert world.blocked.tolist() == [[True, False, False], [False, False, True]]
    assert world.name == "sketch"


def test_a_picture_of_a_problem() -> None:
    problem = draw_problem("..G\nS#.", FOUR_CONNECTED)
    assert isinstance(problem.graph, GridGraph)
    assert problem.graph.cell(problem.start) == (0, 0)
    assert problem.graph.cell(problem.goal) == (2, 1)
    assert problem.graph.moves == FOUR_CONNECTED
    assert problem.graph.world.blocked.sum() == 1


@pytest.mark.parametrize("picture", ["", "  \n ", "..\n.", "..x"])
def test_what_is_no_picture_is_refused(picture: str) -> None:
    with pytest.raises(WorldError, match=r"a drawing has rows of the same length made of # . S G"):
        draw_world(picture)


@pytest.mark.parametrize(
    ("picture", "fault"), [("..G", "one S, found 0"), ("SS.", "one S, found 2"), ("S..", "one G, found 0")]
)
def test_a_problem_has_one_start_and_one_goal(picture: str, fault: str) -> None:
    with pytest.raises(WorldError, match=f"there must be {fault}"):
        draw_problem(picture)


def test_random_problems_are_the_same_for_the_same_seed() -> None:
    shapes = set()
    for seed in range(20):
        one, other = (random_problem(np.random.default_rng(seed), largest=7) for _ in range(2))
        assert isinstance(one.graph, GridGraph)
        assert isinstance(other.graph, GridGraph)
        assert np.array_equal(one.graph.world.blocked, other.graph.world.blocked)
        assert max(one.graph.world.blocked.shape) <= 7
        shapes.add(one.graph.world.blocked.shape)
    assert len(shapes) > 5
