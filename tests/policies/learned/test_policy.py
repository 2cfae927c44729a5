from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Policy, SearchState, StopRule, compiled_engine, search
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.loop import advance
from sailplan.core.search import EngineName
from sailplan.datasets import generate_world
from sailplan.errors import EngineError, FeatureError, PolicyError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies import MixturePolicy, MultiHeuristic, greedy
from sailplan.policies.features import PRESETS, FeatureSet, feature_set
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy, around_walls
from sailplan.testing import check_policy, check_result, draw_problem, random_problem
from tests.learned_policies import RULES, random_network, random_policy, weighted_columns
from tests.naive import features as naive_features
from tests.naive.learned_search import LearnedSearch
from tests.naive.network import forward
from tests.same import assert_same_result
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)
ENGINES: tuple[EngineName, ...] = ("reference", "compiled")
both_engines = pytest.mark.parametrize("engine", ENGINES)
every_rule = pytest.mark.parametrize("rescore", RULES)


def _assert_like_naive(problem: Problem, policy: LearnedPolicy) -> None:
    assert isinstance(policy.model, DenseNetwork)
    network, columns = policy.model.arrays(), naive_features.NAIVE[policy.features.name]

    def score(state: SearchState, vertex: int) -> float:
        return forward(network, columns(problem, state, vertex))

    naive = LearnedSearch(problem, score, policy.rescore)
    order = naive.run()
    for engine in ENGINES:
        result = search(problem, policy, stop=StopRule.GOAL_GENERATED, engine=engine)
        assert result.trace.expanded.tolist() == order
        assert (result.policy_evaluations, result.non_finite_scores) == (naive.scores_computed, naive.not_finite)


@every_rule
@pytest.mark.parametrize("features", ["paper17", "relative"])
@settings(max_examples=10)
@given(drawn=grid_problems(6, 6), seed=SEEDS)
def test_like_the_naive_one_on_grids(features: str, rescore: str, drawn: tuple[Problem, GridGraph], seed: int) -> None:
    _assert_like_naive(drawn[0], random_policy(seed, features, rescore))


@every_rule
@settings(max_examples=10)
@given(drawn=explicit_problems(12, dimensions=2), seed=SEEDS)
def test_like_the_naive_one_on_explicit_graphs(rescore: str, drawn: tuple[Problem, ExplicitGraph], seed: int) -> None:
    _assert_like_naive(drawn[0], random_policy(seed, "paper17", rescore))


@every_rule
@settings(max_examples=10)
@given(drawn=grid_problems(6, 6))
def test_like_the_naive_one_where_many_scores_are_equal(rescore: str, drawn: tuple[Problem, GridGraph]) -> None:
    _assert_like_naive(drawn[0], weighted_columns(rescore, obstacle_by_x_distance=1.0))


WALL = draw_problem("""
    .......
    .#####.
    S....#G
    .#####.
    .......
""")


def test_the_rules_go_different_ways() -> None:
    problem = random_problem(np.random.default_rng(5))
    orders = {tuple(search(problem, random_policy(5, "relative", rule)).trace.expanded.tolist()) for rule in RULES}
    assert len(orders) == len(RULES)


@both_engines
def test_how_often_a_rule_scores(engine: EngineName) -> None:
    problem = draw_problem("S....G")
    counts = {rule: search(problem, weighted_columns(rule, h_euc=1.0), engine=engine) for rule in RULES}
    assert {result.expansions for result in counts.values()} == {5}
    # In a corridor each of five expansions lets one vertex in; one that comes up was scored at that step.
    assert [counts[rule].policy_evaluations for rule in RULES] == [6, 6, 6, 5]


@every_rule
@pytest.mark.parametrize("features", PRESETS)
def test_the_contract_is_kept(features: str, rescore: str) -> None:
    rng = np.random.default_rng(0)
    policy = random_policy(7, features, rescore)
    check_policy(policy, [random_problem(rng, largest=12) for _ in range(6)])


def test_the_euclidean_column_alone_is_greedy_search() -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        problem = random_problem(rng)
        learned, classic = (search(problem, policy) for policy in (weighted_columns(h_euc=1.0), greedy("euclidean")))
        assert_same_result(learned, classic)


