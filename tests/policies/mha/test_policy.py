from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, Policy, StopRule, open_search, search
from sailplan.errors import GraphError, PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem
from sailplan.policies import (
    LazyPolicy,
    MultiHeuristic,
    OraclePolicy,
    bfws,
    breadth_first,
    dijkstra,
    greedy,
    load_policy,
    mha_star,
    optimistic,
    shared_mha_star,
    weighted_a_star,
)
from sailplan.policies.random_order.policy import RandomPolicy
from sailplan.testing import check_policy, check_result, draw_problem
from tests.learned_policies import RULES, random_policy
from tests.naive.dijkstra import cost_to_go
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

PROBLEMS = st.one_of(grid_problems(12, 15), grid_problems(10, 12, terrain=True), explicit_problems(25))
WEIGHTS = st.sampled_from([1.0, 1.1, 1.5, 3.0])
# Policies that disagree and mislead. As many of one kind as `smha_star` has, and all with obstacles, because each
# combination is compiled separately.
PARTS = st.sampled_from(
    [
        (greedy("euclidean"), greedy("obstacle"), greedy("manhattan")),
        (greedy("clearance"), mha_star(), greedy("octile")),
        (breadth_first(), weighted_a_star(3.0, "manhattan"), greedy("obstacle")),
    ]
)
PAIR = MultiHeuristic((greedy("euclidean"), greedy("manhattan")), 1.2, 1.3)
ANCHOR = st.sampled_from(["auto", "zero"])
Drawn = tuple[Problem, GridGraph | ExplicitGraph]


@settings(max_examples=300)
@given(PROBLEMS, PARTS, WEIGHTS, WEIGHTS, ANCHOR, st.sampled_from(["compiled", "reference"]))
def test_the_cost_is_within_the_bound(
    drawn: Drawn, parts: tuple[Policy, ...], w1: float, w2: float, anchor: str, engine: str
) -> None:
    problem, graph = drawn
    result = search(problem, MultiHeuristic(parts, w1, w2, anchor), engine=engine)  # type: ignore[arg-type]
    costs = cost_to_go(graph, range(graph.vertex_count), problem.goal)
    check_result(problem, result)
    assert result.found == (problem.start in costs)
    if result.found:
        assert result.bound == w1 * w2
        assert result.cost <= w1 * w2 * costs[problem.start] + 1e-9


@settings(max_examples=100)
@given(PROBLEMS, PARTS, WEIGHTS, WEIGHTS, st.sampled_from(StopRule), st.lists(st.integers(0, 60), max_size=4))
def test_engines_agree_at_every_limit_of_evaluations(
    drawn: Drawn, parts: tuple[Policy, ...], w1: float, w2: float, stop: StopRule, limits: list[int]
) -> None:
    policy = MultiHeuristic(parts, w1, w2)
    sessions = [open_search(drawn[0], policy, stop=stop, engine=engine) for engine in ("compiled", "reference")]
    for most in sorted(limits):
        one, other = (session.run(Limits(evaluations=most)) for session in sessions)
        assert one.edge_evaluations <= most
        assert_same_result(one, other)
        assert_same_state(sessions[0].state, sessions[1].state)
    resumed = [session.run() for session in sessions]
    assert_same_result(resumed[0], resumed[1])
    assert_same_state(sessions[0].state, sessions[1].state)
    assert_same_result(resumed[0], search(drawn[0], policy, stop=stop))


@settings(max_examples=60)
@given(grid_problems(12, 15), st.integers(0, 1000), st.sampled_from(RULES), st.sampled_from(["relative", "paper17"]))
def test_engines_agree_with_policies_of_several_kinds(
    drawn: tuple[Problem, GridGraph], seed: int, rescore: str, features: str
) -> None:
    policy = MultiHeuristic((random_policy(seed, features, rescore), bfws(), RandomPolicy(seed)), 1.1, 1.2)
    assert_same_result(*(search(drawn[0], policy, engine=engine) for engine in ("compiled", "reference")))


@settings(max_examples=30)
@given(explicit_problems(20), st.integers(1, 60))
def test_edges_that_python_evaluates(drawn: tuple[Problem, ExplicitGraph], most: int) -> None:
    problem, graph = drawn
    checked = ExplicitGraph(graph.rows, graph.evaluate_edges)
    session = open_search(Problem(checked, problem.start, problem.goal), PAIR, engine="compiled")
    session.run(Limits(expansions=1))
    session.run(Limits(evaluations=most))
    assert_same_result(session.run(), search(problem, PAIR))


