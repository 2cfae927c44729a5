"""Trainings that take less than a second: small worlds, small networks, few rounds."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sailplan.datasets import generate_world
from sailplan.graphs import ExplicitGraph, Problem, grid_problem
from sailplan.learning import (
    CLONING,
    CrossEntropySettings,
    NetworkSettings,
    PlannerSettings,
    QLearningSettings,
    SailSettings,
)
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.replanning.policy import ReplanningPolicy

_SHORT: dict[str, Any] = {"rounds": 3, "max_expansions": 60, "validation_expansions": 300, "features": "relative"}
_FEW_STEPS: dict[str, Any] = {"worlds_per_round": 4, "samples_per_world": 8}
TINY = SailSettings(**_SHORT, **_FEW_STEPS, network=NetworkSettings(hidden=(6, 4), epochs=2, batch_size=16))
TINY_CLONING = CLONING.changed(**{**_SHORT, "rounds": 1}, **_FEW_STEPS, network=TINY.network)
TINY_Q_LEARNING = QLearningSettings(**_SHORT, **_FEW_STEPS, network=NetworkSettings(hidden=(6, 4), batch_size=16))
TINY_CROSS_ENTROPY = CrossEntropySettings(
    **{**_SHORT, "max_expansions": 300}, vectors=6, worlds_per_vector=2, elite=0.5, hidden=(4,)
)
TINY_PLANNER = PlannerSettings(
    rounds=2,
    max_expansions=60,
    validation_expansions=300,
    worlds_per_round=4,
    samples_per_world=3,
    steps=3,
    batch_size=5,
    components=3,
    routes=4,
    search_steps=2,
    search_pairs=3,
)


@cache
def tiny_problems(count: int = 6, family: str = "multiple_bugtraps", size: int = 19) -> list[Problem]:
    """Pose problems on small generated worlds, from corner to corner."""
    return [grid_problem(generate_world(family, 7, index, width=size, height=size)) for index in range(count)]


@cache
def pocket_problem() -> Problem:
    """Return a way 0 - 1 - 2 - 3 to the goal, and from 1 a one-way street into the pocket 4 - 5."""
    edges = [(0, 1, 1.0), (1, 4, 1.0), (1, 2, 2.0), (2, 3, 4.0), (4, 5, 1.0), (5, 4, 1.0), (1, 0, 1.0)]
    places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (6.0, 0.0), (2.0, 1.0), (3.0, 1.0)]
    return Problem(ExplicitGraph.from_edges(6, edges, coordinates=places), 0, 3, name="pocket")


def assert_same_network(one: LearnedPolicy, other: LearnedPolicy) -> None:
    """Compare every number, to the last bit."""
    assert (one.features.name, one.rescore, one.stop) == (other.features.name, other.rescore, other.stop)
    ours, theirs = numbers_of(one), numbers_of(other)
    assert len(ours) == len(theirs)
    assert all(np.array_equal(mine, yours) for mine, yours in zip(ours, theirs, strict=True))


def numbers_of(policy: LearnedPolicy) -> list[np.ndarray]:
    """Return every array of numbers that a policy's network is made of."""
    network = policy.model
    assert isinstance(network, DenseNetwork)
    layers = [array for layer in network.layers for array in layer]
    return [
        *layers,
        network.linear,
        network.scaling.mean,
        network.scaling.deviation,
        np.array([network.unit, network.offset]),
    ]


def assert_same_belief(one: ReplanningPolicy | LazyPolicy, other: ReplanningPolicy | LazyPolicy) -> None:
    """Compare every number of two policies with learned multipliers, to the last bit."""
    (ours, ours_tensors), (theirs, theirs_tensors) = one.describe(), other.describe()
    assert ours == theirs
    assert ours_tensors.keys() == theirs_tensors.keys()
    assert all(np.array_equal(ours_tensors[name], theirs_tensors[name]) for name in ours_tensors)
