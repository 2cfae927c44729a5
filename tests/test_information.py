"""What a search does depends on what it has uncovered, and on nothing else of the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, StopRule, Trace, open_search, search
from sailplan.core.search import EngineName
from sailplan.datasets import World
from sailplan.graphs import ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies import CATALOGUE, LazyPolicy, load_policy
from sailplan.policies.features import PRESETS
from sailplan.testing import check_result
from tests.learned_policies import RULES, random_policy
from tests.naive.dijkstra import cost_to_go
from tests.same import assert_same_result, assert_same_state
from tests.strategies import ON_ANY_GRAPH, explicit_problems, grid_problems

NOT_CLAIRVOYANT = [name for name in CATALOGUE if name != "oracle"]
every_policy = pytest.mark.parametrize("name", NOT_CLAIRVOYANT)
both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])
SEEDS = st.integers(0, 2**32 - 1)


def with_other_hidden_cells(problem: Problem, graph: GridGraph, trace: Trace, seed: int) -> Problem:
    """Draw anew every cell that was not touched by the expansions and evaluations of a trace."""
    expanded = trace.expanded.tolist()
    touched = {problem.start, problem.goal, *expanded}
    for vertex in expanded:
        touched.update(graph.successors(vertex)[0])
    for source, target in trace.evaluated.tolist():
        touched.add(target)
        if not graph.moves.corner_cutting:
            (x, y), (to_x, to_y) = graph.cell(source), graph.cell(target)
            touched.update((graph.vertex((x, to_y)), graph.vertex((to_x, y))))
    blocked = graph.world.blocked.flatten()
    hidden = np.setdiff1d(np.arange(blocked.size), list(touched))
    blocked[hidden] = np.random.default_rng(seed).random(len(hidden)) < 0.5
    world = World(blocked.reshape(graph.world.blocked.shape), name="altered")
    return grid_problem(world, graph.cell(problem.start), graph.cell(problem.goal), graph.moves)


def _with_other_hidden_edges(problem: Problem, graph: ExplicitGraph, trace: Trace, seed: int) -> Problem:
    """Draw anew whether each edge holds that was not evaluated."""
    expanded = trace.expanded.tolist()
    sources = np.repeat(np.arange(graph.vertex_count), np.diff(graph.rows.first))
    known = {(vertex, target) for vertex in expanded for target in graph.successors(vertex)[0]}
    known |= {(source, target) for source, target in trace.evaluated.tolist()}
    known_invalid = {target for source, target in known if graph.evaluate(source, [target]) == [2]}
    if graph.undirected:
        known |= {(target, source) for source, target in known}
    hidden = np.array(
        [edge not in known for edge in zip(sources.tolist(), graph.rows.targets.tolist(), strict=True)], bool
    )
    verdicts = graph.rows.verdicts.copy()
    drawn = np.random.default_rng(seed).integers(0, 2, graph.edge_count)
    verdicts[hidden] = drawn[graph.rows.given[hidden]]
    verdicts[hidden & np.isin(graph.rows.targets, list(known_invalid))] = 2
    altered = replace(graph, rows=graph.rows._replace(verdicts=verdicts))
    return Problem(altered, problem.start, problem.goal, name="altered")


def _limits(policy: Policy, steps: int) -> Limits:
    """A limit that ends a search early: of expansions, or of evaluations if the policy requests edges."""
    return Limits(evaluations=steps) if isinstance(policy, LazyPolicy) else Limits(expansions=steps)


def _assert_same_so_far(
    problem: Problem, altered: Problem, policy: Policy, stop: StopRule, expansions: int, engine: EngineName
) -> None:
    sessions = [open_search(each, policy, stop=stop, engine=engine) for each in (problem, altered)]
    before, after = (session.run(_limits(policy, expansions)) for session in sessions)
    assert_same_result(before, after)
    assert_same_state(sessions[0].state, sessions[1].state)


@every_policy
@both_engines
@settings(max_examples=25)
@given(drawn=grid_problems(15, 20), stop=st.sampled_from(StopRule), expansions=st.integers(0, 100), seed=SEEDS)
def test_cells_not_touched_change_nothing(
    name: str, engine: EngineName, drawn: tuple[Problem, GridGraph], stop: StopRule, expansions: int, seed: int
) -> None:
    problem, graph = drawn
    result = search(problem, load_policy(name), _limits(load_policy(name), expansions), stop=stop)
    altered = with_other_hidden_cells(problem, graph, result.trace, seed)
    _assert_same_so_far(problem, altered, load_policy(name), stop, expansions, engine)


@pytest.mark.parametrize("name", [name for name in NOT_CLAIRVOYANT if name in ON_ANY_GRAPH])
@both_engines
@settings(max_examples=25)
@given(drawn=explicit_problems(), stop=st.sampled_from(StopRule), expansions=st.integers(0, 30), seed=SEEDS)
def test_edges_not_checked_change_nothing(
    name: str, engine: EngineName, drawn: tuple[Problem, ExplicitGraph], stop: StopRule, expansions: int, seed: int
) -> None:
    problem, graph = drawn
    result = search(problem, load_policy(name), _limits(load_policy(name), expansions), stop=stop)
    altered = _with_other_hidden_edges(problem, graph, result.trace, seed)
    _assert_same_so_far(problem, altered, load_policy(name), stop, expansions, engine)


@pytest.mark.parametrize("rescore", RULES)
@pytest.mark.parametrize("features", PRESETS)
@both_engines
@settings(max_examples=15)
@given(drawn=grid_problems(10, 12), expansions=st.integers(0, 60), seed=SEEDS)
def test_a_learned_policy_sees_no_cell_that_is_not_touched(
    features: str, rescore: str, engine: EngineName, drawn: tuple[Problem, GridGraph], expansions: int, seed: int
) -> None:
    problem, graph = drawn
    policy = random_policy(seed, features, rescore)
    result = search(problem, policy, Limits(expansions=expansions), stop=StopRule.GOAL_EXPANDED)
    altered = with_other_hidden_cells(problem, graph, result.trace, seed)
    _assert_same_so_far(problem, altered, policy, StopRule.GOAL_EXPANDED, expansions, engine)


@pytest.mark.parametrize("rescore", RULES)
@both_engines
@settings(max_examples=15)
@given(drawn=explicit_problems(20, dimensions=2), expansions=st.integers(0, 20), seed=SEEDS)
def test_a_learned_policy_sees_no_edge_that_is_not_checked(
    rescore: str, engine: EngineName, drawn: tuple[Problem, ExplicitGraph], expansions: int, seed: int
) -> None:
    problem, graph = drawn
    policy = random_policy(seed, "relative", rescore)
    result = search(problem, policy, Limits(expansions=expansions), stop=StopRule.GOAL_EXPANDED)
    altered = _with_other_hidden_edges(problem, graph, result.trace, seed)
    _assert_same_so_far(problem, altered, policy, StopRule.GOAL_EXPANDED, expansions, engine)


def test_a_clairvoyant_policy_is_found_out() -> None:
    drawing = World(np.zeros((9, 9), np.bool_))
    problem = grid_problem(drawing, (0, 0), (8, 0))
    assert isinstance(problem.graph, GridGraph)
    altered = with_other_hidden_cells(problem, problem.graph, Trace(0, 8, np.zeros(1, np.int32)), seed=1)
    with pytest.raises(AssertionError):
        _assert_same_so_far(problem, altered, load_policy("oracle"), StopRule.GOAL_GENERATED, 4, "compiled")


@pytest.mark.parametrize("name", CATALOGUE)
@settings(max_examples=40)
@given(
    data=st.data(),
    stop=st.sampled_from(StopRule),
    engine=st.sampled_from(["reference", "compiled"]),
)
def test_a_path_is_found_where_there_is_one_and_it_holds(
    name: str, data: st.DataObject, stop: StopRule, engine: EngineName
) -> None:
    grids, others = grid_problems(15, 20), explicit_problems()
    problem, graph = data.draw(st.one_of(grids, others) if name in ON_ANY_GRAPH else grids)
    result = search(problem, load_policy(name), stop=stop, engine=engine)
    reaching = cost_to_go(graph, range(graph.vertex_count), problem.goal)
    assert result.found == (problem.start in reaching)
    check_result(problem, result)
    assert len(set(result.trace.expanded.tolist())) == result.expansions
    if result.found:
        assert result.cost >= reaching[problem.start] - 1e-9
