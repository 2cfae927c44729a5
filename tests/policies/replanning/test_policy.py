from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import SearchState, StopRule, search
from sailplan.core.graph import FloatArray, is_finite
from sailplan.core.search import EngineName
from sailplan.datasets import World
from sailplan.errors import GraphError, PolicyError
from sailplan.graphs import CallbackGraph, EdgeStatus, ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies.catalogue import load_policy
from sailplan.policies.mixture.policy import MixturePolicy, OneOfMany
from sailplan.policies.replanning.beliefs import Belief, Optimistic, Refresh
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic
from sailplan.testing import check_policy, draw_problem
from tests.naive.replanning import NaiveReplanning
from tests.same import assert_same_result
from tests.strategies import FOUR_CONNECTED, explicit_problems, grid_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])
PROBLEMS = st.one_of(grid_problems(10, 10), grid_problems(10, 10, terrain=True), explicit_problems(25))

TRAP = """
    .........
    ..#####..
    ......#..
    S.....#.G
    ......#..
    ..#####..
    .........
"""


@dataclass(frozen=True)
class Fickle:
    """A belief that charges otherwise whenever it is asked, up and down, and sometimes as before."""

    seed: int
    refresh: Refresh
    name: str = "fickle"
    silent_at_first: bool = False

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray | None:
        assert is_finite(problem.graph)
        return None if self.silent_at_first else self.draw(problem.graph.vertex_count, 0)

    def draw(self, count: int, expansions: int) -> FloatArray:
        rng = np.random.default_rng([self.seed, expansions])
        return rng.choice([0.001, 0.5, 1.0, 1.0, 1.0, 2.5, 40.0, np.inf, np.nan], count)

    def follow(self, problem: Problem) -> _FickleFollower:
        return _FickleFollower(self)


@dataclass(frozen=True)
class _FickleFollower:
    belief: Fickle

    def update(self, state: SearchState) -> FloatArray | None:
        if (state.expansions + self.belief.seed) % 3 == 0:
            return None
        # The state may have room for more vertices than there are.
        return self.belief.draw(len(state.status), state.expansions)


FICKLE = st.builds(
    Fickle,
    seed=st.integers(0, 1000),
    refresh=st.builds(Refresh, st.integers(1, 5), st.integers(1, 5)),
    silent_at_first=st.booleans(),
)


@dataclass(frozen=True)
class Naive:
    belief: Belief
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> NaiveReplanning:
        return NaiveReplanning(problem, state, self.belief)


@both_engines
@settings(max_examples=150)
@given(drawn=PROBLEMS, belief=st.one_of(st.just(Optimistic()), FICKLE), stop=st.sampled_from(StopRule))
def test_like_all_distances_from_scratch(
    engine: EngineName, drawn: tuple[Problem, GridGraph | ExplicitGraph], belief: Belief, stop: StopRule
) -> None:
    problem, _ = drawn
    result = search(problem, ReplanningPolicy(belief), stop=stop, engine=engine)
    naive = search(problem, Naive(belief), stop=stop)
    assert result.trace.expanded.tolist() == naive.trace.expanded.tolist()
    assert (result.path, result.cost, result.outcome) == (naive.path, naive.cost, naive.outcome)


@settings(max_examples=60)
@given(drawn=PROBLEMS, belief=FICKLE, stop=st.sampled_from(StopRule))
def test_both_engines_with_a_belief_that_changes(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], belief: Fickle, stop: StopRule
) -> None:
    policy = ReplanningPolicy(belief)
    results = [search(drawn[0], policy, stop=stop, engine=engine) for engine in ("reference", "compiled")]
    assert_same_result(results[0], results[1])


@both_engines
def test_out_of_a_trap_by_hand(engine: EngineName) -> None:
    problem = draw_problem(TRAP)
    assert isinstance(problem.graph, GridGraph)
    result = search(problem, optimistic(), engine=engine)
    cells = [problem.graph.cell(vertex) for vertex in result.trace.expanded]
    # Straight on to the wall, along it to the first corner that it meets, and out: no cell of the trap twice.
    assert cells[:6] == [(x, 3) for x in range(6)]
    assert result.expansions < search(problem, load_policy("h_euc"), engine=engine).expansions


@given(grid_problems(10, 10, [FOUR_CONNECTED]))
def test_on_a_graph_of_callbacks(drawn: tuple[Problem, GridGraph]) -> None:
    problem, grid = drawn
    asked: list[int] = []

    def succ(cell: tuple[int, int]) -> list[tuple[tuple[int, int], float]]:
        targets, costs = grid.successors(grid.vertex(cell))
        return [(grid.cell(target), cost) for target, cost in zip(targets, costs, strict=True)]

    def check(cell: tuple[int, int], target: tuple[int, int]) -> EdgeStatus:
        asked.append(grid.vertex(target))
        return grid.evaluate(grid.vertex(cell), [grid.vertex(target)])[0]

    met = CallbackGraph(succ, check).problem(grid.cell(problem.start), grid.cell(problem.goal))
    result = search(met, ReplanningPolicy(effort=0.0))
    expected = search(problem, ReplanningPolicy(effort=0.0), engine="compiled")
    assert result.edge_evaluations == expected.edge_evaluations == len(asked)
    assert result.cost == expected.cost


