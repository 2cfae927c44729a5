from __future__ import annotations

from dataclasses import astuple, replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.graphs import Problem
from sailplan.learning.algorithms.planner.direct_search import (
    ROUTE_ROUNDS,
    DirectSearch,
    Spent,
    changed,
    random_route,
)
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, world_of
from sailplan.policies.replanning.beliefs.prior import Penalty
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.learning.tiny import TINY_PLANNER, tiny_problems
from tests.policies.replanning.beliefs.random_beliefs import FRAME, random_belief

BELIEF = random_belief(0)
NUMBERS, POINTS = 9, 81
PLAIN = replace(BELIEF, regrets=None, elsewhere=None, offsets=None)
"""Without all that a belief need not have."""
ALL = NUMBERS + 1 + NUMBERS + POINTS
SEEDS = st.integers(0, 2**32 - 1)


def _direct(spent: Spent, jobs: int = 1, problems: int = 4, **changes: object) -> DirectSearch:
    several = tiny_problems()[:4]
    return DirectSearch([several[i % 4] for i in range(problems)], spent, TINY_PLANNER.changed(**changes), jobs)


def _numbers(belief: LearnedMultipliers) -> tuple[float, ...]:
    """All numbers of a belief but the control points, in the order of a vector."""
    here = (*astuple(belief.penalty), *astuple(belief.recall), belief.regret_weight)
    if belief.elsewhere is None:
        return here
    return (*here, *astuple(belief.elsewhere.penalty), *astuple(belief.elsewhere.recall))


def _searched(belief: LearnedMultipliers, problem: Problem) -> float:
    return search(problem, ReplanningPolicy(belief)).expansions / 50


def test_a_vector_of_zeros_changes_nothing() -> None:
    assert BELIEF.offsets is not None
    same = changed(BELIEF, np.zeros(ALL))
    assert _numbers(same) == pytest.approx(_numbers(BELIEF), rel=1e-9)
    assert np.array_equal(same.offsets, BELIEF.offsets)  # type: ignore[arg-type]
    assert (same.frame, same.mixture, same.regrets is BELIEF.regrets) == (BELIEF.frame, BELIEF.mixture, True)
    same = changed(PLAIN, np.zeros(NUMBERS))
    assert _numbers(same) == pytest.approx(_numbers(PLAIN), rel=1e-9)
    assert (same.offsets, same.regrets, same.elsewhere) == (None, None, None)


@pytest.mark.parametrize("index", range(ALL - POINTS))
def test_each_number_grows_and_shrinks_by_itself(index: int) -> None:
    vector = np.zeros(ALL)
    vector[index] = 0.1
    before, more, less = (np.array(_numbers(changed(BELIEF, sign * vector))) for sign in (0, 1, -1))
    assert np.flatnonzero(more != before).tolist() == [index] == np.flatnonzero(less != before).tolist()
    # The third number is the certainty, whose distance from 1 grows.
    grows = index not in (2, NUMBERS + 1 + 2)
    assert (less[index] < before[index] < more[index]) if grows else (more[index] < before[index] < less[index])


def test_control_points_are_spread_linearly_over_the_map() -> None:
    points = np.zeros((9, 9))
    points[0, 0], points[4, 4], points[8, 0] = 2.0, 3.0, 5.0
    belief = replace(BELIEF, offsets=np.zeros((PIXELS, PIXELS), np.float32))
    offsets = changed(belief, np.concatenate([np.zeros(ALL - POINTS), points.ravel()])).offsets
    assert offsets is not None
    assert (offsets[0, 0], offsets[-1, 0], offsets[33, 33]) == pytest.approx((2.0, 5.0, 3.0))
    # The points are 8.25 pixels apart.
    assert offsets[33, 33 + 4] == pytest.approx(3.0 * (1.0 - 4 / 8.25), rel=1e-6)
    assert offsets[4, 4] == pytest.approx(2.0 * (1.0 - 4 / 8.25) ** 2, rel=1e-6)
    assert not offsets[:, 43:].any()


@settings(max_examples=30)
@given(seed=SEEDS, size=st.sampled_from([0.1, 3.0, 100.0, 1e6]))
def test_any_vector_gives_a_belief_that_can_be_used(seed: int, size: float) -> None:
    vector = size * np.random.default_rng(seed).normal(size=ALL)
    for belief in (BELIEF, replace(BELIEF, penalty=Penalty(0.0, 0.0, 0.0, 0.0))):
        made = changed(belief, vector)
        multipliers = made.multipliers(tiny_problems()[0])
        assert np.isfinite(multipliers).all()
        assert (multipliers >= 1.0).all()


