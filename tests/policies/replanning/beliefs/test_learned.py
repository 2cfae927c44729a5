from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, SearchState, StopRule, open_search, search
from sailplan.core.kernel.arrays import INVALID, OPEN, UNSEEN
from sailplan.datasets import World, generate_world
from sailplan.errors import ModelError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import LearnedMultipliers, Refresh
from sailplan.policies.replanning.beliefs.learned import MOST_REGRET
from sailplan.policies.replanning.beliefs.mixture import AREAS, LEVELS, Recollection
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame
from sailplan.policies.replanning.beliefs.prior import Penalty
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_policy, check_result
from tests.naive import pixels as naive
from tests.naive.dijkstra import cost_to_go
from tests.policies.replanning.beliefs.random_beliefs import mixture_of, random_belief
from tests.policies.replanning.test_policy import Naive
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems
from tests.test_information import with_other_hidden_cells

SEEDS = st.integers(0, 1000)
OFTEN = st.builds(Refresh, st.integers(1, 4), st.integers(1, 4))
EXTREME = [-1e37, -1e3, 1e-30, 10.0, 1e5, 1e20, 1e37]
KINDS = pytest.mark.parametrize("kind", ["replanning", "lazy"])


def _policy(kind: str, belief: LearnedMultipliers) -> Policy:
    return LazyPolicy(belief=belief) if kind == "lazy" else ReplanningPolicy(belief)


def _limits(kind: str, steps: int) -> Limits:
    return Limits(evaluations=steps) if kind == "lazy" else Limits(expansions=steps)


def _problem(size: int = 21, index: int = 0) -> Problem:
    return grid_problem(generate_world("multiple_bugtraps", 7, index, width=size, height=size))


def _framed(belief: LearnedMultipliers, problem: Problem) -> LearnedMultipliers:
    """The belief with extra costs for the start and goal of a problem."""
    return replace(belief, frame=PixelFrame.of(problem))


@KINDS
@settings(max_examples=20)
@given(drawn=grid_problems(15, 20), seed=SEEDS, often=OFTEN, stop=st.sampled_from(StopRule))
def test_both_engines_agree(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, often: Refresh, stop: StopRule
) -> None:
    policy = _policy(kind, replace(_framed(random_belief(seed), drawn[0]), refresh=often))
    sessions = [open_search(drawn[0], policy, stop=stop, engine=engine) for engine in ("reference", "compiled")]
    one, other = (session.run(Limits()) for session in sessions)
    assert_same_result(one, other)
    assert_same_state(sessions[0].state, sessions[1].state)


@settings(max_examples=15)
@given(drawn=grid_problems(9, 9), seed=SEEDS, often=OFTEN)
def test_like_all_distances_from_scratch(drawn: tuple[Problem, GridGraph], seed: int, often: Refresh) -> None:
    belief = replace(_framed(random_belief(seed), drawn[0]), refresh=often)
    result, expected = search(drawn[0], ReplanningPolicy(belief)), search(drawn[0], Naive(belief))
    assert result.trace.expanded.tolist() == expected.trace.expanded.tolist()


@KINDS
@settings(max_examples=20)
@given(drawn=grid_problems(15, 20), seed=SEEDS, steps=st.integers(0, 100), often=OFTEN)
def test_cells_not_touched_change_nothing(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, steps: int, often: Refresh
) -> None:
    problem, graph = drawn
    policy = _policy(kind, replace(_framed(random_belief(seed), drawn[0]), refresh=often))
    trace = search(problem, policy, _limits(kind, steps), stop=StopRule.GOAL_EXPANDED).trace
    altered = with_other_hidden_cells(problem, graph, trace, seed)
    sessions = [open_search(each, policy, stop=StopRule.GOAL_EXPANDED) for each in (problem, altered)]
    before, after = (session.run(_limits(kind, steps)) for session in sessions)
    assert_same_result(before, after)
    assert_same_state(sessions[0].state, sessions[1].state)


