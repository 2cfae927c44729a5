from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sailplan.core import search
from sailplan.core.search import EngineName
from sailplan.errors import PolicyError
from sailplan.graphs import CallbackGraph, GridGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies import OraclePolicy
from sailplan.testing import draw_problem
from tests.same import assert_same_result
from tests.strategies import grid_problems

TRAP = """
    .......
    .####..
    S...#.G
    .####..
    .......
"""


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_it_walks_past_a_trap(engine: str) -> None:
    problem = draw_problem(TRAP)
    result = search(problem, OraclePolicy(), engine=engine)  # type: ignore[arg-type]
    assert result.expansions == len(result.path) - 1
    assert result.cost == pytest.approx(cost_to_go(problem)[problem.start])


@given(grid_problems(12, 12))
def test_every_expansion_is_a_step_to_the_goal(drawn: tuple[Problem, GridGraph]) -> None:
    problem, _ = drawn
    result = search(problem, OraclePolicy())
    costs = cost_to_go(problem)[result.trace.expanded].tolist()
    # Some successor of each vertex is closer to the goal than all that is open.
    assert costs == sorted(costs, reverse=True)
    assert result.expansions == len(result.path) - 1 or not result.found


def test_on_a_graph_of_callbacks() -> None:
    graph = CallbackGraph(lambda state: [((state * 2) % 11, 1.0), ((state + 1) % 11, 1.0)])
    result = search(graph.problem(1, 9), OraclePolicy())
    # 1 -> 2 -> 4 -> 8 -> 9, and no vertex beside.
    assert [graph.state(vertex) for vertex in result.path] == [1, 2, 4, 8, 9]
    assert result.expansions == 4


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@given(drawn=grid_problems(12, 12))
def test_a_table_at_hand_is_taken_for_the_cost_to_go(engine: EngineName, drawn: tuple[Problem, GridGraph]) -> None:
    problem, _ = drawn
    at_hand = OraclePolicy(cost_to_go(problem))
    assert_same_result(search(problem, at_hand, engine=engine), search(problem, OraclePolicy(), engine=engine))
    turned = search(problem, OraclePolicy(-cost_to_go(problem)), engine=engine)
    assert turned.found == search(problem, OraclePolicy(), engine=engine).found


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_table_of_another_graph_is_refused(engine: EngineName) -> None:
    for vertices in (0, 34, 36):
        with pytest.raises(PolicyError, match=f"^drawing: a table of {vertices} costs for another number of vertices$"):
            search(draw_problem(TRAP), OraclePolicy(np.zeros(vertices)), engine=engine)
