from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, StopRule, Trace, replay, search
from sailplan.core.search import EngineName
from sailplan.datasets import World
from sailplan.errors import SailplanError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies import greedy, load_policy
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.features.patch import Patch
from sailplan.policies.replay.samples import draw_steps, take_samples
from sailplan.policies.replay.transitions import look_at_steps
from tests.learned_policies import random_policy
from tests.learning.tiny import tiny_problems
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)


def _assert_samples_are_what_was_open(
    problem: Problem, trace: Trace, features: FeatureSet, steps: np.ndarray, picks: np.ndarray
) -> None:
    reference, rows = take_samples(problem, trace, features, steps, picks, "reference")
    compiled, fused_rows = take_samples(problem, trace, features, steps, picks, "compiled")
    assert compiled.tolist() == reference.tolist()
    assert fused_rows.tolist() == rows.tolist()
    assert len(rows) == len(steps)
    for step, vertex, row in zip(steps.tolist(), reference.tolist(), rows.tolist(), strict=True):
        state = replay(problem, trace, step)
        assert vertex in state.frontier
        assert features(problem, state, [vertex])[0].tolist() == row


@settings(max_examples=40)
@given(
    drawn=st.one_of(grid_problems(12, 12), explicit_problems(20, dimensions=2)),
    policy=st.sampled_from(["h_euc", "dijkstra", "a_star"]),
    preset=st.sampled_from(["paper17", "relative", "walls", "patch"]),
    samples=st.integers(0, 12),
    seed=SEEDS,
)
def test_every_sample_was_open_and_looked_like_this(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], policy: str, preset: str, samples: int, seed: int
) -> None:
    problem, graph = drawn
    features = feature_set(preset if isinstance(graph, GridGraph) else "relative")
    trace = search(problem, load_policy(policy), Limits(40)).trace
    rng = np.random.default_rng(seed)
    steps = draw_steps(len(trace.expanded), samples, rng)
    _assert_samples_are_what_was_open(problem, trace, features, steps, rng.random(len(steps)))


def test_several_samples_of_one_step() -> None:
    problem = tiny_problems()[0]
    trace = search(problem, greedy("euclidean"), Limits(30)).trace
    steps, picks = np.array([0, 0, 17, 17, 17, 29], np.int64), np.array([0.0, 0.999, 0.0, 0.5, 0.999, 0.3])
    _assert_samples_are_what_was_open(problem, trace, feature_set("relative"), steps, picks)
    vertices, _ = take_samples(problem, trace, feature_set("relative"), steps, picks)
    assert vertices[:2].tolist() == [problem.start] * 2
    assert len(set(vertices[2:5].tolist())) == 3


def test_a_search_that_generated_its_goal_long_ago_has_it_among_the_open() -> None:
    problem = grid_problem(World(np.zeros((6, 6), np.bool_)))
    trace = search(problem, load_policy("dijkstra"), stop=StopRule.GOAL_EXPANDED).trace
    steps = np.repeat(np.arange(len(trace.expanded)), 30)
    picks = np.tile(np.arange(30) / 30, len(trace.expanded))
    vertices, _ = take_samples(problem, trace, feature_set("relative"), steps, picks)
    assert problem.goal in vertices
    _assert_samples_are_what_was_open(problem, trace, feature_set("relative"), steps[-60:], picks[-60:])


def test_no_steps_no_samples() -> None:
    problem = tiny_problems()[0]
    trace = search(problem, greedy("euclidean")).trace
    vertices, rows = take_samples(problem, trace, feature_set("relative"), np.empty(0, np.int64), np.empty(0))
    assert (vertices.shape, rows.shape) == ((0,), (0, len(feature_set("relative").columns)))


class NoArrays:
    """A grid that only answers questions."""

    def __init__(self, grid: GridGraph) -> None:
        self.successors, self.evaluate, self.coordinates = grid.successors, grid.evaluate, grid.coordinates


@pytest.mark.parametrize("preset", ["relative", "paper17"])
def test_a_graph_without_arrays_is_sampled_too(preset: str) -> None:
    problem, features = tiny_problems()[0], feature_set(preset)
    assert isinstance(problem.graph, GridGraph)
    slow = Problem(NoArrays(problem.graph), problem.start, problem.goal)
    trace = search(problem, greedy("euclidean"), Limits(25)).trace
    steps, picks = np.arange(25), np.random.default_rng(3).random(25)
    expected, rows = take_samples(problem, trace, features, steps, picks)
    vertices, slow_rows = take_samples(slow, trace, features, steps, picks)
    assert vertices.tolist() == expected.tolist()
    assert slow_rows.tolist() == rows.tolist()


def test_features_without_a_kernel_are_sampled_by_the_reference() -> None:
    class Number:
        columns = ("number",)

        def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> np.ndarray:
            return np.array(vertices, np.float64)[:, None]

    problem = tiny_problems()[0]
    trace = search(problem, greedy("euclidean"), Limits(25)).trace
    vertices, rows = take_samples(
        problem, trace, FeatureSet((Number(), Patch(1))), np.arange(20), np.random.default_rng(0).random(20)
    )
    assert rows[:, 0].tolist() == vertices.tolist()


