"""Replanning on compiled graphs that register only what every compiled graph must."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import StopRule, search
from sailplan.core.graph import Problem
from sailplan.core.search import EngineName
from sailplan.graphs import ExplicitGraph
from sailplan.policies.replanning.beliefs import Belief, Optimistic, Refresh
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic, whole_costs
from tests.naive.dijkstra import cost_to_go
from tests.plain_graphs import PlainGraph, plain_problems
from tests.policies.replanning.test_policy import FICKLE, Fickle, Naive
from tests.same import assert_same_result

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])


@both_engines
@settings(max_examples=150)
@given(drawn=plain_problems(25), belief=st.one_of(st.just(Optimistic()), FICKLE), stop=st.sampled_from(StopRule))
def test_like_all_distances_from_scratch(
    engine: EngineName, drawn: tuple[Problem, ExplicitGraph], belief: Belief, stop: StopRule
) -> None:
    problem, graph = drawn
    result = search(problem, ReplanningPolicy(belief), stop=stop, engine=engine)
    naive = search(problem, Naive(belief), stop=stop)
    assert result.engine == engine
    assert result.trace.expanded.tolist() == naive.trace.expanded.tolist()
    assert (result.path, result.cost, result.outcome) == (naive.path, naive.cost, naive.outcome)
    assert result.found == (problem.start in cost_to_go(graph, range(graph.vertex_count), problem.goal))


@settings(max_examples=60)
@given(drawn=plain_problems(25), belief=FICKLE, stop=st.sampled_from(StopRule))
def test_both_engines_with_a_belief_that_changes(
    drawn: tuple[Problem, ExplicitGraph], belief: Fickle, stop: StopRule
) -> None:
    results = [
        search(drawn[0], ReplanningPolicy(belief), stop=stop, engine=engine) for engine in ("reference", "compiled")
    ]
    assert_same_result(results[0], results[1])
    assert [note.message for note in results[0].notes] == ["multipliers below 1 count as 1 on this kind of graph"]


def test_more_vertices_than_are_explored() -> None:
    count = 1_200_000
    first = np.minimum(np.arange(count + 1), count - 1)
    rows = ExplicitGraph.from_edges(1, []).rows._replace(
        first=first,
        targets=np.arange(1, count, dtype=np.int32),
        costs=np.ones(count - 1),
        verdicts=np.zeros(count - 1, np.uint8),
        coordinates=np.zeros((count, 2)),
    )
    graph = PlainGraph(ExplicitGraph(rows), np.maximum(50.0 - np.arange(count), 0.0))
    result = search(Problem(graph, 0, 50), optimistic())
    assert (result.engine, result.expansions, result.cost) == ("compiled", 50, 50.0)


def test_the_largest_cost_may_be_given() -> None:
    graph = ExplicitGraph.from_edges(3, [(0, 1, 3.0), (1, 2, 5.0)])
    read, given, larger = (whole_costs(PlainGraph(graph, max_edge_cost=cost), 0.0, 256)[1] for cost in (None, 5.0, 5e2))
    assert read == given == 64 * larger


def test_a_belief_of_multipliers_of_one_changes_nothing() -> None:
    graph = PlainGraph(ExplicitGraph.from_edges(4, [(0, 1, 1.0), (0, 2, 1.5), (1, 3, 1.0), (2, 3, 0.25)]))
    assert search(Problem(graph, 0, 3), ReplanningPolicy(Fickle(0, Refresh(9, 9), silent_at_first=True))).path == (
        search(Problem(graph, 0, 3), optimistic()).path
    )
