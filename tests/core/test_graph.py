from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest

from sailplan.errors import ProblemError
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem, from_networkx
from sailplan.testing import draw_problem

PAIR = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])


@pytest.mark.parametrize(
    ("start", "goal", "message"),
    [
        (-1, 0, "the start -1 is not a vertex of the graph"),
        (0, 2, "the goal 2 is not a vertex of the graph"),
        (0, 1.0, "the goal 1.0 is not a vertex number"),
        (None, 1, "the start None is not a vertex number"),
    ],
)
def test_ends_outside_the_graph_are_refused(start: int, goal: int, message: str) -> None:
    with pytest.raises(ProblemError, match=f"^pair: {message}$"):
        Problem(PAIR, start, goal, name="pair")


def test_an_unbounded_graph_takes_any_number_that_is_not_negative() -> None:
    graph: CallbackGraph[int] = CallbackGraph(lambda state: [(state + 1, 1.0)])
    assert Problem(graph, 0, 10**6).goal == 10**6
    with pytest.raises(ProblemError, match="the goal -1"):
        Problem(graph, 0, -1)


def test_start_and_goal_may_be_one_and_come_as_any_integer() -> None:
    problem = Problem(PAIR, np.int32(1), np.uint8(1))  # type: ignore[arg-type]
    assert (problem.start, problem.goal) == (1, 1)
    assert type(problem.start) is type(problem.goal) is int


def test_the_states_of_a_path_on_every_kind_of_graph() -> None:
    assert draw_problem("S.G").states([0, 2]) == [(0, 0), (2, 0)]
    assert CallbackGraph(lambda town: [("Bonn", 2.0)]).problem("Jena", "Bonn").states([1, 0]) == ["Bonn", "Jena"]
    assert Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), 0, 1).states(np.array([0, 1])) == [0, 1]
    roads = networkx.Graph([("a", "b")])
    assert from_networkx(roads).problem("a", "b").states([0, 1]) == ["a", "b"]


def test_what_is_no_graph_is_refused_in_one_line() -> None:
    graph: Any
    for graph in (None, "roads", [[0, 1]], networkx.Graph()):
        with pytest.raises(ProblemError, match="a graph needs the methods successors, evaluate and coordinates"):
            Problem(graph, 0, 1)
