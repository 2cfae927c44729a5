from __future__ import annotations

import pytest

from sailplan.core import Limits, SearchState, open_search
from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.errors import SailplanError
from sailplan.graphs import CallbackGraph
from sailplan.policies import dijkstra, greedy
from sailplan.testing import draw_problem

PICTURE = """
    .#..
    S..G
"""


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_what_is_open_closed_and_invalid_after_one_expansion(engine: str) -> None:
    session = open_search(draw_problem(PICTURE), greedy("euclidean"), engine=engine)  # type: ignore[arg-type]
    session.run(Limits(expansions=1))
    state = session.state
    assert state.status.tolist() == [CLOSED, OPEN, UNSEEN, UNSEEN, OPEN, INVALID, UNSEEN, UNSEEN]
    assert state.frontier.tolist() == [1, 4]
    assert state.expanded.tolist() == [0]
    assert state.invalid.tolist() == [5]
    assert (state.cost[4], state.parent[4], state.depth[4], state.expansions) == (1.0, 0, 1, 1)
    assert state.path_to(4) == [0, 4]


@pytest.mark.parametrize("vertex", [2, 5])
def test_there_is_no_path_to_what_was_not_reached(vertex: int) -> None:
    session = open_search(draw_problem(PICTURE), greedy("euclidean"))
    session.run(Limits(expansions=1))
    with pytest.raises(SailplanError, match=f"^no path to vertex {vertex} has been found$"):
        session.state.path_to(vertex)


def test_room_grows_and_keeps_what_was_there() -> None:
    state = SearchState(2)
    state.arrays.status[:] = OPEN, CLOSED
    state.arrays.cost[:] = 1.5, 2.5
    state.count_scores(7, 3)
    state.forbid([], [(0, 1)])
    for room in (1, 2):
        state.make_room(room)
        assert len(state.status) == 2
    state.make_room(3)
    assert len(state.status) == len(state.arrays.expanded) == 4
    state.make_room(100)
    assert state.status.tolist() == [OPEN, CLOSED] + [UNSEEN] * 98
    assert state.cost[:2].tolist() == [1.5, 2.5]
    assert state.frontier.tolist() == [0]
    assert state.invalid_edges.tolist() == [[0, 1]]


def test_the_log_of_invalid_edges_grows_by_what_it_takes() -> None:
    state = SearchState(3)
    edges = [(source, source + 1) for source in range(5000)]
    state.forbid([], edges[:10])
    state.forbid([1], edges[10:])
    assert state.invalid_edges.tolist() == [list(edge) for edge in edges]
    assert state.invalid.tolist() == [1]


def test_the_open_list_of_a_growing_search_is_whole() -> None:
    graph = CallbackGraph(lambda state: [(2 * state, 1.0), (2 * state + 1, 1.0)])
    session = open_search(graph.problem(1, 0), dijkstra())
    session.run(Limits(expansions=2**12 - 1))
    open_states = [graph.state(vertex) for vertex in session.state.frontier.tolist()]
    assert sorted(open_states) == list(range(2**12, 2**13))
    assert session.state.depth[session.state.frontier].tolist() == [12] * 2**12
