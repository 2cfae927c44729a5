"""Policies on lattices: engines agree, bounds hold, only what was evaluated counts, nothing is enumerated."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, StopRule, Trace, open_search, search
from sailplan.core.search import EngineName
from sailplan.datasets import World, read_primitives, read_world
from sailplan.graphs import LatticeGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies import LazyPolicy, a_star, load_policy, weighted_a_star
from sailplan.testing import check_result
from tests.lattices import lattice_problems
from tests.same import assert_same_result, assert_same_state

NAMES = [
    "dijkstra",
    "a_star",
    "h_euc",
    "weighted_a_star",
    "mha_star",
    "bfws",
    "optimistic",
    "lazy",
    "lazy:1",
    "lazy:1.5",
]
every_policy = pytest.mark.parametrize("name", [*NAMES, "lower_bound"])


def _policy(name: str) -> Policy:
    return a_star("lower_bound") if name == "lower_bound" else load_policy(name)


@every_policy
@settings(max_examples=25)
@given(drawn=lattice_problems(), stop=st.sampled_from(StopRule), budget=st.one_of(st.none(), st.integers(0, 100)))
def test_the_engines_agree(name: str, drawn: tuple[Problem, LatticeGraph], stop: StopRule, budget: int | None) -> None:
    reference, compiled = (
        open_search(drawn[0], _policy(name), stop=stop, engine=engine) for engine in ("reference", "compiled")
    )
    limits = Limits(evaluations=budget)
    assert_same_result(reference.run(limits), compiled.run(limits))
    assert_same_state(reference.state, compiled.state)


@every_policy
@settings(max_examples=25)
@given(drawn=lattice_problems())
def test_a_path_is_found_where_there_is_one_and_its_bound_holds(name: str, drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, _ = drawn
    best = cost_to_go(problem)[problem.start]
    result = search(problem, _policy(name))
    check_result(problem, result)
    assert result.found == math.isfinite(best)
    if result.found:
        assert best * (1.0 - 1e-9) <= result.cost
        assert result.bound == math.inf or result.cost <= result.bound * best * (1.0 + 1e-9)
    if name in ("dijkstra", "a_star", "lazy:1", "lower_bound"):
        assert result.bound == 1.0 or not result.found


@settings(max_examples=25)
@given(drawn=lattice_problems(), weight=st.sampled_from([1.0, 1.5, 3.0]))
def test_weighted_a_star_is_within_its_weight(drawn: tuple[Problem, LatticeGraph], weight: float) -> None:
    problem, _ = drawn
    result = search(problem, weighted_a_star(weight, "lower_bound"), stop=StopRule.GOAL_EXPANDED)
    if result.found:
        assert result.bound == weight
        assert result.cost <= weight * cost_to_go(problem)[problem.start] * (1.0 + 1e-9)


def _with_other_hidden_cells(problem: Problem, graph: LatticeGraph, trace: Trace, seed: int) -> Problem:
    """Draw anew every cell that no evaluated motion touches."""
    known = {(vertex, target) for vertex in trace.expanded.tolist() for target in graph.successors(vertex)[0]}
    known |= {(source, target) for source, target in trace.evaluated.tolist()}
    seen = np.zeros(graph.world.blocked.shape, np.bool_)
    for source, target in known:
        x, y, _ = graph.cell_and_heading(source)
        motion = graph._motion(source, target)
        cells = np.concatenate([motion.end_cells, motion.other_cells]) + np.array([x, y])
        inside = ((cells >= 0) & (cells < [graph.world.width, graph.world.height])).all(axis=1)
        seen[cells[inside, 1], cells[inside, 0]] = True
    redrawn = np.random.default_rng(seed).random(seen.shape) < 0.3
    world = World(np.where(seen, graph.world.blocked, redrawn), name="altered")
    altered = LatticeGraph(world, graph.primitives, graph.footprint)
    return Problem(altered, problem.start, problem.goal, name="altered")


@every_policy
@pytest.mark.parametrize("engine", ["reference", "compiled"])
@settings(max_examples=15)
@given(drawn=lattice_problems(), steps=st.integers(0, 40), seed=st.integers(0, 2**32 - 1))
def test_cells_that_no_evaluated_motion_touches_change_nothing(
    name: str, engine: EngineName, drawn: tuple[Problem, LatticeGraph], steps: int, seed: int
) -> None:
    problem, graph = drawn
    policy = _policy(name)
    limits = Limits(evaluations=steps) if isinstance(policy, LazyPolicy) else Limits(expansions=steps)
    result = search(problem, policy, limits)
    altered = _with_other_hidden_cells(problem, graph, result.trace, seed)
    sessions = [open_search(each, policy, engine=engine) for each in (problem, altered)]
    before, after = (session.run(limits) for session in sessions)
    assert_same_result(before, after)
    assert_same_state(sessions[0].state, sessions[1].state)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(drawn=lattice_problems())
def test_a_second_search_is_the_same(name: str, drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    other = LatticeGraph(graph.world, graph.primitives, graph.footprint)
    first = search(problem, load_policy(name))
    again = search(Problem(other, problem.start, problem.goal), load_policy(name))
    assert_same_result(first, again)


@pytest.mark.parametrize("name", ["optimistic", "lazy", "lazy:1.5"])
def test_a_lattice_of_millions_of_poses(shared_data: Path, name: str) -> None:
    primitives = read_primitives(shared_data / "lattice" / "lattice_5cm_0.5m_ackermann.json")
    world = read_world(shared_data / "maps" / "depot.yaml")
    graph = LatticeGraph(world, primitives, [(-0.1, -0.15), (0.4, -0.15), (0.4, 0.15), (-0.1, 0.15)])
    assert graph.vertex_count == 604 * 307 * 16
    problem = graph.problem(start=(2.0, 3.0, 0.0), goal=(10.0, 12.0, 1.57))
    result = search(problem, load_policy(name))
    check_result(problem, result)
    assert result.engine == "compiled"
    optimal = search(problem, a_star("lower_bound"))
    assert optimal.bound == 1.0
    assert result.found
    assert optimal.cost <= result.cost * (1.0 + 1e-9)
    assert result.cost <= result.bound * optimal.cost * (1.0 + 1e-9)
    assert result.edge_evaluations < optimal.edge_evaluations
