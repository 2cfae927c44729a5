from __future__ import annotations

import gc
import json
import math
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Outcome, Policy, open_search, search
from sailplan.core.kernel.compile import kernel
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.state import allocate_state
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import ExplicitGraph, Problem, Roadmap, RoadmapGraph
from sailplan.graphs.roadmap.kernel import MetricCsrArrays
from sailplan.oracle import cost_to_go
from sailplan.policies import LazyPolicy, load_policy
from sailplan.policies.replanning.kernel.edges import believed_cost, bound_of
from sailplan.testing import check_graph, check_result
from tests.graphs.roadmap.worlds import GOAL, RESOLUTION, START, Square, behind_no_wall, edge_valid, square_roadmap
from tests.same import assert_same_result, assert_same_state

POLICIES: list[Policy] = [
    LazyPolicy(),
    LazyPolicy(bound=1.0, selector="alternate"),
    LazyPolicy(bound=1.0, batch=4),
    load_policy("a_star"),
    load_policy("optimistic"),
]


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.sampled_from(["halton", "random"]),
    st.one_of(st.none(), st.integers(1, 50)),
    st.integers(0, 2**32 - 1),
)
def test_any_roadmap_is_a_graph(count: int, dimensions: int, sampler: str, neighbours: int | None, seed: int) -> None:
    roadmap = Roadmap.sample(
        [0.0] * dimensions, [1.0] * dimensions, count, sampler=sampler, seed=seed, neighbours=neighbours
    )
    assert roadmap.vertex_count == count
    assert (roadmap.sources < roadmap.targets).all()
    assert len(np.unique(roadmap.sources.astype(np.int64) * count + roadmap.targets)) == roadmap.edge_count
    joined = roadmap.coordinates[roadmap.sources] - roadmap.coordinates[roadmap.targets]
    assert np.allclose(roadmap.lengths, np.linalg.norm(joined, axis=1))
    check_graph(roadmap.graph(lambda starts, ends: abs(starts - ends)[:, 0] < 0.3), range(count))


def test_the_same_arguments_give_the_same_roadmap() -> None:
    one, other = square_roadmap(), square_roadmap()
    assert one.fingerprint == other.fingerprint != square_roadmap(seed=1).fingerprint
    assert np.array_equal(one.connect(START, GOAL).coordinates, other.connect(START, GOAL).coordinates)
    assert not np.array_equal(one.connect(START, GOAL).coordinates, one.connect(START, GOAL, seed=1).coordinates)


def test_a_radius_joins_what_is_within_it() -> None:
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 60, radius=0.2)
    assert roadmap.lengths.max() <= 0.2
    assert roadmap.facts["neighbours"] is None
    offsets = roadmap.coordinates[:, None] - roadmap.coordinates
    assert roadmap.edge_count == np.count_nonzero(np.triu(np.linalg.norm(offsets, axis=2) <= 0.2, k=1))


def test_the_filter_of_vertices_is_counted() -> None:
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 50, valid=lambda rows: rows[:, 0] > 0.5)
    assert roadmap.coordinates[:, 0].min() > 0.5
    assert roadmap.facts["rejected"] > 10