def test_a_graph_without_end_is_refused() -> None:
    graph = CallbackGraph(lambda number: [(number + 1, 1.0), (number - 1, 1.0)])
    problem = graph.problem(0, 3)
    with pytest.raises(GraphError, match="vertices are reachable, too many to replan over"):
        search(problem, optimistic())


def test_checks_count_where_vertices_differ() -> None:
    # Two ways of the same length; the one by 1 leads past many dead ends, all of which would be checked.
    edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0), *((1, leaf, 1.0) for leaf in range(4, 10))]
    problem = Problem(ExplicitGraph.from_edges(10, edges), 0, 3)
    assert search(problem, optimistic()).path == (0, 2, 3)
    assert search(problem, ReplanningPolicy(effort=0.0)).path == (0, 1, 3)
    with pytest.raises(PolicyError, match="effort must be between 0 and 1000, got -1"):
        ReplanningPolicy(effort=-1.0)


def test_a_repair_may_need_more_room_than_there_is_at_first() -> None:
    blocked = np.zeros((300, 300), np.bool_)
    blocked[20:, 280] = True
    blocked[20, 20:281] = True
    problem = grid_problem(World(blocked), (150, 150), (299, 150))
    reference, compiled = (search(problem, optimistic(), engine=engine) for engine in ("reference", "compiled"))
    assert reference.found
    assert_same_result(reference, compiled)


@both_engines
def test_charges_of_another_shape_are_refused(engine: EngineName) -> None:
    @dataclass(frozen=True)
    class Short(Fickle):
        def multipliers(self, problem: Problem) -> FloatArray:
            return np.ones(3)

    with pytest.raises(PolicyError, match=r"multipliers of shape \(3,\) for 63 vertices"):
        search(draw_problem(TRAP), ReplanningPolicy(Short(0, Refresh(1, 1))), engine=engine)


def test_it_keeps_the_contract_of_a_policy() -> None:
    check_policy(optimistic())
    check_policy(ReplanningPolicy(Fickle(3, Refresh(2, 2))))


def test_the_unit_of_cost_does_not_matter() -> None:
    edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 5, 50.0), (2, 3, 1.0), (3, 5, 1.0)]
    for unit in (1.0, 1e-12, 1e-300, 1e98):
        graph = ExplicitGraph.from_edges(6, [(one, other, cost * unit) for one, other, cost in edges])
        assert search(Problem(graph, 0, 5), ReplanningPolicy(effort=0.0)).path == (0, 2, 3, 5)


def test_a_graph_that_grows_while_it_is_searched_is_refused() -> None:
    asked: list[int] = []

    def succ(number: int) -> list[tuple[int, float]]:
        asked.append(number)
        later = [(1_000_000 + len(asked), 1.0)] if len(asked) > 8 else []
        return [(other, 1.0) for other in (number - 1, number + 1) if 0 <= other < 8] + later

    with pytest.raises(GraphError, match="was not returned in an earlier call"):
        search(CallbackGraph(succ, lambda one, other: other != 5).problem(0, 7), optimistic())


@both_engines
@pytest.mark.parametrize("refresh", [Refresh(0, 3), Refresh(3, 0)])
def test_a_belief_that_would_be_asked_for_ever(refresh: Refresh, engine: EngineName) -> None:
    with pytest.raises(PolicyError, match="updated after at least 1 expansion or obstacle"):
        search(draw_problem(TRAP), ReplanningPolicy(Fickle(0, refresh)), engine=engine)


@both_engines
def test_never_for_obstacles(engine: EngineName) -> None:
    policy = ReplanningPolicy(Fickle(1, Refresh(2, sys.maxsize)))
    assert search(draw_problem(TRAP), policy, engine=engine).found


def test_inside_a_mixture_its_belief_is_still_asked() -> None:
    policy, problem = ReplanningPolicy(Fickle(1, Refresh(1, 1))), draw_problem(TRAP)
    alone = search(problem, policy)
    for wrapped in (OneOfMany((policy,)), MixturePolicy(policy, optimistic(), 1.0, 0)):
        assert search(problem, wrapped).trace.expanded.tolist() == alone.trace.expanded.tolist()
    assert search(problem, OneOfMany((optimistic(),))).engine == "compiled"
