from __future__ import annotations

import pytest

from sailplan.core import Limits, search
from sailplan.datasets.labelled import label_problems
from sailplan.learning.rounds import mean_expansions
from sailplan.policies import greedy
from tests.learning.tiny import tiny_problems


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("most", [3, 10_000])
def test_the_mean_counts_what_was_spent(jobs: int, most: int) -> None:
    problems, policy = label_problems(tiny_problems()).solvable, greedy("euclidean")
    spent = [search(one.problem, policy, Limits(most), engine="reference").expansions for one in problems]
    assert mean_expansions(policy, problems, most, jobs=jobs) == sum(spent) / len(spent)
    assert (max(spent) == 3) == (most == 3)
