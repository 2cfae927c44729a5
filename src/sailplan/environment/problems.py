"""The problems from which episodes are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np

from sailplan.core.graph import Problem
from sailplan.datasets.scenario import LazySequence
from sailplan.datasets.tasks import Choice, EdgeTask, Task, load_tasks
from sailplan.errors import EpisodeError, ProblemError
from sailplan.oracle import cost_to_go


class ProblemPool:
    """Numbered problems, created on first use; problems without a path are never drawn."""

    def __init__(self, source: Sequence[Task | EdgeTask] | Sequence[Problem], name: str) -> None:
        self._source, self._name = source, name
        self._posed: dict[int, Problem] = {}
        self._solvable: dict[int, bool] = {}

    @classmethod
    def load(cls, data: str, choice: Choice) -> ProblemPool:
        """Return a pool of the tasks in the data, of all its families."""
        places = [(one.tasks, index) for one in load_tasks(data, choice) for index in range(len(one.tasks))]
        return cls(LazySequence(places, lambda place: place[0][place[1]]), data)

    def __len__(self) -> int:
        return len(self._source)

    def problem(self, index: int) -> Problem:
        """Return a problem by number; raises ProblemError if its start or goal is blocked."""
        if not 0 <= index < len(self):
            raise EpisodeError(f"{self._name}: no problem {index}; there are {len(self)}, counted from 0")
        if index not in self._posed:
            item = self._source[index]
            self._posed[index] = item if isinstance(item, Problem) else item.problem()
        return self._posed[index]

    def draw(self, rng: np.random.Generator) -> int:
        """Return the number of a random problem that has a path; it depends on the generator only."""
        return self._first_solvable(rng.permutation(len(self)).tolist(), 1)[0]

    def first(self, count: int) -> list[Problem]:
        """Return the first `count` problems that have a path, or all if there are fewer."""
        return [self.problem(index) for index in self._first_solvable(range(len(self)), count)]

    def _first_solvable(self, order: Sequence[int], count: int) -> list[int]:
        found = list(islice((index for index in order if self._has_path(index)), count))
        if count and not found:
            raise EpisodeError(f"{self._name}: none of {len(self)} problems has a path")
        return found

    def _has_path(self, index: int) -> bool:
        if index not in self._solvable:
            try:
                problem = self.problem(index)
                far = problem.start != problem.goal and cost_to_go(problem)[problem.start] < math.inf
            except ProblemError:
                far = False
            self._solvable[index] = bool(far)
        return self._solvable[index]
