from __future__ import annotations

import numpy as np
import pytest

from sailplan.datasets.tasks import Choice
from sailplan.environment.problems import ProblemPool
from sailplan.errors import EpisodeError
from sailplan.testing import draw_problem

SOLVABLE, WALLED_IN = draw_problem("S.G"), draw_problem("S#G")


def test_a_draw_depends_on_the_generator_alone() -> None:
    used, fresh = (ProblemPool.load("gaps_and_forest", Choice("train", 20, size=21)) for _ in range(2))
    for seed in range(10):
        used.draw(np.random.default_rng(seed))
    assert [used.draw(np.random.default_rng(seed)) for seed in range(5)] == [
        fresh.draw(np.random.default_rng(seed)) for seed in range(5)
    ]


def test_every_problem_with_a_path_is_drawn_now_and_then() -> None:
    pool = ProblemPool([SOLVABLE, WALLED_IN, SOLVABLE], "three")
    assert {pool.draw(np.random.default_rng(seed)) for seed in range(30)} == {0, 2}


def test_the_first_ones_with_a_path() -> None:
    pool = ProblemPool([WALLED_IN, SOLVABLE, SOLVABLE], "three")
    assert pool.first(5) == [SOLVABLE, SOLVABLE]
    assert pool.first(0) == []


@pytest.mark.parametrize("index", [-1, 3])
def test_a_number_out_of_range(index: int) -> None:
    with pytest.raises(EpisodeError, match=f"three: no problem {index}; there are 3"):
        ProblemPool([SOLVABLE] * 3, "three").problem(index)
