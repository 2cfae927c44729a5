from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, open_search
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import UNSEEN
from sailplan.datasets import generate_world
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.learning.algorithms.planner.imitation import Moment, imitate, moment_of, offset_gradient
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replanning.beliefs.learned import MOST_REGRET, LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import AREAS, LEVELS
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame
from tests.learning.tiny import TINY_PLANNER
from tests.naive import pixels as naive
from tests.naive.planner import believed_distances, expected_regret, regrets_of, temperature_of
from tests.policies.replanning.beliefs.random_beliefs import mixture_of, random_belief
from tests.strategies import grid_problems

SEEDS = st.integers(0, 2**32 - 1)
PROBLEMS = st.one_of(grid_problems(6, 6), grid_problems(2, 150))
"""Also with several cells in a pixel."""
STEP = 1e-5


def _state(problem: Problem, steps: int) -> NDArray[np.uint8]:
    session = open_search(problem, load_policy("random"), stop=StopRule.GOAL_EXPANDED)
    session.run(Limits(expansions=steps))
    return session.state.status.copy()


def _draw_moment(problem: Problem, steps: int, seed: int) -> tuple[Moment, LearnedMultipliers]:
    """Draw a state, and a belief whose multipliers in it are represented exactly: they are rounded to 1 / 256."""
    rng = np.random.default_rng(seed)
    belief = replace(random_belief(seed % 7), frame=PixelFrame.of(problem))
    blocked, regret = rng.random((2, PIXELS, PIXELS)).astype(np.float32)
    terms = replace(belief, offsets=None).terms(problem)
    least = belief.predict(terms, blocked.astype(np.float64), regret.astype(np.float64))
    extra = (np.ceil(256 * least) + rng.integers(16, 2000, least.shape)) / 256 - least
    belief = replace(belief, offsets=np.log(np.expm1(extra)).astype(np.float32))
    return Moment(problem, cost_to_go(problem), _state(problem, steps), blocked, regret), belief


def _multipliers(moment: Moment, belief: LearnedMultipliers, offsets: FloatArray, shape: tuple[int, int]) -> FloatArray:
    maps = belief.mixture.frequencies, moment.blocked, moment.regret
    frequencies, blocked, regret = (one.astype(np.float64) for one in maps)
    extra = np.log1p(np.exp(offsets)) + belief.regret_weight * regret
    values = naive.penalise(blocked, frequencies, extra, belief.penalty)
    return naive.spread(values, moment.status[: shape[0] * shape[1]].reshape(shape), 0.0, np.zeros(shape)).reshape(-1)


