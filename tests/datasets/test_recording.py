from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.datasets import MapChecker, record_worlds
from sailplan.errors import WorldError
from sailplan.graphs import ExplicitGraph, Problem, Roadmap
from sailplan.testing import draw_world
from tests.strategies import explicit_problems


@given(drawn=explicit_problems(12), seed=st.integers(0, 1000))
def test_what_is_recorded_is_what_the_graph_says(drawn: tuple[Problem, ExplicitGraph], seed: int) -> None:
    graph = drawn[1]
    rng = np.random.default_rng(seed)
    tables = rng.random((3, graph.edge_count)) < 0.5
    recorded = record_worlds((graph.with_results(table) for table in tables), 0, 0)
    assert [recorded.valid(world).tolist() for world in range(3)] == tables.tolist()
    assert recorded.sizes == (2, 1)


def test_points_on_a_map() -> None:
    roadmap = Roadmap.sample([0.0, 0.0], [3.0, 2.0], 12, neighbours=3)
    graph = roadmap.graph(MapChecker(draw_world(".... .##. ....")), resolution=0.05)
    recorded = record_worlds([graph], 0, 1)
    starts, ends = roadmap.coordinates[roadmap.sources], roadmap.coordinates[roadmap.targets]
    along = starts + np.linspace(0.0, 1.0, 400)[:, None, None] * (ends - starts)
    inside = (np.rint(along[..., 1]) == 1.0) & np.isin(np.rint(along[..., 0]), [1.0, 2.0])
    differ = recorded.valid(0) == inside.any(axis=0)
    # The finer samples find a few corners that the coarser ones miss.
    assert differ.mean() < 0.1


def test_bad_worlds_are_refused() -> None:
    edges = [(0, 1, 1.0), (1, 2, 1.0)]
    with pytest.raises(WorldError, match="no world to record"):
        record_worlds([], 0, 1)
    with pytest.raises(WorldError, match="world 1 has another graph"):
        record_worlds([ExplicitGraph.from_edges(3, edges), ExplicitGraph.from_edges(3, edges[:1])], 0, 1)
