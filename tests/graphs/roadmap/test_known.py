from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sailplan.core import search
from sailplan.errors import GraphError
from sailplan.graphs import KnownEdges, RoadmapGraph
from sailplan.policies import LazyPolicy
from tests.graphs.roadmap.worlds import GOAL, RESOLUTION, START, Floats, Square, square_roadmap


def _plan(known: KnownEdges | None, start: Any = START, goal: Any = GOAL, policy: Any = None) -> tuple[Any, Any]:
    problem = square_roadmap().problem(start, goal, Square(), resolution=RESOLUTION, known=known)
    assert isinstance(problem.graph, RoadmapGraph)
    return search(problem, policy or LazyPolicy(bound=1.0)), problem.graph


def test_what_is_known_is_not_checked_again_and_changes_no_search() -> None:
    known = KnownEdges(square_roadmap())
    first, _ = _plan(known)
    fresh, all_checked = _plan(None)
    again, fewer_checked = _plan(known)
    assert first.path == again.path == fresh.path
    assert again.edge_evaluations == fresh.edge_evaluations == all_checked.edges_checked
    remembered = len(known.valid) + len(known.invalid)
    assert fewer_checked.edges_checked == fresh.edge_evaluations - remembered
    assert remembered > 0


def test_knowledge_helps_other_queries() -> None:
    known = KnownEdges(square_roadmap())
    _plan(known)
    other = (0.1, 0.45), (0.9, 0.55)
    result, graph = _plan(known, *other)
    fresh, _ = _plan(None, *other)
    assert result.path == fresh.path
    assert graph.edges_checked < fresh.edge_evaluations


def test_results_are_kept_when_a_roadmap_is_refined() -> None:
    joined = square_roadmap().connect(START, GOAL, extra=0)
    known = KnownEdges(joined)
    known.remember(np.array([0, joined.edge_count - 1]), np.array([True, False]))
    finer = joined.refine([0, 1])
    kept = known.extended(finer)
    assert (kept.valid.tolist(), kept.invalid.tolist()) == ([0], [joined.edge_count - 1])
    kept.remember(np.array([finer.edge_count - 1]), np.array([True]))
    assert kept.valid.tolist() == [0, finer.edge_count - 1]
    assert known.valid.tolist() == [0]
    with pytest.raises(GraphError, match="those of another roadmap"):
        kept.extended(square_roadmap())


def test_a_vertex_is_closed_if_all_its_edges_are_invalid() -> None:
    roadmap = square_roadmap()
    known = KnownEdges(roadmap)
    edges = np.flatnonzero((roadmap.sources == 3) | (roadmap.targets == 3))
    known.remember(edges[1:], np.zeros(len(edges) - 1, bool))
    assert not known.is_closed(3)
    known.remember(edges[:1], np.zeros(1, bool))
    assert known.is_closed(3)


def test_both_directions_are_one_edge() -> None:
    roadmap = square_roadmap()
    graph = roadmap.graph(Square(), known=KnownEdges(roadmap))
    target = graph.successors(0)[0][0]
    assert graph.evaluate(0, [target]) == graph.evaluate(target, [0])
    assert graph.edges_checked == 1


def test_only_what_a_change_may_touch_is_forgotten() -> None:
    roadmap = square_roadmap()
    known = KnownEdges(roadmap)
    graph = roadmap.graph(Square(), known=known)
    graph.evaluate_edges(roadmap.sources.tolist(), roadmap.targets.tolist())
    assert len(known.valid) + len(known.invalid) == roadmap.edge_count

    def near_corner(rows: Floats) -> Any:
        return np.linalg.norm(rows - 1.0, axis=1) < 0.3

    forgotten = known.forget(near_corner, resolution=RESOLUTION)
    kept = np.union1d(known.valid, known.invalid)
    assert 0 < forgotten == roadmap.edge_count - len(kept)
    for number in range(roadmap.edge_count):
        ends = roadmap.coordinates[[roadmap.sources[number], roadmap.targets[number]]]
        steps = max(1, int(np.ceil(roadmap.lengths[number] / RESOLUTION - 1e-9)))
        rows = ends[0] + np.arange(steps + 1)[:, None] / steps * (ends[1] - ends[0])
        assert (number in kept) != near_corner(rows).any()


def test_edges_can_be_forgotten_by_number() -> None:
    roadmap = square_roadmap()
    known = KnownEdges(roadmap)
    known.remember(np.array([0, 3, 5]), np.array([True, False, True]))
    assert known.forget(np.array([3, 3, 4])) == 1
    assert (known.valid.tolist(), known.invalid.tolist()) == ([0, 5], [])
    with pytest.raises(GraphError, match="edges are numbered from 0 to"):
        known.forget(np.array([roadmap.edge_count]))


def test_a_bad_predicate_of_change_is_refused() -> None:
    known = KnownEdges(square_roadmap())
    known.remember(np.array([0]), np.array([True]))
    with pytest.raises(GraphError, match="must return a bool for each of"):
        known.forget(lambda rows: np.zeros(len(rows), np.int64))


def test_a_file_gives_the_results_back(tmp_path: Path) -> None:
    known = KnownEdges(square_roadmap())
    _plan(known)
    known.save(tmp_path / "known.npz")
    again = KnownEdges.load(tmp_path / "known.npz", square_roadmap())
    assert np.array_equal(again.valid, known.valid)
    assert np.array_equal(again.invalid, known.invalid)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    known, path = KnownEdges(square_roadmap()), tmp_path / "known.npz"
    with pytest.raises(GraphError, match="no such file"):
        KnownEdges.load(path, known.roadmap)
    path.write_bytes(b"PK nonsense")
    with pytest.raises(GraphError, match=r"not an \.npz file, or a damaged one"):
        KnownEdges.load(path, known.roadmap)
    known.roadmap.save(path)
    with pytest.raises(GraphError, match="a file without known edges"):
        KnownEdges.load(path, known.roadmap)
    known.save(path)
    with pytest.raises(GraphError, match="those of another roadmap"):
        KnownEdges.load(path, square_roadmap(seed=1))
    np.savez(path, known_edges=np.zeros(3, np.uint8), roadmap=known.roadmap.fingerprint)
    with pytest.raises(GraphError, match=r"known_edges must be \d+ codes"):
        KnownEdges.load(path, known.roadmap)


def test_the_edges_of_another_roadmap_are_refused() -> None:
    with pytest.raises(GraphError, match=r"^the known edges are those of another roadmap$"):
        square_roadmap().graph(Square(), known=KnownEdges(square_roadmap(seed=1)))


@pytest.mark.parametrize("edges", [None, [-1], [0.5], [[0]], "abc"])
def test_edges_that_are_no_numbers_are_refused(edges: Any) -> None:
    known = KnownEdges(square_roadmap())
    for call in (known.recall, known.forget, lambda edges: known.remember(edges, np.ones(1, bool))):
        with pytest.raises(GraphError, match="edges are given by their numbers"):
            call(edges)


def test_each_edge_has_one_result() -> None:
    known = KnownEdges(square_roadmap())
    for valid in (np.ones(3, bool), np.ones(2), None):
        with pytest.raises(GraphError, match="2 edges need as many bools"):
            known.remember(np.array([0, 1]), valid)  # type: ignore[arg-type]
    assert len(known.valid) == 0


def test_known_edges_need_a_roadmap() -> None:
    with pytest.raises(GraphError, match="those of a Roadmap, got NoneType"):
        KnownEdges(None)  # type: ignore[arg-type]
