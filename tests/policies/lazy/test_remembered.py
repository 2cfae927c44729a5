"""Lazy search with an edge posterior."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan import improve
from sailplan.core import Limits, open_search, search
from sailplan.core.graph import FloatArray
from sailplan.datasets import read_edge_worlds
from sailplan.graphs import ExplicitGraph, KnownEdges, Problem, Roadmap
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy, save_policy
from sailplan.policies.lazy import LazyPolicy
from sailplan.policies.lazy.policy import SELECTORS
from sailplan.policies.replanning.beliefs import EdgePosterior, EdgeWeights
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_policy, check_result
from tests.naive.edge_network import NaiveEdgeNetwork, random_network
from tests.naive.edge_posterior import NaivePosterior, check_evaluations
from tests.same import assert_same_result, assert_same_state

BOUNDS = st.sampled_from([1.0, 1.3, 2.0, math.inf])
WEIGHTS = st.builds(
    EdgeWeights,
    surprise=st.sampled_from([0.0, 0.5, 3.0]),
    doubt_of_invalid=st.sampled_from([0.0, 0.7, 2.0]),
    doubt_of_valid=st.sampled_from([0.0, 1.1]),
    sharing=st.sampled_from([0.5, 1.0]),
    detour=st.sampled_from([0.1, 1.0]),
    haste=st.sampled_from([1.0, 1.3]),
)
Drawn = tuple[Problem, EdgePosterior]


@st.composite
def problems_with_memory(
    draw: st.DrawFn, weights: st.SearchStrategy[EdgeWeights] = WEIGHTS, all_stored: bool = False
) -> Drawn:
    """Draw a problem on a roadmap with random lengths, and a belief with stored worlds, maybe of fewer edges."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, undirected = draw(st.integers(2, 25)), draw(st.booleans())
    ends = np.argwhere(rng.random((count, count)) < draw(st.sampled_from([0.15, 0.4])))
    ends = ends[ends[:, 0] < ends[:, 1]] if undirected else ends[ends[:, 0] != ends[:, 1]]
    edges = np.column_stack([ends, rng.uniform(0.5, 2.0, len(ends))])
    assume(len(edges) > 0)
    share = rng.random(len(edges))
    worlds = rng.random((draw(st.integers(1, 20)), len(edges))) < share
    graph = ExplicitGraph.from_edges(count, edges, undirected=undirected)
    stored = len(edges) if all_stored else draw(st.integers(1, len(edges)))
    memory = EdgePosterior.of(
        ExplicitGraph.from_edges(count, edges[:stored], undirected=undirected), worlds[:, :stored], draw(weights)
    )
    world = graph.with_results(rng.random(len(edges)) < share)
    return Problem(world, 0, int(rng.integers(count)), name="random"), memory


