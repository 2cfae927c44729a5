from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, Policy, SearchState, StopRule, improve, open_search, search
from sailplan.core.graph import FloatArray, is_finite
from sailplan.core.search import EngineName
from sailplan.datasets import FAMILIES, World, generate_world
from sailplan.errors import EngineError, GraphError, PolicyError
from sailplan.graphs import CallbackGraph, EdgeStatus, ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.graphs.grid.graph import Moves
from sailplan.policies import SELECTORS, LazyPolicy, a_star, load_policy, save_policy
from sailplan.policies.replanning.beliefs import Optimistic, Refresh
from sailplan.testing import check_policy, check_result, draw_problem
from tests.naive.dijkstra import cost_to_go
from tests.naive.lazy import NaiveLazySearch
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])
SEEDS = st.integers(0, 2**32 - 1)
BOUNDS = st.sampled_from([math.inf, 4.0, 2.0, 1.5, 1.1, 1.0])
SELECTOR = st.sampled_from(list(SELECTORS))
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
class Moody:
    """A belief that doubts each vertex otherwise whenever it is asked."""

    seed: int
    refresh: Refresh = field(default_factory=lambda: Refresh(2, 1))
    name: str = "moody"

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray:
        return self.draw(problem, 0)

    def draw(self, problem: Problem, steps: int) -> FloatArray:
        assert is_finite(problem.graph)
        rng = np.random.default_rng([self.seed, steps])
        return rng.choice([0.25, 1.0, 1.0, 1.3, 2.5, 40.0, np.inf, np.nan], problem.graph.vertex_count)

    def follow(self, problem: Problem) -> MoodyFollower:
        return MoodyFollower(self, problem)


@dataclass(frozen=True)
class MoodyFollower:
    belief: Moody
    problem: Problem

    def update(self, state: SearchState) -> FloatArray:
        return self.belief.draw(self.problem, len(state.evaluated))


@dataclass(frozen=True)
class Fixed:
    """A belief with the same multipliers from the start to the end."""

    table: tuple[float, ...]
    refresh: Refresh = Optimistic().refresh
    name: str = "fixed"

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray:
        return np.array(self.table)

    def follow(self, problem: Problem) -> None:
        return None


POLICIES = st.builds(
    LazyPolicy,
    bound=BOUNDS,
    belief=st.one_of(st.just(Optimistic()), st.builds(Moody, SEEDS)),
    selector=SELECTOR,
    batch=st.sampled_from([1, 2, 5]),
)


def _optimum(problem: Problem) -> float:
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph | GridGraph)
    return cost_to_go(graph, range(graph.vertex_count), problem.goal).get(problem.start, math.inf)


def _within(cost: float, bound: float, optimum: float) -> bool:
    return math.isinf(bound) or cost <= bound * optimum * (1 + 1e-9) + 1e-12


@settings(max_examples=300)
@given(drawn=PROBLEMS, policy=POLICIES, steps=st.lists(st.integers(0, 60), max_size=4))
def test_the_cost_never_exceeds_the_bound(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], policy: LazyPolicy, steps: list[int]
) -> None:
    problem, optimum = drawn[0], _optimum(drawn[0])
    session = open_search(problem, policy)
    for evaluations in sorted(steps):
        early = session.run(Limits(evaluations=evaluations))
        assert early.edge_evaluations <= evaluations
        check_result(problem, early)
        assert not early.found or _within(early.cost, early.bound, optimum)
    result = session.run()
    check_result(problem, result)
    assert result.found == math.isfinite(optimum)
    if result.found:
        assert result.bound == policy.bound
        assert _within(result.cost, policy.bound, optimum)
    assert result.trace.evaluated.tolist() == search(problem, policy).trace.evaluated.tolist()


