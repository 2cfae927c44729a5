from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, StopRule, open_search, search
from sailplan.errors import PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem
from sailplan.policies import LazyWeightedAStar, a_star
from sailplan.testing import check_policy, check_result, draw_problem
from tests.naive.dijkstra import cost_to_go
from tests.naive.lazy_weighted import evaluated_edges
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

PROBLEMS = st.one_of(grid_problems(12, 15), grid_problems(10, 12, terrain=True), explicit_problems(25))
WEIGHTS = st.sampled_from([1.0, 1.2, 2.0, 10.0])
Drawn = tuple[Problem, GridGraph | ExplicitGraph]


@settings(max_examples=300)
@given(PROBLEMS, WEIGHTS, st.sampled_from(["auto", "zero"]), st.sampled_from(["compiled", "reference"]))
def test_the_cost_is_within_the_bound(drawn: Drawn, weight: float, heuristic: str, engine: str) -> None:
    problem, graph = drawn
    result = search(problem, LazyWeightedAStar(weight, heuristic), engine=engine)  # type: ignore[arg-type]
    costs = cost_to_go(graph, range(graph.vertex_count), problem.goal)
    check_result(problem, result)
    assert result.found == (problem.start in costs)
    if result.found:
        assert (result.outcome, result.bound) == (Outcome.PATH_CONFIRMED, weight)
        assert result.cost <= weight * costs[problem.start] + 1e-9


@settings(max_examples=150)
@given(PROBLEMS, WEIGHTS, st.sampled_from(StopRule), st.lists(st.integers(0, 60), max_size=4))
def test_engines_agree_at_every_limit_of_evaluations(
    drawn: Drawn, weight: float, stop: StopRule, limits: list[int]
) -> None:
    policy = LazyWeightedAStar(weight)
    sessions = [open_search(drawn[0], policy, stop=stop, engine=engine) for engine in ("compiled", "reference")]
    for most in [*sorted(limits), None]:
        one, other = (session.run(Limits(evaluations=most)) for session in sessions)
        assert most is None or one.edge_evaluations <= most
        assert_same_result(one, other)
        assert_same_state(sessions[0].state, sessions[1].state)
    assert_same_result(sessions[0].run(), search(drawn[0], policy, stop=stop))


@settings(max_examples=100)
@given(explicit_problems(15), WEIGHTS, st.integers(0, 2**32 - 1))
def test_the_edges_are_those_of_the_naive_search(
    drawn: tuple[Problem, ExplicitGraph], weight: float, seed: int
) -> None:
    rows = drawn[1].rows
    sources = np.repeat(np.arange(drawn[1].vertex_count), np.diff(rows.first))
    lengths = np.linalg.norm(rows.coordinates[sources] - rows.coordinates[rows.targets], axis=1)
    # Random costs, at least the lengths, so that there are no ties.
    costs = lengths + np.random.default_rng(seed).uniform(0.1, 2.0, len(lengths))
    graph = ExplicitGraph(rows._replace(costs=costs))
    problem = Problem(graph, drawn[0].start, drawn[0].goal)
    goal = rows.coordinates[problem.goal]

    def distance(vertex: int) -> float:
        return float(np.linalg.norm(rows.coordinates[vertex] - goal))

    expected = evaluated_edges(graph, problem.start, problem.goal, weight, distance)
    found = search(problem, LazyWeightedAStar(weight)).trace.evaluated.tolist()
    assert [tuple(edge) for edge in found] == expected


def test_fewer_edges_are_evaluated_than_by_a_star() -> None:
    problem = draw_problem("""
        ..........
        .#######..
        .......#..
        S......#.G
        .......#..
    """)
    lazy, eager = search(problem, LazyWeightedAStar()), search(problem, a_star("octile"))
    assert lazy.cost == pytest.approx(eager.cost)
    assert lazy.edge_evaluations < eager.edge_evaluations / 2
    assert lazy.expansions == 0


@settings(max_examples=30)
@given(explicit_problems(20), st.integers(1, 30))
def test_edges_that_python_evaluates(drawn: tuple[Problem, ExplicitGraph], most: int) -> None:
    problem, graph = drawn
    checked = ExplicitGraph(graph.rows, graph.evaluate_edges)
    session = open_search(Problem(checked, problem.start, problem.goal), LazyWeightedAStar(1.5), engine="compiled")
    session.run(Limits(evaluations=most))
    assert_same_result(session.run(), search(problem, LazyWeightedAStar(1.5)))


def test_graphs_without_arrays_or_end() -> None:
    endless = CallbackGraph(lambda place: [(place + 1, 1.0), (place - 1, 1.0)]).problem(0, 1500)
    assert search(endless, LazyWeightedAStar()).cost == 1500.0


def test_the_contract_holds_with_a_weight() -> None:
    check_policy(LazyWeightedAStar(2.0))


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PolicyError, match=r"^no heuristic 'far'; there are auto, octile, euclidean, zero$"):
        LazyWeightedAStar(heuristic="far")
    for weight in (0.9, math.inf, math.nan, True):
        with pytest.raises(PolicyError, match="must be a finite number, at least 1"):
            LazyWeightedAStar(weight)