def test_the_contract_holds_with_the_queue_of_a_learned_score() -> None:
    check_policy(shared_mha_star(1.5, [load_policy("walls")]))


def test_a_good_policy_leads_the_search() -> None:
    problem = draw_problem("""
        .........
        .######..
        ......#..
        S.....#.G
        ......#..
    """)
    alone = search(problem, OraclePolicy())
    result = search(problem, shared_mha_star(3.0, [OraclePolicy()]))
    assert result.trace.expanded.tolist() == alone.trace.expanded.tolist()
    assert result.outcome is Outcome.PATH_CONFIRMED
    assert result.bound == pytest.approx(3.0)


def test_a_vertex_that_costs_too_much_waits_for_the_anchor() -> None:
    # The policy would go 0, 1, 2, 3: a path that costs ten times the other one.
    edges = [(0, 1, 5.0), (1, 2, 5.0), (2, 3, 0.0), (0, 3, 1.0)]
    graph = ExplicitGraph.from_edges(4, edges, coordinates=[(0, 0), (1, 0), (2, 0), (3, 0)])
    result = search(Problem(graph, 0, 3), MultiHeuristic((greedy("euclidean"),), 1.0, 2.0, "zero"))
    assert (result.path, result.cost, result.expansions) == ((0, 3), 1.0, 1)


def test_a_path_that_becomes_cheaper_is_passed_on_without_a_second_expansion() -> None:
    # The policy expands 0, 2, 3, 4 along the dear edge (0, 2); then the anchor finds the cheap way to 2.
    edges = [(0, 2, 10.0), (0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0)]
    graph = ExplicitGraph.from_edges(6, edges, coordinates=[(5, 0), (6, 0), (3, 0), (2, 0), (1, 0), (0, 0)])
    result = search(Problem(graph, 0, 5), MultiHeuristic((greedy("euclidean"),), 1.0, 100.0, "zero"))
    assert result.cost == 13.0
    result = search(Problem(graph, 0, 5), MultiHeuristic((greedy("euclidean"),), 1.0, 1.5, "zero"))
    assert (result.cost, result.path) == (5.0, (0, 1, 2, 3, 4, 5))
    assert sorted(result.trace.expanded.tolist()) == [0, 1, 2, 3, 4]


def test_an_anchor_that_may_overestimate_proves_nothing() -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0, 0), (3, 0)])
    problem = Problem(graph, 0, 1)
    assert search(problem, MultiHeuristic((greedy("euclidean"),), 1.1, 1.1, "euclidean")).bound == math.inf
    assert search(problem, MultiHeuristic((greedy("euclidean"),), 1.0, 1.1)).bound == 1.1
    assert search(problem, MultiHeuristic((greedy("euclidean"),)), stop=StopRule.GOAL_GENERATED).bound == math.inf


def test_policies_without_a_compiled_form_run_in_the_reference_engine() -> None:
    problem = draw_problem("S.#G ....")
    result = search(problem, shared_mha_star(1.5, [optimistic()]))
    assert (result.found, result.engine) == (True, "reference")
    endless = CallbackGraph(lambda place: [(place + 1, 1.0), (place - 1, 1.0)]).problem(0, 1500)
    assert search(endless, shared_mha_star(1.5, [dijkstra()])).cost == 1500.0


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_policies_that_request_edges_are_refused(engine: str) -> None:
    with pytest.raises(PolicyError, match=r"multi-heuristic A\* needs policies that choose vertices"):
        search(draw_problem("S.G"), shared_mha_star(1.5, [LazyPolicy()]), engine=engine)  # type: ignore[arg-type]


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PolicyError, match=r"^multi-heuristic A\* needs at least one policy$"):
        MultiHeuristic(())
    with pytest.raises(PolicyError, match=r"^no anchor 'far'; there are auto, octile, euclidean, zero$"):
        MultiHeuristic((dijkstra(),), anchor="far")
    for weight in (0.9, math.inf, math.nan, True):
        with pytest.raises(PolicyError, match="must be a finite number, at least 1"):
            MultiHeuristic((dijkstra(),), w2=weight)
        with pytest.raises(PolicyError, match="must be a finite number, at least 1"):
            shared_mha_star(weight)
    bare = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])
    with pytest.raises(GraphError, match="no coordinates"):
        search(Problem(bare, 0, 1), MultiHeuristic((dijkstra(),), anchor="euclidean"))
