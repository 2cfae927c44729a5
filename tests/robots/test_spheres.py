from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.robots import Box, Cylinder, Obstacle, Scene, Sphere, SphereRobot, check_configuration, joint_space
from sailplan.robots.srdf import read_srdf
from sailplan.robots.urdf import RobotModel, read_urdf
from tests.naive import arm as naive
from tests.robots.arms import GROUPS, real_files, real_robot, tiny_files, tiny_robot

TOUCHING = 1e-9
"""Bodies that are closer to touching than this are not compared."""


def random_scene(rng: np.random.Generator, count: int = 6, height: float = 1.5) -> Scene:
    obstacles: list[Obstacle] = []
    for number in range(count):
        position, turn = tuple(rng.uniform((-1, -1, 0), (1, 1, height))), tuple(rng.normal(size=4))
        name, (a, b, c) = f"obstacle{number}", rng.uniform(0.02, 0.4, 3)
        kinds = Sphere(name, position, a), Box(name, position, (a, b, c), turn), Cylinder(name, position, a, b, turn)
        obstacles.append(kinds[number % 3])
    return Scene(tuple(obstacles))


def random_configurations(robot: SphereRobot, rng: np.random.Generator, count: int) -> FloatArray:
    lower, upper = robot.joint_limits
    return rng.uniform(lower, upper, (count, len(lower)))


def unchecked_pairs(robot: SphereRobot, model: RobotModel, srdf: Path) -> frozenset[frozenset[str]]:
    """Return the pairs that need no check: disabled, adjacent, rigidly connected, or always in contact."""
    pairs = set(read_srdf(srdf).disabled) | {frozenset(pair) for pair in robot.model.permanent_contacts}
    rigid = {link: link for link in model.links}
    for link in model.links[1:]:
        joint = model.joint_above[link]
        pairs.add(frozenset((joint.parent, link)))
        moves = joint.name in robot.joint_names or (joint.mimic and joint.mimic.joint in robot.joint_names)
        rigid[link] = link if moves else rigid[joint.parent]
    return frozenset(pairs | {frozenset((a, b)) for a in rigid for b in rigid if rigid[a] == rigid[b]})


def compare(robot: SphereRobot, urdf: Path, srdf: Path, scene: Scene, configurations: FloatArray) -> None:
    model = read_urdf(urdf)
    unchecked = unchecked_pairs(robot, model, srdf)
    inside = robot.in_scene(scene)
    verdicts = inside.valid(configurations)
    for configuration, verdict in zip(configurations, verdicts, strict=True):
        values = dict(zip(robot.joint_names, configuration, strict=True))
        spheres = np.concatenate([naive.world_spheres(model, values)[link] for link in robot.model.links])
        np.testing.assert_allclose(robot.sphere_positions(configuration), spheres, atol=1e-12)
        found, margin = naive.contacts(model, scene, values, unchecked)
        if margin > TOUCHING:
            assert set(inside.collisions(configuration)) == found
            assert verdict == (not found)


@pytest.mark.parametrize("name", GROUPS)
def test_real_robots_agree_with_the_naive_twin(name: str, shared_data: Path) -> None:
    rng = np.random.default_rng(7)
    robot, files = real_robot(shared_data, name), real_files(shared_data, name)
    for _ in range(20):
        compare(robot, *files, random_scene(rng), random_configurations(robot, rng, 10))