@settings(max_examples=150)
@given(drawn=PROBLEMS, policy=POLICIES, budget=st.one_of(st.none(), st.integers(0, 40)), bound=BOUNDS)
def test_the_engines_agree(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], policy: LazyPolicy, budget: int | None, bound: float
) -> None:
    sessions = [open_search(drawn[0], policy, engine=engine) for engine in ("reference", "compiled")]
    for limits in (Limits(evaluations=budget), Limits(bound=bound), Limits()):
        results = [session.run(limits) for session in sessions]
        assert_same_result(*results)
        assert results[0].bound == results[1].bound
        assert_same_state(sessions[0].state, sessions[1].state)
        assert sessions[0].lower_bound() == sessions[1].lower_bound()


@both_engines
def test_no_path_leads_into_a_vertex_that_is_invalid(engine: EngineName) -> None:
    """The edge out of vertex 1 is valid and evaluated first, and in both directions; the edge into it is not."""
    edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 2.0), (2, 3, 2.0)]
    graph = ExplicitGraph.from_edges(4, edges, undirected=True, coordinates=np.zeros((4, 2)), invalid_vertices=[1])
    session = open_search(Problem(graph, 0, 3), LazyPolicy(1.1, selector="backward"), engine=engine)
    # The cost of a vertex without a path is undefined: here it is one that any path would lower.
    session.state.cost[1:] = 1e300
    result = session.run()
    assert result.path == (0, 2, 3)
    assert result.trace.evaluated.tolist()[:2] == [[1, 3], [0, 1]]
    assert session.state.cost[1] == 1e300
    assert result.policy_evaluations == 5


def test_the_engines_have_the_same_lower_bound_within_a_request() -> None:
    # The second edge of the first request is invalid, because it cuts a corner.
    blocked = np.array([[0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0]], np.bool_)
    costs = np.array([1, 4, 4, 1, 1.5, 37, 1, 4, 37, 1, 1, 4, 1.5, 1.5, 1.5, 4, 1.5, 1.5, 37, 37, 1.5, 1.5, 37, 4])
    problem = Problem(GridGraph(World(blocked, costs=costs.reshape(4, 6)), Moves(corner_cutting=False)), 23, 20)
    sessions = [open_search(problem, LazyPolicy(batch=5), engine=engine) for engine in ("reference", "compiled")]
    for limit in range(12):
        results = [session.run(Limits(evaluations=limit)) for session in sessions]
        assert_same_result(*results)
        assert sessions[0].lower_bound() == sessions[1].lower_bound()


@both_engines
@settings(max_examples=60)
@given(seed=SEEDS, bound=BOUNDS, selector=SELECTOR, batch=st.sampled_from([1, 3]), doubts=st.booleans())
def test_like_the_definition(
    engine: EngineName, seed: int, bound: float, selector: str, batch: int, doubts: bool
) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 16))
    # Random costs, so that no two paths have the same length.
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b and rng.random() < 0.35]
    edges = [(a, b, float(rng.uniform(0.1, 1.0))) for a, b in pairs]
    invalid = [pair for pair in pairs if rng.random() < 0.4]
    graph = ExplicitGraph.from_edges(count, edges, invalid_edges=invalid)
    problem = Problem(graph, 0, count - 1)
    most = math.inf if math.isinf(bound) else math.floor(256 * math.sqrt(bound)) / 256
    raw = rng.choice([1.0, 1.1, 1.25, 3.0], count) if doubts else np.ones(count)
    multipliers = np.rint(256 * np.minimum(raw, most)) / 256 if bound > 1.0 else np.ones(count)
    reuse = 1.0 / bound if math.isinf(bound) or bound == 1.0 or not doubts else most / bound
    naive = NaiveLazySearch(problem, reuse, multipliers.tolist(), selector, batch)
    naive.doubts = raw.tolist()
    belief = Fixed(tuple(raw.tolist())) if doubts else Optimistic()
    path = naive.run()
    result = search(problem, LazyPolicy(bound, belief, selector, batch), engine=engine)
    assert [tuple(edge) for edge in result.trace.evaluated.tolist()] == naive.evaluated
    if bound == 1.0:
        assert result.path == path


@settings(max_examples=100)
@given(PROBLEMS)
def test_with_a_bound_of_one_the_path_is_a_shortest_one(drawn: tuple[Problem, GridGraph | ExplicitGraph]) -> None:
    result, optimum = search(drawn[0], LazyPolicy(1.0)), _optimum(drawn[0])
    assert result.found == math.isfinite(optimum)
    assert not result.found or result.cost == pytest.approx(optimum, rel=1e-9)