@settings(max_examples=25)
@given(drawn=PROBLEMS, steps=st.integers(1, 10), seed=SEEDS, least=st.sampled_from([1.0, 3.0]))
def test_the_gradient_is_that_of_the_loss(
    drawn: tuple[Problem, GridGraph], steps: int, seed: int, least: float
) -> None:
    problem, graph = drawn
    moment, belief = _draw_moment(problem, steps, seed)
    shape = graph.world.height, graph.world.width
    assert belief.offsets is not None
    offsets = belief.offsets.astype(np.float64)
    distances = believed_distances(problem, moment.status, _multipliers(moment, belief, offsets, shape))
    regrets = regrets_of(moment.status, distances, moment.table)
    assume(len(regrets) >= 2)
    # The temperature is a constant of the derivative.
    temperature = temperature_of(distances, regrets, least)
    value = expected_regret(distances, regrets, temperature)
    gradient, loss = offset_gradient(belief, moment, least)
    assert loss == pytest.approx(value, abs=1e-4)
    unseen = np.argwhere(moment.status[: graph.vertex_count].reshape(shape) == UNSEEN).tolist()
    pixels = {(naive.pixel_of(y, PIXELS, shape[0]), naive.pixel_of(x, PIXELS, shape[1])) for y, x in unseen}
    matters = np.zeros((PIXELS, PIXELS), np.bool_)
    for pixel in pixels:
        matters[pixel] = True
    assert not gradient[~matters].any()

    def slope(pixel: tuple[int, int], step: float) -> float:
        moved = offsets.copy()
        moved[pixel] += step
        after = believed_distances(problem, moment.status, _multipliers(moment, belief, moved, shape))
        return (expected_regret(after, regrets, temperature) - value) / step

    for pixel in sorted(pixels)[:: max(1, len(pixels) // 8)]:
        right, left = slope(pixel, STEP), slope(pixel, -STEP)
        # Where two paths are equally long, the derivatives to the left and to the right differ.
        if abs(right - left) < 1e-3:
            assert gradient[pixel] == pytest.approx((right + left) / 2, abs=2e-3)


@settings(max_examples=15)
@given(drawn=grid_problems(20, 90), steps=st.integers(0, 60), seed=st.integers(0, 1000))
def test_what_is_recalled_in_a_state_is_like_the_definition(
    drawn: tuple[Problem, GridGraph], steps: int, seed: int
) -> None:
    problem, graph = drawn
    belief, status = replace(random_belief(seed), frame=PixelFrame.of(problem)), _state(problem, steps)
    mixture, recall = belief.mixture, belief.recall
    assert belief.regrets is not None
    shares, frequencies = mixture.shares.astype(np.float64), mixture.frequencies.astype(np.float64)
    cells = status[: graph.vertex_count].reshape(graph.world.height, graph.world.width)
    weights = naive.recall_weights(cells, shares, mixture.weights, recall, AREAS)
    expected = naive.blend(shares, weights, 2e-3, frequencies, recall.prior)
    moment = moment_of(belief, problem, cost_to_go(problem), status)
    # A weight of about the least that counts may be ignored or not.
    assert np.abs(moment.blocked - expected).max() < 2.5e-3
    regret = naive.blend(MOST_REGRET / LEVELS * belief.regrets.astype(np.float64), weights, 2e-3, frequencies, 0.0)
    assert np.abs(moment.regret - regret).max() < 2.5e-3


def test_nothing_is_recalled_if_nothing_is_known() -> None:
    belief = random_belief(0)
    problem = grid_problem(generate_world("forest", 0, 0, width=9, height=9))
    blocked = moment_of(belief, problem, cost_to_go(problem), np.full(81, UNSEEN, np.uint8)).blocked
    assert blocked == pytest.approx(belief.mixture.frequencies, abs=1e-6)


def _moments() -> tuple[LearnedMultipliers, list[Moment]]:
    """States of the oracle on a few worlds, and a belief that knows little."""
    problems = [grid_problem(generate_world("alternating_gaps", 4, i, width=25, height=25)) for i in range(6)]
    belief = LearnedMultipliers(
        mixture_of(generate_world("forest", 0, 0, width=25, height=25)),
        frame=PixelFrame.of(problems[0]),
        offsets=np.full((PIXELS, PIXELS), -1.0, np.float32),
    )
    moments = []
    for problem in problems:
        session = open_search(problem, OraclePolicy())
        for steps in (5, 12, 18):
            session.run(Limits(expansions=steps))
            status = session.state.status.copy()
            moments.append(moment_of(belief, problem, cost_to_go(problem), status))
    return belief, moments


def _mean_loss(belief: LearnedMultipliers, moments: list[Moment]) -> float:
    return float(np.mean([offset_gradient(belief, moment, TINY_PLANNER.temperature)[1] for moment in moments]))


def test_imitation_lowers_the_loss_of_the_states_that_are_learned_from() -> None:
    belief, moments = _moments()
    tiny = TINY_PLANNER.changed(steps=60, batch_size=18, learning_rate=0.1)
    learned, loss = imitate(belief, moments, tiny, np.random.default_rng(0), 1)
    before, after = _mean_loss(belief, moments), _mean_loss(learned, moments)
    assert after < 0.9 * before
    assert 0.0 < loss < 1.1 * before
    assert (learned.recall, learned.penalty, learned.mixture) == (belief.recall, belief.penalty, belief.mixture)


def test_imitation_does_not_depend_on_the_jobs() -> None:
    belief, moments = _moments()
    results = [imitate(belief, moments, TINY_PLANNER, np.random.default_rng(1), jobs) for jobs in (1, 2)]
    assert np.array_equal(results[0][0].offsets, results[1][0].offsets)  # type: ignore[arg-type]
    assert results[0][1] == results[1][1]
    other, _ = imitate(belief, moments, TINY_PLANNER, np.random.default_rng(2), 1)
    assert not np.array_equal(other.offsets, results[0][0].offsets)  # type: ignore[arg-type]
    assert not np.array_equal(belief.offsets, results[0][0].offsets)  # type: ignore[arg-type]


def test_states_without_a_choice_change_nothing() -> None:
    belief, moments = _moments()
    nothing = [replace(one, status=np.full_like(one.status, UNSEEN)) for one in moments]
    same, loss = imitate(belief, nothing, TINY_PLANNER, np.random.default_rng(0), 1)
    assert loss == 0.0
    assert np.array_equal(same.offsets, belief.offsets)  # type: ignore[arg-type]
