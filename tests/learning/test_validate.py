from __future__ import annotations

import pytest

from sailplan.core import Limits, search
from sailplan.datasets.labelled import make_lessons
from sailplan.learning.validate import mean_expansions
from sailplan.policies import greedy
from tests.learning.tiny import tiny_problems


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("most", [3, 10_000])
def test_the_mean_counts_what_was_spent(jobs: int, most: int) -> None:
    lessons, policy = make_lessons(tiny_problems()).solvable, greedy("euclidean")
    spent = [search(one.problem, policy, Limits(most), engine="reference").expansions for one in lessons]
    assert mean_expansions(policy, lessons, most, jobs=jobs) == sum(spent) / len(spent)
    assert (max(spent) == 3) == (most == 3)
