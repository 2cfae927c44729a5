from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.errors import TrainingError
from sailplan.graphs import GridGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.testing import draw_problem
from tests.learning.tiny import pocket_problem, tiny_problems
from tests.strategies import grid_problems

UNSOLVABLE = draw_problem("S.#.G")
SOLVABLE = draw_problem("S...G")


@settings(max_examples=30)
@given(grid_problems(8, 8))
def test_labels_are_the_oracles_table(drawn: tuple[Problem, GridGraph]) -> None:
    problem = drawn[0]
    table = cost_to_go(problem)
    assume(np.isfinite(table[problem.start]))
    (labelled,) = label_problems([problem]).solvable
    reachable = np.flatnonzero(np.isfinite(table))
    assert labelled.problem is problem
    assert labelled.labels(reachable.tolist()).tolist() == table[reachable].tolist()
    assert labelled.labels([problem.goal]).tolist() == [0.0]
    assert labelled.labels([]).tolist() == []


def test_a_vertex_without_a_way_back_costs_twice_the_most() -> None:
    (labelled,) = label_problems([pocket_problem()]).solvable
    assert labelled.labels([0, 1, 2, 3, 4, 5]).tolist() == [7.0, 6.0, 4.0, 0.0, 14.0, 14.0]
    assert labelled.labels([4, 0]).tolist() == [14.0, 7.0]


def test_the_unsolvable_are_left_out_and_counted() -> None:
    problems = label_problems([UNSOLVABLE, SOLVABLE, UNSOLVABLE])
    assert [one.problem for one in problems.solvable] == [SOLVABLE]
    assert problems.unsolvable == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_labelled_problems_keep_the_order_of_the_problems(jobs: int) -> None:
    problems = tiny_problems()
    solvable = label_problems(problems, jobs=jobs).solvable
    assert [one.problem for one in solvable] == problems
    for labelled in solvable:
        assert np.array_equal(labelled.table, cost_to_go(labelled.problem))


def test_nothing_to_learn_from() -> None:
    with pytest.raises(TrainingError, match=r"^nothing to learn from: none of 2 worlds has a path to the goal$"):
        label_problems([UNSOLVABLE, UNSOLVABLE])
    with pytest.raises(TrainingError, match=r"^nothing to learn from: there are no worlds$"):
        label_problems([])


def test_a_start_at_the_goal_is_a_labelled_problem() -> None:
    problem = Problem(SOLVABLE.graph, SOLVABLE.goal, SOLVABLE.goal)
    (labelled,) = label_problems([problem]).solvable
    assert isinstance(labelled, LabelledProblem)
    assert labelled.labels([problem.start]).tolist() == [0.0]
