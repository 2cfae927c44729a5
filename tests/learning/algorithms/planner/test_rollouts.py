from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, open_search, search
from sailplan.graphs import GridGraph, Problem
from sailplan.learning.algorithms.planner.rollouts import RollOut, RollOuts
from sailplan.policies import LazyPolicy
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.learning.tiny import tiny_problems
from tests.strategies import grid_problems


def _rolled(problem: Problem, policy: Policy, world: int, seed: int, samples: int = 3) -> RollOut:
    trace = search(problem, policy).trace
    length = len(trace.evaluated) or len(trace.expanded)
    return RollOut(world, trace, np.sort(np.random.default_rng(seed).integers(0, length, samples)))


def _some() -> RollOuts:
    problems = tiny_problems()
    policies: list[Policy] = [ReplanningPolicy(), LazyPolicy(), ReplanningPolicy()]
    return RollOuts.of([_rolled(problems[index], policy, index, index) for index, policy in enumerate(policies)], 3)


def _arrays(rolled: RollOuts) -> dict[str, Any]:
    return {one.name: getattr(rolled, one.name) for one in fields(RollOuts)}


def test_they_survive_the_way_through_a_file() -> None:
    problems = tiny_problems()
    before = [_rolled(problem, LazyPolicy(), index + 7, index) for index, problem in enumerate(problems)]
    before += [_rolled(problem, ReplanningPolicy(), index, index) for index, problem in enumerate(problems)]
    flat = RollOuts.of(before, 3)
    assert len(flat) == 3 * len(before)
    after = list(RollOuts.read(_arrays(flat), 3))
    assert len(after) == len(before)
    for one, other in zip(before, after, strict=True):
        assert (one.world, one.steps.tolist()) == (other.world, other.steps.tolist())
        assert (one.trace.start, one.trace.goal) == (other.trace.start, other.trace.goal)
        assert one.trace.expanded.tolist() == other.trace.expanded.tolist()
        assert one.trace.evaluated.tolist() == other.trace.evaluated.tolist()


def test_a_round_may_have_none() -> None:
    nothing = RollOuts.read(_arrays(RollOuts.of([], 5)), 5)
    assert (len(nothing), list(nothing)) == (0, [])


@pytest.mark.parametrize("policy", [ReplanningPolicy(), LazyPolicy()])
@settings(max_examples=25)
@given(drawn=grid_problems(8, 8), seed=st.integers(0, 1000))
def test_states_are_those_of_the_search(policy: Policy, drawn: tuple[Problem, GridGraph], seed: int) -> None:
    problem, _ = drawn
    trace = search(problem, policy).trace
    length = len(trace.evaluated) or len(trace.expanded)
    steps = np.sort(np.random.default_rng(seed).integers(0, max(length, 1), 4))
    (read,) = RollOuts.of([RollOut(0, trace, steps)], 4)
    for step, status in zip(steps.tolist(), read.states(problem), strict=True):
        begun = open_search(problem, policy)
        begun.run(Limits(evaluations=step) if len(trace.evaluated) else Limits(expansions=step))
        assert status.tolist() == begun.state.status[: len(status)].tolist()


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("worlds", lambda good: good[1:]),
        ("worlds", lambda good: -1 - good),
        ("worlds", lambda good: good.astype(np.int32)),
        ("worlds", lambda good: good[:, None]),
        ("ends", lambda good: good[:, :1]),
        ("ends", lambda good: good.astype(np.float64)),
        ("steps", lambda good: good[:, :2]),
        ("steps", lambda good: good[:2]),
        ("counts", lambda good: good + 1),
        ("counts", lambda good: good.reshape(-1)),
        ("expanded", lambda good: good[:-1]),
        ("expanded", lambda good: good.astype("<U3")),
        ("evaluated", lambda good: good.reshape(-1)),
        ("evaluated", lambda good: good[:-1]),
    ],
)
def test_damaged_arrays_are_refused(name: str, damaged: Any) -> None:
    arrays = _arrays(_some())
    RollOuts.read(arrays, 3)
    with pytest.raises(ValueError, match="shape"):
        RollOuts.read({**arrays, name: damaged(arrays[name])}, 3)
    with pytest.raises(ValueError, match="steps has shape"):
        RollOuts.read(arrays, 4)