def test_steps_lower_a_known_objective() -> None:
    """What is spent is the distance of the logarithms of two numbers, and of the mean offset, from those wanted."""
    belief = replace(BELIEF, offsets=np.zeros((PIXELS, PIXELS), np.float32))

    def spent(one: LearnedMultipliers, problem: Problem) -> float:
        assert one.offsets is not None
        wanted = one.penalty.surprise / 9.0, one.recall.reach / 15.0
        return float(np.sum(np.log(wanted) ** 2) + (one.offsets[40:].mean() - 1.0) ** 2)

    direct = _direct(spent, search_steps=60, search_pairs=30)
    after = direct.descend(belief, (1.0, 0.15), np.random.default_rng(0))
    assert direct.mean(after, 1) < 0.35 * direct.mean(belief, 1)
    assert belief.penalty.surprise < after.penalty.surprise < 12.0
    assert 12.0 < after.recall.reach < belief.recall.reach
    assert after.offsets is not None
    assert after.offsets[50:].mean() > 0.2
    assert after.frame == belief.frame


def test_without_a_frame_there_are_no_extra_costs() -> None:
    belief = replace(PLAIN, frame=None)
    direct = _direct(_searched)
    after = direct.descend(belief, (1.0, 0.5), np.random.default_rng(0))
    assert after.offsets is None
    assert _numbers(after) != _numbers(belief)
    assert direct.routes(belief, np.random.default_rng(0)) == []


def test_less_is_left_of_the_rate_at_the_end_of_the_training() -> None:
    def spent(one: LearnedMultipliers, problem: Problem) -> float:
        return one.penalty.surprise

    direct = _direct(spent, search_steps=3, search_pairs=10)
    begun, ended = (
        direct.descend(BELIEF, rates, np.random.default_rng(0)).penalty.surprise for rates in ((1.0, 0.9), (0.2, 0.15))
    )
    assert begun < ended < BELIEF.penalty.surprise


def test_an_objective_that_is_constant_changes_nothing() -> None:
    after = _direct(lambda belief, problem: 1.0).descend(BELIEF, (1.0, 0.15), np.random.default_rng(0))
    assert _numbers(after) == pytest.approx(_numbers(BELIEF), rel=1e-9)
    assert np.array_equal(after.offsets, BELIEF.offsets)  # type: ignore[arg-type]


def test_the_result_does_not_depend_on_the_jobs() -> None:
    results = [_direct(_searched, jobs).descend(BELIEF, (1.0, 0.15), np.random.default_rng(5)) for jobs in (1, 2)]
    assert _numbers(results[0]) == _numbers(results[1])
    assert np.array_equal(results[0].offsets, results[1].offsets)  # type: ignore[arg-type]
    other = _direct(_searched).descend(BELIEF, (1.0, 0.15), np.random.default_rng(6))
    assert _numbers(other) != _numbers(results[0])


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_the_problems_is_between_random_cells(share: float) -> None:
    ends: list[bool] = []

    def spent(belief: LearnedMultipliers, problem: Problem) -> float:
        ends.append((problem.start, problem.goal) == (0, 19**2 - 1))
        return 1.0

    _direct(spent, random_endpoints=share).descend(BELIEF, (1.0, 0.15), np.random.default_rng(0))
    assert len(ends) == 2 * TINY_PLANNER.search_steps * TINY_PLANNER.search_pairs
    assert all(ends) == (share == 0.0)
    assert sum(ends) <= 1 or share == 0.0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_only_what_counts_in_a_problem_follows_it(share: float) -> None:
    """Between random cells the numbers elsewhere count, otherwise all others."""

    def spent(one: LearnedMultipliers, problem: Problem) -> float:
        assert one.offsets is not None
        return float(np.sum(_numbers(one)) / 100 + one.offsets.mean())

    after = _direct(spent, random_endpoints=share).descend(BELIEF, (1.0, 0.15), np.random.default_rng(0))
    moved = np.abs(np.subtract(_numbers(after), _numbers(BELIEF))) > 1e-9
    assert moved[-NUMBERS:].all() == (share == 1.0) == moved[-NUMBERS:].any()
    assert moved[:-NUMBERS].all() == (share == 0.0) == moved[:-NUMBERS].any()
    assert np.array_equal(after.offsets, BELIEF.offsets) == (share == 1.0)  # type: ignore[arg-type]


