"""How well a policy does on worlds that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence

from sailplan.core import Limits, Policy, search
from sailplan.datasets.labelled import Lesson
from sailplan.parallel import run_all


def mean_expansions(policy: Policy, lessons: Sequence[Lesson], max_expansions: int, *, jobs: int = 1) -> float:
    """Mean expansions over the lessons; a search that gives up counts with what it has spent."""

    def one(lesson: Lesson) -> int:
        return search(lesson.problem, policy, Limits(expansions=max_expansions)).expansions

    counts = run_all(one, lessons, jobs)
    return sum(counts) / len(counts)
