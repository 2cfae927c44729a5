from __future__ import annotations

import json
from dataclasses import fields

import pytest

from sailplan.errors import SailplanError, TrainingError
from sailplan.learning import DEFAULT, PAPER, PlannerSettings
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.algorithms.planner.rollouts import RollOuts
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.learned_policies import random_policy
from tests.policies.replanning.beliefs.random_beliefs import random_belief


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rounds": 0}, "rounds must be positive, got 0"),
        ({"result": "mixture"}, "result must be best in this training, got 'mixture'"),
        ({"worlds_per_round": 0}, "worlds_per_round must be positive, got 0"),
        ({"samples_per_world": 0}, "samples_per_world must be positive, got 0"),
        ({"samples_per_world": -1}, "samples_per_world must be 0 or more, got -1"),
        ({"oracle_probability": 1.5}, "oracle_probability must be between 0 and 1, got 1.5"),
        ({"random_endpoints": float("nan")}, "random_endpoints must be between 0 and 1, got nan"),
        ({"objective": "seconds"}, "objective must be expansions or evaluations, got 'seconds'"),
        ({"temperature": 0.0}, "temperature must be positive, got 0.0"),
        ({"temperature": float("nan")}, "temperature must be positive, got nan"),
        ({"learning_rate": -1.0}, "learning_rate must be positive, got -1.0"),
        ({"steps": 0}, "steps must be positive, got 0"),
        ({"batch_size": 0}, "batch_size must be positive, got 0"),
        ({"learning_rate": float("inf")}, "learning_rate must be positive, got inf"),
        ({"components": 0}, "components must be positive, got 0"),
        ({"search_pairs": 0}, "search_pairs must be positive, got 0"),
        ({"search_steps": -1}, "search_steps must be 0 or more, got -1"),
        ({"routes": -3}, "routes must be 0 or more, got -3"),
        ({"routes": 1.5}, "routes must be a value of type int, got 1.5"),
        ({"steps": 2.5}, "steps must be a value of type int, got 2.5"),
        ({"hidden": (3,)}, "hidden: not a setting of this algorithm"),
        ({"features": "paper17"}, "features: not a setting of this algorithm"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(changes: dict[str, object], told: str) -> None:
    with pytest.raises(TrainingError) as raised:
        DEFAULT.changed(**changes)
    assert str(raised.value) == told


def test_the_edges_of_what_can_be() -> None:
    DEFAULT.changed(oracle_probability=0.0, random_endpoints=1.0, steps=1, search_steps=0, routes=0, components=1)


def test_every_setting_has_its_sentence() -> None:
    assert all(one.metadata["help"].endswith(".") for one in fields(PlannerSettings))


def test_settings_of_either_kind_survive_json() -> None:
    for settings in (DEFAULT, DEFAULT.changed(objective="evaluations", rounds=3), PAPER):
        read = ALGORITHMS["sail"].read_settings(json.loads(json.dumps(settings.as_json())))
        assert read == settings
        assert ALGORITHMS["sail"].has_settings(read)
    assert not ALGORITHMS["sl"].has_settings(DEFAULT)
    assert not ALGORITHMS["sl"].has_settings(PAPER)


@pytest.mark.parametrize(
    "told",
    [None, [], 3, {}, {"steps": 3}, {**DEFAULT.as_json(), "steps": 0}, {**DEFAULT.as_json(), "tuning_rounds": 1}],
)
def test_what_is_no_settings_is_refused(told: object) -> None:
    with pytest.raises(SailplanError) as raised:
        ALGORITHMS["sail"].read_settings(told)
    assert "\n" not in str(raised.value)


def test_what_it_makes_and_collects() -> None:
    belief = random_belief(0)
    lazy = DEFAULT.changed(objective="evaluations")
    assert (DEFAULT.minimised, lazy.minimised) == ("expansions", "evaluations")
    assert DEFAULT.could_make(ReplanningPolicy(belief))
    assert lazy.could_make(LazyPolicy(belief=belief))
    others = [LazyPolicy(belief=belief), ReplanningPolicy(), random_policy(0), None]
    assert not any(DEFAULT.could_make(other) for other in others)
    assert not lazy.could_make(ReplanningPolicy(belief))
    assert (DEFAULT.collects, DEFAULT.row_width()) == (RollOuts, DEFAULT.samples_per_world)
