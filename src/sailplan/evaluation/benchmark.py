"""Run policies on tasks and record what each search did."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol

from sailplan.core import Limits, Note, Policy, SearchResult, search
from sailplan.core.graph import Problem
from sailplan.errors import ProblemError
from sailplan.evaluation.records import UNSOLVABLE, Record
from sailplan.oracle import cost_to_go, fewest_edges, with_known_edges
from sailplan.parallel import run_all
from sailplan.policies.oracle import OraclePolicy

PAPER_LIMITS = Limits(expansions=20_000)
"""T_test of the paper."""
MOVED = Note("blocked corners", "random free cells are used instead")
"""Note on a task whose corners are blocked."""
BLOCKED = "left out; use --endpoints random"
"""Message of the note on a task with a blocked start or goal."""


class BenchmarkTask(Protocol):
    """A problem that is posed when it is its turn: `datasets.tasks.Task`, or a problem of your own."""

    @property
    def name(self) -> str:
        """The name in records."""

    @property
    def ends(self) -> str:
        """How start and goal were chosen; "moved" if a corner is blocked."""

    @property
    def blocked_end(self) -> str:
        """The first of "start" and "goal" that is blocked; empty if both are free."""

    @property
    def listed_cost(self) -> float:
        """Cost of a shortest path as the benchmark's file lists it; NaN if it lists none."""

    def problem(self) -> Problem:
        """Pose the problem; raises ProblemError if start or goal is blocked."""


class BenchmarkSet(Protocol):
    """Tasks of one family."""

    @property
    def family(self) -> str:
        """The name in records and tables."""

    @property
    def tasks(self) -> Sequence[BenchmarkTask]:
        """The tasks; a lazy sequence is read one task at a time."""

    @property
    def notes(self) -> Sequence[Note]:
        """Remarks on the worlds."""


def run_benchmark(
    policies: Mapping[str, Policy],
    task_sets: Sequence[BenchmarkSet],
    limits: Limits = PAPER_LIMITS,
    *,
    jobs: int = 1,
    on_task: Callable[[], None] = lambda: None,
) -> list[Record]:
    """Run every policy on every task.

    Parameters
    ----------
    policies
        Policies by the name that records have.
    task_sets
        The tasks of each family.
    limits
        Limits of each search.
    jobs
        Number of threads. With more than one, times are those of a busy machine; nothing else changes.
    on_task
        Called after each task, from any thread of this process.

    Returns
    -------
    list of Record
        One record for each task and policy, in this order. A task without a path gives records with the outcome
        `unsolvable` and is not searched. The notes of a search are in its record.
    """

    def run(place: Place) -> list[Record]:
        return run_task(policies, place.family, place.task, limits)

    places = (Place(one, index) for one in task_sets for index in range(len(one.tasks)))
    return list(chain.from_iterable(run_all(run, places, jobs, on_done=on_task)))


@dataclass(frozen=True, eq=False)
class Place:
    """A task of a family that is not loaded yet."""

    task_set: BenchmarkSet
    index: int

    @property
    def family(self) -> str:
        """The name of the family."""
        return self.task_set.family

    @property
    def task(self) -> BenchmarkTask:
        """The task, which is loaded each time."""
        return self.task_set.tasks[self.index]

    def __reduce__(self) -> tuple[type[LoadedTask], tuple[str, BenchmarkTask]]:
        # A worker of a cluster may not see the files.
        return LoadedTask, (self.family, self.task)


class LoadedTask(NamedTuple):
    """A task of a family, as workers of a cluster receive it."""

    family: str
    task: BenchmarkTask


def run_task(policies: Mapping[str, Policy], family: str, task: BenchmarkTask, limits: Limits) -> list[Record]:
    """Run every policy on one task."""
    try:
        problem = task.problem()
    except ProblemError:
        message = "left out" if task.ends == "listed" else BLOCKED
        notes = (Note(f"blocked {task.blocked_end}", message),) if task.blocked_end else ()
        return [_unsolvable(family, task, name, notes) for name in policies]
    notes = (MOVED,) if task.ends == "moved" else ()
    # The edges of a graph without arrays are evaluated once for all that the oracle computes.
    known = with_known_edges(problem)
    table = cost_to_go(known)
    optimal = float(table[problem.start])
    if optimal == math.inf:
        return [_unsolvable(family, task, name, notes) for name in policies]
    limit = Clairvoyant(optimal, search(known, OraclePolicy(table)).expansions, fewest_edges(known))
    return [
        _record(family, task, name, search(problem, policy, limits), limit, notes) for name, policy in policies.items()
    ]


class Clairvoyant(NamedTuple):
    """What can be reached on a problem with full knowledge of the world."""

    cost: float
    expansions: int
    edges: float


def _record(
    family: str,
    task: BenchmarkTask,
    policy: str,
    result: SearchResult,
    limit: Clairvoyant,
    notes: tuple[Note, ...],
) -> Record:
    return Record(
        family=family,
        problem=task.name,
        policy=policy,
        outcome=result.outcome.value,
        expansions=result.expansions,
        edge_evaluations=result.edge_evaluations,
        policy_evaluations=result.policy_evaluations,
        cost=result.cost,
        optimal_cost=limit.cost,
        clairvoyant_expansions=limit.expansions,
        milliseconds=1e3 * result.timing.total,
        engine=result.engine,
        listed_cost=task.listed_cost,
        fewest_edges=limit.edges,
        notes=(*notes, *result.notes),
    )


def _unsolvable(family: str, task: BenchmarkTask, policy: str, notes: tuple[Note, ...]) -> Record:
    return Record(
        family=family,
        problem=task.name,
        policy=policy,
        outcome=UNSOLVABLE,
        expansions=0,
        edge_evaluations=0,
        policy_evaluations=0,
        cost=math.inf,
        optimal_cost=math.inf,
        clairvoyant_expansions=0,
        milliseconds=0.0,
        engine="none",
        listed_cost=task.listed_cost,
        notes=notes,
    )
