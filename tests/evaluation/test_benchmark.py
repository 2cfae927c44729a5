from __future__ import annotations

import math

import pytest

from sailplan.core import Limits
from sailplan.datasets import Scenario
from sailplan.datasets.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.policies import a_star, greedy
from sailplan.testing import draw_world


def drawn(picture: str) -> Task:
    world = draw_world(picture)
    return Task(Scenario(world, (0, 0), (world.width - 1, world.height - 1)), "drawn")


def test_a_record_by_hand() -> None:
    task = drawn(
        """
        ....
        .##.
        ....
        """
    )
    (record,) = run_benchmark({"a": a_star("octile")}, [TaskSet("tiny", [task])])
    assert (record.family, record.problem, record.policy, record.engine) == ("tiny", "drawn", "a", "compiled")
    assert record.outcome == "goal_expanded"
    assert record.cost == record.optimal_cost == pytest.approx(2 + 1 + math.sqrt(2))
    assert record.clairvoyant_expansions == 4


def test_worlds_without_a_path_are_counted_and_not_searched() -> None:
    tasks = [drawn(".#.\n.#."), drawn(".."), drawn("#.")]
    records = run_benchmark({"g": greedy("euclidean")}, [TaskSet("tiny", tasks)])
    assert [record.outcome for record in records] == [UNSOLVABLE, "goal_generated", UNSOLVABLE]
    assert records[0].expansions == 0


def test_limits_hold_and_are_told() -> None:
    task_sets = load_tasks("forest", Choice(limit=2))
    records = run_benchmark({"g": greedy("manhattan")}, task_sets, Limits(expansions=10))
    assert {(record.outcome, record.expansions, record.cost) for record in records} == {
        ("expansions_spent", 10, math.inf)
    }


def test_threads_change_nothing_but_times() -> None:
    policies = {"h_euc": greedy("euclidean"), "a_star": a_star()}
    steps: list[None] = []
    task_sets = load_tasks("mazes", Choice(limit=6))
    one = run_benchmark(policies, task_sets, on_task=lambda: steps.append(None))
    two = run_benchmark(policies, task_sets, jobs=2)
    assert len(steps) == 6
    assert [(r.problem, r.policy, r.expansions, r.cost) for r in one] == [
        (r.problem, r.policy, r.expansions, r.cost) for r in two
    ]