@settings(max_examples=25)
@given(st.integers(1, 60), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_connecting_keeps_vertices_and_edges(count: int, extra: int, seed: int) -> None:
    roadmap = square_roadmap(count)
    joined = roadmap.connect(START, GOAL, extra=extra, seed=seed)
    assert joined.vertex_count == count + 2 * extra + 2
    assert np.array_equal(joined.coordinates[:count], roadmap.coordinates)
    assert joined.coordinates[-2:].tolist() == [list(START), list(GOAL)]
    for name in ("sources", "targets", "lengths"):
        assert np.array_equal(getattr(joined, name)[: roadmap.edge_count], getattr(roadmap, name))
    assert (joined.facts["base_vertices"], joined.facts["base_edges"]) == (count, roadmap.edge_count)
    assert joined.topology.edge_count == joined.edge_count
    for vertex in range(count, joined.vertex_count):
        met = joined.topology.successors(vertex)[0]
        assert sum(target < count for target in met) >= min(count, roadmap.facts["neighbours"])


def test_refining_adds_samples_near_vertices() -> None:
    joined = square_roadmap().connect(START, GOAL, extra=0)
    start, goal = joined.vertex_count - 2, joined.vertex_count - 1
    finer = joined.refine([start, goal], extra=5, spread=0.1, neighbours=4)
    assert finer.vertex_count == joined.vertex_count + 10
    assert np.array_equal(finer.coordinates[: joined.vertex_count], joined.coordinates)
    assert np.array_equal(finer.sources[: joined.edge_count], joined.sources)
    for centre, samples in ((START, finer.coordinates[-10:-5]), (GOAL, finer.coordinates[-5:])):
        assert (np.linalg.norm(samples - centre, axis=1) <= 0.1).all()
    assert (finer.facts["base_vertices"], finer.facts["base_edges"]) == (120, square_roadmap().edge_count)
    with pytest.raises(GraphError, match=r"vertices are numbered from 0 to 121, got \[122\]"):
        joined.refine([122])


def test_samples_near_the_ends_are_filtered() -> None:
    joined = square_roadmap().connect((0.44, 0.1), GOAL, extra=20, valid=behind_no_wall)
    assert joined.vertex_count < 120 + 42
    assert behind_no_wall(joined.coordinates[120:]).all()


@pytest.mark.parametrize("policy", POLICIES, ids=["any path", "alternate", "batch", "a_star", "optimistic"])
@pytest.mark.parametrize("checker", [Square(), edge_valid], ids=["configurations", "edges"])
def test_engines_agree_and_paths_are_valid(policy: Policy, checker: Any) -> None:
    problem = square_roadmap().problem(START, GOAL, checker, resolution=RESOLUTION)
    searches = [open_search(problem, policy, engine=engine) for engine in ("reference", "compiled")]
    reference, compiled = (one.run() for one in searches)
    assert_same_result(reference, compiled)
    assert_same_state(searches[0].state, searches[1].state)
    assert compiled.found
    check_result(problem, compiled)


def test_lazy_search_finds_the_shortest_path_of_the_valid_edges() -> None:
    problem = square_roadmap().problem(START, GOAL, edge_valid)
    graph = problem.graph
    assert isinstance(graph, RoadmapGraph)
    roadmap = graph.roadmap
    starts, ends = roadmap.motions(roadmap.sources, roadmap.targets)
    kept = edge_valid(starts, ends)
    table = np.stack([roadmap.sources, roadmap.targets, roadmap.lengths], axis=1)[kept]
    known = ExplicitGraph.from_edges(roadmap.vertex_count, table, undirected=True)
    best = cost_to_go(Problem(known, problem.start, problem.goal))[problem.start]
    result = search(problem, LazyPolicy(bound=1.0))
    assert result.cost == pytest.approx(float(best))
    assert result.edge_evaluations < 0.5 * roadmap.edge_count


def test_nothing_is_checked_before_the_search() -> None:
    problem = square_roadmap().problem(START, GOAL, edge_valid)
    assert isinstance(problem.graph, RoadmapGraph)
    assert problem.graph.edges_checked == 0
    result = search(problem, LazyPolicy())
    assert problem.graph.edges_checked == result.edge_evaluations


def test_states_are_configurations() -> None:
    problem = square_roadmap().problem(START, GOAL, edge_valid)
    path = problem.states(search(problem, LazyPolicy()).path)
    assert (path[0].tolist(), path[-1].tolist()) == (list(START), list(GOAL))


class Explained(Square):
    def collisions(self, configuration: Any) -> list[tuple[str, str]]:
        return [("point", f"wall at x = {configuration[0]}")]


def test_an_invalid_start_or_goal_is_refused_with_the_reason() -> None:
    inside = (0.5, 0.5)
    with pytest.raises(ProblemError, match=r"^hall: the start is not valid$"):
        square_roadmap().problem(inside, GOAL, Square(), name="hall")
    with pytest.raises(ProblemError, match=r"^hall: the goal is not valid: point with wall at x = 0\.5$"):
        square_roadmap().problem(START, inside, Explained(), name="hall")


def test_a_goal_that_the_topology_does_not_reach_is_explained() -> None:
    space = square_roadmap().space
    places = np.array([[0.0, 0.0], [0.1, 0.0], [0.9, 0.9], [1.0, 1.0], [0.8, 0.9]])
    roadmap = Roadmap(
        space, places, np.array([0, 2, 3], np.int32), np.array([1, 3, 4], np.int32), np.array([0.1, 0.2, 0.3])
    )
    assert roadmap.why_unreachable(2, 4) is None
    assert roadmap.why_unreachable(0, 4) == (
        "the roadmap has no path from 0 to 4 even if all edges are valid: they reach 2 and 3 of 5 vertices"
    )
    result = search(Problem(roadmap.graph(edge_valid), 0, 4), LazyPolicy())
    assert result.outcome is Outcome.FRONTIER_EMPTY


def test_a_wall_without_a_gap_leaves_no_path_though_the_topology_has_one() -> None:
    def closed(starts: Any, ends: Any) -> Any:
        return (starts[:, 0] - 0.5) * (ends[:, 0] - 0.5) > 0

    problem = square_roadmap().problem(START, GOAL, closed)
    assert isinstance(problem.graph, RoadmapGraph)
    for engine in ("compiled", "reference"):
        assert search(problem, LazyPolicy(), engine=engine).outcome is Outcome.FRONTIER_EMPTY
    assert problem.graph.roadmap.why_unreachable(problem.start, problem.goal) is None


def test_a_file_gives_the_roadmap_back(tmp_path: Path) -> None:
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 6.0], 30, wraps=[False, True], weights=[1.0, 0.5], robot="cart")
    roadmap.save(tmp_path / "made" / "cart.npz")
    again = Roadmap.load(tmp_path / "made" / "cart.npz", robot="cart")
    assert again.fingerprint == roadmap.fingerprint
    assert np.array_equal(again.lengths, roadmap.lengths)
    assert again.facts == roadmap.facts
    assert again.space.facts() == roadmap.space.facts()
    with np.load(tmp_path / "made" / "cart.npz", allow_pickle=False) as arrays:
        assert int(arrays["vertex_count"]) == 30
        assert bool(arrays["undirected"])
    with pytest.raises(GraphError, match=r"cart.npz: a roadmap for the robot 'cart', not for 'arm'$"):
        Roadmap.load(tmp_path / "made" / "cart.npz", robot="arm")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coordinates": np.zeros((30, 3))}, r"coordinates must have the shape \(vertices, 2\), got \(30, 3\)"),
        ({"coordinates": np.zeros(30)}, r"coordinates must have the shape \(vertices, 2\), got \(30,\)"),
        ({"coordinates": np.full((30, 2), math.nan)}, "coordinates must be finite"),
        ({"coordinates": np.zeros((3, 2))}, r"names a vertex outside 0 \.\. 2"),
        ({"coordinates": np.full((30, 2), "a")}, "coordinates must be numbers"),
        ({"sources": np.array([-1, 0])}, r"targets must be a number for each of 2 edges"),
        ({"lengths": np.zeros(3)}, "lengths must be a number for each of"),
        ({"sources": np.array(1)}, r"sources must be a number for each of 1 edges, got the shape \(\)"),
        ({"sources": np.zeros(4)}, "sources must be numbers, got float64"),
        ({"facts": np.array("{")}, "its facts are not JSON"),
        ({"facts": np.array("9" * 5000)}, "its facts are not JSON"),
        ({"facts": np.array("[" * 100_000)}, "its facts are not JSON"),
        ({"facts": np.array("[]")}, "its facts have no space"),
        ({"facts": np.array(json.dumps({"space": {"lower": [0.0]}}))}, "its facts lack upper"),
        ({"facts": np.array([{}], dtype=object)}, "not an .npz file, or a damaged one"),
        ({"facts": None}, "not a roadmap: there is no array facts"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "roadmap.npz"
    square_roadmap(30).save(path)
    with np.load(path) as arrays:
        kept = {**arrays, **change}
    np.savez(path, **{name: array for name, array in kept.items() if array is not None})
    with pytest.raises(GraphError, match=message) as caught:
        Roadmap.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("sources", "targets", "lengths", "message"),
    [
        ([0, 1], [1, 0], [1.0, 1.0], "an edge is given twice"),
        ([0, 1], [0, 2], [1.0, 1.0], "an edge joins a vertex to itself"),
        ([0, -1], [1, 2], [1.0, 1.0], r"sources names a vertex outside 0 \.\. 29"),
        ([0, 1], [1, 30], [1.0, 1.0], r"targets names a vertex outside 0 \.\. 29"),
        ([0, 1], [1, 2], [1.0, math.nan], "lengths must be finite and not negative"),
        ([0, 1], [1, 2], [1.0, -1.0], "lengths must be finite and not negative"),
    ],
)
def test_bad_edges_in_a_file_are_refused(
    tmp_path: Path, sources: list[int], targets: list[int], lengths: list[float], message: str
) -> None:
    path = tmp_path / "roadmap.npz"
    square_roadmap(30).save(path)
    with np.load(path) as arrays:
        kept = {**arrays}
    kept |= {"sources": np.array(sources), "targets": np.array(targets), "lengths": np.array(lengths)}
    np.savez(path, **kept)
    with pytest.raises(GraphError, match=message):
        Roadmap.load(path)


