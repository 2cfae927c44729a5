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
from sailplan.policies import load_policy, optimistic
from sailplan.policies.replanning.beliefs import LearnedMultipliers
from sailplan.policies.replanning.policy import ReplanningPolicy

SEED = 4321
"""Of worlds that no training has seen."""


def _problems(family: str, count: int) -> list[Problem]:
    posed = [grid_problem(world) for world in GeneratedWorlds(family, count, SEED)]
    return [problem for problem in posed if np.isfinite(cost_to_go(problem)[problem.start])]


def _sail(family: str) -> tuple[ReplanningPolicy, LearnedMultipliers]:
    policy = load_policy(f"sail:{family}")
    assert isinstance(policy, ReplanningPolicy)
    assert isinstance(policy.belief, LearnedMultipliers)
    return policy, policy.belief


@pytest.mark.parametrize("family", FAMILIES)
def test_sail_is_not_its_unlearned_counterpart(family: str) -> None:
    policy, belief = _sail(family)
    last = belief.network.layers["last"]
    silent = last._replace(weights=np.zeros_like(last.weights))
    unlearned = replace(
        belief.network,
        layers={**belief.network.layers, "last": silent},
        offsets=np.zeros_like(belief.network.offsets),
    )
    counterpart = replace(policy, belief=replace(belief, network=unlearned))
    problems = _problems(family, 4)
    for other in (counterpart, optimistic()):
        traces = [[search(problem, one).trace.expanded.tolist() for problem in problems] for one in (policy, other)]
        assert traces[0] != traces[1]


def test_sail_needs_fewer_expansions_than_optimistic() -> None:
    """On the mean over the families; in some of them there is little to learn."""
    ratios = []
    for family in FAMILIES:
        problems = _problems(family, 12)
        counts = [
            sum(search(problem, one).expansions for problem in problems) for one in (_sail(family)[0], optimistic())
        ]
        ratios.append(counts[0] / counts[1])
    assert np.mean(ratios) < 0.97


def test_sail_of_a_family_supports_any_size_start_and_goal() -> None:
    policy, _ = _sail("mazes")
    world = GeneratedWorlds("mazes", 1, SEED, width=120, height=90)[0]
    result = search(grid_problem(world, *random_cells(world, np.random.default_rng(0))), policy)
    assert result.found
    assert not result.notes
