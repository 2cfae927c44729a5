from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, StopRule, open_search, search
from sailplan.core.graph import FloatArray
from sailplan.datasets.edge_worlds import EdgeWorlds
from sailplan.errors import FeatureError, ModelError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies import dijkstra
from sailplan.policies.catalogue import read_policy, save_policy
from sailplan.policies.features import FeatureSet, RoadmapColumns, roadmap_features
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.random_order.policy import RandomPolicy
from sailplan.policies.replanning.beliefs import EdgePosterior, EdgeWeights
from sailplan.testing import check_features, draw_problem
from tests.learned_policies import RULES, random_network
from tests.naive.roadmap_features import naive_columns
from tests.roadmaps import corridors, random_roadmap
from tests.same import assert_same_result

SEEDS = st.integers(0, 10_000)
WEIGHTS = EdgeWeights(surprise=1.5, doubt_of_invalid=0.7, doubt_of_valid=0.4)


def _belief(worlds: EdgeWorlds) -> EdgePosterior:
    stored = np.array([worlds.valid(world) for world in range(1, len(worlds))])
    return EdgePosterior.of(worlds.topology, stored, WEIGHTS)


def _features(worlds: EdgeWorlds) -> FeatureSet:
    return roadmap_features(_belief(worlds), worlds.topology.rows.coordinates.shape[1])


def _policy(worlds: EdgeWorlds, seed: int = 0, rescore: str = "full") -> LearnedPolicy:
    features = _features(worlds)
    return LearnedPolicy(features, random_network(seed, len(features.columns)), rescore)


def _by_estimate(worlds: EdgeWorlds) -> LearnedPolicy:
    features = _features(worlds)
    nothing = np.zeros((len(features.columns), 1), np.float32), np.zeros(1, np.float32)
    network = DenseNetwork((nothing,), Scaling.none(len(features.columns)), features.guess_weights)
    return LearnedPolicy(features, network, "full")


@settings(max_examples=60)
@given(
    seed=SEEDS,
    dimensions=st.sampled_from([0, 1, 2, 3, 7]),
    undirected=st.booleans(),
    steps=st.lists(st.integers(0, 12), max_size=3).map(sorted),
)
def test_columns_are_those_of_the_definition(seed: int, dimensions: int, undirected: bool, steps: list[int]) -> None:
    worlds = random_roadmap(seed, dimensions=dimensions, undirected=undirected)
    problem, features = worlds.problem(0), _features(worlds)
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    session = open_search(problem, RandomPolicy(seed=seed), stop=StopRule.GOAL_EXPANDED)
    followed = features.follow(problem)
    for expansions in [0, *steps]:
        session.run(Limits(expansions=expansions))
        vertices = session.state.frontier.tolist()
        rows = followed(problem, session.state, vertices)
        assert rows.shape == (len(vertices), len(features.columns))
        expected = naive_columns(problem, graph, _belief(worlds), session.state, vertices)
        for name, column in expected.items():
            np.testing.assert_allclose(rows[:, features.columns.index(name)], column, rtol=1e-4, err_msg=name)
        np.testing.assert_allclose(features(problem, session.state, vertices), rows, rtol=1e-5, atol=1e-12)


def test_invalid_vertices_are_known_from_every_side() -> None:
    edges = [(0, 1, 1.0), (0, 2, 1.0), (2, 1, 1.0), (1, 3, 1.0), (2, 3, 3.0)]
    graph = ExplicitGraph.from_edges(4, edges, invalid_vertices=[1])
    belief = EdgePosterior.of(graph, np.ones((2, 5)))
    problem, features = Problem(graph, 0, 3), roadmap_features(belief, 0)
    session = open_search(problem, dijkstra())
    session.run(Limits(expansions=1))
    (row,) = features(problem, session.state, [2])
    expected = naive_columns(problem, graph, belief, session.state, [2])
    for name, (value,) in expected.items():
        assert row[features.columns.index(name)] == pytest.approx(value, rel=1e-5), name
    assert row[features.columns.index("optimistic")] == 3.0 / 2.0


def test_places_by_hand() -> None:
    places = [[0.0, 0.0, 0.0], [3.0, 1.0, 0.0], [4.0, 0.0, 0.0]]
    graph = ExplicitGraph.from_edges(3, [(0, 1, 4.0), (1, 2, 4.0)], coordinates=places)
    problem, state = Problem(graph, 0, 2), SearchState(3)
    state.begin(0)
    features = roadmap_features(EdgePosterior.of(graph, np.ones((1, 2))), 3)
    assert features.span(problem) == 8.0
    (row,) = features(problem, state, [1])
    named = dict(zip(features.columns, (row * 8.0).tolist(), strict=True))
    assert [named[name] for name in ("along", "aside")] == [3.0, 1.0]
    assert named["h_euc"] == pytest.approx(2.0**0.5)
    assert [named[f"to_goal_{axis}"] for axis in range(3)] == [1.0, -1.0, 0.0]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_contract_of_features_holds(dimensions: int) -> None:
    worlds = random_roadmap(5, dimensions=dimensions, vertices=20)
    check_features(_features(worlds), [worlds.problem(world) for world in range(3)])


@pytest.mark.parametrize("ends", [(3, 3), (0, 11), (11, 0)])
def test_any_start_and_goal_even_one_that_cannot_be_reached(ends: tuple[int, int]) -> None:
    for seed in range(4):
        worlds = random_roadmap(seed, density=0.15, undirected=False)
        problem = worlds.problem(0, ends)
        result = search(problem, _policy(worlds))
        assert result.found == search(problem, dijkstra()).found