def test_fewer_edges_than_a_search_by_vertices() -> None:
    problem = draw_problem(TRAP)
    lazy, shortest = (search(problem, load_policy(name)) for name in ("lazy", "lazy:1"))
    assert (lazy.outcome, lazy.expansions) == (Outcome.PATH_CONFIRMED, 0)
    assert lazy.edge_evaluations < search(problem, load_policy("optimistic")).edge_evaluations / 2
    assert shortest.cost == search(problem, load_policy("a_star_octile")).cost
    assert shortest.edge_evaluations < search(problem, load_policy("a_star_octile")).edge_evaluations


@pytest.mark.parametrize("family", FAMILIES)
def test_no_edge_is_requested_twice_on_large_maps(family: str) -> None:
    # Where many paths are of the same length, an invalid vertex must not remain on the candidate.
    for index in range(12):
        problem = grid_problem(generate_world(family, 5, index))
        result = search(problem, LazyPolicy(), Limits(evaluations=problem.graph.vertex_count))  # type: ignore[attr-defined]
        assert result.outcome.final
        assert len(np.unique(result.trace.evaluated[:, 1])) == result.edge_evaluations
        assert result.found == search(problem, load_policy("optimistic")).found


@both_engines
def test_no_path_is_an_outcome(engine: EngineName) -> None:
    result = search(draw_problem("S.#.G ..#.."), LazyPolicy(), engine=engine)
    assert (result.outcome, result.path, result.cost, result.bound) == (Outcome.FRONTIER_EMPTY, (), math.inf, math.inf)


@both_engines
def test_the_start_may_be_the_goal(engine: EngineName) -> None:
    problem = draw_problem("S.G")
    result = search(Problem(problem.graph, 0, 0), LazyPolicy(1.0), engine=engine)
    assert (result.outcome, result.path, result.edge_evaluations) == (Outcome.PATH_CONFIRMED, (0,), 0)


@both_engines
def test_the_first_path_is_enough_if_the_search_stops_at_the_goal(engine: EngineName) -> None:
    result = search(draw_problem(TRAP), LazyPolicy(1.0), stop=StopRule.GOAL_GENERATED, engine=engine)
    assert (result.outcome, result.bound) == (Outcome.GOAL_GENERATED, math.inf)


@both_engines
def test_a_limit_may_leave_a_path_whose_bound_is_not_proven(engine: EngineName) -> None:
    problem = grid_problem(generate_world("mazes", 1, 0, width=41, height=41))
    session = open_search(problem, LazyPolicy(), engine=engine)
    first = session.run()
    early = session.run(Limits(bound=1.0, evaluations=first.edge_evaluations))
    assert (early.outcome, early.found, early.bound) == (Outcome.EVALUATIONS_SPENT, True, math.inf)
    assert early.path == first.path
    last = session.run(Limits(bound=1.0))
    assert (last.outcome, last.bound) == (Outcome.PATH_CONFIRMED, 1.0)
    assert last.cost == pytest.approx(_optimum(problem))


def test_a_bound_needs_a_policy_that_proves_it() -> None:
    with pytest.raises(EngineError, match="proves no bound"):
        search(draw_problem(TRAP), load_policy("h_euc"), Limits(bound=1.5))
    for engine in ("reference", "compiled"):
        with pytest.raises(EngineError, match="proves no bound"):
            search(draw_problem(TRAP), load_policy("optimistic"), Limits(bound=1.5), engine=engine)


class Checker:
    """Evaluates edges of an explicit graph, and records every call."""

    def __init__(self, invalid: set[tuple[int, int]]) -> None:
        self.invalid = invalid
        self.calls: list[list[tuple[int, int]]] = []

    def __call__(self, sources: list[int], targets: list[int]) -> list[bool]:
        self.calls.append(list(zip(sources, targets, strict=True)))
        return [edge not in self.invalid for edge in self.calls[-1]]


