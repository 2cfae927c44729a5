"""Beliefs with a multiplier for each edge of an explicit graph, in replanning and in lazy search."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Policy, SearchState, StopRule, search
from sailplan.core.graph import FloatArray
from sailplan.core.search import EngineName
from sailplan.errors import PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem
from sailplan.policies.lazy.policy import SELECTORS, LazyPolicy
from sailplan.policies.replanning.beliefs import Belief, Refresh
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_result, draw_problem
from tests.naive.replanning import NaiveReplanning
from tests.same import assert_same_result
from tests.strategies import explicit_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])
TWO_STEPS, EVERY_STEP = Refresh(2, 1), Refresh(1, 1)
VALUES = [0.25, 1.0, 1.0, 1.3, 2.5, 40.0, np.inf, np.nan]


@dataclass(frozen=True)
class Changing:
    """A belief whose multipliers change up and down at every update, or sometimes not at all."""

    seed: int
    kind: str
    """`vertices`: one for each vertex; `targets`: the same for each edge by its target; `edges`: one for each edge."""
    refresh: Refresh = TWO_STEPS
    silent_at_first: bool = False
    name: str = "changing"

    @property
    def per_edge(self) -> bool:
        return self.kind != "vertices"

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray | None:
        return None if self.silent_at_first else self.draw(problem, 0)

    def draw(self, problem: Problem, steps: int) -> FloatArray:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        rng = np.random.default_rng([self.seed, steps])
        if self.kind == "edges":
            return rng.choice(VALUES, graph.edge_count)
        of_vertices = rng.choice(VALUES, graph.vertex_count)
        if self.kind == "vertices":
            return of_vertices
        assert not graph.undirected
        of_edges = np.empty(graph.edge_count)
        of_edges[graph.rows.given] = of_vertices[graph.rows.targets]
        return of_edges

    def follow(self, problem: Problem) -> ChangingFollower:
        return ChangingFollower(self, problem)


@dataclass(frozen=True)
class ChangingFollower:
    belief: Changing
    problem: Problem

    def update(self, state: SearchState) -> FloatArray | None:
        steps = state.expansions + len(state.evaluated)
        return None if (steps + self.belief.seed) % 3 == 0 else self.belief.draw(self.problem, steps)


@dataclass(frozen=True)
class _Naive:
    belief: Belief
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> NaiveReplanning:
        return NaiveReplanning(problem, state, self.belief)


SEEDS = st.integers(0, 1000)
REFRESH = st.builds(Refresh, st.integers(1, 5), st.integers(1, 5))
Drawn = tuple[Problem, ExplicitGraph]


def _policy(belief: Belief, bound: float | None, selector: str, batch: int) -> Policy:
    """Return replanning if there is no bound, otherwise lazy search."""
    return ReplanningPolicy(belief) if bound is None else LazyPolicy(bound, belief, selector, batch)


FORMS = st.tuples(
    st.sampled_from([None, 1.0, 1.5, 4.0, math.inf]), st.sampled_from(sorted(SELECTORS)), st.sampled_from([1, 3])
)


@both_engines
@settings(max_examples=100)
@given(drawn=explicit_problems(20, undirected=False), seed=SEEDS, refresh=REFRESH, silent=st.booleans(), form=FORMS)
def test_values_that_depend_on_the_target_alone_are_those_of_vertices(
    engine: EngineName, drawn: Drawn, seed: int, refresh: Refresh, silent: bool, form: tuple[float | None, str, int]
) -> None:
    policies = [_policy(Changing(seed, kind, refresh, silent), *form) for kind in ("vertices", "targets")]
    of_vertices, of_edges = (search(drawn[0], policy, engine=engine) for policy in policies)
    assert_same_result(of_vertices, of_edges)


@settings(max_examples=150)
@given(drawn=explicit_problems(20), seed=SEEDS, refresh=REFRESH, silent=st.booleans(), form=FORMS)
def test_engines_agree_and_results_are_valid(
    drawn: Drawn, seed: int, refresh: Refresh, silent: bool, form: tuple[float | None, str, int]
) -> None:
    problem, policy = drawn[0], _policy(Changing(seed, "edges", refresh, silent), *form)
    reference, compiled = (search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
    assert_same_result(reference, compiled)
    check_result(problem, compiled)
    optimal = search(problem, LazyPolicy(bound=1.0))
    assert compiled.found == optimal.found
    if compiled.found and form[0] not in (None, math.inf):
        assert compiled.cost <= compiled.bound * optimal.cost * (1.0 + 1e-6) + 1e-9
        assert compiled.bound == form[0]


@both_engines
@settings(max_examples=100)
@given(drawn=explicit_problems(25), seed=SEEDS, refresh=REFRESH, silent=st.booleans(), stop=st.sampled_from(StopRule))
def test_like_all_distances_from_scratch(
    engine: EngineName, drawn: Drawn, seed: int, refresh: Refresh, silent: bool, stop: StopRule
) -> None:
    belief = Changing(seed, "edges", refresh, silent)
    result = search(drawn[0], ReplanningPolicy(belief), stop=stop, engine=engine)
    naive = search(drawn[0], _Naive(belief), stop=stop)
    assert result.trace.expanded.tolist() == naive.trace.expanded.tolist()
    assert (result.path, result.cost, result.outcome) == (naive.path, naive.cost, naive.outcome)


@both_engines
def test_costs_are_rounded_as_coarsely_while_all_multipliers_are_one(engine: EngineName) -> None:
    # Two paths as long. In the units with multipliers their rounded lengths are equal, in the smaller ones they differ.
    edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 10.0), (3, 5, 10.0), (2, 4, 9.9), (4, 5, 10.1)]
    problem = Problem(ExplicitGraph.from_edges(6, edges), 0, 5)
    belief = Changing(0, "edges", Refresh(5, 5), silent_at_first=True)
    assert search(problem, ReplanningPolicy(belief), engine=engine).path == (0, 1, 3, 5)
    assert search(problem, _Naive(belief)).path == (0, 1, 3, 5)


@dataclass(frozen=True)
class Given:
    """A belief with given multipliers of edges."""

    table: tuple[float, ...]
    later: tuple[float, ...] | None = None
    """From the first update on."""
    refresh: Refresh = EVERY_STEP
    name: str = "given"
    per_edge: bool = True

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray:
        return np.array(self.table)

    def follow(self, problem: Problem) -> Given:
        return self

    def update(self, state: SearchState) -> FloatArray | None:
        return None if self.later is None else np.array(self.later)


EDGES = [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0)]
SQUARE = Problem(ExplicitGraph.from_edges(4, EDGES), 0, 3)


@both_engines
def test_two_edges_into_one_vertex_may_differ(engine: EngineName) -> None:
    for doubted, path in ((2, (0, 2, 3)), (3, (0, 1, 3))):
        table = [1.0] * 4
        table[doubted] = 5.0
        for policy in (ReplanningPolicy(Given(tuple(table))), LazyPolicy(belief=Given(tuple(table)))):
            assert search(SQUARE, policy, engine=engine).path == path


@both_engines
def test_the_edge_that_is_doubted_most_is_evaluated_first(engine: EngineName) -> None:
    graph = ExplicitGraph.from_edges(4, [(0, 1, 1.0), (0, 3, 9.0), (1, 2, 1.0), (2, 3, 1.0)])
    for bound in (1.0, math.inf):
        policy = LazyPolicy(bound, Given((1.0, 1.0, 1.3, 1.2)), "doubtful")
        result = search(Problem(graph, 0, 3), policy, engine=engine)
        assert result.trace.evaluated.tolist() == [[1, 2], [2, 3], [0, 1]]


@both_engines
@pytest.mark.parametrize("form", [(None, "forward", 1), (1.0, "doubtful", 1), (math.inf, "forward", 1)])
def test_as_many_multipliers_as_edges(engine: EngineName, form: tuple[float | None, str, int]) -> None:
    for belief in (Given((1.0,) * 3), Given((1.0,) * 4, (2.0,) * 3)):
        with pytest.raises(PolicyError, match=r"multipliers of shape \(3,\) for 4 edges"):
            search(SQUARE, _policy(belief, *form), engine=engine)


def test_other_graphs_are_not_supported() -> None:
    belief = Given((1.0,) * 4)
    edges = CallbackGraph(lambda number: [(target, cost) for source, target, cost in EDGES if source == number])
    for problem in (draw_problem("S..G"), edges.problem(0, 3)):
        for policy in (ReplanningPolicy(belief), LazyPolicy(belief=belief)):
            result = search(problem, policy)
            assert result.found
            assert [note.subject for note in result.notes if "edges of explicit graphs" in note.message] == ["given"]
