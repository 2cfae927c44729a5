from __future__ import annotations

import math

import pytest

from sailplan.core import Limits
from sailplan.datasets import Scenario
from sailplan.datasets.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.evaluation.evaluate import GivenTask, GivenTasks
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.graphs import CallbackGraph
from sailplan.policies import LazyPolicy, a_star, greedy
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
    assert record.fewest_edges == 4


def test_no_search_by_edges_evaluates_fewer_than_the_limit() -> None:
    policies = {"lazy": LazyPolicy(), "lazy:1": LazyPolicy(bound=1.0)}
    records = run_benchmark(policies, load_tasks("mazes", Choice(limit=4, size=41)))
    assert all(record.expansions == 0 for record in records)
    assert all(0 < record.fewest_edges <= record.edge_evaluations for record in records)


def test_the_edges_of_a_graph_of_callbacks_are_evaluated_once_for_the_oracle() -> None:
    calls: list[str] = []

    def evaluate(source: str, target: str) -> bool:
        calls.append(source + target)
        return target != "b"

    edges: dict[str, list[tuple[str, float]]] = {
        "a": [("b", 1.0), ("c", 1.0)],
        "b": [("d", 1.0)],
        "c": [("d", 1.0)],
        "d": [],
    }
    problem = CallbackGraph(lambda state: edges[state], evaluate).problem("a", "d")
    assert run_benchmark({}, [GivenTasks("given", [GivenTask(problem)])]) == []
    assert sorted(calls) == ["ab", "ac", "cd"]


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
