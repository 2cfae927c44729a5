from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, SearchState, open_search, search
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import INVALID, OPEN
from sailplan.datasets import GeneratedWorlds, World
from sailplan.errors import PolicyError
from sailplan.graphs import Problem, grid_problem
from sailplan.policies.replanning.beliefs.posterior import BLOCK_SIDE, Agreement, Blocks, Memory, Posterior
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_policy
from tests.same import assert_same_result

CHARGING = Penalty(prior_weight=1.0, surprise=2.0)
WORLDS = list(GeneratedWorlds("single_bugtrap", 12, seed=5, width=45, height=31))


def _belief(worlds: list[World], agreement: Agreement | None = None) -> Posterior:
    frame = Frame.of(grid_problem(worlds[0]))
    assert frame is not None
    return Posterior(frame, Memory.of(worlds), CHARGING, agreement or Agreement())


def _naive(belief: Posterior, state: SearchState) -> FloatArray:
    """The probabilities from their definition."""
    frame, agreement = belief.frame, belief.agreement
    worlds = belief.memory.by_world.reshape(-1, frame.height, frame.width)
    status = state.status.reshape(frame.height, frame.width)
    result = np.empty((frame.height, frame.width))
    for y in range(frame.height):
        for x in range(frame.width):
            doubts = np.zeros(len(worlds))
            for other_y, other_x in np.argwhere(status != 0):
                blocks = np.array([x, y]) // BLOCK_SIDE - np.array([other_x, other_y]) // BLOCK_SIDE
                share = np.exp(-BLOCK_SIDE * np.hypot(*blocks) / agreement.reach)
                here = worlds[:, other_y, other_x]
                blocked = status[other_y, other_x] == INVALID
                doubts += share * (agreement.of_blocked * (1 - here) if blocked else agreement.of_free * here)
            best = np.argsort(doubts, kind="stable")[: agreement.most]
            weights = np.exp(doubts[best].min() - doubts[best])
            weights[weights < 1e-3] = 0.0
            result[y, x] = (weights * worlds[best, y, x]).sum() / weights.sum()
    mixed: FloatArray = (1 - agreement.prior) * result + agreement.prior * worlds.mean(axis=0)
    return mixed.reshape(-1)


@pytest.mark.parametrize("reach", [1e9, 30.0])
def test_like_the_definition(reach: float) -> None:
    belief = _belief(WORLDS, Agreement(0.31, 0.17, reach, most=len(WORLDS), prior=0.2))
    problem = grid_problem(WORLDS[3])
    session = open_search(problem, ReplanningPolicy())
    follower = belief.follow(problem)
    heard = 0
    for expansions in (3, 20, 60):
        session.run(Limits(expansions=expansions))
        multipliers = follower.update(session.state)
        if multipliers is not None:
            heard += 1
            # What changes by less than a fifth may stay as it was.
            expected = CHARGING.multipliers(belief.memory.frequencies, _naive(belief, session.state))
            assert multipliers == pytest.approx(expected, rel=0.26)
    assert heard > 0


def test_before_anything_is_known_it_is_the_prior() -> None:
    belief = _belief(WORLDS)
    assert belief.multipliers(grid_problem(WORLDS[0])) == pytest.approx(
        CHARGING.multipliers(belief.memory.frequencies, belief.memory.frequencies)
    )


def test_what_was_believed_anyway_changes_nothing() -> None:
    empty = World(np.zeros((5, 5), np.bool_))
    belief = _belief([empty, empty])
    state = SearchState(25)
    state.status[:10] = OPEN
    assert belief.follow(grid_problem(empty)).update(state) is None


def test_a_cell_tells_the_worlds_apart() -> None:
    left, right = np.zeros((2, 6, 6), np.bool_)
    left[3, :3], right[3, 3:] = True, True
    belief = _belief([World(left), World(right)], Agreement(of_blocked=20.0, of_free=20.0))
    problem = grid_problem(World(left))
    state = SearchState(36)
    state.status[3 * 6] = INVALID
    multipliers = belief.follow(problem).update(state)
    assert multipliers is not None
    certain, free = CHARGING.multipliers(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert multipliers.reshape(6, 6)[3] == pytest.approx([certain] * 3 + [free] * 3)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 11), st.floats(0.01, 5.0), st.sampled_from([5.0, 50.0, 1e9]), st.integers(1, 12))
def test_both_engines_agree(index: int, doubt: float, reach: float, most: int) -> None:
    others = [world for world in WORLDS if world is not WORLDS[index]]
    policy = ReplanningPolicy(_belief(others, Agreement(doubt, doubt, reach, most, 0.1)))
    problem = grid_problem(WORLDS[index])
    assert_same_result(search(problem, policy, engine="reference"), search(problem, policy, engine="compiled"))


def test_it_keeps_the_contract_of_a_policy() -> None:
    check_policy(ReplanningPolicy(_belief(WORLDS)), [grid_problem(world) for world in WORLDS[:4]])


def test_a_memory_of_the_family_spares_expansions() -> None:
    worlds = list(GeneratedWorlds("alternating_gaps", 60, seed=2, width=61, height=61))
    policy = ReplanningPolicy(_belief(worlds[:50], Agreement(reach=1e9)))
    problems = [grid_problem(world) for world in worlds[50:]]
    with_memory = sum(search(problem, policy).expansions for problem in problems)
    without = sum(search(problem, ReplanningPolicy()).expansions for problem in problems)
    assert with_memory < 0.9 * without


def test_blocks_at_the_ends_may_be_smaller() -> None:
    blocks = Blocks(BLOCK_SIDE + 1, 2 * BLOCK_SIDE)
    assert (blocks.across, blocks.count) == (2, 4)
    corner = (BLOCK_SIDE + 1) * 2 * BLOCK_SIDE - 1
    assert blocks.of(np.array([0, BLOCK_SIDE, corner])).tolist() == [0, 1, 3]
    assert blocks.carried(1e12) == pytest.approx(np.ones((4, 4)))


@pytest.mark.parametrize(
    "told", [{"of_blocked": -1.0}, {"reach": 0.0}, {"most": 0}, {"prior": 1.5}, {"of_free": np.nan}]
)
def test_what_cannot_be(told: dict[str, float]) -> None:
    with pytest.raises(PolicyError, match=r"^an agreement needs"):
        Agreement(**told)  # type: ignore[arg-type]


def test_a_world_that_is_like_none_of_them() -> None:
    blocked = np.ones((31, 45), np.bool_)
    blocked[0], blocked[:, -1] = False, False
    problem: Problem = grid_problem(World(blocked))
    assert search(problem, ReplanningPolicy(_belief(WORLDS))).found