@KINDS
@settings(max_examples=25)
@given(drawn=grid_problems(15, 20), seed=SEEDS, size=st.sampled_from(EXTREME), often=OFTEN)
def test_a_path_is_found_with_any_offsets(
    kind: str, drawn: tuple[Problem, GridGraph], seed: int, size: float, often: Refresh
) -> None:
    problem, graph = drawn
    belief = replace(_framed(random_belief(seed, size), problem), refresh=often)
    # Of either sign, and of one sign only.
    one_sign: Floats = np.full((PIXELS, PIXELS), size, np.float32)
    for offsets in (belief.offsets, one_sign):
        result = search(problem, _policy(kind, replace(belief, offsets=offsets)))
        assert result.found == (problem.start in cost_to_go(graph, range(graph.vertex_count), problem.goal))
        check_result(problem, result)
        assert not result.notes


@pytest.mark.parametrize("penalty", [Penalty(1096.0, 1096.0, 1.0 - 6e-6, 6e-6), Penalty(0.0, 0.0, 0.0, 0.0)])
def test_a_path_is_found_with_the_penalties_that_direct_search_can_reach(penalty: Penalty) -> None:
    for kind in ("replanning", "lazy"):
        for problem in (_problem(21), _problem(90)):
            belief = replace(_framed(random_belief(0, 1e9), problem), penalty=penalty)
            result = search(problem, _policy(kind, belief))
            assert (result.found, list(result.notes)) == (True, [])
            check_result(problem, result)


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


def test_the_multipliers_are_like_the_definition() -> None:
    belief, problem = random_belief(6), _problem(30)
    belief = replace(belief, frame=PixelFrame.of(problem))
    rng, state, status = np.random.default_rng(0), SearchState(900), np.full(900, UNSEEN, np.uint8)
    status[:200] = rng.choice([OPEN, INVALID], 200)
    state.status[:] = status
    follower = belief.follow(problem)
    first = follower.multipliers.copy()
    assert belief.offsets is not None
    assert belief.regrets is not None
    extra = np.log(1.0 + np.exp(belief.offsets.astype(np.float64)))
    frequencies = belief.mixture.frequencies.astype(np.float64)
    regrets = np.asarray(MOST_REGRET / LEVELS * belief.regrets, np.float32).astype(np.float64)
    likely = np.tile(belief.mixture.weights / belief.mixture.weights.sum(), (AREAS**2, 1))
    regret = naive.blend(regrets, likely, 0.0, frequencies, 0.0)
    expected = naive.penalise(frequencies, frequencies, extra + belief.regret_weight * regret, belief.penalty)
    assert first == pytest.approx(
        naive.spread(expected, np.full((30, 30), UNSEEN, np.uint8), 0.0, np.zeros((30, 30))).reshape(-1), rel=1e-5
    )
    updated = follower.update(state)
    assert updated is not None
    recollection = Recollection(belief.mixture, belief.recall, 30, 30)
    assert recollection.observe(status) > 0.1
    recollection.apply()
    regret = naive.blend(regrets, recollection.weights, 2e-3, frequencies, 0.0)
    extra += belief.regret_weight * regret
    expected = naive.penalise(recollection.blocked(), frequencies, extra, belief.penalty)
    # Changes of up to a fifth are ignored.
    spread = naive.spread(expected, status.reshape(30, 30), 0.2, first.reshape(30, 30)).reshape(-1)
    assert updated == pytest.approx(spread, rel=1e-9)
    assert (updated[:200] == 1.0).all()
    assert 0 < np.count_nonzero(updated[200:] != first[200:]) < 700


