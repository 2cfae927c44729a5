from __future__ import annotations

import numpy as np
import pytest

from sailplan.errors import ProblemError
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem

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