def _roadmap(seed: int, **given: Any) -> ExplicitGraph:
    rng = np.random.default_rng(seed)
    places = rng.random((40, 2))
    near = np.linalg.norm(places[:, None] - places, axis=2)
    edges = [(a, b, near[a, b]) for a in range(40) for b in range(40) if a != b and near[a, b] < 0.35]
    return ExplicitGraph.from_edges(40, edges, coordinates=places, **given)


def _invalid_edges(seed: int) -> set[tuple[int, int]]:
    rows, rng = _roadmap(seed).rows, np.random.default_rng([seed, 1])
    sources = np.repeat(np.arange(40), np.diff(rows.first)).tolist()
    return {edge for edge in zip(sources, rows.targets.tolist(), strict=True) if rng.random() < 0.3}


@pytest.mark.parametrize(
    "policy", [LazyPolicy(), LazyPolicy(1.0, selector="alternate", batch=4), a_star(), load_policy("optimistic")]
)
@pytest.mark.parametrize("seed", range(5))
def test_edges_evaluated_in_python_run_in_the_compiled_loop(policy: Policy, seed: int) -> None:
    invalid = _invalid_edges(seed)
    checker = Checker(invalid)
    expected = search(Problem(_roadmap(seed, invalid_edges=invalid), 0, 39), policy)
    problem = Problem(_roadmap(seed, evaluate_edges=checker), 0, 39)
    result = search(problem, policy)
    assert result.engine == "compiled"
    assert_same_result(result, expected)
    asked = [edge for call in checker.calls for edge in call]
    assert len(asked) == len(set(asked)) == result.edge_evaluations
    if isinstance(policy, LazyPolicy):
        assert max(map(len, checker.calls)) <= policy.batch
        assert asked == [tuple(edge) for edge in result.trace.evaluated.tolist()]
    assert_same_result(search(problem, policy, engine="reference"), expected)


@pytest.mark.parametrize("policy", [LazyPolicy(batch=3), a_star()])
def test_a_limit_of_evaluations_holds_where_edges_are_evaluated_in_python(policy: Policy) -> None:
    checker = Checker(_invalid_edges(1))
    session = open_search(Problem(_roadmap(1, evaluate_edges=checker), 0, 39), policy)
    for most in range(0, 40, 4):
        session.run(Limits(evaluations=most))
        assert sum(map(len, checker.calls)) <= most
    whole = search(Problem(_roadmap(1, invalid_edges=checker.invalid), 0, 39), policy)
    assert_same_result(session.run(), whole)


def test_what_a_checker_may_return() -> None:
    def graph(checker: Any) -> ExplicitGraph:
        return ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], evaluate_edges=checker)

    for answers in ([EdgeStatus.VALID], [True], np.array([True]), [EdgeStatus.VALID_TARGET]):
        assert search(Problem(graph(lambda *_, answers=answers: answers), 0, 2), LazyPolicy()).found
    with pytest.raises(GraphError, match="evaluate_edges returned 2 results for 1 edges"):
        search(Problem(graph(lambda *_: [True, True]), 0, 2), LazyPolicy())
    with pytest.raises(GraphError, match="evaluate_edges must return a bool or an EdgeStatus"):
        search(Problem(graph(lambda *_: ["yes"]), 0, 2), LazyPolicy())
    with pytest.raises(GraphError, match="evaluate_edges must be a function, got int"):
        graph(3)
    with pytest.raises(GraphError, match="not both"):
        ExplicitGraph.from_edges(2, [(0, 1, 1.0)], invalid_edges=[(0, 1)], evaluate_edges=lambda *_: [True])


@both_engines
def test_a_callback_graph_is_searched_edge_by_edge(engine: EngineName) -> None:
    asked: list[tuple[int, int]] = []

    def successors(state: int) -> Sequence[tuple[int, float]]:
        return [(state + 1, 1.0), (state + 2, 2.5)] if state < 20 else []

    def check(state: int, following: int) -> bool:
        asked.append((state, following))
        return following % 7 != 0

    problem = CallbackGraph(successors, check).problem(1, 20)
    result = search(problem, LazyPolicy(1.0), engine=engine)
    assert result.engine == engine
    assert result.edge_evaluations == len(asked) == len(set(asked))
    assert result.cost == search(problem, load_policy("dijkstra")).cost


