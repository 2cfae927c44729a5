from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, open_search
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.graphs import GridGraph, Problem
from sailplan.learning.algorithms.planner.imitation import MOST_REGRET, planner_loss, selection_probabilities
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy
from sailplan.testing import draw_problem
from tests.naive.planner import believed_distances, expected_regret, regrets_of, temperature_of
from tests.strategies import grid_problems

SEEDS = st.integers(0, 2**32 - 1)
PROBLEMS = st.one_of(grid_problems(6, 6), grid_problems(6, 6, terrain=True))
STEP = 1e-6


def _state(problem: Problem, steps: int) -> NDArray[np.uint8]:
    session = open_search(problem, load_policy("random"), stop=StopRule.GOAL_EXPANDED)
    session.run(Limits(expansions=steps))
    return session.state.status.copy()


def _draw_multipliers(count: int, rng: np.random.Generator) -> FloatArray:
    """Multipliers that are represented exactly: they are rounded to 1 / 256."""
    drawn: FloatArray = rng.integers(128, 5000, count) / 256
    return drawn


@settings(max_examples=100)
@given(drawn=PROBLEMS, steps=st.integers(1, 12), seed=SEEDS, least=st.sampled_from([0.5, 3.0, 50.0]))
def test_the_value_is_like_the_definition(
    drawn: tuple[Problem, GridGraph], steps: int, seed: int, least: float
) -> None:
    problem, graph = drawn
    status, table = _state(problem, steps), cost_to_go(problem)
    multipliers = _draw_multipliers(graph.vertex_count, np.random.default_rng(seed))
    loss = planner_loss(problem, status, multipliers, table, least)
    distances = believed_distances(problem, status, multipliers)
    regrets = regrets_of(status, distances, table)
    if len(regrets) < 2:
        assert (loss.value, loss.regret, bool(loss.gradient.any())) == (0.0, 0.0, False)
        return
    temperature = temperature_of(distances, regrets, least)
    assert loss.value == pytest.approx(expected_regret(distances, regrets, temperature), abs=1e-6)
    nearest = min(distances[vertex] for vertex in regrets)
    ties = [regret for vertex, regret in regrets.items() if distances[vertex] < nearest + 1e-9]
    assert min(abs(loss.regret - regret) for regret in ties) < 1e-9


@settings(max_examples=30)
@given(drawn=PROBLEMS, steps=st.integers(1, 10), seed=SEEDS, least=st.sampled_from([1.0, 3.0]))
def test_the_gradient_is_that_of_the_definition(
    drawn: tuple[Problem, GridGraph], steps: int, seed: int, least: float
) -> None:
    problem, graph = drawn
    status, table = _state(problem, steps), cost_to_go(problem)
    multipliers = _draw_multipliers(graph.vertex_count, np.random.default_rng(seed))
    distances = believed_distances(problem, status, multipliers)
    regrets = regrets_of(status, distances, table)
    assume(len(regrets) >= 2)
    # The temperature is a constant of the derivative.
    temperature = temperature_of(distances, regrets, least)

    def slope(vertex: int, step: float) -> float:
        moved = multipliers.copy()
        moved[vertex] += step
        after = expected_regret(believed_distances(problem, status, moved), regrets, temperature)
        return (after - value) / step

    value = expected_regret(distances, regrets, temperature)
    gradient = planner_loss(problem, status, multipliers, table, least).gradient
    for vertex in range(graph.vertex_count):
        right, left = slope(vertex, STEP), slope(vertex, -STEP)
        # Where two paths are equally long, the derivatives to the left and to the right differ.
        if abs(right - left) < 1e-4:
            assert gradient[vertex] == pytest.approx((right + left) / 2, abs=1e-3)


