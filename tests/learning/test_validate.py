from __future__ import annotations

import pytest

from sailplan.core import Limits, search
from sailplan.datasets.labelled import label_problems
from sailplan.learning.rounds import Counts, limits_of, mean_counts
from sailplan.policies import greedy
from sailplan.policies.lazy.policy import LazyPolicy
from tests.learning.tiny import tiny_problems


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("most", [3, 10_000])
def test_the_mean_counts_what_was_spent(jobs: int, most: int) -> None:
    problems, policy = label_problems(tiny_problems()).solvable, greedy("euclidean")
    spent = [search(one.problem, policy, Limits(most), engine="reference") for one in problems]
    counts = mean_counts(policy, problems, limits_of("expansions", most), jobs=jobs)
    assert counts.expansions == counts.of("expansions") == sum(one.expansions for one in spent) / len(spent)
    assert counts.evaluations == sum(one.edge_evaluations for one in spent) / len(spent)
    assert (max(one.expansions for one in spent) == 3) == (most == 3)


@pytest.mark.parametrize("most", [3, 10_000])
def test_a_lazy_search_is_limited_by_its_evaluations(most: int) -> None:
    problems, policy = label_problems(tiny_problems()).solvable, LazyPolicy()
    limits = limits_of("evaluations", most)
    assert limits == Limits(evaluations=most)
    spent = [search(one.problem, policy, limits).edge_evaluations for one in problems]
    counts = mean_counts(policy, problems, limits)
    assert counts == Counts(0.0, sum(spent) / len(spent))
    assert counts.of("evaluations") == counts.evaluations
    assert (max(spent) == 3) == (most == 3)
