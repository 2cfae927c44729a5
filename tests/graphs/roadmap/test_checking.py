from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, search
from sailplan.core.search import EngineName
from sailplan.errors import GraphError
from sailplan.graphs import Roadmap, RoadmapGraph
from sailplan.graphs.roadmap import ConfigurationSpace
from sailplan.graphs.roadmap.checking import bisection, sweep
from sailplan.policies import LazyPolicy
from tests.graphs.roadmap.worlds import GOAL, RESOLUTION, START, Floats, Square, behind_no_wall, square_roadmap

UNIT = ConfigurationSpace.within([0.0, 0.0], [1.0, 1.0])


@given(st.integers(1, 200))
def test_bisection_visits_every_fraction_once_from_coarse_to_fine(steps: int) -> None:
    levels = bisection(steps)
    visited = np.concatenate(levels)
    assert sorted(visited.tolist()) == [number / steps for number in range(steps + 1)]
    for number in range(1, len(levels)):
        before = np.sort(np.concatenate(levels[:number]))
        # Each further fraction lies between two neighbours that were visited, near their middle.
        for fraction in levels[number]:
            place = np.searchsorted(before, fraction)
            middle = (before[place - 1] + before[place]) / 2
            assert abs(fraction - middle) <= 0.5 / steps + 1e-12


@given(st.integers(0, 12), st.floats(0.01, 0.5), st.integers(0, 2**32 - 1))
def test_a_sweep_agrees_with_a_check_of_all_configurations(count: int, resolution: float, seed: int) -> None:
    starts, ends = np.random.default_rng(seed).random((2, count, 2))
    seen: list[Floats] = []

    def valid(rows: Floats) -> Any:
        seen.append(rows)
        return behind_no_wall(rows)

    found = sweep(UNIT, starts, ends, valid, resolution)
    alone = [sweep(UNIT, starts[[at]], ends[[at]], behind_no_wall, resolution).tolist() for at in range(count)]
    assert alone == [[answer] for answer in found.tolist()]
    for at in range(count):
        steps = max(1, int(np.ceil(np.linalg.norm(ends[at] - starts[at]) / resolution - 1e-9)))
        rows = starts[at] + np.arange(steps + 1)[:, None] / steps * (ends[at] - starts[at])
        assert found[at] == behind_no_wall(rows).all()
    if found.all() and count:
        assert sum(map(len, seen)) == sum(
            max(1, int(np.ceil(np.linalg.norm(ends[at] - starts[at]) / resolution - 1e-9))) + 1 for at in range(count)
        )


def test_an_invalid_middle_ends_the_check_of_a_motion() -> None:
    checker = Square()
    found = sweep(UNIT, np.array([[0.0, 0.1]]), np.array([[1.0, 0.1]]), checker.valid, 0.001)
    assert found.tolist() == [False]
    assert [len(rows) for rows in checker.calls] == [3]


def _graph(checker: Any, **options: Any) -> RoadmapGraph:
    problem = square_roadmap().problem(START, GOAL, checker, resolution=RESOLUTION, **options)
    assert isinstance(problem.graph, RoadmapGraph)
    return problem.graph


def test_what_is_checked_is_counted() -> None:
    checker = Square()
    graph = _graph(checker)
    before = len(checker.calls)
    targets = graph.successors(0)[0][:3]
    graph.evaluate(0, targets)
    assert graph.edges_checked == 3
    assert graph.configurations_checked == sum(map(len, checker.calls[before:]))


class Moving:
    """A checker of motions that counts configurations itself."""

    def __init__(self) -> None:
        self.counts = SimpleNamespace(configurations=100)

    def edge_valid(self, starts: Floats, ends: Floats) -> Any:
        self.counts.configurations += 7 * len(starts)
        return np.ones(len(starts), np.bool_)


def test_a_checker_of_motions_counts_its_configurations() -> None:
    graph = square_roadmap().graph(Moving())
    graph.evaluate(0, graph.successors(0)[0][:2])
    assert (graph.edges_checked, graph.configurations_checked) == (2, 14)


