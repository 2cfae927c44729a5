from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core.graph import FloatArray
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies import load_policy, save_policy
from sailplan.policies.lazy import LazyPolicy
from sailplan.policies.replanning.beliefs import EdgeLayers, EdgeNetwork, EdgePosterior, EdgeWeights, StoredPaths
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS, EdgeNetworkArrays, fill_rows
from sailplan.policies.replanning.beliefs.kernel.edges import (
    EdgeMemoryArrays,
    learn_edges,
    probabilities_invalid,
    surprises,
)
from tests.naive.edge_network import NaiveEdgeNetwork, random_network


def path_graph(edges: int) -> ExplicitGraph:
    rows = [(edge, edge + 1, 0.5 + 0.1 * edge) for edge in range(edges)]
    return ExplicitGraph.from_edges(edges + 1, rows)


@given(
    worlds=st.integers(1, 140),
    edges=st.integers(1, 12),
    seed=st.integers(0, 1000),
    doubts=st.sampled_from([(0.0, 0.0), (0.5, 2.0)]),
    ignored=st.booleans(),
)
def test_probabilities_and_penalties_are_those_of_the_definition(
    worlds: int, edges: int, seed: int, doubts: tuple[float, float], ignored: bool
) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((worlds, edges)) < rng.random(edges)
    weights = EdgeWeights(doubt_of_invalid=doubts[0], doubt_of_valid=doubts[1])
    graph = path_graph(edges)
    problem = Problem(graph, 0, edges)
    belief = random_network(EdgePosterior.of(graph, table, weights), problem, rng)
    if ignored and worlds > 2:
        belief = belief.held_out((0, worlds - 1))
    memory, naive = belief.arrays(problem), NaiveEdgeNetwork(belief, problem)
    found, rows = np.empty((2, edges)), np.empty((edges, COLUMNS))
    for edge in rng.permutation(edges)[:6].tolist():
        # Only some edges are considered at each step.
        fill_rows(memory, np.array([int(rng.integers(edges))]), rows[:1])
        if rng.random() < 0.7:
            probabilities_invalid(memory, found[0])
            surprises(memory, found[1])
            fill_rows(memory, np.arange(edges), rows)
            every = range(edges)
            np.testing.assert_allclose(rows, [naive.features(one) for one in every], rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(found[0], [naive.invalid(one) for one in every], rtol=1e-4)
            np.testing.assert_allclose(found[1], [naive.surprise(one) for one in every], rtol=1e-4, atol=1e-4)
        invalid = bool(rng.random() < 0.5)
        learn_edges(memory, np.array([edge]), np.array([invalid]))
        naive.learn(edge, invalid)


def _belief() -> tuple[Problem, EdgeNetwork]:
    graph = path_graph(3)
    posterior = EdgePosterior.of(graph, np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1]]))
    problem = Problem(graph, 0, 3)
    return problem, random_network(posterior, problem, np.random.default_rng(0))


def _probabilities(belief: EdgeNetwork | EdgePosterior, problem: Problem) -> FloatArray:
    probabilities = np.empty(3)
    probabilities_invalid(belief.arrays(problem), probabilities)
    return probabilities


def test_without_units_the_posterior_is_not_changed() -> None:
    problem, belief = _belief()
    plain = replace(belief, layers=EdgeLayers.none())
    np.testing.assert_allclose(_probabilities(plain, problem), _probabilities(belief.posterior, problem))


def test_for_other_ends_the_posterior_is_used() -> None:
    problem, belief = _belief()
    assert isinstance(belief.arrays(problem), EdgeNetworkArrays)
    assert isinstance(belief.arrays(Problem(problem.graph, 1, 3)), EdgeMemoryArrays)
    longer = ExplicitGraph.from_edges(5, [*path_graph(3).edges().tolist(), (3, 4, 1.0)])
    assert isinstance(belief.arrays(Problem(longer, 0, 3)), EdgeMemoryArrays)
    assert not belief.why_unsupported(problem)
    assert belief.why_unsupported(Problem(path_graph(2), 0, 2)) == "it was learned on another roadmap, of 3 edges"


def test_a_saved_belief_is_the_same(tmp_path: Path) -> None:
    problem, belief = _belief()
    save_policy(LazyPolicy(belief=belief), tmp_path / "network.safetensors")
    loaded = load_policy(str(tmp_path / "network.safetensors"))
    assert isinstance(loaded, LazyPolicy)
    assert isinstance(loaded.belief, EdgeNetwork)
    assert loaded.belief.stored.paths == belief.stored.paths
    assert loaded.describe()[0] == LazyPolicy(belief=belief).describe()[0]
    np.testing.assert_array_equal(loaded.belief.multipliers(problem), belief.multipliers(problem))


@pytest.mark.parametrize(
    ("facts", "tensors"),
    [
        ({"effort": -1.0}, {}),
        ({"joint": float("nan")}, {}),
        ({"offset": float("inf")}, {}),
        ({}, {"weights": np.zeros((3, COLUMNS + 1))}),
        ({}, {"weights": np.zeros((3, COLUMNS), np.float32)}),
        ({}, {"biases": np.full(3, np.nan)}),
        ({}, {"path_edges": np.array([7, 7, 7])}),
        ({}, {"path_lengths": np.array([1])}),
        ({}, {"path_lengths": np.array([0])}),
        ({}, {"path_edges": np.zeros((1, 1), np.int64)}),
    ],
)
def test_damaged_files_are_refused(facts: dict[str, Any], tensors: dict[str, Any]) -> None:
    right = _belief()[1].describe()
    with pytest.raises(ModelError):
        EdgeNetwork.build({**right[0], **facts}, {**right[1], **tensors})


def test_bad_values_are_refused() -> None:
    _, belief = _belief()
    with pytest.raises(PolicyError, match="between 0 and 1000"):
        replace(belief, effort=1e9)
    with pytest.raises(PolicyError, match="the same worlds"):
        replace(belief, stored=StoredPaths(EdgePosterior.of(path_graph(3), np.ones((2, 3))).memory))
    with pytest.raises(PolicyError, match="a path needs edges"):
        StoredPaths(belief.posterior.memory, ((),))