def _spoilt_network(number: float, columns: int = 17) -> DenseNetwork:
    weights = np.zeros((columns, 1), np.float32), np.full(1, number, np.float32)
    return DenseNetwork((weights,), Scaling.none(columns), np.zeros(columns))


@both_engines
@every_rule
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_scores_that_are_not_finite_are_counted_and_a_path_is_found(
    number: float, rescore: str, engine: EngineName
) -> None:
    result = search(WALL, LearnedPolicy(feature_set("paper17"), _spoilt_network(number), rescore), engine=engine)
    check_result(WALL, result)
    assert result.found
    assert result.non_finite_scores == result.policy_evaluations > 0


@every_rule
@settings(max_examples=10)
@given(drawn=grid_problems(10, 10), where=st.integers(0, 16))
def test_some_scores_that_are_not_finite(rescore: str, drawn: tuple[Problem, GridGraph], where: int) -> None:
    # A column times this is too large for a number: where it is two or more, or nowhere.
    network = random_network(where, 17)
    linear = np.zeros(17)
    linear[where] = 1e308
    policy = LearnedPolicy(
        feature_set("paper17"), DenseNetwork(network.layers, network.scaling, linear, network.unit), rescore
    )
    results = [search(drawn[0], policy, engine=engine) for engine in ENGINES]
    assert_same_result(*results)
    reachable = search(drawn[0], greedy("zero"), stop=StopRule.GOAL_GENERATED).found
    assert results[0].found == reachable


@both_engines
@every_rule
def test_a_network_of_zeros_finds_a_path(rescore: str, engine: EngineName) -> None:
    result = search(WALL, LearnedPolicy(feature_set("paper17"), _spoilt_network(0.0), rescore), engine=engine)
    check_result(WALL, result)
    assert result.found
    assert result.non_finite_scores == 0


@dataclass(frozen=True)
class SumOfSquares:
    """A model of which the kernels know nothing."""

    column: bool = False

    def predict(self, rows: FloatArray) -> FloatArray:
        sums: FloatArray = (rows**2).sum(axis=1)
        return sums[:, None] if self.column else sums


@every_rule
def test_a_model_of_ones_own_runs_in_the_reference_engine(rescore: str) -> None:
    policy = LearnedPolicy(feature_set("paper17"), SumOfSquares(), rescore)
    check_policy(policy, [WALL])
    result = search(WALL, policy)
    assert result.engine == "reference"
    with pytest.raises(EngineError, match="LearnedPolicy has no compiled form for this problem"):
        search(WALL, policy, engine="compiled")
    assert_same_result(result, search(WALL, LearnedPolicy(feature_set("paper17"), SumOfSquares(True), rescore)))


def test_features_of_ones_own_run_in_the_reference_engine() -> None:
    @dataclass(frozen=True)
    class Number:
        columns: tuple[str, ...] = ("number",)

        def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
            return -np.array(vertices, float)[:, None]

    result = search(draw_problem("G..S.."), LearnedPolicy(FeatureSet((Number(),)), SumOfSquares()))
    assert result.engine == "reference"
    assert result.trace.expanded.tolist() == [3, 2, 1]


def test_a_model_that_answers_for_other_vertices_is_refused() -> None:
    class Short:
        def predict(self, rows: FloatArray) -> FloatArray:
            return np.zeros(len(rows) + 1)

    with pytest.raises(PolicyError, match=r"^the model returned 2 scores for 1 vertices$"):
        search(WALL, LearnedPolicy(feature_set("paper17"), Short()))


