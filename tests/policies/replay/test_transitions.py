from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, replay, search
from sailplan.core.kernel.arrays import OPEN
from sailplan.core.search import EngineName
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import epsilon_greedy
from sailplan.policies.features import feature_set
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.replay.transitions import Transitions, look_at_steps
from tests.learned_policies import random_policy, weighted_columns
from tests.learning.tiny import tiny_problems
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)


def naive_next(problem: Problem, expanded: list[int], policy: LearnedPolicy, step: int) -> int:
    """Score each vertex in the state in which it entered; the first of the least that are open after the step."""
    scores: dict[int, float] = {}
    trace = search(problem, policy, Limits(0)).trace
    trace = type(trace)(problem.start, problem.goal, np.array(expanded, np.int32))
    for done in range(step + 2):
        state = replay(problem, trace, done)
        new = [int(vertex) for vertex in state.frontier if int(vertex) not in scores]
        targets = [problem.start] if done == 0 else list(problem.graph.successors(expanded[done - 1])[0])
        for vertex in (int(target) for target in targets):
            if vertex in new:
                scores[vertex] = policy.scores(problem, state, [vertex])[0]
    opened = [vertex for vertex in scores if state.status[vertex] == OPEN]
    return min(opened, key=scores.__getitem__)


@settings(max_examples=30)
@given(
    drawn=st.one_of(grid_problems(10, 10), explicit_problems(15, dimensions=2)),
    seed=SEEDS,
    share=st.floats(0.0, 1.0),
    longest=st.integers(1, 25),
)
def test_what_a_step_led_to(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], seed: int, share: float, longest: int
) -> None:
    problem, policy = drawn[0], random_policy(seed, "relative")
    result = search(problem, epsilon_greedy(policy, share, seed), Limits(longest + 1))
    expanded = result.trace.expanded.tolist()
    cut_short = result.outcome is Outcome.EXPANSIONS_SPENT
    steps = np.arange(longest if cut_short else len(expanded))
    if result.outcome is Outcome.FRONTIER_EMPTY:
        steps = steps[:-1]
    reference, compiled = (
        look_at_steps(problem, result.trace, policy, steps, engine) for engine in ("reference", "compiled")
    )
    for name in ("rows", "next_rows", "costs", "goes_on"):
        assert getattr(reference, name).tolist() == getattr(compiled, name).tolist()
    for step in steps.tolist():
        before, after = replay(problem, result.trace, step), replay(problem, result.trace, step + 1)
        assert policy.features(problem, before, [expanded[step]])[0].tolist() == compiled.rows[step].tolist()
        found = result.outcome is Outcome.GOAL_GENERATED and step == len(expanded) - 1
        assert compiled.goes_on[step] == (0.0 if found else 1.0)
        if found:
            assert not compiled.next_rows[step].any()
        else:
            vertex = naive_next(problem, expanded, policy, step)
            assert policy.features(problem, after, [vertex])[0].tolist() == compiled.next_rows[step].tolist()


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_no_steps_no_transitions(engine: EngineName) -> None:
    problem, policy = tiny_problems()[0], weighted_columns(h_euc=1.0)
    seen = look_at_steps(problem, search(problem, policy).trace, policy, np.empty(0, np.int64), engine)
    assert (len(seen), seen.rows.shape) == (0, (0, len(feature_set("paper17").columns)))


def test_a_step_costs_one_expansion_in_the_unit_of_the_features() -> None:
    problem = tiny_problems()[0]
    for features, cost in (("paper17", 1.0), ("relative", 1.0 / (18 * 2**0.5))):
        policy = random_policy(1, features)
        seen = look_at_steps(problem, search(problem, policy).trace, policy, np.arange(3))
        assert seen.costs.tolist() == pytest.approx([cost] * 3)


def test_transitions_side_by_side() -> None:
    parts = [Transitions(*(np.full(shape, float(n)) for shape in ((n, 2), (n, 2), n, n))) for n in (1, 2)]
    both = Transitions.concatenate(parts)
    assert len(both) == 3
    assert both.rows.tolist() == both.next_rows.tolist() == [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
    assert both.costs.tolist() == both.goes_on.tolist() == [1.0, 2.0, 2.0]