def test_the_multipliers_change_only_with_the_weights_of_components() -> None:
    # Two components that are told apart by their left half, and a third of a map that is the same in both.
    one, other = np.zeros((2, PIXELS, PIXELS), np.bool_)
    one[:, :20], other[:, 40:] = True, True
    belief = LearnedMultipliers(mixture_of(World(one), World(other)))
    follower, state = belief.follow(grid_problem(World(np.zeros((PIXELS, PIXELS), np.bool_)))), SearchState(PIXELS**2)
    state.status.reshape(PIXELS, PIXELS)[:, 25:35] = OPEN
    assert follower.update(state) is None
    state.status.reshape(PIXELS, PIXELS)[0, :3] = INVALID
    multipliers = follower.update(state)
    assert multipliers is not None
    assert follower.update(state) is None
    cells = multipliers.reshape(PIXELS, PIXELS)
    assert cells[10, 5] > 10.0
    assert cells[10, 60] < 1.5


def test_extra_costs_count_only_in_the_frame() -> None:
    belief, corners = replace(random_belief(5), regrets=None, elsewhere=None), _problem(PIXELS)
    silent = replace(belief, offsets=None)
    assert belief.offsets is not None
    extra = np.logaddexp(0.0, belief.offsets.astype(np.float64)).reshape(-1)
    assert belief.multipliers(corners) - silent.multipliers(corners) == pytest.approx(extra)
    elsewhere = replace(corners, goal=corners.goal - 5)
    for one, problem in ((belief, elsewhere), (replace(belief, frame=None), corners)):
        assert np.array_equal(one.multipliers(problem), silent.multipliers(problem))
    # A map of another resolution has the same corners.
    assert not np.array_equal(belief.multipliers(_problem(90)), silent.multipliers(_problem(90)))


def test_regrets_count_only_in_the_frame() -> None:
    belief, corners = replace(random_belief(5), elsewhere=None), _problem(PIXELS)
    silent = replace(belief, regrets=None)
    elsewhere = replace(corners, goal=corners.goal - 5)
    assert np.array_equal(belief.multipliers(elsewhere), silent.multipliers(elsewhere))
    assert np.array_equal(replace(belief, frame=None).multipliers(corners), silent.multipliers(elsewhere))
    assert np.array_equal(replace(belief, regret_weight=0.0).multipliers(corners), silent.multipliers(corners))
    assert (belief.multipliers(corners) > silent.multipliers(corners)).mean() > 0.9


def test_other_numbers_count_elsewhere() -> None:
    belief, corners = random_belief(5), _problem(PIXELS)
    assert belief.elsewhere is not None
    recall, penalty = belief.elsewhere
    there = replace(belief, recall=recall, penalty=penalty, elsewhere=None)
    elsewhere = replace(corners, goal=corners.goal - 5)
    assert_same_result(search(elsewhere, ReplanningPolicy(belief)), search(elsewhere, ReplanningPolicy(there)))
    here = replace(belief, elsewhere=None)
    assert_same_result(search(corners, ReplanningPolicy(belief)), search(corners, ReplanningPolicy(here)))
    assert not np.array_equal(belief.multipliers(elsewhere), here.multipliers(elsewhere))


def test_a_place_that_the_oracle_avoids_is_avoided() -> None:
    """Both halves of a map are free, but the typical world has a dead end in the lower one."""
    world = np.zeros((PIXELS, PIXELS), np.bool_)
    problem = grid_problem(World(world), (0, 33), (66, 33))
    regrets = np.zeros((1, PIXELS, PIXELS), np.uint8)
    regrets[0, 30:, 10:50] = LEVELS
    belief = LearnedMultipliers(mixture_of(World(world)), frame=PixelFrame.of(problem), regrets=regrets)
    plain, led = (search(problem, ReplanningPolicy(one)) for one in (replace(belief, regrets=None), belief))
    rows, columns = np.divmod(np.array(led.path), PIXELS)
    # Cells that are seen have no extra cost, so that the path may cut the corner.
    assert (rows[(columns >= 10) & (columns < 49)] < 30).all()
    assert led.cost > plain.cost