def test_what_does_not_fit_is_refused_at_once() -> None:
    with pytest.raises(PolicyError, match=r"^no rescore rule 'often'; there are frozen, touched, lazy, full$"):
        random_policy(0, rescore="often")
    with pytest.raises(PolicyError, match=r"^the network takes 3 columns, paper17 has 17$"):
        LearnedPolicy(feature_set("paper17"), random_network(0, 3))


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_graphs_without_a_plane_or_cells_are_refused(engine: EngineName) -> None:
    arm = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=np.zeros((2, 3)))
    with pytest.raises(FeatureError, match=r"^arm: these features need two coordinates, the graph has 3$"):
        search(Problem(arm, 0, 1, name="arm"), random_policy(0), engine=engine)
    road = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=np.zeros((2, 2)))
    with pytest.raises(FeatureError, match=r"^road: a patch needs a grid$"):
        search(Problem(road, 0, 1, name="road"), random_policy(0, "patch"), engine=engine)


def test_on_a_graph_that_grows_as_it_is_searched() -> None:
    graph = CallbackGraph(
        lambda cell: [((cell[0] + dx, cell[1] + dy), 1.0) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))],
        coordinates=lambda cell: cell,
    )
    result = search(graph.problem((0, 0), (30, 30)), weighted_columns("full", h_man=1.0))
    assert (result.found, result.expansions) == (True, 60)


def _tree(inner: int) -> Problem:
    """Pose a problem with thousands of open vertices, whose scores all rise when the last inner one finds an obstacle.

    The vertices come up by number, for the cost of each is a little above that of the one before.
    """

    def cost(vertex: int) -> float:
        return 1.0 + vertex * 1e-9 if vertex else 0.0

    edges = [(v, 8 * v + 1 + turn, cost(8 * v + 1 + turn) - cost(v)) for v in range(inner) for turn in range(8)]
    invalid, goal = 8 * inner + 1, 8 * inner + 2
    edges += [(inner - 1, invalid, 1.0), (invalid - 1, goal, 1.0)]
    places = np.random.default_rng(0).random((goal + 1, 2)) * 1e-5
    places[invalid] = 1.0, 0.0
    graph = ExplicitGraph.from_edges(goal + 1, edges, coordinates=places, invalid_vertices=[invalid])
    return Problem(graph, 0, goal)


@pytest.mark.parametrize("inner", [300, 400, 500])
def test_the_queue_survives_when_all_scores_rise_at_once(inner: int) -> None:
    problem, policy = _tree(inner), weighted_columns("lazy", g=1.0, obstacle_distance=1.0)
    reference, compiled = (search(problem, policy, engine=engine) for engine in ENGINES)
    assert reference.policy_evaluations > 10 * inner
    assert_same_result(reference, compiled)


@both_engines
def test_a_model_of_the_former_default_says_what_it_is(engine: EngineName) -> None:
    problem = draw_problem("S#.G ....")
    former = random_policy(3, "walls", "lazy")
    assert isinstance(former.model, DenseNetwork)
    unlearned = replace(former, model=replace(former.model, unit=0.0))
    for policy, part in ((former, "a learned part"), (unlearned, "a learned part of weight 0")):
        (note,) = search(problem, policy, engine=engine).notes
        assert str(note) == f"sail: the default of an earlier version: the rule of the policy `walls` and {part}"
    assert not search(problem, around_walls(), engine=engine).notes


@pytest.mark.parametrize("kind", ["alone", "mixture", "mha"])
def test_scores_that_are_computed_again_are_interrupted_and_go_on(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step may score thousands of vertices again; the engine looks at the clock in between."""
    problem = grid_problem(generate_world("bugtrap_forest", 3, 0, width=41, height=41))
    learned = around_walls()
    assert learned.rescore == "lazy"
    policies: dict[str, Policy] = {
        "alone": learned,
        "mixture": MixturePolicy(greedy("euclidean"), learned, 0.3, 7),
        "mha": MultiHeuristic((learned, greedy("euclidean")), 1.5, 2.0),
    }
    calls: list[int] = []

    def counted_advance(*given: Any) -> int:
        calls.append(given[3])
        return int(advance(*given))

    monkeypatch.setattr(compiled_engine, "advance", counted_advance)
    expected = search(problem, policies[kind], engine="compiled")
    undisturbed = len(calls)
    monkeypatch.setattr(compiled_engine, "MOST_WORK", 1)
    calls.clear()
    assert_same_result(search(problem, policies[kind], engine="compiled"), expected)
    assert len(calls) > undisturbed + 20
