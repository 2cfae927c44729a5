"""Motions on roadmaps: connecting, searching and adding samples."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray

import sailplan
from sailplan import Limits, Outcome, Roadmap, plan_motion
from sailplan.errors import GraphError, PolicyError, ProblemError
from sailplan.policies import EdgePosterior, LazyPolicy

Rows = NDArray[np.float64]


class Box:
    """The unit square without the walls of a box around the goal, whose door is not straight ahead."""

    def __init__(self, door: float) -> None:
        self.door, self.motions, self.pause = door, list[tuple[float, ...]](), 0.0

    def valid(self, rows: Rows) -> NDArray[np.bool_]:
        x, y = rows.T
        distance = np.maximum(abs(x - 0.7), abs(y - 0.5))
        in_door = (x > 0.7) & (abs(y - 0.57) < self.door / 2)
        free: NDArray[np.bool_] = (distance < 0.08) | (distance > 0.14) | in_door
        return free

    def edge_valid(self, starts: Rows, ends: Rows) -> NDArray[np.bool_]:
        time.sleep(self.pause)
        self.motions += [tuple(sorted((*start, *end))) for start, end in zip(starts, ends, strict=True)]
        along = np.linspace(0.0, 1.0, 200)[:, None, None]
        points = starts + along * (ends - starts)
        return np.array(self.valid(points.reshape(-1, 2)).reshape(200, -1).all(axis=0))


START, GOAL = [0.1, 0.5], [0.7, 0.5]


@pytest.fixture(scope="module")
def roadmap() -> Roadmap:
    def outside(rows: Rows) -> NDArray[np.bool_]:
        away: NDArray[np.bool_] = np.abs(rows - GOAL).max(axis=1) > 0.14
        return away

    return Roadmap.sample([0.0, 0.0], [1.0, 1.0], 80, valid=outside)


def test_samples_are_added_at_the_closed_end_and_no_edge_is_checked_twice(roadmap: Roadmap) -> None:
    box = Box(door=0.035)
    plan = plan_motion(roadmap, START, GOAL, box)
    assert plan.found
    assert plan.outcome is Outcome.PATH_CONFIRMED
    assert plan.searches > 1
    assert plan.edges_checked == len(box.motions) == len(set(box.motions))
    np.testing.assert_allclose(plan.configurations[[0, -1]], [START, GOAL])
    assert plan.cost == pytest.approx(np.linalg.norm(np.diff(plan.configurations, axis=0), axis=1).sum())
    added = plan.known.roadmap.coordinates[roadmap.vertex_count + 2 :]
    assert box.valid(added).all()
    # At first, only the goal has no way out.
    once = plan_motion(roadmap, START, GOAL, Box(door=0.035), extra=(8,))
    first = added[: once.known.roadmap.vertex_count - roadmap.vertex_count - 2]
    to_goal, to_start = (np.linalg.norm(first - end, axis=1) for end in (GOAL, START))
    assert (to_goal < to_start).all()


def test_what_is_known_serves_learned_searches(roadmap: Roadmap) -> None:
    motions = roadmap.motions(roadmap.sources, roadmap.targets)
    belief = EdgePosterior.of(roadmap.topology, [Box(door).edge_valid(*motions) for door in (0.0, 0.02, 0.04)])
    box = Box(door=0.035)
    plan = plan_motion(roadmap, START, GOAL, box, policy=LazyPolicy(belief=belief, selector="doubtful"))
    assert plan.found
    assert not plan.result.notes
    assert plan.edges_checked == len(box.motions) == len(set(box.motions))
    # In the last search, no edge was requested that was known to be invalid before.
    assert plan.result.edge_evaluations < plan.edges_checked


def test_a_single_search_and_no_path(roadmap: Roadmap) -> None:
    plan = plan_motion(roadmap, START, GOAL, Box(door=0.0), extra=())
    assert (plan.found, plan.outcome, plan.searches) == (False, Outcome.FRONTIER_EMPTY, 1)
    assert plan.configurations.shape == (0, 2)
    assert plan_motion(roadmap, START, GOAL, Box(door=0.0), extra=(4, 4)).searches == 3


def test_limits_are_those_of_all_searches_together(roadmap: Roadmap) -> None:
    box = Box(door=0.0)
    assert plan_motion(roadmap, START, GOAL, box, limits=Limits(evaluations=40)).outcome is Outcome.EVALUATIONS_SPENT
    assert len(box.motions) <= 40
    box.pause = 0.01
    plan = plan_motion(roadmap, START, GOAL, box, limits=Limits(seconds=0.2))
    assert plan.outcome is Outcome.TIME_SPENT
    assert plan.edges_checked <= 20


def test_the_same_arguments_give_the_same_plan(roadmap: Roadmap) -> None:
    one, other = (plan_motion(roadmap, START, GOAL, Box(door=0.035), seed=3) for _ in range(2))
    assert np.array_equal(one.configurations, other.configurations)
    assert one.edges_checked == other.edges_checked


def test_bad_input(roadmap: Roadmap) -> None:
    with pytest.raises(ProblemError, match="the goal is not valid"):
        plan_motion(roadmap, START, [0.61, 0.5], Box(door=0.0))
    with pytest.raises(GraphError, match="the start"):
        plan_motion(roadmap, [5.0, 0.0], GOAL, Box(door=0.0))
    with pytest.raises(PolicyError, match="policy must be a name"):
        sailplan.plan_motion(roadmap, START, GOAL, Box(door=0.0), policy=3)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="extra must be an integer"):
        plan_motion(roadmap, START, GOAL, Box(door=0.0), extra=[-1])
