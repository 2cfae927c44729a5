"""The policies that come with the package: what was learned counts, and it helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sailplan.core import search
from sailplan.datasets import FAMILIES, GeneratedWorlds
from sailplan.datasets.scenario import random_cells
from sailplan.graphs import Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import LazyPolicy, load_policy, optimistic
from sailplan.policies.replanning.beliefs import LearnedMultipliers
from sailplan.policies.replanning.policy import ReplanningPolicy

SEED = 4321
"""Of worlds that no training has seen."""


def _problems(family: str, count: int) -> list[Problem]:
    posed = [grid_problem(world) for world in GeneratedWorlds(family, count, SEED)]
    return [problem for problem in posed if np.isfinite(cost_to_go(problem)[problem.start])]


def _sail(name: str) -> tuple[ReplanningPolicy, LearnedMultipliers]:
    policy = load_policy(f"sail:{name}")
    assert isinstance(policy, ReplanningPolicy)
    assert isinstance(policy.belief, LearnedMultipliers)
    return policy, policy.belief


@pytest.mark.parametrize("family", [*FAMILIES, "any"])
def test_sail_is_not_its_unlearned_counterpart(family: str) -> None:
    """The counterpart has the typical worlds, but nothing that imitation or direct search has changed."""
    policy, belief = _sail(family)
    counterpart = ReplanningPolicy(LearnedMultipliers(belief.mixture, frame=belief.frame))
    problems = _problems("mazes" if family == "any" else family, 4)
    for other in (counterpart, optimistic()):
        traces = [[search(problem, one).trace.expanded.tolist() for problem in problems] for one in (policy, other)]
        assert traces[0] != traces[1]


@pytest.mark.parametrize("family", FAMILIES)
def test_sail_needs_at_most_the_expansions_of_optimistic(family: str) -> None:
    problems = _problems(family, 40)
    trained, plain = (
        sum(search(problem, one).expansions for problem in problems) for one in (_sail(family)[0], optimistic())
    )
    assert trained <= 1.02 * plain


@pytest.mark.parametrize("family", FAMILIES)
def test_lazy_sail_needs_fewer_evaluations_than_lazy(family: str) -> None:
    problems, policy = _problems(family, 12), load_policy(f"lazy-sail:{family}")
    assert isinstance(policy, LazyPolicy)
    assert isinstance(policy.belief, LearnedMultipliers)
    trained, plain = (
        sum(search(problem, one).edge_evaluations for problem in problems) for one in (policy, LazyPolicy())
    )
    assert trained < plain


def test_extra_costs_count_only_between_the_ends_of_the_training() -> None:
    policy, belief = _sail("mazes")
    world = GeneratedWorlds("mazes", 1, SEED, width=120, height=90)[0]
    problem = grid_problem(world, *random_cells(world, np.random.default_rng(0)))
    result = search(problem, policy)
    assert result.found
    assert not result.notes
    without = replace(policy, belief=replace(belief, offsets=None))
    assert result.trace.expanded.tolist() == search(problem, without).trace.expanded.tolist()
