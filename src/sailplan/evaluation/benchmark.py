"""Run policies on tasks and write down what each did."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from sailplan.core import Limits, Policy, SearchResult, search
from sailplan.datasets.tasks import Task, TaskSet
from sailplan.errors import ProblemError
from sailplan.evaluation.records import UNSOLVABLE, Record
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all
from sailplan.policies.oracle import OraclePolicy

PAPER_LIMITS = Limits(expansions=20_000)
"""T_test of the paper."""


def run_benchmark(
    policies: Mapping[str, Policy],
    task_sets: Sequence[TaskSet],
    limits: Limits = PAPER_LIMITS,
    *,
    jobs: int = 1,
    on_task: Callable[[], None] = lambda: None,
) -> list[Record]:
    """Run every policy on every task; a task without a path gives records that say so and is not searched.

    With several `jobs` tasks run in threads, and times are those of a busy machine.
    """

    def run(place: tuple[TaskSet, int]) -> list[Record]:
        task_set, index = place
        records = run_task(policies, task_set.family, task_set.tasks[index], limits)
        on_task()
        return records

    places = ((one, index) for one in task_sets for index in range(len(one.tasks)))
    return list(chain.from_iterable(run_all(run, places, jobs)))


def run_task(policies: Mapping[str, Policy], family: str, task: Task, limits: Limits) -> list[Record]:
    """Run every policy on one task."""
    try:
        problem = task.problem()
        optimal = float(cost_to_go(problem)[problem.start])
    except ProblemError:
        optimal = math.inf
    if optimal == math.inf:
        return [_unsolvable(family, task, name) for name in policies]
    clairvoyant = search(problem, OraclePolicy()).expansions
    return [
        _record(family, task, name, search(problem, policy, limits), optimal, clairvoyant)
        for name, policy in policies.items()
    ]


def _record(family: str, task: Task, policy: str, result: SearchResult, optimal: float, clairvoyant: int) -> Record:
    return Record(
        family=family,
        problem=task.name,
        policy=policy,
        outcome=result.outcome.value,
        expansions=result.expansions,
        edge_evaluations=result.edge_evaluations,
        policy_evaluations=result.policy_evaluations,
        cost=result.cost,
        optimal_cost=optimal,
        clairvoyant_expansions=clairvoyant,
        milliseconds=1e3 * result.timing.total,
        engine=result.engine,
        listed_cost=task.listed_cost,
    )


def _unsolvable(family: str, task: Task, policy: str) -> Record:
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
    )
