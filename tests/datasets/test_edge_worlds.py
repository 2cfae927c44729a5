from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.datasets import EdgeWorlds, read_edge_worlds, write_edge_worlds
from sailplan.errors import WorldError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies.lazy import LazyPolicy
from tests.strategies import explicit_problems


@given(drawn=explicit_problems(12), seed=st.integers(0, 1000), worlds=st.integers(1, 4))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[Problem, ExplicitGraph], seed: int, worlds: int
) -> None:
    problem, graph = drawn
    rng = np.random.default_rng(seed)
    valid = rng.random((worlds, graph.edge_count)) < 0.7
    starts = rng.integers(graph.vertex_count, size=worlds)
    written = EdgeWorlds.of(graph, valid, starts.tolist(), problem.goal, sizes=(1, 2))
    path = tmp_path_factory.mktemp("worlds") / "mine.npz"
    write_edge_worlds(written, path)
    read = read_edge_worlds(path)
    assert (read.name, read.sizes, len(read)) == ("mine", (1, 2), worlds)
    np.testing.assert_array_equal(read.topology.edges(), graph.edges())
    np.testing.assert_array_equal(read.topology.rows.coordinates, graph.rows.coordinates)
    for world in range(worlds):
        np.testing.assert_array_equal(read.valid(world), valid[world])
        one, other = written.problem(world), read.problem(world)
        assert (one.start, one.goal) == (other.start, other.goal) == (starts[world], problem.goal)
        np.testing.assert_array_equal(cost_to_go(one), cost_to_go(other))


@given(drawn=explicit_problems(15), seed=st.integers(0, 1000))
def test_a_world_is_the_graph_with_these_invalid_edges(drawn: tuple[Problem, ExplicitGraph], seed: int) -> None:
    problem, graph = drawn
    valid = np.random.default_rng(seed).random(graph.edge_count) < 0.6
    edges = graph.edges()
    plain = ExplicitGraph.from_edges(
        graph.vertex_count,
        edges,
        undirected=graph.undirected,
        invalid_edges=[(int(source), int(target)) for source, target, _ in edges[~valid]],
    )
    expected = cost_to_go(Problem(plain, problem.start, problem.goal))
    world = EdgeWorlds.of(graph, [valid], problem.start, problem.goal).problem(0)
    np.testing.assert_array_equal(cost_to_go(world), expected)
    result = search(world, LazyPolicy(1.0))
    assert result.cost == pytest.approx(expected[problem.start])


def _arrays() -> dict[str, Any]:
    return {
        "vertex_count": 3,
        "sources": np.array([0, 1]),
        "targets": np.array([1, 2]),
        "lengths": np.array([1.0, 2.0]),
        "undirected": True,
        "valid": np.packbits(np.ones((4, 2), bool), axis=1),
        "start": 0,
        "goal": 2,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"valid": None}, "there is no array valid"),
        ({"lengths": np.array(["a", "b"])}, "lengths holds <U1, not numbers"),
        ({"sources": np.array([0])}, r"lists of one length, got \(1,\), \(2,\), \(2,\)"),
        ({"sources": np.array([0, 7])}, r"\[7.0, 2.0\] names a vertex outside 0 .. 2"),
        ({"lengths": np.array([1.0, np.nan])}, "its cost must be finite"),
        ({"valid": np.ones((4, 2), np.uint8)}, r"must hold 1 bytes for each world, got uint8 of shape \(4, 2\)"),
        ({"valid": np.ones((4, 1))}, "got float64 of shape"),
        ({"goal": 3}, "the goal 3 is not a vertex"),
        ({"start": np.array([0, 1])}, "broadcast"),
        ({"coordinates": np.ones((2, 2))}, r"of shape \(3, dimensions\), got \(2, 2\)"),
        ({"sizes": np.array([1])}, "not enough values"),
        ({"sizes": np.array([-1, 2])}, "must not be negative"),
        ({"vertex_count": 2_000_000_000}, "2000000000 vertices, and only 2 edges"),
        ({"vertex_count": -1}, "the number of vertices must be"),
        ({"vertex_count": np.inf}, "cannot convert float infinity"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, **{name: value for name, value in {**_arrays(), **change}.items() if value is not None})
    with pytest.raises(WorldError, match=rf"^\S+bad\.npz: .*{message}"):
        read_edge_worlds(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [("sources", np.zeros(2_000_000, np.uint8)), ("valid", np.zeros((2_000_000, 1), np.uint8))],
)
def test_more_edges_or_worlds_than_a_file_of_its_size_may_have(tmp_path: Path, name: str, array: Any) -> None:
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, **{**_arrays(), name: array})
    with pytest.raises(WorldError, match=rf"{name} has the shape \(2000000,.*\), and at most \d+ rows are read$"):
        read_edge_worlds(path)


def test_a_real_roadmap(shared_data: Path) -> None:
    worlds = read_edge_worlds(shared_data / "edge_worlds" / "2d_1.npz")
    graph = worlds.topology
    assert (len(worlds), graph.vertex_count, graph.edge_count, graph.undirected) == (800, 100, 923, True)
    assert worlds.split("validation") == (list(range(600, 800)), 0)
    repeated = read_edge_worlds(shared_data / "edge_worlds" / "2d_4.npz").split("all")[1]
    assert repeated == 89


def test_the_trial_with_one_verdict_for_both_directions(shared_data: Path) -> None:
    worlds = read_edge_worlds(shared_data / "edge_worlds" / "2d_1.npz")
    results = [search(worlds.problem(world), LazyPolicy(1.0)) for world in range(600, 640)]
    solved = [result.edge_evaluations for result in results if result.found]
    # ANCHORS: LazySP forward on these worlds.
    assert np.mean(solved) == pytest.approx(84, abs=1)
