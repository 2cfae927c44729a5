from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.errors import RobotError
from sailplan.robots.srdf import read_srdf
from sailplan.robots.urdf import read_urdf
from tests.robots.arms import TINY_SRDF, TINY_URDF, real_files, tiny_files


def test_links_joints_and_spheres_are_read(tmp_path: Path) -> None:
    model = read_urdf(tiny_files(tmp_path)[0])
    assert model.name == "tiny"
    assert model.links == ("base", "upper", "fore", "wrist", "finger", "thumb")
    assert model.spheres["upper"].tolist() == [[0.25, 0.0, 0.0, 0.06], [0.4, 0.0, 0.0, 0.05]]
    assert len(model.spheres["wrist"]) == 0
    elbow = model.joints["elbow"]
    assert (elbow.kind, elbow.parent, elbow.child, elbow.lower, elbow.upper) == ("revolute", "upper", "fore", -2.5, 2.5)
    np.testing.assert_allclose(elbow.axis, [0.0, np.sqrt(0.5), np.sqrt(0.5)])
    np.testing.assert_allclose(elbow.origin[1:3, 1:3], [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    mimic = model.joints["slide_copy"].mimic
    assert mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("slide", -1.0, 0.001)
    assert (model.joints["shoulder"].lower, model.joints["shoulder"].upper) == (-np.pi, np.pi)


def test_groups_pairs_and_states_are_read(tmp_path: Path) -> None:
    urdf, srdf = tiny_files(tmp_path)
    model, semantics = read_urdf(urdf), read_srdf(srdf)
    groups = {name: semantics.joints_of(name, model) for name in ("arm", "hand", "all")}
    assert groups == {"arm": ("shoulder", "elbow"), "hand": ("slide",), "all": ("shoulder", "elbow", "slide")}
    assert semantics.disabled == {frozenset(("finger", "thumb"))}
    assert semantics.states["arm"]["bent"] == {"shoulder": 0.5, "elbow": 1.0}


def test_the_file_decides_the_rotation_of_frames(shared_data: Path) -> None:
    """The origin of joint 4 of a Panda turns by a quarter about x."""
    origin = read_urdf(real_files(shared_data, "panda")[0]).joints["panda_joint4"].origin
    np.testing.assert_allclose(origin[:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-9)
    np.testing.assert_allclose(origin[:3, 3], [0.0825, 0, 0])


def edit(old: str, new: str) -> str:
    assert old in TINY_URDF
    return TINY_URDF.replace(old, new)


BAD_MODELS = {
    "<robot": "not XML: unclosed token: line 1",
    "<model/>": "the root element is <model>, and <robot> is expected",
    "<robot/>": "no links",
    edit('<child link="fore"/>', '<child link="leg"/>'): "joint 'elbow' names a missing link 'leg'",
    edit('<mimic joint="slide"', '<mimic joint="foot"'): "joint 'slide_copy' mimics a missing joint 'foot'",
    edit('type="continuous"', 'type="floating"'): "joint 'shoulder': the type 'floating' is not supported",
    edit('type="continuous"', ""): "joint 'shoulder' has no type",
    edit('<axis xyz="0 1 1"/>', '<axis xyz="0 0 0"/>'): "joint 'elbow': the axis is zero",
    edit('<axis xyz="0 1 1"/>', '<axis xyz="0 1"/>'): "joint 'elbow': xyz='0 1' must be 3 finite numbers",
    edit('<axis xyz="0 1 1"/>', '<axis xyz="up"/>'): "joint 'elbow': xyz='up' is not made of numbers",
    edit('lower="-2.5"', 'lower="3"'): "joint 'elbow': the lower limit 3.0 is above the upper limit 2.5",
    edit('<limit lower="-2.5" upper="2.5" effort="1" velocity="1"/>', ""): "joint 'elbow' has no <limit>",
    edit('<parent link="upper"/>', ""): "joint 'elbow' has no <parent>",
    edit('<sphere radius="0.1"/>', '<mesh filename="base.stl"/>'): "link 'base': its collision geometry is mesh, not",
    edit('<sphere radius="0.1"/>', '<sphere radius="0"/>'): "link 'base': a sphere has the radius 0",
    edit('<sphere radius="0.1"/>', "<sphere/>"): "link 'base': radius=None must be 1 finite numbers",
    edit(
        '<link name="base">', '<link name="lost"/><link name="base">'
    ): "2 root links, and a robot has one: lost, base",
    edit('<child link="thumb"/>', '<child link="finger"/>'): "link 'finger' is the child of two joints",
    '<robot><link name="a"/></robot>': "no collision geometry; a spherized URDF is needed",
}


@pytest.mark.parametrize("text", BAD_MODELS)
def test_a_bad_model_is_one_clear_line(text: str, tmp_path: Path) -> None:
    path = tiny_files(tmp_path, urdf=text)[0]
    with pytest.raises(RobotError) as fault:
        read_urdf(path)
    assert str(fault.value).startswith(f"{path}: {BAD_MODELS[text]}")
    assert "\n" not in str(fault.value)


BAD_SEMANTICS = {
    TINY_SRDF.replace('tip_link="wrist"', 'tip_link="toe"'): "tiny.urdf: no link 'toe'",
    TINY_SRDF.replace('base_link="base"', 'base_link="thumb"'): "tiny.urdf: no chain from link 'thumb' to link 'wrist'",
    TINY_SRDF.replace('<joint name="slide"/>', '<joint name="toe"/>'): "tiny.urdf: no joint 'toe'",
    TINY_SRDF.replace('<joint name="slide"/>', '<group name="all"/>'): "tiny.srdf: group 'all' contains itself",
    TINY_SRDF.replace('value="0.5"', 'value="bent"'): "joint 'shoulder': its value 'bent' is no number",
}


@pytest.mark.parametrize("text", BAD_SEMANTICS)
def test_bad_semantics_are_one_clear_line(text: str, tmp_path: Path) -> None:
    urdf, srdf = tiny_files(tmp_path, srdf=text)
    with pytest.raises(RobotError) as fault:
        read_srdf(srdf).joints_of("all", read_urdf(urdf))
    assert str(fault.value).endswith(BAD_SEMANTICS[text])


def test_missing_files_are_one_clear_line(tmp_path: Path) -> None:
    for read in (read_urdf, read_srdf):
        with pytest.raises(RobotError, match=r"nothing.xml: no such file or directory$"):
            read(tmp_path / "nothing.xml")


def test_a_joint_that_mimics_itself(tmp_path: Path) -> None:
    from sailplan.robots import SphereRobot

    path = tiny_files(tmp_path, urdf=edit('<mimic joint="slide"', '<mimic joint="slide_copy"'))[0]
    with pytest.raises(RobotError, match="joint 'slide_copy' mimics itself"):
        SphereRobot.from_files(path)


def test_meshes_are_ignored_on_request(tmp_path: Path) -> None:
    text = edit('<sphere radius="0.1"/>', '<mesh filename="base.stl"/>')
    assert len(read_urdf(tiny_files(tmp_path, urdf=text)[0], spheres_only=False).spheres["base"]) == 0