def test_an_infinite_graph_is_refused() -> None:
    endless = CallbackGraph(lambda n: [(n + 1, 1.0), (n + 2, 1.0)], coordinates=lambda n: (n, 0))
    with pytest.raises(GraphError, match="too many for a lazy search"):
        search(endless.problem(0, -1), LazyPolicy())


def test_a_belief_that_does_not_fit_is_told_of() -> None:
    belief = load_policy("belief:mazes").belief  # type: ignore[attr-defined]
    result = search(draw_problem(TRAP), LazyPolicy(belief=belief))
    assert result.found
    assert "the belief is not used" in str(result.notes[0])


def test_a_saved_policy_is_the_same_when_loaded(tmp_path: Path) -> None:
    for policy in (LazyPolicy(), LazyPolicy(1.5, selector="alternate", batch=3)):
        save_policy(policy, tmp_path / "lazy.safetensors")
        assert load_policy(tmp_path / "lazy.safetensors") == policy
    learned = LazyPolicy(belief=load_policy("belief:forest").belief)  # type: ignore[attr-defined]
    save_policy(learned, tmp_path / "learned.safetensors")
    loaded = load_policy(tmp_path / "learned.safetensors")
    problem = grid_problem(generate_world("forest", 4, 0))
    assert_same_result(*(search(problem, each) for each in (learned, loaded)))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bound": 0.9}, "a bound must be a number, at least 1, got 0.9"),
        ({"bound": math.nan}, "a bound must be a number, at least 1, got nan"),
        ({"bound": "2"}, "a bound must be a number, at least 1, got '2'"),
        ({"selector": "sideways"}, "no selector 'sideways'; there are forward, backward, alternate, doubtful"),
        ({"batch": 0}, "a batch must be an integer between 1 and"),
        ({"batch": 1.5}, "a batch must be an integer between 1 and"),
    ],
)
def test_bad_fields_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{message}"):
        LazyPolicy(**fields)


@pytest.mark.parametrize("policy", [LazyPolicy(), LazyPolicy(1.2, selector="alternate"), LazyPolicy(1.0, batch=4)])
def test_the_contract_of_policies_is_kept(policy: LazyPolicy) -> None:
    check_policy(policy)


@both_engines
@pytest.mark.parametrize("name", ["lazy", "optimistic"])
def test_a_time_limit_holds_inside_a_repair_which_then_goes_on(name: str, engine: EngineName) -> None:
    blocked = np.zeros((240, 240), np.bool_)
    blocked[118:123, 118:123] = True
    blocked[120, 120] = False
    problem = grid_problem(World(blocked), (0, 0), (120, 120))
    session = open_search(problem, load_policy(name), engine=engine)
    # A repair that proves that there is no path passes all cells, more than one call of the kernel may.
    outcomes = [session.run(Limits(seconds=1e-9)).outcome for _ in range(3)]
    assert outcomes == [Outcome.TIME_SPENT] * 3
    whole = session.run()
    assert whole.outcome is Outcome.FRONTIER_EMPTY
    assert_same_result(whole, search(problem, load_policy(name), engine=engine))


@settings(max_examples=60)
@given(drawn=PROBLEMS, policy=POLICIES)
def test_improvement_ends_with_a_shortest_path(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], policy: LazyPolicy
) -> None:
    problem, optimum = drawn[0], _optimum(drawn[0])
    solutions = list(improve(problem, policy))
    assert bool(solutions) == math.isfinite(optimum)
    costs, bounds = [one.cost for one in solutions], [one.bound for one in solutions]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds, reverse=True)
    for solution in solutions:
        assert solution.lower_bound <= optimum * (1 + 1e-9)
        assert _within(solution.cost, solution.bound, optimum)
        check_result(problem, solution.result)
    if solutions:
        assert bounds[-1] == 1.0
        assert costs[-1] == pytest.approx(optimum, rel=1e-9)
        assert solutions[0].evaluations == search(problem, policy).edge_evaluations
