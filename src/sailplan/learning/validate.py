"""How well a policy does on worlds that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence

from joblib import Parallel, delayed

from sailplan.core import Limits, Policy, search
from sailplan.datasets.labelled import Lesson


def mean_expansions(policy: Policy, lessons: Sequence[Lesson], max_expansions: int, *, jobs: int = 1) -> float:
    """Mean expansions over the lessons; a search that gives up counts with what it has spent."""

    def one(lesson: Lesson) -> int:
        return search(lesson.problem, policy, Limits(expansions=max_expansions)).expansions

    counts: list[int] = Parallel(n_jobs=jobs, prefer="threads")(delayed(one)(lesson) for lesson in lessons)
    return sum(counts) / len(counts)