@pytest.mark.parametrize("rescore", RULES)
@settings(max_examples=25)
@given(seed=SEEDS, dimensions=st.sampled_from([0, 3]), undirected=st.booleans(), expansions=st.integers(0, 12))
def test_results_of_edges_that_were_not_evaluated_change_nothing(
    rescore: str, seed: int, dimensions: int, undirected: bool, expansions: int
) -> None:
    worlds = random_roadmap(seed, dimensions=dimensions, undirected=undirected)
    problem, policy = worlds.problem(0), _policy(worlds, seed, rescore)
    before = search(problem, policy, Limits(expansions=expansions), stop=StopRule.GOAL_EXPANDED)
    edges = worlds.topology.edges()[:, :2].astype(int).tolist()
    closed = set(before.trace.expanded.tolist())
    hidden = np.array([not {source, *([target] if undirected else [])} & closed for source, target in edges], bool)
    valid = np.where(hidden, np.random.default_rng(seed).random(len(edges)) < 0.5, worlds.valid(0))
    altered = replace(problem, graph=worlds.topology.with_results(valid))
    after = search(altered, policy, Limits(expansions=expansions), stop=StopRule.GOAL_EXPANDED)
    assert_same_result(before, after)


def test_the_estimate_follows_the_stored_worlds() -> None:
    worlds = corridors(40, sizes=(40, 0))
    problem = worlds.problem(0)
    informed, plain = search(problem, _by_estimate(worlds)), search(problem, dijkstra())
    assert informed.found
    assert informed.expansions < plain.expansions


@pytest.mark.parametrize("dimensions", [0, 4])
def test_what_is_read_searches_as_what_was_written(dimensions: int, tmp_path: Path) -> None:
    worlds = random_roadmap(2, dimensions=dimensions, vertices=20)
    first, second = _policy(worlds, 0), _policy(worlds, 1, "lazy")
    for policy in (first, OneOfMany((first, second), 7)):
        save_policy(policy, tmp_path / "model.safetensors")
        loaded = read_policy(tmp_path / "model.safetensors")
        for ends in ((0, 19), (19, 4), (7, 2)):
            problem = worlds.problem(0, ends)
            assert_same_result(search(problem, policy), search(problem, loaded))
    assert isinstance(loaded, OneOfMany)
    save_policy(loaded, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "model.safetensors").read_bytes()


def test_policies_that_store_different_worlds_need_files_of_their_own(tmp_path: Path) -> None:
    parts = tuple(_policy(random_roadmap(seed)) for seed in (1, 2))
    with pytest.raises(ModelError, match="different worlds"):
        save_policy(OneOfMany(parts, 0), tmp_path / "model.safetensors")


@pytest.mark.parametrize("name", ["mine", "roadmap"])
def test_sets_with_other_features_beside_cannot_be_saved(name: str, tmp_path: Path) -> None:
    features = _features(random_roadmap(0))

    class Nothing:
        columns = ("nothing",)

        def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
            return np.zeros((len(vertices), 1))

    wider = FeatureSet((*features.features, Nothing()), name, "span")
    with pytest.raises(ModelError, match=f"not {name}"):
        save_policy(LearnedPolicy(wider, random_network(0, len(wider.columns))), tmp_path / "model.safetensors")


def test_a_damaged_number_of_coordinates_is_refused() -> None:
    features = _features(random_roadmap(0))
    policy = LearnedPolicy(features, random_network(0, len(features.columns)))
    header, tensors = policy.describe()
    for dimensions in (-1, 1 << 40, 1):
        header["feature_facts"]["roadmap"]["dimensions"] = dimensions
        with pytest.raises(ModelError):
            OneOfMany.build(header, tensors, StopRule.GOAL_GENERATED)


def test_a_policy_of_another_roadmap_is_refused_in_one_line() -> None:
    policy = _policy(random_roadmap(0))
    other = random_roadmap(1).problem(0)
    line = r"^random 1/0: the policy cannot be used here: it was learned on another roadmap, of \d+ edges$"
    with pytest.raises(FeatureError, match=line):
        search(other, policy)
    with pytest.raises(FeatureError, match=r"it supports the edges of explicit graphs"):
        search(draw_problem("S..G"), policy)
    with pytest.raises(FeatureError, match="need an explicit graph"):
        policy.features.span(draw_problem("S..G"))


def test_coordinates_must_be_as_many_as_in_training() -> None:
    worlds = random_roadmap(0)
    graph = ExplicitGraph.from_edges(worlds.topology.vertex_count, worlds.topology.edges(), undirected=True)
    with pytest.raises(FeatureError, match=r"0 coordinates, the policy was learned with 2$"):
        search(Problem(graph, 0, 1), _policy(worlds))


def test_edges_that_were_added_later_are_supported() -> None:
    worlds = random_roadmap(4, dimensions=0)
    size = worlds.topology.vertex_count
    edges = [*worlds.topology.edges().tolist(), (0, size, 0.5), (size - 1, size + 1, 0.5)]
    graph = ExplicitGraph.from_edges(size + 2, edges, undirected=True)
    result = search(Problem(graph, size, size + 1), _policy(worlds))
    assert result.found == search(Problem(graph, size, size + 1), dijkstra()).found


@given(seed=SEEDS)
def test_held_out_worlds_have_no_weight(seed: int) -> None:
    worlds = random_roadmap(seed, worlds=6)
    assume(worlds.topology.edge_count)
    table = np.array([worlds.valid(world) for world in (0, 1, 2, 1, 3)])
    columns = RoadmapColumns(EdgePosterior.of(worlds.topology, table), 2)
    same = [number for number in range(5) if np.array_equal(table[number], worlds.valid(1))]
    assert {1, 3} <= set(same)
    assert columns.held_out(worlds.problem(1)).belief.ignored == tuple(same)
    features = roadmap_features(columns.belief, 2).held_out(worlds.problem(1))
    assert features.columns == columns.columns
