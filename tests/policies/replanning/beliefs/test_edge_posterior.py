from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.errors import ModelError, PolicyError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies.replanning.beliefs import EdgePosterior, EdgeWeights
from sailplan.policies.replanning.beliefs.kernel.edges import learn_edges, probabilities_invalid
from tests.naive.edge_posterior import NaivePosterior


def _path_graph(edges: int) -> ExplicitGraph:
    return ExplicitGraph.from_edges(edges + 1, [(edge, edge + 1, 1.0) for edge in range(edges)])


@given(
    worlds=st.integers(1, 40),
    edges=st.integers(1, 20),
    seed=st.integers(0, 1000),
    doubts=st.sampled_from([(0.0, 0.0), (0.5, 2.0), (30.0, 30.0)]),
    certainty=st.sampled_from([0.5, 0.9, 0.9999]),
    region=st.sampled_from([0.0, 0.4]),
    placed=st.booleans(),
)
def test_probabilities_are_those_of_the_definition(
    worlds: int, edges: int, seed: int, doubts: tuple[float, float], certainty: float, region: float, placed: bool
) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((worlds, edges)) < rng.random(edges)
    weights = EdgeWeights(doubt_of_invalid=doubts[0], doubt_of_valid=doubts[1], certainty=certainty, region=region)
    belief, count = EdgePosterior.of(_path_graph(edges), table, weights), edges + 5
    # Two new vertices are joined to each other and to some of the old ones.
    new = [(edges + 1, edges + 2), (edges + 1, 0), (edges, edges + 1), (edges + 2, edges), (edges // 2, edges + 2)]
    rows = [(edge, edge + 1, 1.0) for edge in range(edges)] + [(*ends, rng.uniform(0.5, 2.0)) for ends in new]
    longer = ExplicitGraph.from_edges(edges + 3, rows, coordinates=rng.random((edges + 3, 2)) if placed else None)
    problem = Problem(longer, edges + 1, edges + 2)
    memory, naive = belief.arrays(problem), NaivePosterior(belief, problem)
    probabilities = np.empty(count)
    for edge in rng.integers(count, size=9).tolist():
        probabilities_invalid(memory, probabilities)
        np.testing.assert_allclose(probabilities, [naive.invalid(one) for one in range(count)], rtol=1e-5)
        invalid = bool(rng.random() < 0.5)
        learn_edges(memory, np.array([edge]), np.array([invalid]))
        naive.learn(edge, invalid)


def test_ignored_worlds_have_no_weight() -> None:
    table = np.array([[True, False], [False, True], [False, True]])
    belief = EdgePosterior.of(_path_graph(2), table, EdgeWeights(smoothing=1e-9, certainty=0.999999))
    probabilities = np.empty(2)
    probabilities_invalid(replace(belief, ignored=(1, 2)).arrays(Problem(_path_graph(2), 0, 2)), probabilities)
    np.testing.assert_allclose(probabilities, [0.0, 1.0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"surprise": -1.0}, "not negative"),
        ({"certainty": 1.0}, r"certainty in \[0.5, 1\)"),
        ({"doubt_of_valid": float("nan")}, "finite"),
        ({"detour": 0.0}, "must be positive"),
        ({"haste": 0.9}, "at least 1"),
        ({"patience": 0.0}, "must be positive"),
        ({"smoothing": 0.0}, "must be positive"),
        ({"openness": 0.0}, "must be positive"),
    ],
)
def test_bad_weights_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        EdgeWeights(**change)


def test_bad_worlds_are_refused() -> None:
    for shape in ((2, 3), (0, 2), (2,)):
        with pytest.raises(PolicyError, match=rf"worlds of shape \({shape[0]}.*for 2 edges"):
            EdgePosterior.of(_path_graph(2), np.ones(shape))


def test_damaged_files_are_refused() -> None:
    facts, tensors = EdgePosterior.of(_path_graph(2), np.ones((3, 2))).describe()
    for change in ({"worlds": 0}, {"edges": 1 << 40}, {"worlds": 40}):
        with pytest.raises(ModelError):
            EdgePosterior.build({**facts, **change}, tensors)
