"""The checkers find each fault; that they pass what is right is shown wherever they are used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

from sailplan.core import CompiledForm, Frontier, Outcome, SearchResult, SearchState, StopRule, Trace, search
from sailplan.errors import PolicyError
from sailplan.graphs import EdgeStatus, GridGraph, Problem
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays
from sailplan.policies import BestFirst, OraclePolicy, greedy
from sailplan.policies.keyed.queues import QueueFrontier
from sailplan.testing import check_graph, check_policy, check_result, draw_problem, draw_world
from tests.core.odd_policies import Choosing, first_expanded


class Line:
    """The vertices 0, 1, 2, ... each joined to the next two; what it answers can be spoilt."""

    vertex_count = 100

    def __init__(self, **spoilt: Any) -> None:
        self._spoilt = spoilt
        self._calls = count()

    def successors(self, vertex: int) -> Any:
        if "changing" in self._spoilt:
            return [vertex + 1 + next(self._calls) % 2], [1.0]
        return self._spoilt.get("successors", ([vertex + 1, vertex + 2], [1.0, 2.0]))

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Any:
        return self._spoilt.get("evaluate", [EdgeStatus.VALID] * len(targets))

    def coordinates(self, vertices: Sequence[int]) -> Any:
        return self._spoilt.get("coordinates", np.zeros((len(vertices), 1)))


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        ({"successors": ([1, 2], [1.0])}, r"successors\(0\): 2 vertices but 1 costs"),
        ({"successors": ([1, 1], [1.0, 1.0])}, r"successors\(0\) names a vertex twice"),
        ({"successors": ([1], [-1.0])}, r"successors\(0\): a cost is negative or not finite"),
        ({"successors": ([1], [math.nan])}, r"successors\(0\): a cost is negative or not finite"),
        ({"successors": ([1], [math.inf])}, r"successors\(0\): a cost is negative or not finite"),
        ({"successors": ([100], [1.0])}, r"successors\(0\) names a vertex out of range"),
        ({"successors": ([-1], [1.0])}, r"successors\(0\) names a vertex out of range"),
        ({"changing": True}, r"successors\(0\) differ from one call to the next"),
        ({"evaluate": [EdgeStatus.VALID]}, r"evaluate\(0\) returned 1 results for 2 edges"),
        ({"evaluate": [0, 4]}, r"evaluate\(0\) must return a bool or an EdgeStatus"),
        ({"evaluate": [0, "valid"]}, r"evaluate\(0\) must return a bool or an EdgeStatus"),
        ({"coordinates": np.zeros(3)}, r"coordinates have shape \(3,\), not \(vertices, dimensions\)"),
        ({"coordinates": np.zeros((2, 1))}, r"coordinates\(3 vertices\) has 2 rows"),
        ({"coordinates": np.full((3, 1), np.nan)}, "coordinates must be finite"),
    ],
)
def test_a_graph_that_breaks_the_contract(spoilt: dict[str, Any], message: str) -> None:
    check_graph(Line(), range(3))
    with pytest.raises(AssertionError, match=message):
        check_graph(Line(**spoilt), range(3))


def test_a_graph_must_be_looked_at_somewhere() -> None:
    with pytest.raises(AssertionError, match="check_graph needs at least one vertex"):
        check_graph(Line(), [])


@dataclass(frozen=True, eq=False)
class TwoFaced(GridGraph):
    """Tells the compiled engine of another world."""

    other: GridGraph = field(kw_only=True)

    def arrays(self) -> GridArrays | TerrainArrays:
        return self.other.arrays()


def test_arrays_that_tell_another_story() -> None:
    world, other = draw_world("...\n...\n..."), GridGraph(draw_world("...\n.#.\n..."))
    check_graph(TwoFaced(world, other=GridGraph(world)), range(9))
    with pytest.raises(AssertionError, match="the engines ran different searches"):
        check_graph(TwoFaced(world, other=other), range(9))


@dataclass(frozen=True)
class Scored:
    """Orders by a score that may look where it should not."""

    score: Any
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        return QueueFrontier(state, [(partial(self.score, problem, state), False)])


def test_a_policy_that_gives_up_or_goes_round_in_circles() -> None:
    with pytest.raises(PolicyError, match="the policy selected nothing"):
        check_policy(Choosing(lambda state: None))
    with pytest.raises(PolicyError, match="which is not open"):
        check_policy(Choosing(first_expanded))


def test_a_policy_that_remembers_earlier_searches() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(AssertionError, match="a second search with the same policy differs from the first"):
        check_policy(Scored(lambda problem, state, vertices: rng.random(len(vertices)).tolist()))


def test_a_policy_that_looks_at_the_world() -> None:
    def cells_around_that_are_blocked(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
        graph = problem.graph
        return [sum(map(int, graph.evaluate(vertex, graph.successors(vertex)[0]))) for vertex in vertices]

    with pytest.raises(AssertionError, match="a cell that the search had not touched changed the search"):
        check_policy(Scored(cells_around_that_are_blocked))
    with pytest.raises(AssertionError, match="a cell that the search had not touched changed the search"):
        check_policy(OraclePolicy())
    check_policy(OraclePolicy(), clairvoyant=True)


@dataclass(frozen=True)
class SaysOneDoesAnother(BestFirst):
    """Orders by one key in Python, by another in the compiled engine."""

    def compiled(self, problem: Problem) -> CompiledForm:
        return greedy("zero").compiled(problem)


def test_a_policy_that_differs_between_the_engines() -> None:
    with pytest.raises(AssertionError, match="the engines ran different searches"):
        check_policy(SaysOneDoesAnother(greedy("euclidean").keys))


def test_a_policy_is_checked_on_the_problems_given() -> None:
    opened = []

    @dataclass(frozen=True)
    class Counting(BestFirst):
        def open(self, problem: Problem, state: SearchState) -> QueueFrontier:
            opened.append(problem)
            return super().open(problem, state)

    problem = draw_problem("S.G")
    check_policy(Counting(greedy("euclidean").keys), [problem])
    assert all(each.graph.vertex_count == 3 for each in opened)  # type: ignore[attr-defined]
    assert problem in opened


PROBLEM = draw_problem("S..G")


def _spoilt(**changes: Any) -> SearchResult:
    return replace(search(PROBLEM, greedy("euclidean")), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trace": Trace(0, 3, np.array([0, 1, 1], np.int32))}, "a vertex was expanded twice"),
        ({"expansions": 2}, "a vertex was expanded twice"),
        ({"outcome": Outcome.FRONTIER_EMPTY}, "a path although none was found"),
        ({"outcome": Outcome.TIME_SPENT, "path": ()}, "a cost although no path was found"),
        ({"path": (0, 1, 2)}, "the path does not lead from start to goal"),
        ({"path": (1, 2, 3)}, "the path does not lead from start to goal"),
        ({"path": (0, 2, 3)}, "the path jumps from 0 to 2"),
        ({"cost": 2.0}, "cost 2.0, edges sum to 3.0"),
    ],
)
def test_a_result_that_is_wrong(changes: dict[str, Any], message: str) -> None:
    check_result(PROBLEM, _spoilt())
    with pytest.raises(AssertionError, match=f"^drawing: {message}"):
        check_result(PROBLEM, _spoilt(**changes))


def test_a_path_through_a_wall() -> None:
    with pytest.raises(AssertionError, match="the path takes the invalid edge 0 -> 1"):
        check_result(draw_problem("S#.G"), _spoilt())
