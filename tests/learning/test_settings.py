from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from sailplan.errors import FeatureError, SailplanError, TrainingError
from sailplan.learning import CLONING, DEFAULT, PAPER, NetworkSettings, SailSettings


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rounds": 0}, "rounds must be positive, got 0"),
        ({"training_worlds": 0}, "training_worlds must be positive, got 0"),
        ({"validation_worlds": -1}, "validation_worlds must be positive, got -1"),
        ({"worlds_per_round": 0}, "worlds_per_round must be positive, got 0"),
        ({"max_expansions": 0}, "max_expansions must be positive, got 0"),
        ({"validation_expansions": 0}, "validation_expansions must be positive, got 0"),
        ({"samples_per_world": -1}, "samples_per_world must be 0 or more, got -1"),
        ({"oracle_probability": 1.1}, "oracle_probability must be between 0 and 1, got 1.1"),
        ({"oracle_probability": float("nan")}, "oracle_probability must be between 0 and 1, got nan"),
        ({"rescore": "often"}, "rescore must be frozen or touched or lazy or full, got 'often'"),
        ({"target": "cost"}, "target must be cost_to_go or detour, got 'cost'"),
        ({"result": "last"}, "result must be best or mixture, got 'last'"),
        ({"features": "paper"}, "no feature set 'paper'; there are paper17, relative, walls, patch"),
        ({"features": "walls"}, "features must be other features: `walls` is a policy by itself, got 'walls'"),
        ({"hidden": ()}, "hidden must be one to ten whole numbers up to 10000, got ()"),
        ({"hidden": (3, 0)}, "hidden must be one to ten whole numbers up to 10000, got (3, 0)"),
        ({"optimiser": "sgd"}, "optimiser must be rmsprop or adam, got 'sgd'"),
        ({"learning_rate": 0.0}, "learning_rate must be between 0 and 1, got 0.0"),
        ({"learning_rate": float("nan")}, "learning_rate must be between 0 and 1, got nan"),
        ({"batch_size": 0}, "batch_size must be positive, got 0"),
        ({"epochs": 0}, "epochs must be positive, got 0"),
        ({"averaging": 1.0}, "averaging must be at least 0 and below 1, got 1.0"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(changes: dict[str, object], told: str) -> None:
    with pytest.raises((TrainingError, FeatureError)) as raised:
        PAPER.changed(**changes)
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


def test_the_edges_of_what_can_be() -> None:
    PAPER.changed(oracle_probability=0.0, samples_per_world=0, averaging=0.0, hidden=(1,), rounds=1)
    PAPER.changed(oracle_probability=1.0)


def test_changes_reach_the_network_by_name() -> None:
    changed = PAPER.changed(rounds=2, hidden=(3,), decay=True)
    assert changed == replace(PAPER, rounds=2, network=replace(PAPER.network, hidden=(3,), decay=True))
    assert PAPER.changed() == PAPER
    assert {one.name for one in fields(SailSettings)} & {one.name for one in fields(NetworkSettings)} == set()


@pytest.mark.parametrize("settings", [PAPER, DEFAULT, CLONING, PAPER.changed(hidden=(3, 2, 1))])
def test_settings_survive_json(settings: SailSettings) -> None:
    assert type(settings).from_json(json.loads(json.dumps(settings.as_json()))) == settings


@pytest.mark.parametrize(
    "told",
    [
        None,
        5,
        [],
        "text",
        {},
        {"network": None},
        {**PAPER.as_json(), "colour": "red"},
        {**PAPER.as_json(), "network": {"hidden": [100, 50]}},
        {**PAPER.as_json(), "network": {**PAPER.network.__dict__, "colour": "red"}},
        {**PAPER.as_json(), "rounds": "three"},
        {**PAPER.as_json(), "rounds": None},
        {**PAPER.as_json(), "trust": 1.0},
        {**PAPER.as_json(), "trust": ["a"]},
        {**PAPER.as_json(), "trust": [1.0, 0.3]},
        {**PAPER.as_json(), "features": ["paper17"]},
        {**PAPER.as_json(), "features": "paper18"},
        {**PAPER.as_json(), "rounds": 0},
    ],
)
def test_what_is_no_settings_is_refused(told: object) -> None:
    with pytest.raises(SailplanError) as raised:
        SailSettings.from_json(told)
    assert "\n" not in str(raised.value)


def test_settings_of_earlier_versions_may_have_the_weight_1_of_the_learned_part() -> None:
    for settings in (PAPER, CLONING):
        assert type(settings).from_json({**settings.as_json(), "trust": [1.0]}) == settings


def test_the_papers_numbers() -> None:
    assert (PAPER.rounds, PAPER.worlds_per_round, PAPER.samples_per_world) == (15, 200, 50)
    assert (PAPER.oracle_probability, PAPER.max_expansions, PAPER.validation_expansions) == (0.7, 1100, 20_000)
    assert (PAPER.training_worlds, PAPER.validation_worlds) == (200, 70)
    assert (PAPER.features, PAPER.rescore, PAPER.target) == ("paper17", "frozen", "detour")
    assert (PAPER.network.hidden, PAPER.network.optimiser, PAPER.network.learning_rate) == ((100, 50), "rmsprop", 0.01)
    assert (CLONING.rounds, CLONING.training_worlds, CLONING.samples_per_world) == (1, 600, 0)


def test_every_setting_has_its_sentence() -> None:
    for one in [*fields(SailSettings), *fields(NetworkSettings)]:
        if one.name != "network":
            assert one.metadata["help"].endswith(".")
