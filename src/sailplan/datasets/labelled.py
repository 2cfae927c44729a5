"""Lessons: problems to learn from, with what the oracle knows of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.errors import TrainingError
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all

UNREACHABLE_FACTOR = 2.0


@dataclass(frozen=True, eq=False)
class Lesson:
    """A problem whose goal can be reached, and the true cost-to-go of every vertex."""

    problem: Problem
    table: FloatArray
    """Infinite where the goal is out of reach."""

    def labels(self, vertices: Sequence[int]) -> FloatArray:
        """The cost-to-go of these vertices.

        A vertex from which the goal cannot be reached (there are some in graphs whose edges lead one way) is labelled
        twice the largest finite cost-to-go of its world: worse than any other, and still a number to regress.
        """
        values = self.table[np.asarray(vertices, np.int64)]
        unreachable = np.isinf(values)
        if unreachable.any():
            values[unreachable] = UNREACHABLE_FACTOR * self.table[np.isfinite(self.table)].max()
        return values


class Lessons(NamedTuple):
    """The problems of a dataset that can be solved."""

    solvable: list[Lesson]
    unsolvable: int
    """How many others were left out."""


def make_lessons(problems: Iterable[Problem], *, jobs: int = 1) -> Lessons:
    """Ask the oracle about every problem; raises TrainingError where none has a solution."""

    def ask(problem: Problem) -> Lesson | None:
        table = cost_to_go(problem)
        return Lesson(problem, table) if np.isfinite(table[problem.start]) else None

    asked = run_all(ask, problems, jobs)
    solvable = [lesson for lesson in asked if lesson is not None]
    if not solvable:
        told = f"none of {len(asked)} worlds has a path to the goal" if asked else "there are no worlds"
        raise TrainingError(f"nothing to learn from: {told}")
    return Lessons(solvable, len(asked) - len(solvable))