@given(length=st.integers(1, 60), samples=st.integers(0, 80), seed=SEEDS)
def test_steps_lie_in_the_episode_and_ascend(length: int, samples: int, seed: int) -> None:
    steps = draw_steps(length, samples, np.random.default_rng(seed))
    assert len(steps) == (samples or length)
    assert steps.dtype == np.int64
    assert (np.diff(steps) >= 0).all()
    assert 0 <= steps.min() <= steps.max() < length
    if samples <= length:
        assert len(set(steps.tolist())) == len(steps)


def test_zero_samples_are_every_step() -> None:
    assert draw_steps(5, 0, np.random.default_rng(0)).tolist() == [0, 1, 2, 3, 4]
    assert draw_steps(0, 0, np.random.default_rng(0)).tolist() == []


def test_an_episode_without_steps_gives_none() -> None:
    assert draw_steps(0, 8, np.random.default_rng(0)).tolist() == []


def _chi_square(counts: np.ndarray) -> float:
    expected = counts.mean()
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("samples", [3, 7, 15])
def test_steps_are_uniform_over_the_episode(samples: int) -> None:
    rng = np.random.default_rng(11)
    drawn = np.concatenate([draw_steps(10, samples, rng) for _ in range(3000)])
    # The 99.9 % quantile of chi-square with 9 degrees of freedom; drawing without repeats only lowers the spread.
    assert _chi_square(np.bincount(drawn, minlength=10)) < 27.9


def test_samples_are_uniform_over_the_open_list() -> None:
    problem = tiny_problems()[1]
    trace = search(problem, greedy("euclidean"), Limits(12)).trace
    rng, count = np.random.default_rng(5), 20_000
    steps = np.full(count, 11, np.int64)
    vertices, _ = take_samples(problem, trace, feature_set("relative"), steps, rng.random(count))
    frontier = replay(problem, trace, 11).frontier
    found, counts = np.unique(vertices, return_counts=True)
    assert found.tolist() == frontier.tolist()
    freedom = len(frontier) - 1
    # Its mean and deviation are known; five deviations are far beyond chance.
    assert _chi_square(counts) < freedom + 5 * np.sqrt(2 * freedom)


ELSEWHERE = grid_problem(World(np.zeros((3, 4), np.bool_)))
WRONG_TRACES = {
    "not open": [0, 11],
    "twice": [0, 1, 1],
    "negative": [0, -1],
    "huge": [0, 10**9],
    "too large by one": [0, 12],
}


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize("wrong", WRONG_TRACES)
def test_a_trace_of_another_problem_is_refused(wrong: str, engine: EngineName) -> None:
    # A trace takes such an array as it is; others are refused before.
    expanded = np.array(WRONG_TRACES[wrong], np.int32)
    steps = np.arange(len(expanded))
    trace = Trace(ELSEWHERE.start, ELSEWHERE.goal, expanded)
    with pytest.raises(SailplanError, match=r"the trace (was recorded on another problem|has vertices)"):
        take_samples(ELSEWHERE, trace, feature_set("paper17"), steps, np.zeros(len(steps)), engine)
    with pytest.raises(SailplanError, match=r"the trace (was recorded on another problem|has vertices)"):
        look_at_steps(ELSEWHERE, trace, random_policy(0, "paper17"), steps, engine)


@pytest.mark.parametrize("pick", [1e12, -1e12, 1.0, -0.5, np.nan])
def test_picks_are_fractions(pick: float) -> None:
    trace = search(ELSEWHERE, load_policy("h_euc")).trace
    with pytest.raises(SailplanError, match=r"picks must be a number for each step, at least 0 and below 1"):
        take_samples(ELSEWHERE, trace, feature_set("paper17"), np.zeros(1, np.int64), np.array([pick]))


@pytest.mark.parametrize("steps", [[-1], [10**6], [1, 0], [0.5], [[0]]])
def test_steps_are_those_of_the_trace(steps: list[int]) -> None:
    trace = search(ELSEWHERE, load_policy("h_euc")).trace
    with pytest.raises(SailplanError, match=r"^steps must be"):
        take_samples(ELSEWHERE, trace, feature_set("paper17"), np.array(steps), np.zeros(len(steps)))
    with pytest.raises(SailplanError, match=r"^steps must be"):
        look_at_steps(ELSEWHERE, trace, random_policy(0, "paper17"), np.array(steps))


def test_a_trace_file_with_a_number_that_is_no_vertex(tmp_path: Path) -> None:
    for number in (-1, 1 << 40):
        np.savez(tmp_path / "trace.npz", start=0, goal=1, expanded=np.array([0, number]))
        with pytest.raises(SailplanError, match=r"not a trace, or a damaged one .*expanded has numbers that are no"):
            Trace.load(tmp_path / "trace.npz")