@pytest.mark.parametrize("group", ["arm", "all", "hand"])
def test_mimic_prismatic_and_continuous_joints_agree_with_the_naive_twin(group: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    robot = tiny_robot(tmp_path, group)
    compare(robot, *tiny_files(tmp_path), random_scene(rng, height=0.2), random_configurations(robot, rng, 200))


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 9))
def test_any_scene_agrees_with_the_naive_twin(seed: int, count: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng = np.random.default_rng(seed)
    folder = tmp_path_factory.getbasetemp()
    robot = tiny_robot(folder)
    compare(robot, *tiny_files(folder), random_scene(rng, count, height=0.2), random_configurations(robot, rng, 4))


def test_edges_are_checked_at_the_resolution(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    wall = Box("wall", (0.4, 0.3, 0.0), (0.1, 0.2, 0.4))
    robot = tiny_robot(tmp_path).in_scene([wall, Cylinder("can", (0.5, -0.4, 0.0), 0.1, 0.2)])
    starts, ends = (random_configurations(robot, rng, 100) for _ in range(2))
    for endpoints in (True, False):
        verdicts = robot.edge_valid(starts, ends, endpoints=endpoints)
        assert 0 < verdicts.sum() < 100
        for start, end, verdict in zip(starts, ends, verdicts, strict=True):
            difference = joint_space(robot).difference(start, end)
            count = int(np.ceil(np.linalg.norm(difference) / robot.resolution))
            steps = np.arange(count + 1) if endpoints else np.arange(1, count)
            assert verdict == robot.valid(start + steps[:, None] / count * difference).all()


def test_a_valid_edge_counts_all_its_configurations(tmp_path: Path) -> None:
    robot = tiny_robot(tmp_path, "arm")
    start, end = np.array([[0.0, 0.0]]), np.array([[0.5, 0.0]])
    assert robot.edge_valid(start, end).all()
    assert (robot.counts.edges, robot.counts.configurations) == (1, 11)
    assert robot.edge_valid(start, end, endpoints=False).all()
    assert (robot.counts.edges, robot.counts.configurations) == (2, 20)
    assert robot.in_scene(Scene()).counts.edges == 0


def test_an_invalid_middle_is_found_first(tmp_path: Path) -> None:
    robot = tiny_robot(tmp_path, "arm").in_scene([Sphere("pole", (0.25, 0.0, 0.0), 0.01)])
    assert not robot.edge_valid(np.array([[-0.5, 0.0]]), np.array([[0.5, 0.0]]), endpoints=False)[0]
    assert robot.counts.configurations == 1


def test_a_continuous_joint_takes_the_shorter_way(tmp_path: Path) -> None:
    robot = tiny_robot(tmp_path, "arm").in_scene([Sphere("pole", (0.25, 0.0, 0.0), 0.01)])
    assert robot.edge_valid(np.array([[3.0, 0.0]]), np.array([[-3.0, 0.0]]))[0]
    assert robot.valid(np.array([[9.0, 0.0]]))[0], "a continuous joint has no limits"


def test_joints_outside_the_group_are_fixed(tmp_path: Path) -> None:
    urdf, srdf = tiny_files(tmp_path)
    near, far = (SphereRobot.from_files(urdf, srdf, group="arm", fixed=fixed) for fixed in ({}, {"slide": 0.04}))
    assert near.joint_names == ("shoulder", "elbow")
    moved = far.link_position([0.0, 0.0], "finger") - near.link_position([0.0, 0.0], "finger")
    assert np.linalg.norm(moved) == pytest.approx(0.03), "the default is the limit next to 0"


def test_padding_enlarges_spheres(tmp_path: Path) -> None:
    urdf, srdf = tiny_files(tmp_path)
    plain, thick, foot = (
        SphereRobot.from_files(urdf, srdf, group="arm", padding=padding) for padding in (0.0, 0.01, {"base": 0.02})
    )
    radii = [robot.sphere_positions([0.0, 0.0])[:, 3] for robot in (plain, thick, foot)]
    np.testing.assert_allclose(radii[1] - radii[0], 0.01)
    np.testing.assert_allclose(radii[2] - radii[0], [0.02, 0, 0, 0, 0, 0], atol=1e-12)


def test_without_an_srdf_all_joints_are_planned_for(tmp_path: Path) -> None:
    assert SphereRobot.from_files(tiny_files(tmp_path)[0]).joint_names == ("shoulder", "elbow", "slide")


def test_links_that_always_overlap_are_not_checked(shared_data: Path) -> None:
    robot = real_robot(shared_data, "ur5")
    assert robot.model.permanent_contacts == (("wrist_2_link", "fts_robotside"),)
    rng = np.random.default_rng(0)
    assert robot.valid(random_configurations(robot, rng, 100)).any()


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ([0.0], r"start: 2 joint values are needed \(shoulder, elbow\), got 1"),
        ([0.0, np.nan], "start: elbow is nan"),
        ([0.0, "bent"], "start: joint values must be numbers"),
        ([0.0, 2.6], r"the start is outside the joint limits: elbow = 2.6 is not in -2.5 .. 2.5"),
        ([0.0, 0.0], "the start is in collision: upper with pole"),
    ],
)
def test_a_bad_start_is_one_clear_line(configuration: list[float], message: str, tmp_path: Path) -> None:
    robot = tiny_robot(tmp_path, "arm").in_scene([Sphere("pole", (0.25, 0.0, 0.0), 0.01)])
    with pytest.raises(RobotError, match=f"^{message}$"):
        check_configuration(robot, configuration, "start")


def test_a_good_start_is_returned(tmp_path: Path) -> None:
    assert check_configuration(tiny_robot(tmp_path, "arm"), [1, 0.5]).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "leg"}, r".*tiny.srdf: no group 'leg' \(there are arm, hand, all, still\)"),
        ({"group": "still"}, ".*tiny.srdf: no joint of group 'still' moves"),
        ({"group": "arm", "fixed": {"ankle": 0.0}}, ".*tiny.urdf: no joint 'ankle'"),
        ({"group": "arm", "fixed": {"elbow": 0.0}}, "joint 'elbow' cannot be fixed.*"),
        ({"padding": {"toe": 0.1}}, ".*tiny.urdf: no link 'toe'"),
        ({"padding": -0.1}, "the padding of link 'base' must be a number, not negative, got -0.1"),
        ({"group": "arm", "resolution": 0.0}, "a resolution must be positive, got 0.0"),
    ],
)
def test_bad_options_are_one_clear_line(options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=f"^{message}$"):
        SphereRobot.from_files(*tiny_files(tmp_path), **options)  # type: ignore[arg-type]


def test_a_group_needs_an_srdf(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"^group 'arm' needs an SRDF file$"):
        SphereRobot.from_files(tiny_files(tmp_path)[0], group="arm")


def test_no_such_link(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"^robot 'tiny' has no link 'toe'$"):
        tiny_robot(tmp_path, "arm").link_position([0.0, 0.0], "toe")


@pytest.mark.parametrize("starts", [1, 2, 4])
def test_as_many_ends_as_starts(starts: int, tmp_path: Path) -> None:
    robot = tiny_robot(tmp_path)
    joints = len(robot.joint_names)
    with pytest.raises(RobotError, match=f"^as many ends as starts are needed, got 3 and {starts}$"):
        robot.edge_valid(np.zeros((starts, joints)), np.zeros((3, joints)))