@settings(max_examples=150)
@given(
    drawn=problems_with_memory(),
    bound=BOUNDS,
    selector=st.sampled_from(sorted(SELECTORS)),
    batch=st.sampled_from([1, 3]),
    budget=st.one_of(st.none(), st.integers(0, 10)),
)
def test_engines_agree_and_bounds_hold(
    drawn: Drawn, bound: float, selector: str, batch: int, budget: int | None
) -> None:
    problem, belief = drawn
    policy = LazyPolicy(bound, belief, selector, batch)
    reference, compiled = (open_search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
    for limits in (Limits(evaluations=budget), Limits()):
        assert_same_result(reference.run(limits), result := compiled.run(limits))
    assert_same_state(reference.state, compiled.state)
    assert not result.notes
    check_result(problem, result)
    shortest = cost_to_go(problem)[problem.start]
    assert result.found == math.isfinite(shortest)
    if result.found:
        assert result.bound == bound
        assert math.isinf(bound) or result.cost <= bound * shortest * (1.0 + 1e-9)


@settings(max_examples=100)
@given(drawn=problems_with_memory(), bound=BOUNDS)
def test_the_most_doubtful_edge_of_the_shortest_candidate_is_evaluated(drawn: Drawn, bound: float) -> None:
    problem, belief = drawn
    belief = replace(belief, weights=replace(belief.weights, haste=1.0))
    run = open_search(problem, LazyPolicy(bound, belief, "doubtful"))
    run.run()
    check_evaluations(problem, NaivePosterior(belief, problem), bound, run.state.evaluated.tolist())


@settings(max_examples=60)
@given(
    drawn=problems_with_memory(),
    bound=BOUNDS,
    selector=st.sampled_from(sorted(SELECTORS)),
    batch=st.sampled_from([1, 3]),
    seed=st.integers(0, 1000),
)
def test_a_network_in_both_engines(drawn: Drawn, bound: float, selector: str, batch: int, seed: int) -> None:
    problem, posterior = drawn
    belief = random_network(posterior, problem, np.random.default_rng(seed))
    policy = LazyPolicy(bound, belief, selector, batch)
    reference, compiled = (search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
    assert_same_result(reference, compiled)
    check_result(problem, compiled)
    shortest = cost_to_go(problem)[problem.start]
    assert compiled.found == math.isfinite(shortest)
    assert not compiled.found or math.isinf(bound) or compiled.cost <= bound * shortest * (1.0 + 1e-9)
    assert search(problem, ReplanningPolicy(belief)).found == compiled.found


@settings(max_examples=60)
@given(drawn=problems_with_memory(all_stored=True), bound=BOUNDS, seed=st.integers(0, 1000))
def test_a_network_evaluates_the_most_doubtful_edge_too(drawn: Drawn, bound: float, seed: int) -> None:
    problem, posterior = drawn
    posterior = replace(posterior, weights=replace(posterior.weights, haste=1.0))
    belief = random_network(posterior, problem, np.random.default_rng(seed))
    run = open_search(problem, LazyPolicy(bound, belief, "doubtful"))
    run.run()
    check_evaluations(problem, NaiveEdgeNetwork(belief, problem), bound, run.state.evaluated.tolist())


@settings(max_examples=50)
@given(drawn=problems_with_memory(), selector=st.sampled_from(sorted(SELECTORS)), seed=st.integers(0, 1000))
def test_what_was_not_evaluated_changes_nothing(drawn: Drawn, selector: str, seed: int) -> None:
    problem, belief = drawn
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    policy = LazyPolicy(belief=belief, selector=selector)
    first = open_search(problem, policy)
    result = first.run()
    kept = {(source, target) for source, target, _ in first.state.evaluated.tolist()}
    edges = graph.edges()
    valid = np.empty(graph.edge_count, bool)
    valid[graph.rows.given] = graph.rows.verdicts == 0
    change = np.random.default_rng(seed).random(graph.edge_count) < 0.5
    for number, (source, target) in enumerate(edges[:, :2].astype(int).tolist()):
        if (source, target) in kept or (graph.undirected and (target, source) in kept):
            change[number] = False
    other = Problem(graph.with_results(valid ^ change), problem.start, problem.goal)
    assert_same_result(search(other, policy), result)


@settings(max_examples=30)
@given(drawn=problems_with_memory())
def test_anytime_search_ends_with_the_shortest_path(drawn: Drawn) -> None:
    problem, belief = drawn
    shortest = cost_to_go(problem)[problem.start]
    solutions = list(improve(problem, LazyPolicy(belief=belief)))
    assert bool(solutions) == math.isfinite(shortest)
    for solution in solutions:
        assert math.isinf(solution.bound) or solution.cost <= solution.bound * shortest * (1.0 + 1e-9)
    if solutions:
        assert solutions[-1].cost == pytest.approx(shortest)


@settings(max_examples=50)
@given(drawn=problems_with_memory(), lazy=st.booleans())
def test_searches_by_vertices_and_engines(drawn: Drawn, lazy: bool) -> None:
    problem, belief = drawn
    reference, compiled = (
        search(problem, ReplanningPolicy(belief), engine=engine) for engine in ("reference", "compiled")
    )
    assert_same_result(reference, compiled)
    assert compiled.found == math.isfinite(cost_to_go(problem)[problem.start])


@settings(max_examples=60)
@given(
    drawn=problems_with_memory(),
    share=st.sampled_from([0.1, 0.4]),
    seed=st.integers(0, 99),
    bound=st.sampled_from([1.0, math.inf]),
    selector=st.sampled_from(["doubtful", "critical"]),
)
def test_vertices_that_are_invalid(drawn: Drawn, share: float, seed: int, bound: float, selector: str) -> None:
    problem, belief = drawn
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    invalid = np.flatnonzero(np.random.default_rng(seed).random(graph.vertex_count) < share).tolist()
    edges, undirected = graph.edges(), graph.undirected
    other = ExplicitGraph.from_edges(graph.vertex_count, edges, undirected=undirected, invalid_vertices=invalid)
    task = Problem(other, problem.start, problem.goal)
    reference, compiled = (
        search(task, LazyPolicy(bound, belief, selector), engine=engine) for engine in ("reference", "compiled")
    )
    assert_same_result(reference, compiled)
    assert compiled.found == math.isfinite(cost_to_go(task)[task.start])


@st.composite
def roadmaps_with_memory(draw: st.DrawFn) -> tuple[Roadmap, FloatArray, EdgePosterior]:
    """Draw a roadmap with a start and a goal, the radius of a disc in its middle, and a belief with other radii."""
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], draw(st.integers(5, 40)), seed=draw(st.integers(0, 99)))
    radii = np.array(draw(st.lists(st.floats(0.05, 0.45), min_size=1, max_size=9)))
    motions = roadmap.motions(roadmap.sources, roadmap.targets)
    belief = EdgePosterior.of(roadmap.topology, [_outside(radius)(*motions) for radius in radii], draw(WEIGHTS))
    return roadmap.connect([0.05, 0.5], [0.95, 0.5], extra=draw(st.sampled_from([0, 3]))), radii, belief


def _outside(radius: float) -> Callable[[FloatArray, FloatArray], NDArray[np.bool_]]:
    def edge_valid(starts: FloatArray, ends: FloatArray) -> NDArray[np.bool_]:
        along = np.linspace(0.0, 1.0, 40)[:, None, None]
        free: NDArray[np.bool_] = (np.linalg.norm(starts + along * (ends - starts) - 0.5, axis=2) > radius).all(axis=0)
        return free

    return edge_valid


