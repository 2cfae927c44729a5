from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.errors import GraphError
from sailplan.graphs import VoxelGraph
from sailplan.graphs.voxels.clearance import inflate, squared_clearance
from tests.naive.voxels import squared_distances


@settings(max_examples=80)
@given(
    shape=st.tuples(*[st.integers(1, 9)] * 3), seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.01, 0.1, 0.6])
)
def test_like_the_distances_of_all_pairs(shape: tuple[int, int, int], seed: int, share: float) -> None:
    blocked = np.random.default_rng(seed).random(shape) < share
    blocked[0, 0, 0] = True
    expected = squared_distances(blocked)
    assert np.array_equal(squared_clearance(blocked), expected)
    assert np.array_equal(VoxelGraph(blocked).clearance(), np.sqrt(expected))
    assert np.array_equal(inflate(blocked, 1.5), expected <= 2)


def test_nothing_blocked() -> None:
    graph = VoxelGraph(np.zeros((2, 3, 4), bool))
    assert np.isposinf(graph.clearance()).all()
    assert not graph.inflated(100.0).blocked.any()


def test_a_radius_in_metres() -> None:
    blocked = np.zeros((1, 1, 9), bool)
    blocked[0, 0, 0] = True
    # 0.3 m are 6 voxels, although 0.3 / 0.05 is less in floating point.
    graph = VoxelGraph(blocked, 6, resolution=0.05, origin=(1.0, 2.0, 3.0), name="shaft").inflated(0.3, metres=True)
    assert graph.blocked[0, 0].tolist() == [True] * 7 + [False] * 2
    assert (graph.connectivity, graph.resolution, graph.origin, graph.name) == (6, 0.05, (1.0, 2.0, 3.0), "shaft")
    assert graph.inflated(0.0) is graph


@pytest.mark.parametrize("radius", [-1.0, math.nan, math.inf, "wide", True])
def test_bad_radius(radius: float) -> None:
    with pytest.raises(GraphError, match="a radius must be a finite number that is not negative"):
        VoxelGraph(np.zeros((2, 2, 2), bool)).inflated(radius)
