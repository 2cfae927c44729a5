"""Policies on voxels: the engines agree, bounds hold, and what is not evaluated changes nothing."""

from __future__ import annotations

import math
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, StopRule, Trace, improve, open_search, search
from sailplan.core.search import EngineName
from sailplan.graphs import Problem, VoxelGraph
from sailplan.policies import LazyPolicy, load_policy
from sailplan.policies.replanning.beliefs import Belief, Optimistic
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_result
from tests.naive.voxels import shortest_costs
from tests.policies.lazy.test_policy import BOUNDS, POLICIES
from tests.policies.replanning.test_policy import FICKLE, Naive
from tests.same import assert_same_result, assert_same_state
from tests.strategies import ON_ANY_GRAPH, voxel_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", ON_ANY_GRAPH)
@settings(max_examples=15)
@given(drawn=voxel_problems(), stop=st.sampled_from(StopRule), budget=st.one_of(st.none(), st.integers(0, 100)))
def test_the_engines_agree(name: str, drawn: tuple[Problem, VoxelGraph], stop: StopRule, budget: int | None) -> None:
    sessions = [
        open_search(drawn[0], load_policy(name), stop=stop, engine=engine) for engine in ("reference", "compiled")
    ]
    assert_same_result(*(session.run(Limits(expansions=budget)) for session in sessions))
    assert_same_state(sessions[0].state, sessions[1].state)


@both_engines
@settings(max_examples=60)
@given(drawn=voxel_problems(5), belief=st.one_of(st.just(Optimistic()), FICKLE), stop=st.sampled_from(StopRule))
def test_replanning_like_all_distances_from_scratch(
    engine: EngineName, drawn: tuple[Problem, VoxelGraph], belief: Belief, stop: StopRule
) -> None:
    result = search(drawn[0], ReplanningPolicy(belief), stop=stop, engine=engine)
    naive = search(drawn[0], Naive(belief), stop=stop)
    assert result.trace.expanded.tolist() == naive.trace.expanded.tolist()


@settings(max_examples=100)
@given(drawn=voxel_problems(6), policy=POLICIES, budget=st.one_of(st.none(), st.integers(0, 40)), bound=BOUNDS)
def test_lazy_search_keeps_its_bound_in_both_engines(
    drawn: tuple[Problem, VoxelGraph], policy: LazyPolicy, budget: int | None, bound: float
) -> None:
    problem, graph = drawn
    costs = shortest_costs(graph.blocked, graph.connectivity, graph.corner_cutting, graph.voxel(problem.start))
    optimum = float(costs[graph.voxel(problem.goal)])
    sessions = [open_search(problem, policy, engine=engine) for engine in ("reference", "compiled")]
    for limits in (Limits(evaluations=budget), Limits(bound=bound), Limits()):
        results = [session.run(limits) for session in sessions]
        assert_same_result(*results)
        check_result(problem, results[0])
        if results[0].found and math.isfinite(results[0].bound):
            assert results[0].cost <= results[0].bound * optimum * (1 + 1e-9)
    assert results[0].found == math.isfinite(optimum)
    again = search(problem, policy)
    assert again.trace.evaluated.tolist() == search(problem, policy).trace.evaluated.tolist()


def _with_other_hidden_voxels(problem: Problem, graph: VoxelGraph, trace: Trace, seed: int) -> Problem:
    """Draw anew every voxel that no evaluation has touched."""
    edges = [(vertex, target) for vertex in trace.expanded.tolist() for target in graph.successors(vertex)[0]]
    touched = np.zeros(graph.shape, bool)
    for source, target in [*edges, *trace.evaluated.tolist(), (problem.start, problem.start), (problem.goal,) * 2]:
        ends = zip(graph.voxel(source), graph.voxel(target), strict=True)
        for voxel in product(*({one, other} for one, other in ends)):
            touched[voxel] = True
    blocked = graph.blocked.copy()
    blocked[~touched] = np.random.default_rng(seed).random(int((~touched).sum())) < 0.5
    altered = VoxelGraph(blocked, graph.connectivity, graph.corner_cutting)
    return Problem(altered, problem.start, problem.goal, name=problem.name)


@pytest.mark.parametrize("name", [name for name in ON_ANY_GRAPH if name != "oracle"])
@both_engines
@settings(max_examples=15)
@given(drawn=voxel_problems(6), steps=st.integers(0, 60), seed=SEEDS)
def test_voxels_not_touched_change_nothing(
    name: str, engine: EngineName, drawn: tuple[Problem, VoxelGraph], steps: int, seed: int
) -> None:
    policy = load_policy(name)
    limits = Limits(evaluations=steps) if isinstance(policy, LazyPolicy) else Limits(expansions=steps)
    result = search(drawn[0], policy, limits, engine=engine)
    altered = _with_other_hidden_voxels(*drawn, result.trace, seed)
    assert_same_result(result, search(altered, policy, limits, engine=engine))


def test_an_empty_volume_needs_no_search() -> None:
    for connectivity, cost in ((26, 99 * math.sqrt(3)), (18, 148 * math.sqrt(2) + 1), (6, 297.0)):
        graph = VoxelGraph(np.zeros((100, 100, 100), bool), connectivity)
        result = search(graph.problem((0, 0, 0), (99, 99, 99)), load_policy("lazy:1"))
        assert result.cost == pytest.approx(cost, rel=1e-9)
        assert result.edge_evaluations == len(result.path) - 1


def test_sources_of_almost_the_same_length_are_not_repaired_one_by_one() -> None:
    # A box that is open at the back, with the start in it. Each repair of a source counts as a policy evaluation.
    blocked = np.zeros((16, 16, 16), np.bool_)
    blocked[3:13, 3:13, 3:13] = True
    blocked[2:12, 4:12, 4:12] = False
    problem = VoxelGraph(blocked).problem((8, 8, 8), (15, 8, 8))
    result = search(problem, LazyPolicy(1.0))
    assert result.cost == pytest.approx(search(problem, load_policy("a_star_octile")).cost)
    assert result.policy_evaluations < result.edge_evaluations


@settings(max_examples=30)
@given(drawn=voxel_problems(6), policy=POLICIES)
def test_improvement_ends_with_a_shortest_path(drawn: tuple[Problem, VoxelGraph], policy: LazyPolicy) -> None:
    problem, graph = drawn
    costs = shortest_costs(graph.blocked, graph.connectivity, graph.corner_cutting, graph.voxel(problem.start))
    optimum = float(costs[graph.voxel(problem.goal)])
    solutions = list(improve(problem, policy))
    assert bool(solutions) == math.isfinite(optimum)
    for solution in solutions:
        assert solution.lower_bound <= optimum * (1 + 1e-9)
    if solutions:
        assert solutions[-1].bound == 1.0
        assert solutions[-1].cost == pytest.approx(optimum, rel=1e-9)


def _resident_bytes() -> int:
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["lazy", "lazy:1", "lazy:1.5", "optimistic"])
def test_a_search_touches_memory_only_where_it_goes(name: str) -> None:
    small = VoxelGraph(np.zeros((8, 8, 8), np.bool_))
    search(small.problem((0, 0, 0), (7, 7, 7)), load_policy(name))
    graph = VoxelGraph(np.zeros((200, 200, 200), np.bool_))
    problem = graph.problem((100, 100, 100), (100, 100, 110))
    before = _resident_bytes()
    session = open_search(problem, load_policy(name))
    assert session.run().found
    # The arrays have more than 400 million bytes.
    assert _resident_bytes() - before < 100e6
