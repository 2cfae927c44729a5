from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from sailplan.errors import TrainingError
from sailplan.learning import Progress
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName
from sailplan.learning.settings import TrainingSettings
from sailplan.policies.learned.policy import LearnedPolicy
from tests.learning.tiny import (
    TINY,
    TINY_CLONING,
    TINY_CROSS_ENTROPY,
    TINY_Q_LEARNING,
    assert_same_network,
    tiny_problems,
)

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]
SETTINGS: dict[AlgorithmName, TrainingSettings] = {
    "sail": TINY,
    "sl": TINY_CLONING,
    "cem": TINY_CROSS_ENTROPY,
    "ql": TINY_Q_LEARNING,
}
every_algorithm = pytest.mark.parametrize("name", SETTINGS)


@dataclass
class Memory:
    """Keeps the first so many rounds of a training, and begins with them."""

    rounds: int
    kept: Progress[Any] = field(default_factory=Progress)

    def load(self) -> Progress[Any]:
        return Progress(list(self.kept.rounds), list(self.kept.policies), list(self.kept.examples))

    def save(self, progress: Progress[Any]) -> None:
        if len(progress.rounds) <= self.rounds:
            self.kept = Progress(list(progress.rounds), list(progress.policies), list(progress.examples))


def _train(name: AlgorithmName, seed: int = 0, jobs: int = 1, keeper: Memory | None = None) -> LearnedPolicy:
    policy = ALGORITHMS[name].train(TRAIN, VALIDATION, SETTINGS[name], seed=seed, jobs=jobs, keeper=keeper).policy
    assert isinstance(policy, LearnedPolicy)
    return policy


@every_algorithm
def test_the_same_seed_gives_the_same_policy_whatever_the_jobs(name: AlgorithmName) -> None:
    one = _train(name)
    assert_same_network(one, _train(name, jobs=2))
    with pytest.raises(AssertionError):
        assert_same_network(one, _train(name, seed=1))


@pytest.mark.parametrize("name", ["sail", "cem"])
def test_a_training_whose_time_is_over_keeps_the_best_and_can_be_continued(name: AlgorithmName) -> None:
    memory = Memory(rounds=3)
    stopped = ALGORITHMS[name].train(TRAIN, VALIDATION, SETTINGS[name], seed=0, keeper=memory, max_minutes=1e-9)
    assert len(stopped.rounds) == 1
    assert "after round 1 of 3" in str(stopped.notes[0])
    continued = ALGORITHMS[name].train(TRAIN, VALIDATION, SETTINGS[name], seed=0, keeper=memory)
    assert (len(continued.rounds), continued.notes) == (3, ())
    assert isinstance(continued.policy, LearnedPolicy)
    assert_same_network(_train(name), continued.policy)


@pytest.mark.parametrize("minutes", [0, -1.0, float("nan"), "1", True])
def test_a_limit_of_minutes_is_a_positive_number(minutes: Any) -> None:
    with pytest.raises(TrainingError, match="max_minutes must be a positive number"):
        ALGORITHMS["sail"].train(TRAIN, VALIDATION, TINY, seed=0, max_minutes=minutes)


@every_algorithm
@pytest.mark.parametrize("broken_after", [1, 2])
def test_a_training_that_is_taken_up_again_ends_as_an_unbroken_one(name: AlgorithmName, broken_after: int) -> None:
    memory = Memory(broken_after)
    whole = _train(name, keeper=memory)
    begun = len(memory.kept.rounds)
    assert begun == min(broken_after, 1 if name == "sl" else 3)
    assert_same_network(whole, _train(name, keeper=memory))


@every_algorithm
def test_no_worlds_to_learn_from(name: AlgorithmName) -> None:
    for train, validation in (([], VALIDATION), (TRAIN, [])):
        with pytest.raises(TrainingError, match="training needs at least one world"):
            ALGORITHMS[name].train(train, validation, SETTINGS[name], seed=0)
