from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, SearchState, StopRule, open_search, search
from sailplan.core.kernel.arrays import INVALID, OPEN, UNSEEN
from sailplan.datasets import World, generate_world
from sailplan.graphs import ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import LearnedMultipliers, Refresh
from sailplan.policies.replanning.beliefs.pixel_network import OUTPUTS
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, PixelMemory, PixelView
from sailplan.policies.replanning.beliefs.prior import Penalty
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_policy, check_result
from tests.naive import pixels as naive
from tests.naive.dijkstra import cost_to_go
from tests.policies.replanning.beliefs.random_networks import random_belief, random_network
from tests.policies.replanning.test_policy import Naive
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems
from tests.test_information import with_other_hidden_cells

SEEDS = st.integers(0, 1000)
OFTEN = st.builds(Refresh, st.integers(1, 4), st.integers(1, 4))
EXTREME = [1e-30, 10.0, 1e5, 1e20, 1e37]
KINDS = pytest.mark.parametrize("kind", ["replanning", "lazy"])


def _policy(kind: str, belief: LearnedMultipliers) -> Policy:
    return LazyPolicy(belief=belief) if kind == "lazy" else ReplanningPolicy(belief)


def _limits(kind: str, steps: int) -> Limits:
    return Limits(evaluations=steps) if kind == "lazy" else Limits(expansions=steps)


def _problem(size: int = 21, index: int = 0) -> Problem:
    return grid_problem(generate_world("multiple_bugtraps", 7, index, width=size, height=size))


@KINDS
@settings(max_examples=20)
@given(drawn=grid_problems(15, 20), seed=SEEDS, often=OFTEN, stop=st.sampled_from(StopRule))
def test_both_engines_agree(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, often: Refresh, stop: StopRule
) -> None:
    policy = _policy(kind, replace(random_belief(seed), refresh=often))
    sessions = [open_search(drawn[0], policy, stop=stop, engine=engine) for engine in ("reference", "compiled")]
    one, other = (session.run(Limits()) for session in sessions)
    assert_same_result(one, other)
    assert_same_state(sessions[0].state, sessions[1].state)


@settings(max_examples=15)
@given(drawn=grid_problems(9, 9), seed=SEEDS, often=OFTEN)
def test_like_all_distances_from_scratch(drawn: tuple[Problem, GridGraph], seed: int, often: Refresh) -> None:
    belief = replace(random_belief(seed), refresh=often)
    result, expected = search(drawn[0], ReplanningPolicy(belief)), search(drawn[0], Naive(belief))
    assert result.trace.expanded.tolist() == expected.trace.expanded.tolist()


@KINDS
@settings(max_examples=20)
@given(drawn=grid_problems(15, 20), seed=SEEDS, steps=st.integers(0, 100), often=OFTEN)
def test_cells_not_touched_change_nothing(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, steps: int, often: Refresh
) -> None:
    problem, graph = drawn
    policy = _policy(kind, replace(random_belief(seed), refresh=often))
    trace = search(problem, policy, _limits(kind, steps), stop=StopRule.GOAL_EXPANDED).trace
    altered = with_other_hidden_cells(problem, graph, trace, seed)
    sessions = [open_search(each, policy, stop=StopRule.GOAL_EXPANDED) for each in (problem, altered)]
    before, after = (session.run(_limits(kind, steps)) for session in sessions)
    assert_same_result(before, after)
    assert_same_state(sessions[0].state, sessions[1].state)


@KINDS
@settings(max_examples=25)
@given(drawn=grid_problems(15, 20), seed=SEEDS, size=st.sampled_from(EXTREME), often=OFTEN)
def test_a_path_is_found_with_any_weights(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, size: float, often: Refresh
) -> None:
    problem, graph = drawn
    result = search(problem, _policy(kind, replace(random_belief(seed, size), refresh=often)))
    assert result.found == (problem.start in cost_to_go(graph, range(graph.vertex_count), problem.goal))
    check_result(problem, result)
    assert not result.notes


def test_it_keeps_the_contract_of_a_policy() -> None:
    check_policy(ReplanningPolicy(random_belief(1)))
    check_policy(LazyPolicy(belief=random_belief(2)))
    wide = grid_problem(World(np.zeros((1, 90), np.bool_)), (40, 0), (3, 0))
    large = grid_problem(generate_world("forest", 1, 0, width=75, height=40), (74, 0), (0, 39))
    check_policy(ReplanningPolicy(random_belief(3)), [wide, large])


