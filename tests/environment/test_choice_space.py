from __future__ import annotations

import numpy as np
from gymnasium.spaces import Discrete

from sailplan.environment.graph_search import ChoiceSpace


def test_it_draws_only_what_is_there() -> None:
    space = ChoiceSpace(5)
    space.seed(0)
    space.present = np.array([0, 1, 0, 1, 0], np.int8)
    assert {int(space.sample()) for _ in range(50)} == {1, 3}


def test_a_mask_of_the_caller_counts() -> None:
    space = ChoiceSpace(3)
    space.seed(0)
    assert space.sample(mask=np.array([0, 0, 1], np.int8)) == 2
    assert space.sample(probability=np.array([0.0, 1.0, 0.0])) == 1


def test_once_seeded_it_draws_the_first_until_it_is_told_more() -> None:
    space = ChoiceSpace(4)
    space.present = np.ones(4, np.int8)
    space.seed(7)
    assert {int(space.sample()) for _ in range(20)} == {0}


def test_to_others_it_is_a_discrete_space() -> None:
    assert ChoiceSpace(4) == Discrete(4)
    assert 3 in ChoiceSpace(4)
    assert 4 not in ChoiceSpace(4)
