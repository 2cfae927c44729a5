from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sailplan.core import Limits, search
from sailplan.errors import GraphError
from sailplan.graphs import CallbackGraph, EdgeStatus, Problem
from sailplan.policies import a_star, dijkstra, greedy
from sailplan.testing import check_graph

Point = tuple[int, int]


def _lattice(state: Point) -> list[tuple[Point, float]]:
    x, y = state
    return [((x + 1, y), 1.0), ((x, y + 1), 1.0), ((x - 1, y), 1.0), ((x, y - 1), 1.0)]


def _line(state: int) -> list[tuple[int, float]]:
    return [(state + 1, 1.0)]


def _search(graph: CallbackGraph[Any], start: Any = 0, goal: Any = 3) -> list[Any]:
    return [graph.state(vertex) for vertex in search(graph.problem(start, goal), dijkstra()).path]


def test_an_infinite_graph_is_searched_as_far_as_it_takes() -> None:
    graph = CallbackGraph(_lattice, lambda here, there: there != (1, 1))
    problem = graph.problem((0, 0), (3, 3))
    result = search(problem, a_star("manhattan"))
    assert (result.engine, result.cost) == ("reference", 6.0)
    assert (1, 1) not in [graph.state(vertex) for vertex in result.path]
    check_graph(graph, range(10))


def test_an_infinite_graph_without_a_path_spends_its_budget() -> None:
    graph = CallbackGraph(_lattice)
    nowhere = graph.problem((0, 0), (math.inf, 0))  # type: ignore[arg-type]
    result = search(nowhere, dijkstra(), Limits(expansions=5000))
    assert (result.outcome, result.expansions) == ("expansions_spent", 5000)


def test_states_are_any_hashable_things_and_keep_their_numbers() -> None:
    links: dict[object, list[tuple[object, float]]] = {
        "a": [(None, 1.0)],
        None: [(frozenset({1}), 2.0)],
        frozenset({1}): [],
    }
    graph = CallbackGraph(links.__getitem__)
    assert _search(graph, "a", frozenset({1})) == ["a", None, frozenset({1})]
    assert [graph.vertex(state) for state in ("a", frozenset({1}), None)] == [0, 1, 2]


def test_numbers_given_out_by_earlier_searches_are_far_beyond_the_room_of_a_new_one() -> None:
    graph = CallbackGraph(_line)
    search(graph.problem(0, 5000), dijkstra())
    result = search(graph.problem(4000, 4990), dijkstra())
    assert [graph.state(vertex) for vertex in result.path] == list(range(4000, 4991))
    assert result.expansions == 990


def test_of_two_edges_to_one_state_the_cheaper_is_kept() -> None:
    graph: CallbackGraph[str] = CallbackGraph(lambda state: [("b", 3.0), ("c", 1.0), ("b", 2.0), ("b", 5.0)])
    targets, costs = graph.successors(graph.vertex("a"))
    assert [graph.state(target) for target in targets] == ["b", "c"]
    assert costs == [2.0, 1.0]


def test_successors_may_come_one_by_one() -> None:
    def count_up(state: int) -> Iterator[tuple[int, float]]:
        yield state + 1, 1
        yield state + 2, 3

    assert _search(CallbackGraph(count_up)) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (True, EdgeStatus.VALID),
        (False, EdgeStatus.INVALID_EDGE),
        (np.True_, EdgeStatus.VALID),
        (np.False_, EdgeStatus.INVALID_EDGE),
        (EdgeStatus.VALID, EdgeStatus.VALID),
        (EdgeStatus.INVALID_TARGET, EdgeStatus.INVALID_TARGET),
    ],
)
def test_what_eval_may_answer(answer: bool | EdgeStatus, status: EdgeStatus) -> None:
    graph = CallbackGraph(_line, lambda here, there: answer)
    graph.vertex(0)
    assert graph.evaluate(0, graph.successors(0)[0]) == [status]


@pytest.mark.parametrize("answer", [0, 1, None, "yes", np.int64(0), 1.0])
def test_what_eval_may_not_answer(answer: Any) -> None:
    with pytest.raises(GraphError, match=r"^eval\(0, 1\) failed: TypeError: it must return a bool or an EdgeStatus"):
        _search(CallbackGraph(_line, lambda here, there: answer))