def test_terrain_is_searched_as_well() -> None:
    rng = np.random.default_rng(4)
    world = World(rng.random((20, 30)) < 0.1, costs=rng.choice([1.0, 2.5], (20, 30)))
    start, goal = (tuple(cell[::-1]) for cell in np.argwhere(~world.blocked)[[0, -1]].tolist())
    problem, policy = grid_problem(world, start, goal), ReplanningPolicy(random_belief(0))
    one, other = (search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
    assert_same_result(one, other)
    check_result(problem, one)
    assert one.found


def test_the_policy_is_the_same_whatever_was_searched_before() -> None:
    policy, problems = ReplanningPolicy(random_belief(4)), [_problem(21), _problem(40), _problem(21, 1)]
    one = [search(problem, policy) for problem in problems]
    for problem, result in reversed(list(zip(problems, one, strict=True))):
        assert_same_result(search(problem, policy), result)


@KINDS
@settings(max_examples=10)
@given(drawn=explicit_problems())
def test_on_other_graphs_it_is_optimistic_and_says_so(kind: str, drawn: tuple[Problem, ExplicitGraph]) -> None:
    result = search(drawn[0], _policy(kind, random_belief(0)))
    (note,) = result.notes
    assert "learned" in str(note)
    assert "it supports grids, and this is another graph" in str(note)
    plain = search(drawn[0], LazyPolicy() if kind == "lazy" else ReplanningPolicy())
    assert_same_result(result, plain)


def test_the_prediction_is_what_network_and_memory_say() -> None:
    belief, problem = random_belief(6), _problem(30)
    view, status = PixelView.of(problem), np.full(900, UNSEEN, np.uint8)
    state = SearchState(900)
    status[:200] = np.random.default_rng(0).choice([OPEN, INVALID], 200)
    state.status[:] = status
    known = naive.known_of(status.reshape(30, 30))
    shares = belief.memory.levels / 3
    recalled = naive.recollect(shares, known, belief.memory.recall)
    inputs = np.concatenate([known, shares.mean(axis=0)[None], recalled])
    added, extra = naive.forward(belief.network, inputs, view.positions(problem).astype(float))
    recall, frequencies = belief.memory.recall, shares.mean(axis=0)
    mixed = (1.0 - recall.local) * recalled[0] + recall.local * recalled[1]
    likely = np.clip((1.0 - recall.prior) * mixed + recall.prior * frequencies, 0.003, 0.997)
    blocked = 1.0 / (1.0 + np.exp(-np.log(likely / (1.0 - likely)) - added))
    multipliers = 1.0 + 0.5 * frequencies + np.log1p(np.exp(extra)) - 3.0 * np.log1p(-0.999 * blocked**1.5)
    expected = naive.spread(multipliers, status.reshape(30, 30)).reshape(-1)
    follower = belief.follow(problem)
    first = follower.multipliers.copy()
    updated = follower.update(state)
    assert updated is not None
    # Changes of less than a fifth are ignored, and only they.
    changed = updated != first
    assert updated[changed] == pytest.approx(expected[changed], rel=1e-3)
    assert updated == pytest.approx(expected, rel=0.26)
    assert changed.any()
    assert (updated[:200] == 1.0).all()


def test_nothing_is_predicted_again_without_a_surprise() -> None:
    empty = World(np.zeros((9, 9), np.bool_))
    network = random_network(np.random.default_rng(0), size=0.0)
    belief = LearnedMultipliers(network, PixelMemory.of([empty]))
    state = SearchState(81)
    follower = belief.follow(grid_problem(empty))
    state.status[:40] = OPEN
    assert follower.update(state) is None
    state.status[50] = INVALID
    assert follower.update(state) is not None
    assert follower.update(state) is None


def test_a_silent_network_is_the_posterior_of_the_stored_worlds() -> None:
    """The first output is zero, and the softplus of the second one as well."""
    rng = np.random.default_rng(0)
    offsets = np.zeros((OUTPUTS, PIXELS, PIXELS), np.float32)
    offsets[1] = -50.0
    network = replace(random_network(rng, size=0.0), offsets=offsets)
    worlds = [World(rng.random((PIXELS, PIXELS)) < 0.3) for _ in range(3)]
    penalty = Penalty(1.5, 2.0, 0.999, 1.0)
    problem = grid_problem(World(np.zeros((PIXELS, PIXELS), np.bool_)))
    belief = LearnedMultipliers(network, PixelMemory.of(worlds), PixelFrame.of(problem), penalty)
    frequencies = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    expected = penalty.multipliers(frequencies, np.clip(frequencies, 0.003, 0.997))
    assert belief.multipliers(problem) == pytest.approx(expected, rel=1e-4)
    elsewhere = replace(problem, goal=PIXELS - 1)
    assert belief.multipliers(elsewhere) == pytest.approx(expected + np.log(2.0), rel=1e-4)


def test_the_world_that_is_searched_can_be_left_out() -> None:
    rng = np.random.default_rng(8)
    worlds = [World(rng.random((20, 20)) < 0.3) for _ in range(4)]
    network, problem = random_network(rng), _problem(20)
    all_but_one = LearnedMultipliers(network, PixelMemory.of(worlds), left_out=1)
    whole = replace(all_but_one, left_out=None)
    assert not np.array_equal(all_but_one.multipliers(problem), whole.multipliers(problem))
    # The frequencies, which are an input of the network, include all worlds.
    recalled = [one.follow(problem)._recollection.shares() for one in (all_but_one, whole)]
    others = LearnedMultipliers(network, PixelMemory.of([*worlds[:1], *worlds[2:]]))
    assert np.array_equal(recalled[0], others.follow(problem)._recollection.shares())
    assert not np.array_equal(recalled[0], recalled[1])
