from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Discovery, EdgeStatus, Frontier, Outcome, SearchState, StopRule, open_search, search
from sailplan.errors import GraphError, PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem
from sailplan.policies import a_star, dijkstra, greedy, mha_star, mha_star_near, weighted_a_star
from sailplan.testing import check_policy, check_result, draw_problem
from tests.core.odd_policies import BadScores, Choosing, DepthFirst, RandomChoice, Stack, first_expanded
from tests.naive.best_first import Key, Place, best_first
from tests.strategies import grid_problems


def _euclidean(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(here, goal, strict=True)))


def _manhattan(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return sum(abs(a - b) for a, b in zip(here, goal, strict=True))


def _obstacle(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return min((_euclidean(cost, here, place, []) for place in invalid), default=1e9)


def _clearance(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return -_obstacle(cost, here, goal, invalid)


def _a_star(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return cost + _euclidean(cost, here, goal, invalid)


def _weighted(cost: float, here: Place, goal: Place, invalid: list[Place]) -> float:
    return cost + 11.0 * _euclidean(cost, here, goal, invalid)


RECIPES: dict[str, tuple[Any, list[Key], bool]] = {
    "a_star": (a_star(), [_a_star], True),
    "weighted_a_star": (weighted_a_star(), [_weighted], True),
    "dijkstra": (dijkstra(), [lambda cost, *_: cost], True),
    "h_euc": (greedy("euclidean"), [_euclidean], False),
    "mha_star": (mha_star(), [_euclidean, _manhattan, _clearance], False),
    "mha_star_near": (mha_star_near(), [_euclidean, _manhattan, _obstacle], False),
}


@pytest.mark.parametrize("name", RECIPES)
@settings(max_examples=25)
@given(drawn=grid_problems(8, 8), stop=st.sampled_from(StopRule))
def test_like_the_naive_loop(name: str, drawn: tuple[Problem, GridGraph], stop: StopRule) -> None:
    policy, keys, follows_cost = RECIPES[name]
    result = search(drawn[0], policy, stop=stop, engine="reference")
    naive = best_first(drawn[0], keys, follows_cost=follows_cost, stop_at_generation=stop is StopRule.GOAL_GENERATED)
    assert result.trace.expanded.tolist() == naive.order
    assert (list(result.path), result.cost) == (naive.path, naive.cost)
    assert result.edge_evaluations == naive.edge_evaluations


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_equal_keys_go_by_insertion(engine: Any) -> None:
    problem = draw_problem("G....\n.....\n..S..\n.....\n.....")
    order = search(problem, dijkstra(), engine=engine).trace.expanded.tolist()
    right, up, left, down = 13, 17, 11, 7
    assert order[:9] == [12, right, up, left, down, 18, 16, 6, 8]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_cheaper_path_is_a_new_insertion(engine: Any) -> None:
    graph = ExplicitGraph.from_edges(5, [(0, 1, 3.0), (0, 2, 2.0), (0, 3, 1.0), (3, 1, 1.0), (2, 4, 9.0)])
    session = open_search(Problem(graph, 0, 4), dijkstra(), engine=engine)
    # 1 and 2 both cost 2 once 3 is expanded, and 1 came to that later.
    assert session.run().trace.expanded.tolist() == [0, 3, 2, 1]
    assert session.state.cost[:4].tolist() == [0.0, 2.0, 2.0, 1.0]
    assert session.state.parent[:4].tolist() == [-1, 3, 0, 0]
    assert session.state.depth[:4].tolist() == [0, 2, 1, 1]


@pytest.mark.parametrize("policy", [RandomChoice(0), RandomChoice(1), DepthFirst(), BadScores()])
def test_any_policy_that_keeps_the_contract_is_complete(policy: Any) -> None:
    check_policy(policy)


@given(grid_problems(10, 10))
def test_scores_that_are_not_finite_come_last_and_are_counted(drawn: tuple[Problem, GridGraph]) -> None:
    session = open_search(drawn[0], BadScores())
    result = session.run()
    check_result(drawn[0], result)
    scored = {*session.state.expanded.tolist(), *session.state.frontier.tolist()} if result.expansions else set()
    assert result.policy_evaluations == len(scored)
    assert result.non_finite_scores == sum(vertex % 3 != 2 for vertex in scored)


@pytest.mark.parametrize("vertex", [-1, -5, 0, 3, 4, 5, 10**6])
def test_a_policy_that_selects_what_is_not_open_is_refused(vertex: int) -> None:
    problem = draw_problem("#S..G")
    with pytest.raises(PolicyError, match=f"^the policy selected vertex {vertex}, which is not open$"):
        search(problem, Choosing(lambda state: vertex))


def test_a_policy_that_selects_a_closed_vertex_is_refused() -> None:
    with pytest.raises(PolicyError, match="the policy selected vertex 0, which is not open"):
        search(draw_problem("S.G"), Choosing(first_expanded))


def test_a_policy_that_gives_up_too_early_is_refused() -> None:
    with pytest.raises(PolicyError, match="the policy selected nothing, although there are open vertices"):
        search(draw_problem("S.G"), Choosing(lambda state: None))


def test_a_frontier_learns_what_was_uncovered_before_it_takes_in_the_successors() -> None:
    heard: list[Any] = []

    class Listening(Stack):
        def observe(self, discovery: Discovery) -> None:
            heard.append(discovery)

        def add(self, vertices: Sequence[int]) -> None:
            heard.append(list(vertices))
            super().add(vertices)

    class Policy(DepthFirst):
        def open(self, problem: Problem, state: SearchState) -> Frontier:
            return Listening()

    graph = ExplicitGraph.from_edges(
        5,
        [(0, 1, 5.0), (0, 2, 1.0), (0, 3, 1.0), (2, 1, 1.0), (2, 0, 1.0), (1, 4, 1.0)],
        invalid_edges=[(0, 3)],
        invalid_vertices=[4],
    )
    search(Problem(graph, 0, 3), Policy())
    assert heard == [
        [0],
        Discovery(0, [], [(0, 3)], [1, 2]),
        [1, 2],
        Discovery(2, [], [], [1]),
        [1],
        Discovery(1, [4], [], []),
    ]


class _Graph:
    """A graph whose answers a test can spoil."""

    def __init__(self, targets: Any = (1,), costs: Any = (1.0,), answers: Any = (0,)) -> None:
        self._targets, self._costs, self._answers = targets, costs, answers

    def successors(self, vertex: int) -> Any:
        return self._targets, self._costs

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Any:
        return self._answers

    def coordinates(self, vertices: Sequence[int]) -> Any:
        return np.zeros((len(vertices), 1))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (_Graph(targets=[-1]), r"^successors\(0\) must return vertices and a cost for each"),
        (_Graph(costs=[]), r"^successors\(0\) must return vertices and a cost for each"),
        (_Graph(costs=[-1.0]), "^edge 0 -> 1: its cost must be finite and not negative, got -1.0$"),
        (_Graph(costs=["1"]), "^edge 0 -> 1: its cost must be finite and not negative, got 1$"),
        (_Graph(answers=[]), r"^evaluate\(0\) returned 0 results for 1 edges$"),
        (_Graph(answers=[0, 0]), r"^evaluate\(0\) returned 2 results for 1 edges$"),
        (_Graph(answers=[7]), r"^evaluate\(0\) must return a bool or an EdgeStatus"),
    ],
)
def test_a_graph_that_breaks_the_contract_is_refused(graph: _Graph, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        search(Problem(graph, 0, 5), dijkstra())


@pytest.mark.parametrize("answers", [[True], np.array([True]), [np.True_], [EdgeStatus.VALID], [0]])
def test_true_and_edge_status_valid_say_the_same(answers: Any) -> None:
    assert search(Problem(_Graph(answers=answers), 0, 1), dijkstra()).path == (0, 1)


@pytest.mark.parametrize("answers", [[False], np.array([False]), [EdgeStatus.INVALID_EDGE], [1]])
def test_false_and_edge_status_invalid_edge_say_the_same(answers: Any) -> None:
    session = open_search(Problem(_Graph(answers=answers), 0, 1), dijkstra())
    assert session.run().outcome == Outcome.FRONTIER_EMPTY
    assert session.state.invalid_edges.tolist() == [[0, 1]]


def test_a_graph_may_answer_with_arrays() -> None:
    graph = _Graph(np.array([1], np.int32), np.array([0.1], np.float32), np.array([0], np.uint8))
    session = open_search(Problem(graph, 0, 1), dijkstra())
    result = session.run()
    assert (result.path, result.cost) == ((0, 1), float(np.float32(0.1)))
    assert [type(vertex) for vertex in result.path] == [int, int]


def test_costs_of_low_precision_are_summed_in_high() -> None:
    tenth = np.float32(0.1)
    graph: CallbackGraph[int] = CallbackGraph(lambda state: [(state + 1, tenth)])  # type: ignore[list-item]
    assert search(graph.problem(0, 30), dijkstra()).cost == pytest.approx(30 * float(tenth), rel=1e-15)
