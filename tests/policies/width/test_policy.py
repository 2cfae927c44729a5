from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import StopRule, open_search, search
from sailplan.core.search import EngineName
from sailplan.errors import GraphError, PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem
from sailplan.policies import MixturePolicy, WidthPolicy, bfws, greedy
from sailplan.testing import check_policy, draw_problem
from tests.naive.best_first import best_first
from tests.naive.width import novelty_then_distance
from tests.same import assert_same_result
from tests.strategies import FOUR_CONNECTED, explicit_problems, grid_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])

# The room lies behind the start; the way to the goal leaves it at the bottom.
ROOM = """
    ....#.
    ...S#G
    ....#.
    ......
"""


@both_engines
def test_novelty_counted_by_hand(engine: EngineName) -> None:
    problem = draw_problem(ROOM, FOUR_CONNECTED)
    assert isinstance(problem.graph, GridGraph)
    result = search(problem, WidthPolicy("manhattan"), engine=engine)
    # Above, left of and below the start (h = 3), x or y is new. (2, 3) and (2, 1) are 4 away, where x = 2, y = 3 and
    # y = 1 were met 3 away: w = 2. So are (1, 3) and (1, 1), 5 away. At (1, 2) x is new, at (3, 0) y, both 4 away.
    order = [(3, 2), (3, 3), (2, 2), (3, 1), (1, 2), (3, 0), (4, 0), (5, 0), (5, 1)]
    assert [problem.graph.cell(vertex) for vertex in result.trace.expanded] == order
    passed_over = {(2, 3), (2, 1)}
    by_distance = search(problem, greedy("manhattan"), engine=engine).trace.expanded
    assert {problem.graph.cell(vertex) for vertex in by_distance} == {*order} | passed_over


@both_engines
def test_an_atom_met_farther_away_is_new_again(engine: EngineName) -> None:
    places = [[0.0, 10.0], [10.0, 3.0], [5.0, 5.0], [0.0, 3.0], [0.0, 0.0]]
    graph = ExplicitGraph.from_edges(5, [(0, target, 1.0) for target in (1, 2, 3)], coordinates=places)
    # x = 0 was met 10 away and y = 3 more than 10 away; 3, which has both, is 3 away.
    assert search(Problem(graph, 0, 4), bfws(), engine=engine).trace.expanded.tolist() == [0, 3, 2, 1]


@both_engines
def test_the_others_wait_until_nothing_novel_is_left(engine: EngineName) -> None:
    places = [[0.0, 2.0], [2.0, 0.0], [2.0, 2.0], [9.0, 9.0], [0.0, 0.0]]
    edges = [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0)]
    graph = ExplicitGraph.from_edges(5, edges, coordinates=places)
    # x = 2 and y = 2 were met closer to the goal than 2 is, so that 3 comes first, far away as it is.
    assert search(Problem(graph, 0, 4), bfws(), engine=engine).trace.expanded.tolist() == [0, 1, 3, 2]


@both_engines
@settings(max_examples=40)
@given(drawn=st.one_of(grid_problems(8, 8), explicit_problems(20)), stop=st.sampled_from(StopRule))
def test_like_the_definition(
    engine: EngineName, drawn: tuple[Problem, GridGraph | ExplicitGraph], stop: StopRule
) -> None:
    problem, _ = drawn
    result = search(problem, bfws(), stop=stop, engine=engine)
    naive = best_first(
        problem,
        [novelty_then_distance()],
        follows_cost=False,
        stop_at_generation=stop is StopRule.GOAL_GENERATED,
    )
    assert result.trace.expanded.tolist() == naive.order
    assert (list(result.path), result.cost) == (naive.path, naive.cost)


@given(grid_problems(10, 10, [FOUR_CONNECTED]))
def test_on_a_graph_of_callbacks(drawn: tuple[Problem, GridGraph]) -> None:
    problem, grid = drawn

    def succ(cell: tuple[int, int]) -> list[tuple[tuple[int, int], float]]:
        targets, costs = grid.successors(grid.vertex(cell))
        return [(grid.cell(target), cost) for target, cost in zip(targets, costs, strict=True)]

    graph = CallbackGraph(succ, lambda cell, target: grid.world.is_free(target))
    met = graph.problem(grid.cell(problem.start), grid.cell(problem.goal))
    expanded = [grid.vertex(graph.state(vertex)) for vertex in search(met, bfws()).trace.expanded]
    assert expanded == search(problem, bfws(), engine="compiled").trace.expanded.tolist()


def test_what_is_infinitely_far_is_refused() -> None:
    places = [[0.0, 1.0], [1e200, 3.0], [0.0, 2.0], [0.0, 0.0]]
    with pytest.raises(GraphError, match="coordinates must be finite, at most 1e\\+100"):
        ExplicitGraph.from_edges(4, [(0, 1, 1.0), (0, 2, 1.0)], coordinates=places)


def test_searches_share_no_memory_of_what_was_met() -> None:
    problem, policy = draw_problem(ROOM), bfws()
    sessions = [open_search(problem, policy, engine="compiled") for _ in range(2)]
    assert_same_result(sessions[0].run(), sessions[1].run())


@both_engines
def test_a_graph_without_coordinates_is_refused(engine: EngineName) -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])
    for heuristic in ("zero", "euclidean"):
        with pytest.raises(GraphError, match="this graph has no coordinates"):
            search(Problem(graph, 0, 1), WidthPolicy(heuristic), engine=engine)


@pytest.mark.parametrize("heuristic", ["zero", "manhattan", "octile"])
def test_every_distance_keeps_the_contract(heuristic: str) -> None:
    check_policy(WidthPolicy(heuristic))


def test_a_mixture_with_it_runs_in_both_engines() -> None:
    policy = MixturePolicy(bfws(), greedy("euclidean"), 0.5, 1)
    result = search(draw_problem(ROOM), policy)
    assert (result.found, result.engine) == (True, "compiled")
    assert_same_result(result, search(draw_problem(ROOM), policy, engine="reference"))


@pytest.mark.parametrize("heuristic", ["obstacle", "", "euclid"])
def test_what_is_no_distance_to_the_goal(heuristic: str) -> None:
    with pytest.raises(PolicyError, match=f"^no distance to the goal '{heuristic}'; there are zero, euclidean"):
        WidthPolicy(heuristic)
