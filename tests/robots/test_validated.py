from __future__ import annotations

import numpy as np
import pytest

from sailplan import ExplicitGraph, Limits, Outcome, Problem, Roadmap, load_policy, search
from sailplan.core.graph import FloatArray
from sailplan.errors import ProblemError
from sailplan.robots import FunctionRobot, plan_validated

LOWER, UPPER = [-1.0, -1.0], [1.0, 1.0]


def with_discs(*centres: tuple[float, float], radius: float = 0.25) -> FunctionRobot:
    def check(rows: FloatArray) -> np.ndarray:
        outside = [((rows - centre) ** 2).sum(axis=1) > radius**2 for centre in centres]
        return np.asarray(np.all(outside, axis=0))

    return FunctionRobot(check, LOWER, UPPER)


def roadmap_problem(robot: FunctionRobot) -> Problem:
    return Roadmap.sample(LOWER, UPPER, 400).problem([-0.9, 0.0], [0.9, 0.0], robot)


@pytest.mark.parametrize("policy", ["lazy", "lazy:1", "a_star"])
def test_the_path_is_valid_for_both_checkers(policy: str) -> None:
    rough, exact = with_discs((0.0, 0.0)), with_discs((0.0, 0.0), (0.0, 0.5), (-0.4, -0.3))
    problem = roadmap_problem(rough)
    plan = plan_validated(problem, load_policy(policy), exact)
    assert plan.confirmed
    assert plan.searches > 1
    assert plan.result.outcome.found
    edges = list(zip(plan.result.path, plan.result.path[1:], strict=False))
    coordinates = np.array(problem.states(plan.result.path))
    for robot in (rough, exact):
        assert robot.edge_valid(coordinates[:-1], coordinates[1:]).all()
    assert not set(plan.rejected) & set(edges)
    ends = [np.array(problem.states(vertices)) for vertices in zip(*plan.rejected, strict=True)]
    assert rough.edge_valid(*ends).all()
    assert not exact.edge_valid(*ends).any()


def test_with_bound_1_the_path_is_optimal_among_those_valid_for_both() -> None:
    rough, exact = with_discs((0.0, 0.0)), with_discs((0.0, 0.0), (0.0, 0.5))
    both = with_discs((0.0, 0.0), (0.0, 0.5))
    plan = plan_validated(roadmap_problem(rough), load_policy("lazy:1"), exact)
    assert plan.result.cost == pytest.approx(search(roadmap_problem(both), load_policy("a_star")).cost)


def test_no_edge_is_given_to_a_checker_twice() -> None:
    rough, exact = with_discs((0.0, 0.0)), with_discs((0.0, 0.0), (0.0, 0.5), (-0.4, -0.3))
    plan = plan_validated(roadmap_problem(rough), load_policy("lazy"), exact)
    assert plan.searches > 1
    assert rough.counts.edges == plan.evaluations
    assert exact.counts.edges == plan.confirmations


def test_checkers_that_agree_need_one_search() -> None:
    robot = with_discs((0.0, 0.0))
    plan = plan_validated(roadmap_problem(robot), load_policy("lazy"), robot)
    assert (plan.searches, plan.rejected, plan.confirmed) == (1, (), True)
    assert plan.confirmations == len(plan.result.path) - 1


def test_if_every_path_is_rejected_there_is_none() -> None:
    wall = FunctionRobot(lambda rows: np.abs(rows[:, 0]) > 0.1, LOWER, UPPER)
    plan = plan_validated(roadmap_problem(with_discs((0.0, 0.0))), load_policy("lazy"), wall)
    assert not plan.confirmed
    assert plan.result.outcome is Outcome.FRONTIER_EMPTY
    assert plan.result.path == ()


def test_a_limit_ends_the_searches_without_a_confirmed_path() -> None:
    robot = with_discs((0.0, 0.0))
    for limits, outcome in (
        (Limits(evaluations=1), Outcome.EVALUATIONS_SPENT),
        (Limits(seconds=0.0), Outcome.TIME_SPENT),
    ):
        plan = plan_validated(roadmap_problem(robot), load_policy("lazy"), robot, limits)
        assert not plan.confirmed
        assert plan.result.outcome is outcome


def test_a_graph_without_a_checker_is_refused() -> None:
    problem = Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), 0, 1)
    with pytest.raises(ProblemError, match="validation needs an explicit graph with a checker, such as a roadmap"):
        plan_validated(problem, load_policy("dijkstra"), with_discs((0.0, 0.0)))