def test_a_callback_that_raises_is_named() -> None:
    def broken(*states: int) -> Any:
        raise ZeroDivisionError("oh")

    with pytest.raises(GraphError, match=r"^succ\(0\) failed: ZeroDivisionError: oh$"):
        _search(CallbackGraph(broken))
    with pytest.raises(GraphError, match=r"^eval\(0, 1\) failed: ZeroDivisionError: oh$"):
        _search(CallbackGraph(_line, broken))
    with pytest.raises(GraphError, match=r"^no coordinates for the state 3 \(ZeroDivisionError: oh\)"):
        search(CallbackGraph(_line, coordinates=broken).problem(0, 3), greedy("euclidean"))


@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf, "dear", None])
def test_a_bad_cost_is_refused(cost: Any) -> None:
    with pytest.raises(GraphError, match=f"its cost must be finite and not negative, got {cost}"):
        _search(CallbackGraph(lambda state: [(state + 1, cost)]))


@pytest.mark.parametrize("cost", [1e101, 10**400, -(10**5000)], ids=["float", "integer", "negative"])
def test_a_huge_cost_is_refused(cost: float) -> None:
    with pytest.raises(GraphError, match=r"^edge 0 -> \d: its cost must be not negative and at most 1e\+100$"):
        _search(CallbackGraph(lambda state: [(state + 1, cost)]))


@pytest.mark.parametrize("answer", [None, [1], [(1, 2.0, 3)], 7])
def test_what_succ_may_not_answer(answer: Any) -> None:
    with pytest.raises(GraphError, match=r"^succ\(0\) failed: "):
        _search(CallbackGraph(lambda state: answer))


def test_a_state_that_cannot_be_hashed_is_refused() -> None:
    # Python 3.14 names the dictionary too.
    fault = r"(unhashable type: 'list'|cannot use 'list' as a dict key \(unhashable type: 'list'\))"
    with pytest.raises(GraphError, match=rf"^succ\(0\) failed: TypeError: {fault}$"):
        _search(CallbackGraph(lambda state: [([state], 1.0)]))
    with pytest.raises(GraphError, match=r"^the state \[0\] cannot be hashed"):
        CallbackGraph(_line).problem([0], 1)  # type: ignore[arg-type]


def test_coordinates_are_asked_for_or_read_from_the_state() -> None:
    numbers = CallbackGraph(_lattice)
    numbers.problem((0, 0), (1, 2))
    assert numbers.coordinates([0, 1]).tolist() == [[0, 0], [1, 2]]
    words: CallbackGraph[str] = CallbackGraph(lambda word: [], coordinates=lambda word: [len(word), 1])
    words.problem("a", "abc")
    assert words.coordinates([0, 1]).tolist() == [[1, 1], [3, 1]]
    wordless = CallbackGraph(lambda word: [("b", 1.0)]).problem("a", "c")
    with pytest.raises(GraphError, match="give coordinates=, or use a policy that needs no distance"):
        search(wordless, greedy("euclidean"))
    assert search(wordless, dijkstra()).outcome == "frontier_empty"


@dataclass(frozen=True)
class _LetsOthersIn:
    """A state at whose every look-up another thread may come in between."""

    number: int

    def __hash__(self) -> int:
        time.sleep(1e-5)
        return self.number


def test_threads_that_meet_the_same_states_agree_on_their_numbers() -> None:
    graph: CallbackGraph[_LetsOthersIn] = CallbackGraph(lambda state: [])
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: [graph.vertex(_LetsOthersIn(n)) for n in range(100)], range(8)))
    assert all(given == numbers[0] for given in numbers)
    assert [graph.state(vertex).number for vertex in numbers[0]] == list(range(100))
    assert sorted(numbers[0]) == list(range(100))


def test_an_invalid_target_that_was_reached_before_is_a_contradiction() -> None:
    links = {0: [(1, 1.0), (2, 9.0)], 1: [(2, 1.0)], 2: []}
    graph = CallbackGraph(
        links.__getitem__, lambda here, there: EdgeStatus.INVALID_TARGET if (here, there) == (1, 2) else True
    )
    with pytest.raises(GraphError, match="is reported as invalid, but another edge into it was valid"):
        search(Problem(graph, graph.vertex(0), graph.vertex(7)), dijkstra())


@pytest.mark.parametrize("callbacks", [(3,), (None,), (lambda state: [], 3), (lambda state: [], None, "places")])
def test_what_is_no_function_is_refused(callbacks: Any) -> None:
    with pytest.raises(GraphError, match=r"^(succ|eval|coordinates) must be a function, got (int|NoneType|str)$"):
        CallbackGraph(*callbacks)