@settings(max_examples=80)
@given(
    drawn=roadmaps_with_memory(),
    radius=st.floats(0.05, 0.45),
    bound=BOUNDS,
    selector=st.sampled_from(["doubtful", "critical"]),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 99),
)
def test_roadmaps_whose_edges_are_partly_known(
    drawn: tuple[Roadmap, FloatArray, EdgePosterior],
    radius: float,
    bound: float,
    selector: str,
    share: float,
    seed: int,
) -> None:
    roadmap, _, belief = drawn
    start, goal = roadmap.vertex_count - 2, roadmap.vertex_count - 1
    valid = _outside(radius)(*roadmap.motions(roadmap.sources, roadmap.targets))
    told = np.flatnonzero(np.random.default_rng(seed).random(roadmap.edge_count) < share)
    results = []
    for engine in ("reference", "compiled"):
        known = KnownEdges(roadmap)
        known.remember(told, valid[told])
        graph = roadmap.graph(_outside(radius), known=known)
        problem = Problem(graph, start, goal)
        results.append(search(problem, LazyPolicy(bound, belief, selector), engine=engine))
        requested = {frozenset(edge) for edge in results[-1].trace.evaluated[:, :2].tolist()}
        invalid = told[~valid[told]]
        assert requested.isdisjoint(
            map(frozenset, zip(roadmap.sources[invalid], roadmap.targets[invalid], strict=True))
        )
        check_result(problem, results[-1])
    assert_same_result(*results)
    shortest = cost_to_go(Problem(roadmap.topology.with_results(valid), start, goal))[start]
    assert results[0].found == math.isfinite(shortest)
    if results[0].found and math.isfinite(bound):
        assert results[0].cost <= bound * shortest * (1.0 + 1e-9)


def _square() -> tuple[ExplicitGraph, EdgePosterior]:
    graph = ExplicitGraph.from_edges(4, [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.1), (2, 3, 1.1)], undirected=True)
    return graph, EdgePosterior.of(graph, np.array([[1, 0, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0]]))


def test_the_contract_of_policies() -> None:
    check_policy(LazyPolicy(belief=_square()[1], selector="critical"))


def test_one_edge_tells_about_others() -> None:
    graph, belief = _square()
    world = Problem(graph.with_results(np.array([True, True, True, False])), 0, 3)
    # In two of three worlds 1 - 3 is invalid; where 2 - 3 is invalid too, it is valid.
    assert search(world, LazyPolicy(belief=belief)).path == (0, 1, 3)
    assert [row[:2] for row in open_and_run(world, LazyPolicy(belief=belief, selector="doubtful"))] == [
        [2, 3],
        [1, 3],
        [0, 1],
    ]


def open_and_run(problem: Problem, policy: LazyPolicy) -> list[list[int]]:
    run = open_search(problem, policy)
    run.run()
    rows: list[list[int]] = run.state.evaluated.tolist()
    return rows


def test_another_roadmap_is_not_supported() -> None:
    graph, belief = _square()
    other = ExplicitGraph.from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.1), (2, 3, 1.1)], undirected=True)
    for smaller in (other, ExplicitGraph.from_edges(4, graph.edges()[:2], undirected=True)):
        (note,) = search(Problem(smaller, 0, 3), LazyPolicy(belief=belief)).notes
        assert note.message == "the belief is not used: it was learned on another roadmap, of 4 edges"
    longer = ExplicitGraph.from_edges(5, np.vstack([graph.edges(), [3, 4, 1.0]]), undirected=True)
    result = search(Problem(longer, 0, 4), LazyPolicy(belief=belief))
    assert (result.path[-1], result.notes) == (4, ())


def test_a_saved_policy_does_the_same(tmp_path: Path) -> None:
    graph, belief = _square()
    policy = LazyPolicy(1.5, belief, "critical")
    save_policy(policy, tmp_path / "square.safetensors")
    loaded = load_policy(str(tmp_path / "square.safetensors"))
    world = Problem(graph.with_results(np.array([True, False, True, True])), 0, 3)
    assert_same_result(search(world, policy), search(world, loaded))
    assert isinstance(loaded, LazyPolicy)
    assert loaded.describe()[0] == policy.describe()[0]


def test_a_real_roadmap_with_half_of_the_evaluations(shared_data: Path) -> None:
    worlds = read_edge_worlds(shared_data / "edge_worlds" / "2d_1.npz")
    belief = EdgePosterior.of(worlds.topology, np.array([worlds.valid(world) for world in range(600)]))
    problems = [worlds.problem(world) for world in range(600, 640)]
    spent = {}
    for policy in (LazyPolicy(1.0), LazyPolicy(1.0, belief, "critical"), LazyPolicy(belief=belief)):
        results = [search(problem, policy) for problem in problems]
        spent[policy.bound, policy.selector] = np.mean([one.edge_evaluations for one in results if one.found])
    plain = spent[1.0, "forward"]
    assert spent[1.0, "critical"] < 0.8 * plain
    assert spent[math.inf, "forward"] < 0.3 * plain