def test_the_loss_of_a_choice_by_hand() -> None:
    """The cells beside the start are open; the world is a corridor with the goal to the right."""
    problem = draw_problem("...S...G")
    assert isinstance(problem.graph, GridGraph)
    status = np.full(8, UNSEEN, np.uint8)
    status[[2, 3, 4]] = OPEN, OPEN, OPEN
    multipliers = np.ones(8)
    multipliers[5] = 3.0
    table = np.array([7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    loss = planner_loss(problem, status, multipliers, table, 2.0)
    weights = np.exp(-np.array([7.0, 6.0, 5.0]) / 2.0)
    chances = weights / weights.sum()
    value = chances @ [2.0, 1.0, 0.0]
    assert (loss.value, loss.regret) == pytest.approx((value, 0.0))
    slopes = chances * (value - np.array([2.0, 1.0, 0.0])) / 2.0
    # All paths enter the cells from 5 on, so that their slopes sum up to nothing.
    assert loss.gradient[5:] == pytest.approx([0.0, 0.0, 0.0])
    assert loss.gradient[3:5] == pytest.approx([slopes[0], slopes[:2].sum()])
    assert not loss.gradient[:3].any()


def test_the_derivative_points_from_the_wrong_vertex_to_the_right_one() -> None:
    problem = draw_problem("""
        G......
        ######.
        S......
    """)
    assert isinstance(problem.graph, GridGraph)
    table = cost_to_go(problem)
    status = np.full(21, UNSEEN, np.uint8)
    cells = {name: problem.graph.vertex(cell) for name, cell in {"left": (0, 0), "right": (4, 0)}.items()}
    status[list(cells.values())] = OPEN
    loss = planner_loss(problem, status, np.ones(21), table, 1.0)
    # The wall is not known: the left cell looks closer, and the right one is.
    assert table[cells["left"]] - table[cells["right"]] > MOST_REGRET
    assert loss.regret == MOST_REGRET
    assert loss.gradient[problem.graph.vertex((0, 1))] < 0.0
    known = status.copy()
    known[[problem.graph.vertex((x, 1)) for x in range(6)]] = INVALID
    assert planner_loss(problem, known, np.ones(21), table, 1.0).regret == 0.0


def test_without_a_choice_there_is_no_loss() -> None:
    problem = draw_problem("S..G")
    table = cost_to_go(problem)
    for opened in ([], [0]):
        status = np.full(4, UNSEEN, np.uint8)
        status[opened] = OPEN
        loss = planner_loss(problem, status, np.ones(4), table, 1.0)
        assert (loss.value, loss.regret, loss.gradient.tolist()) == (0.0, 0.0, [0.0] * 4)
    # A closed vertex cuts the way of the one behind it.
    status = np.array([OPEN, CLOSED, OPEN, UNSEEN], np.uint8)
    assert planner_loss(problem, status, np.ones(4), table, 1.0).value == 0.0


def test_vertices_that_cannot_reach_the_goal_do_not_count() -> None:
    problem = draw_problem("S..G")
    status = np.array([OPEN, OPEN, OPEN, UNSEEN], np.uint8)
    table = np.array([np.inf, 2.0, 1.0, 0.0])
    loss = planner_loss(problem, status, np.ones(4), table, 1.0)
    assert loss.value == pytest.approx(np.exp(-1.0) / (1.0 + np.exp(-1.0)))
    far = planner_loss(problem, status, np.ones(4), np.array([9e9, 2.0, 1.0, 0.0]), 1.0)
    assert far.value <= MOST_REGRET


def test_the_temperature_grows_with_the_error() -> None:
    chances, temperature = selection_probabilities(np.array([1.0, 9.0]), np.array([30.0, 0.0]), 2.0)
    assert temperature == 4.0
    assert chances[1] / chances[0] == pytest.approx(np.exp(-2.0))
    chances, temperature = selection_probabilities(np.array([1.0, 9.0]), np.array([0.0, 30.0]), 2.0)
    assert temperature == 2.0
    assert chances.sum() == pytest.approx(1.0)
