from __future__ import annotations

import math
import pickle
from copy import deepcopy
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings

from sailplan.core import search
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import EdgeStatus, Problem, VoxelGraph
from sailplan.policies import load_policy
from sailplan.testing import check_graph
from tests.naive.voxels import shortest_costs, valid_moves
from tests.strategies import voxel_problems


@settings(max_examples=60)
@given(voxel_problems(5))
def test_moves_like_the_definition(drawn: tuple[Problem, VoxelGraph]) -> None:
    graph = drawn[1]
    expected = valid_moves(graph.blocked, graph.connectivity, graph.corner_cutting)
    for source, moves in expected.items():
        targets, costs = graph.successors(graph.vertex(source))
        verdicts = graph.evaluate(graph.vertex(source), targets)
        found = zip(targets, costs, verdicts, strict=True)
        assert {graph.voxel(target): cost for target, cost, verdict in found if verdict.valid} == moves


def test_the_shortest_path_is_that_of_scipy_in_200_random_volumes() -> None:
    rng, unreachable = np.random.default_rng(7), 0
    for number in range(200):
        blocked = rng.random(rng.integers(2, 9, 3)) < rng.choice([0.0, 0.2, 0.4])
        last = blocked.shape[0] - 1, blocked.shape[1] - 1, blocked.shape[2] - 1
        blocked[0, 0, 0] = blocked[last] = False
        graph = VoxelGraph(blocked, (6, 18, 26)[number % 3], number % 2 == 0)
        optimum = shortest_costs(blocked, graph.connectivity, graph.corner_cutting, (0, 0, 0))[last]
        unreachable += math.isinf(optimum)
        for name in ("a_star_octile", "lazy:1"):
            result = search(graph.problem((0, 0, 0), last), load_policy(name))
            assert result.cost == pytest.approx(optimum, rel=1e-9)
    assert 10 < unreachable < 150


@settings(max_examples=30)
@given(voxel_problems(5))
def test_it_keeps_the_contract_of_a_graph(drawn: tuple[Problem, VoxelGraph]) -> None:
    check_graph(drawn[1], range(drawn[1].vertex_count))


def test_what_a_move_squeezes_past() -> None:
    blocked = np.zeros((2, 2, 2), bool)
    blocked[1, 0, 0] = True
    for connectivity, corner_cutting, plane, space in ((26, False, 1, 1), (26, True, 3, 3), (18, False, 1, None)):
        graph = VoxelGraph(blocked, connectivity, corner_cutting)
        at = graph.vertex((0, 0, 0))
        assert graph.evaluate(at, [graph.vertex((1, 1, 0))]) == [EdgeStatus(plane)]
        assert graph.evaluate(at, [graph.vertex((0, 1, 1))])[0].valid
        if space is not None:
            assert graph.evaluate(at, [graph.vertex((1, 1, 1))]) == [EdgeStatus(space)]


def test_metres() -> None:
    graph = VoxelGraph(np.zeros((4, 5, 6), bool), resolution=0.5, origin=(-1.0, 2.0, 0.0))
    assert graph.in_metres((0, 1, 5)) == (-0.75, 2.75, 2.75)
    assert graph.voxel_at(*graph.in_metres((3, 4, 5))) == (3, 4, 5)
    problem = graph.problem((-0.9, 2.1, 0.1), (0.9, 4.4, 2.9), metres=True)
    assert problem.states([problem.start, problem.goal]) == [(0, 0, 0), (3, 4, 5)]
    assert graph.points([problem.start]).tolist() == [[-0.75, 2.25, 0.25]]
    assert repr(graph) == "VoxelGraph('voxels', 4 x 5 x 6, 26 moves, 0% blocked)"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"blocked": np.zeros((2, 2), bool)}, r"boolean array with three dimensions, got an array of bool of shape"),
        ({"blocked": np.zeros((2, 2, 2))}, "boolean array with three dimensions, got an array of float64"),
        ({"blocked": np.zeros((2, 0, 2), bool)}, "three dimensions"),
        ({"connectivity": 8}, "connectivity must be 6, 18 or 26, got 8"),
        ({"corner_cutting": "no"}, "corner_cutting must be True or False, got 'no'"),
        ({"resolution": 0.0}, "the resolution must be a positive number, got 0.0"),
        ({"resolution": math.nan}, "the resolution must be a positive number, got nan"),
        ({"origin": (0.0, 1.0)}, r"the origin must be three numbers \(x, y, z\), got \(0.0, 1.0\)"),
        ({"origin": (0.0, 1.0, math.inf)}, "the origin must be three finite numbers"),
    ],
)
def test_bad_fields(fields: dict[str, object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        VoxelGraph(**{"blocked": np.zeros((2, 2, 2), bool), **fields})  # type: ignore[arg-type]


def test_bad_starts_and_goals() -> None:
    blocked = np.zeros((2, 2, 2), bool)
    blocked[1, 1, 1] = True
    graph = VoxelGraph(blocked, resolution=0.1)
    for start, message in [
        ((0, 0), r"voxels: the start must be three integers \(x, y, z\), got \(0, 0\)"),
        ((0.5, 0, 0), "the start must be three integers"),
        ((0, True, 0), "the start must be three integers"),
        ({0, 1, 2}, "the start must be three integers"),
        ((2, 0, 0), r"the start \(2, 0, 0\) is outside 2 x 2 x 2 voxels"),
        ((1, 1, 1), r"is blocked; the closest free voxel is \(0, 1, 1\), at \(0.05, 0.15, 0.15\) metres"),
    ]:
        with pytest.raises(ProblemError, match=message):
            graph.problem(start, (0, 0, 0))  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"the goal \(0.05, 0.05, 0.3\) is outside"):
        graph.problem((0.05, 0.05, 0.05), (0.05, 0.05, 0.3), metres=True)
    with pytest.raises(ProblemError, match="the start must be three finite numbers"):
        graph.problem((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0), metres=True)
    with pytest.raises(GraphError, match="no resolution, so metres cannot be converted"):
        VoxelGraph(blocked).problem((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), metres=True)
    with pytest.raises(ProblemError, match="there is no free voxel at all"):
        VoxelGraph(~np.zeros((1, 1, 1), bool)).problem((0, 0, 0), (0, 0, 0))
    with pytest.raises(ProblemError, match=r"voxel \(0, 0, 2\) is outside 2 x 2 x 2"):
        graph.vertex((0, 0, 2))


def test_the_volume_cannot_change() -> None:
    blocked = np.zeros((2, 2, 2), bool)
    graph = VoxelGraph(blocked)
    blocked[:] = True
    assert not graph.blocked.any()
    with pytest.raises(ValueError, match="read-only"):
        graph.blocked[0, 0, 0] = True


def test_a_copy_needs_no_other_kernels() -> None:
    graph = VoxelGraph(np.eye(3, dtype=bool)[None], connectivity=6, resolution=0.5, name="three")
    type_of: Any = numba.typeof
    arrays = graph.arrays()
    for copy in (deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert type_of(copy.arrays()) == type_of(arrays)
        assert copy.arrays().blocked.tolist() == graph.blocked.reshape(-1).tolist()
        assert (copy.connectivity, copy.resolution, copy.name) == (6, 0.5, "three")