@pytest.mark.parametrize("contents", [b"", b"PK\x03\x04 nonsense"])
def test_files_of_another_kind_are_refused(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "roadmap.npz"
    path.write_bytes(contents)
    with pytest.raises(GraphError, match=r"not an \.npz file, or a damaged one"):
        Roadmap.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "a roadmap needs a number of vertices, at least 1, got 0"),
        ({"count": 2.5}, "a roadmap needs a number of vertices"),
        ({"neighbours": 0}, "neighbours must be an integer, at least 1, got 0"),
        ({"neighbours": 3, "radius": 0.1}, "either neighbours or a radius, not both"),
        ({"radius": -1.0}, "a radius must be a positive number"),
        ({"sampler": "sobol"}, "no sampler 'sobol'"),
        ({"names": ("x",)}, "2 dimensions need as many names"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Roadmap.sample([0.0, 0.0], [1.0, 1.0], **{"count": 10, **options})


@pytest.mark.parametrize(
    ("start", "options", "message"),
    [
        ((0.1, math.nan), {}, "the start must be a list of finite numbers"),
        ((0.1, 0.2, 0.3), {}, "the start: 2 numbers are needed, got 3"),
        ((0.1, 1.2), {}, r"the start: y is 1.2, outside 0 \.\. 1"),
        (START, {"extra": -1}, "extra must be an integer, not negative, got -1"),
        (START, {"neighbours": 0}, "neighbours must be an integer, at least 1, got 0"),
    ],
)
def test_bad_ends_are_refused(start: tuple[float, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        square_roadmap().connect(start, GOAL, **options)


def test_edges_have_numbers_in_both_directions() -> None:
    roadmap = square_roadmap(20)
    numbers = np.arange(roadmap.edge_count)
    assert np.array_equal(roadmap.edge_numbers(roadmap.sources.tolist(), roadmap.targets.tolist()), numbers)
    assert np.array_equal(roadmap.edge_numbers(roadmap.targets.tolist(), roadmap.sources.tolist()), numbers)
    with pytest.raises(GraphError, match="the roadmap has no edge 0 -> 0"):
        roadmap.edge_numbers([0], [0])


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_rows_are_those_of_an_explicit_graph_with_sorted_edges(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = np.argwhere(np.triu(rng.random((count, count)) < 0.4, k=1)).astype(np.int32)
    rng.shuffle(ends)
    turned = np.where(rng.random((len(ends), 1)) < 0.5, ends, ends[:, ::-1])
    lengths = rng.random(len(ends))
    roadmap = Roadmap(square_roadmap().space, rng.random((count, 2)), turned[:, 0], turned[:, 1], lengths)
    rows, table = roadmap.topology.rows, np.column_stack([ends, lengths])
    twin = ExplicitGraph.from_edges(count, table, undirected=True)
    for vertex in range(count):
        met = dict(zip(*twin.successors(vertex), strict=True))
        targets, costs = roadmap.topology.successors(vertex)
        assert targets == sorted(met)
        assert dict(zip(targets, costs, strict=True)) == met
    sources = np.repeat(np.arange(count), np.diff(rows.first))
    assert np.array_equal(sources[rows.opposite], rows.targets)
    assert np.array_equal(rows.targets[rows.opposite], sources)
    assert np.array_equal(rows.given[rows.opposite], rows.given)
    assert np.array_equal(roadmap.topology.edges(), twin.edges())


@given(
    st.integers(1, 30),
    st.lists(st.booleans(), min_size=1, max_size=4),
    st.one_of(st.none(), st.integers(1, 40)),
    st.integers(0, 3),
    st.integers(0, 2**32 - 1),
)
def test_rows_of_an_extended_roadmap_are_those_of_its_edges(
    count: int, wraps: list[bool], neighbours: int | None, extra: int, seed: int
) -> None:
    rng, limits = np.random.default_rng(seed), np.ones(len(wraps))
    base = Roadmap.sample(-limits, limits, count, seed=seed, weights=rng.uniform(0.5, 2.0, len(wraps)), wraps=wraps)
    # The samples of a vertex may coincide with it.
    ends = base.coordinates[rng.integers(count, size=2)] if seed % 2 else rng.uniform(-1.0, 1.0, (2, len(wraps)))
    joined = base.connect(*ends, neighbours=neighbours, extra=extra, seed=seed)
    refined = joined.refine([0, count + 1], neighbours=neighbours, extra=extra, seed=seed)
    for roadmap in (joined, refined):
        assert roadmap.base is not None
        plain = replace(roadmap, base=None)
        for name, found in roadmap.rows._asdict().items():
            expected = getattr(plain.rows, name)
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected), name
        assert roadmap.topology.max_in_degree == int(np.bincount(roadmap.rows.targets, minlength=1).max(initial=0))


@given(
    st.integers(1, 40),
    st.lists(st.booleans(), min_size=1, max_size=3),
    st.sampled_from((1.0, 1.5, 1e9)),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_straight_distances_bound_the_costs_of_paths(count: int, wraps: list[bool], bound: float, seed: int) -> None:
    rng, limits = np.random.default_rng(seed), np.ones(len(wraps))
    base = Roadmap.sample(-limits, limits, count, seed=seed, weights=rng.uniform(0.5, 2.0, len(wraps)), wraps=wraps)
    ends = base.coordinates[rng.integers(count, size=2)] if seed % 2 else rng.uniform(-1.0, 1.0, (2, len(wraps)))
    roadmap = base.connect(*ends, neighbours=4, extra=1, seed=seed)
    assert roadmap.is_metric
    valid = rng.random(roadmap.edge_count) < 0.7

    def check(sources: list[int], targets: list[int]) -> Any:
        return valid[roadmap.edge_numbers(sources, targets)]

    graph = replace(roadmap.topology, checker=check)
    problem = Problem(graph, roadmap.vertex_count - 2, roadmap.vertex_count - 1)
    plain = Problem(roadmap.topology.with_results(valid), problem.start, problem.goal)
    assert isinstance(graph.arrays(), MetricCsrArrays)
    optimum = float(cost_to_go(plain)[problem.start])
    policy = LazyPolicy(math.inf if bound == 1e9 else bound)
    result = search(problem, policy)
    assert result.found == math.isfinite(optimum)
    if result.found:
        assert result.cost <= bound * optimum * (1 + 1e-9) + 1e-9
    plan = policy.compiled(problem).arrays.plan
    assert plan.from_lower_bound
    assert count_inconsistent(graph.arrays(), plan, allocate_state(graph.vertex_count), problem.goal) == 0


@kernel
def count_inconsistent(graph, plan, state, goal):  # type: ignore[no-untyped-def]
    """Return how many edges cost less than the difference of the bounds of their ends."""
    wrong = 0
    for vertex in range(len(graph.first) - 1):
        place = locate(graph, vertex)
        for slot in range(slot_count(graph, place)):
            target = successor(graph, place, slot)
            cost = believed_cost(graph, plan, state, vertex, place, slot, target)
            wrong += bound_of(graph, plan, goal, vertex) > cost + bound_of(graph, plan, goal, target)
    return wrong


def test_edges_shorter_than_the_distance_of_their_ends_give_no_lower_bound() -> None:
    roadmap = square_roadmap()
    shorter = replace(roadmap, lengths=0.5 * roadmap.lengths)
    assert roadmap.is_metric
    assert not shorter.is_metric
    assert not shorter.connect(START, GOAL).is_metric
    graph = shorter.graph(edge_valid)
    assert not isinstance(graph.arrays(), MetricCsrArrays)


def test_an_extension_is_checked() -> None:
    roadmap = square_roadmap()
    joined = roadmap.connect(START, GOAL)
    for name, value, message in (
        ("coordinates", np.nan, "coordinates must be finite"),
        ("lengths", -1.0, "lengths must be finite and not negative"),
        ("sources", -1, "sources names a vertex outside"),
        ("targets", joined.vertex_count, "targets names a vertex outside"),
        ("targets", 0, "a further edge has no further vertex as its target"),
    ):
        array = getattr(joined, name).copy()
        array[-1] = value
        with pytest.raises(GraphError, match=message):
            replace(joined, **{name: array}, extends_base=True)


def test_roadmaps_are_freed_without_garbage_collection() -> None:
    roadmap = square_roadmap()
    problem = roadmap.problem(START, GOAL, edge_valid)
    assert search(problem, LazyPolicy()).found
    assert isinstance(problem.graph, RoadmapGraph)
    rows = weakref.ref(problem.graph.rows.first)
    gc.disable()
    try:
        del problem
        assert rows() is None
    finally:
        gc.enable()


def test_a_roadmap_that_was_extended_is_recognised_by_its_digest() -> None:
    roadmap = square_roadmap()
    joined = roadmap.connect(START, GOAL)
    plain = ExplicitGraph.from_edges(joined.vertex_count, joined.topology.edges(), undirected=True)
    for count in (5, roadmap.edge_count, joined.edge_count):
        assert joined.topology.digest(count) == plain.digest(count)
    assert joined.topology.digest(roadmap.edge_count) == roadmap.topology.digest(roadmap.edge_count)


def test_edges_that_come_twice_are_refused() -> None:
    ends = np.array([0, 1], np.int32)
    roadmap = Roadmap(square_roadmap().space, np.zeros((2, 2)), ends, ends[::-1].copy(), np.ones(2))
    with pytest.raises(GraphError, match="an edge is given twice"):
        _ = roadmap.topology