def test_before_anything_is_known_it_is_the_penalty_of_the_frequencies() -> None:
    rng = np.random.default_rng(0)
    worlds = [World(rng.random((PIXELS, PIXELS)) < 0.3) for _ in range(3)]
    penalty = Penalty(1.5, 2.0, 0.999, 1.0)
    belief = LearnedMultipliers(mixture_of(*worlds), penalty=penalty)
    frequencies = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    expected = penalty.multipliers(frequencies, frequencies)
    problem = grid_problem(World(np.zeros((PIXELS, PIXELS), np.bool_)))
    assert belief.multipliers(problem) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("size", [41, PIXELS, 90])
def test_a_world_that_the_mixture_recognises_is_searched_with_fewer_expansions(size: int) -> None:
    worlds = [generate_world("alternating_gaps", 3, index, width=size, height=size) for index in range(4)]
    belief = LearnedMultipliers(mixture_of(*worlds))
    for world in worlds:
        problem = grid_problem(world)
        recognised, optimistic = search(problem, ReplanningPolicy(belief)), search(problem, ReplanningPolicy())
        assert recognised.found
        assert recognised.expansions < 0.8 * optimistic.expansions
        lazy, plain = search(problem, LazyPolicy(belief=belief)), search(problem, LazyPolicy())
        assert lazy.found
        assert lazy.edge_evaluations < 0.8 * plain.edge_evaluations


@pytest.mark.parametrize(
    "offsets",
    [
        np.zeros((PIXELS, PIXELS)),
        np.zeros((PIXELS, PIXELS + 1), np.float32),
        np.zeros(PIXELS**2, np.float32),
        np.full((PIXELS, PIXELS), np.nan, np.float32),
        np.full((PIXELS, PIXELS), np.inf, np.float32),
    ],
    ids=["type", "shape", "flat", "nan", "infinite"],
)
def test_offsets_that_cannot_be(offsets: Any) -> None:
    with pytest.raises(ModelError, match=r"^offsets of shape"):
        replace(random_belief(0), offsets=offsets)


@pytest.mark.parametrize(
    "regrets", [np.zeros((5, PIXELS, PIXELS)), np.zeros((4, PIXELS, PIXELS), np.uint8)], ids=["type", "shape"]
)
def test_regrets_that_cannot_be(regrets: Any) -> None:
    with pytest.raises(ModelError, match=r"^regrets of shape"):
        replace(random_belief(0), regrets=regrets)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_of_regrets_that_cannot_be(weight: float) -> None:
    with pytest.raises(ModelError, match=r"^a weight of regrets"):
        replace(random_belief(0), regret_weight=weight)


@pytest.mark.parametrize("frame", [None, PixelFrame((0.1, 0.2), (0.3, 0.4))])
def test_it_survives_the_way_through_a_file(frame: PixelFrame | None) -> None:
    whole = replace(random_belief(9), frame=frame, name="mine", refresh=Refresh(3, 2))
    for belief in (whole, replace(whole, offsets=None), replace(whole, regrets=None, elsewhere=None)):
        again = LearnedMultipliers.build(*belief.describe())
        assert (again.regret_weight, again.elsewhere) == (belief.regret_weight, belief.elsewhere)
        assert (again.regrets is None) == (belief.regrets is None)
        if again.regrets is not None:
            assert np.array_equal(again.regrets, whole.regrets)  # type: ignore[arg-type]
        assert (again.recall, again.penalty, again.frame) == (belief.recall, belief.penalty, frame)
        assert (again.name, again.refresh) == ("mine", Refresh(3, 2))
        assert np.array_equal(again.mixture.levels, belief.mixture.levels)
        assert np.array_equal(again.mixture.weights, belief.mixture.weights)
        assert (again.offsets is None) == (belief.offsets is None)
        if again.offsets is not None:
            assert np.array_equal(again.offsets, whole.offsets)  # type: ignore[arg-type]
