from __future__ import annotations

import pickle

import numpy as np
import pytest

from sailplan.core import search
from sailplan.core.search import EngineName
from sailplan.datasets import World
from sailplan.graphs import ExplicitGraph, Moves, Problem, grid_problem
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior, blocked_frequencies
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic
from sailplan.testing import draw_problem

WALL = """
    .......
    ...#...
    S..#..G
    ...#...
    ...#...
"""


def test_frequencies() -> None:
    worlds = [World(np.array([[True, False, True]])), World(np.array([[True, False, False]]))]
    assert blocked_frequencies(worlds).tolist() == [1.0, 0.0, 0.5]


def test_it_goes_round_a_wall_that_it_has_not_seen() -> None:
    problem = draw_problem(WALL)
    frame = Frame.of(problem)
    assert frame is not None
    wall = np.zeros((5, 7))
    wall[:4, 3] = 1.0
    result = search(problem, ReplanningPolicy(Prior(frame, wall.reshape(-1), Penalty(prior_weight=50.0))))
    assert result.expansions == 6
    assert result.expansions < search(problem, optimistic()).expansions


def test_searches_do_not_depend_on_earlier_ones() -> None:
    frame = Frame(9, 8, (0, 0), (8, 7))
    rng = np.random.default_rng(4)
    frequencies = rng.random(72)

    def policy() -> ReplanningPolicy:
        return ReplanningPolicy(Prior(frame, frequencies, Penalty(prior_weight=3.0)))

    used = policy()
    for number in range(12):
        blocked = rng.random((8, 9)) < 0.3
        blocked[0, 0] = blocked[-1, -1] = False
        # Distances depend on the moves, so that those of the last search must not be used for other ones.
        problem = grid_problem(World(blocked), moves=Moves(diagonal=number % 3 > 0))
        expected = search(problem, policy()).trace.expanded.tolist()
        assert search(problem, used).trace.expanded.tolist() == expected
        assert search(problem, pickle.loads(pickle.dumps(used))).trace.expanded.tolist() == expected


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_in_another_frame_it_is_optimistic_and_says_so(engine: EngineName) -> None:
    problem = draw_problem(WALL)
    prior = Prior(Frame(7, 5, (0, 0), (6, 2)), np.full(35, 0.9), Penalty(prior_weight=50.0))
    result = search(problem, ReplanningPolicy(prior), engine=engine)
    (note,) = result.notes
    assert note.subject == "prior"
    assert "it supports 7 x 5 from (0, 0) to (6, 2), and this is 7 x 5 from (0, 2) to (6, 2)" in note.message
    assert result.trace.expanded.tolist() == search(problem, optimistic()).trace.expanded.tolist()


def test_other_sizes_and_other_graphs_do_not_fit() -> None:
    frame = Frame(3, 2, (0, 0), (2, 1))
    assert frame.why_unsupported(grid_problem(World(np.zeros((2, 3), np.bool_)))) == ""
    assert "and this is 2 x 2" in frame.why_unsupported(grid_problem(World(np.zeros((2, 2), np.bool_))))
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])
    assert frame.why_unsupported(Problem(graph, 0, 1)).endswith("and this is no grid")