def test_the_weights_of_regrets_to_start_with() -> None:
    weighted = _direct(_searched).weighted(BELIEF)
    assert [one.regret_weight for one in weighted] == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert all(one.offsets is BELIEF.offsets for one in weighted)


@pytest.mark.parametrize("candidates", [1, 2, 13, 60])
def test_the_best_of_several_is_found(candidates: int) -> None:
    """The noise of a problem is the same for all, so that few problems are enough."""
    beliefs = [replace(BELIEF, name=str(index)) for index in range(candidates)]
    means = np.random.default_rng(candidates).permutation(candidates).astype(float)
    calls = count()

    def spent(belief: LearnedMultipliers, problem: Problem) -> float:
        next(calls)
        return float(means[int(belief.name)] + world_of(problem).blocked.mean())

    best = _direct(spent, problems=200).best_of(beliefs)
    assert best is beliefs[int(means.argmin())]
    left, expected = candidates, 0
    for problems, kept in ROUTE_ROUNDS:
        expected += left * problems if left > kept else 0
        left = min(left, kept)
    assert next(calls) == expected


def test_candidates_that_are_worse_only_later_are_found_out() -> None:
    """The first problems mislead, and the last comparison decides; the first of equals is taken."""
    problems = tiny_problems()[:4]

    def spent(belief: LearnedMultipliers, problem: Problem) -> float:
        misleading = problem is problems[0]
        return {"early": 0.0 if misleading else 2.0, "late": 1.0, "later": 1.0}[belief.name]

    direct = DirectSearch([problems[0]] * 12 + [problems[1]] * 108, spent, TINY_PLANNER, 1)
    beliefs = [replace(BELIEF, name=name) for name in ("early", "late", "later")]
    assert direct.best_of(beliefs).name == "late"
    assert direct.mean(beliefs[0], 12) == 0.0
    assert direct.mean(beliefs[0], 120) == pytest.approx(1.8)


@settings(max_examples=40)
@given(seed=SEEDS, ends=st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
def test_extra_costs_are_smallest_on_a_route_from_start_to_goal(seed: int, ends: list[float]) -> None:
    frame = PixelFrame((ends[0], ends[1]), (ends[2], ends[3]))
    offsets = random_route(frame, np.random.default_rng(seed))
    assert offsets.shape == (PIXELS, PIXELS)
    assert offsets.dtype == np.float32
    assert np.isfinite(offsets).all()
    assert np.array_equal(offsets, random_route(frame, np.random.default_rng(seed)))
    assert not np.array_equal(offsets, random_route(frame, np.random.default_rng(seed + 1)))
    extra = np.logaddexp(0.0, offsets.astype(np.float64))
    assert extra.min() >= 0.03 - 1e-6
    assert extra.max() <= 2.0 + 1e-6
    # A pixel is at most 0.71 of its side away from the route, which is at least a tenth of the map wide.
    most = 2.0 * 0.71 / PIXELS / 0.1
    cheap = extra <= most + 1e-6
    pixels = [tuple(min(int(one * PIXELS), PIXELS - 1) for one in reversed(end)) for end in (frame.start, frame.goal)]
    assert all(cheap[pixel] for pixel in pixels)
    assert _connected(cheap, pixels[0], pixels[1])


def _connected(allowed: np.ndarray, start: tuple[int, ...], goal: tuple[int, ...]) -> bool:
    """Whether there is a path of pixels that touch each other."""
    reached, waiting = {start}, [start]
    while waiting:
        y, x = waiting.pop()
        beside = {(y + down, x + right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - reached
        beside = {one for one in beside if 0 <= min(one) <= max(one) < PIXELS and allowed[one]}
        reached |= beside
        waiting += beside
    return goal in reached


def test_routes_have_one_belief_each() -> None:
    direct = _direct(_searched, routes=5)
    routes = direct.routes(BELIEF, np.random.default_rng(0))
    assert len(routes) == 5
    for one in routes:
        assert _numbers(replace(one, regret_weight=BELIEF.regret_weight)) == _numbers(BELIEF)
        assert one.regret_weight == 0.01
        assert one.frame == FRAME
    assert len({one.offsets.tobytes() for one in routes if one.offsets is not None}) == 5
