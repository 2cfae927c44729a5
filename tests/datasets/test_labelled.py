from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sailplan.datasets.labelled import Lesson, make_lessons
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
    (lesson,) = make_lessons([problem]).solvable
    reachable = np.flatnonzero(np.isfinite(table))
    assert lesson.problem is problem
    assert lesson.labels(reachable.tolist()).tolist() == table[reachable].tolist()
    assert lesson.labels([problem.goal]).tolist() == [0.0]
    assert lesson.labels([]).tolist() == []


def test_a_vertex_without_a_way_back_costs_twice_the_most() -> None:
    (lesson,) = make_lessons([pocket_problem()]).solvable
    assert lesson.labels([0, 1, 2, 3, 4, 5]).tolist() == [7.0, 6.0, 4.0, 0.0, 14.0, 14.0]
    assert lesson.labels([4, 0]).tolist() == [14.0, 7.0]


def test_the_unsolvable_are_left_out_and_counted() -> None:
    lessons = make_lessons([UNSOLVABLE, SOLVABLE, UNSOLVABLE])
    assert [one.problem for one in lessons.solvable] == [SOLVABLE]
    assert lessons.unsolvable == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_lessons_keep_the_order_of_the_problems(jobs: int) -> None:
    problems = tiny_problems()
    lessons = make_lessons(problems, jobs=jobs)
    assert [one.problem for one in lessons.solvable] == problems
    for lesson in lessons.solvable:
        assert np.array_equal(lesson.table, cost_to_go(lesson.problem))


def test_nothing_to_learn_from() -> None:
    with pytest.raises(TrainingError, match=r"^nothing to learn from: none of 2 worlds has a path to the goal$"):
        make_lessons([UNSOLVABLE, UNSOLVABLE])
    with pytest.raises(TrainingError, match=r"^nothing to learn from: there are no worlds$"):
        make_lessons([])


def test_a_start_at_the_goal_is_a_lesson() -> None:
    problem = Problem(SOLVABLE.graph, SOLVABLE.goal, SOLVABLE.goal)
    (lesson,) = make_lessons([problem]).solvable
    assert isinstance(lesson, Lesson)
    assert lesson.labels([problem.start]).tolist() == [0.0]