def test_motions_cross_the_limits_of_dimensions_that_wrap() -> None:
    roadmap = Roadmap.sample([-3.0], [3.0], 12, wraps=[True])
    met: list[Floats] = []

    def edge_valid(starts: Floats, ends: Floats) -> Any:
        met.append(abs(ends - starts)[0])
        return np.ones(len(starts), np.bool_)

    graph = roadmap.graph(edge_valid)
    for source, target, length in zip(roadmap.sources, roadmap.targets, roadmap.lengths, strict=True):
        graph.evaluate(int(source), [int(target)])
        assert met[-1].tolist() == pytest.approx([float(length)])
    crossing = abs(roadmap.coordinates[roadmap.sources] - roadmap.coordinates[roadmap.targets])[:, 0] > 3.0
    assert crossing.any()


def _fails(starts: Floats, ends: Floats) -> Any:
    raise RuntimeError("no\nlicence")


class FailingSquare:
    def valid(self, configurations: Floats) -> Any:
        if len(configurations) > 1:
            raise RuntimeError("no licence")
        return np.ones(1, np.bool_)


class OtherRobot(Moving):
    name = "arm"
    joint_names = ("shoulder", "elbow")


@pytest.mark.parametrize(
    ("checker", "message"),
    [
        (_fails, r"^the checker failed on the edge 0 -> \d+: RuntimeError: no licence$"),
        (FailingSquare(), r"^the edge 0 -> \d+: the checker failed: RuntimeError: no licence$"),
        (lambda starts, ends: [], r"must return a bool for each edge, got .* for the edge 0 -> \d+$"),
        (lambda starts, ends: np.ones(len(starts)), "must return a bool for each edge, got an array of float64"),
        (lambda starts, ends: [None], "must return a bool for each edge, got an array of object"),
    ],
)
def test_a_checker_that_fails_is_named_with_the_edge(checker: Any, message: str) -> None:
    graph = square_roadmap().graph(checker)
    with pytest.raises(GraphError, match=message):
        graph.evaluate(0, graph.successors(0)[0][:1])


def test_several_edges_that_fail_are_counted_in_the_message() -> None:
    graph = square_roadmap().graph(_fails)
    with pytest.raises(GraphError, match=r"the edge 0 -> \d+ and 2 more: RuntimeError"):
        graph.evaluate(0, graph.successors(0)[0][:3])


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_checker_that_fails_ends_the_search_with_one_line(engine: EngineName) -> None:
    problem = square_roadmap().problem(START, GOAL, _fails)
    with pytest.raises(GraphError, match=r"^the checker failed on the edge \d+ -> \d+: RuntimeError: no licence$"):
        search(problem, LazyPolicy(), engine=engine)


@pytest.mark.parametrize(
    ("checker", "options", "message"),
    [
        (7, {}, "^a checker needs a method edge_valid or valid, or is a function, got int$"),
        (OtherRobot(), {}, "^the roadmap is for point with the joints x, y, not for arm with shoulder, elbow$"),
        (Square(), {"resolution": 0.0}, "^a resolution must be positive, got 0.0$"),
        (Square(), {"resolution": np.nan}, "^a resolution must be positive, got nan$"),
    ],
)
def test_bad_checkers_are_refused(checker: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        square_roadmap().graph(checker, **options)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_no_evaluation_begins_after_the_time_limit(engine: EngineName) -> None:
    pause, limit, batch = 0.05, 0.12, 4
    calls: list[int] = []

    def slow(starts: Floats, ends: Floats) -> Any:
        time.sleep(pause)
        calls.append(len(starts))
        return np.zeros(len(starts), np.bool_)

    problem = square_roadmap().problem(START, GOAL, slow)
    result = search(problem, LazyPolicy(batch=batch), Limits(seconds=limit), engine=engine)
    assert result.outcome is Outcome.TIME_SPENT
    # Each call takes at least `pause`, so that this many begin before the limit at most.
    assert len(calls) <= np.ceil(limit / pause)
    assert max(calls, default=0) <= batch
