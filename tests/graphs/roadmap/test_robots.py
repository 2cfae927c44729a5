"""Roadmaps of real arms, whose models are in the shared data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.core import open_search
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import Problem, Roadmap, RoadmapGraph
from sailplan.policies import LazyPolicy
from sailplan.robots import Box, Scene, SphereRobot
from sailplan.testing import check_graph
from tests.same import assert_same_result, assert_same_state

GROUPS = {"panda": "panda_arm", "ur5": "manipulator"}
SHELF = Scene((Box("shelf", (0.55, 0.0, 0.45), (0.3, 0.8, 0.04)),))


def _robot(data: Path, name: str) -> SphereRobot:
    files = (data / "arms" / name / f"{name}{end}" for end in ("_spherized.urdf", ".srdf"))
    return SphereRobot.from_files(*files, group=GROUPS[name])


def _roadmap(robot: SphereRobot, count: int = 150) -> Roadmap:
    limits = robot.joint_limits
    return Roadmap.sample(*limits, count, valid=robot.valid, wraps=robot.continuous, names=robot.joint_names)


def test_engines_agree_and_counts_are_those_of_the_robot(shared_data: Path) -> None:
    robot = _robot(shared_data, "panda")
    roadmap = _roadmap(robot)
    inside = robot.in_scene(SHELF)
    start, goal = roadmap.coordinates[inside.valid(roadmap.coordinates)][[0, 1]]
    results, states = [], []
    for engine in ("reference", "compiled"):
        inside = robot.in_scene(SHELF)
        problem = roadmap.problem(start, goal, inside)
        assert isinstance(problem.graph, RoadmapGraph)
        searched = open_search(problem, LazyPolicy(1.0), engine=engine)
        results.append(searched.run())
        states.append(searched.state)
        assert problem.graph.edges_checked == inside.counts.edges == results[-1].edge_evaluations
        assert 0 < problem.graph.configurations_checked <= inside.counts.configurations
    assert_same_result(*results)
    assert_same_state(*states)


def test_the_graph_of_an_arm_keeps_the_contract(shared_data: Path) -> None:
    robot = _robot(shared_data, "ur5")
    check_graph(_roadmap(robot, 40).graph(robot.in_scene(SHELF)), range(40))


def test_a_start_in_collision_names_the_bodies(shared_data: Path) -> None:
    robot = _robot(shared_data, "panda")
    roadmap = _roadmap(robot)
    inside = robot.in_scene(SHELF)
    valid = inside.valid(roadmap.coordinates)
    hit, free = roadmap.coordinates[~valid][0], roadmap.coordinates[valid][0]
    with pytest.raises(ProblemError, match=r"^roadmap: the start is not valid: panda_\w+ with shelf"):
        roadmap.problem(hit, free, inside)


def test_a_roadmap_of_another_robot_is_refused(shared_data: Path) -> None:
    roadmap = _roadmap(_robot(shared_data, "panda"), 20)
    with pytest.raises(GraphError, match=r"^the roadmap is for a robot with the joints panda_joint1, .*, not for "):
        roadmap.graph(_robot(shared_data, "ur5"))


def test_samples_are_not_in_collision_with_the_robot_itself(shared_data: Path) -> None:
    robot = _robot(shared_data, "panda")
    roadmap = _roadmap(robot)
    assert robot.valid(roadmap.coordinates).all()
    assert roadmap.facts["rejected"] > 0
    problem = Problem(roadmap.graph(robot), 0, 1)
    assert np.array_equal(problem.states([1])[0], roadmap.coordinates[1])
