from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sailplan.errors import RobotError
from sailplan.robots import Box, Cylinder, Sphere, read_obstacles, read_problems
from tests.robots.arms import GROUPS, real_robot

yaml = pytest.importorskip("yaml")

JOINTS = ("shoulder", "elbow")
POSE = {"position": [1.0, 0.0, 0.5], "orientation": [0, 0, 0, 1]}
QUARTER_TURN = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]


def request(**changes: Any) -> dict[str, Any]:
    goal = [{"joint_name": "elbow", "position": 2}, {"joint_name": "shoulder", "position": 1.5}]
    start = {"name": ["elbow", "finger", "shoulder"], "position": [0.1, 0.2, 0.3]}
    return {
        "goal_constraints": [{"joint_constraints": goal}],
        "start_state": {"joint_state": start},
        **changes,
    }


def scene(*objects: dict[str, Any]) -> dict[str, Any]:
    table = {"id": "table", "primitives": [{"type": "box", "dimensions": [1, 2, 0.1]}], "primitive_poses": [POSE]}
    return {"world": {"collision_objects": [table, *objects]}}


def _far_scene() -> dict[str, Any]:
    """A number that no float can hold."""
    far = {"position": [10**400, 0, 0], "orientation": [0, 0, 0, 1]}
    return scene({"id": "far", "primitives": [{"type": "sphere", "dimensions": [1]}], "primitive_poses": [far]})


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return folder


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    files = {f"{family}/request000{n}.yaml": request() for family in ("box", "cage") for n in (1, 2)}
    files |= {name.replace("request", "scene"): scene() for name in files}
    return write(tmp_path / "problems", files)


def archive_of(folder: Path) -> Path:
    path = folder.with_suffix(".tar.xz")
    with tarfile.open(path, "w:xz") as archive:
        archive.add(folder, "problems")
    return path


def test_folders_and_archives_are_read(problems: Path) -> None:
    for path in (problems, archive_of(problems)):
        found = read_problems(path, JOINTS)
        assert [one.name for one in found] == ["box/0001", "box/0002", "cage/0001", "cage/0002"]
        first = found[0]
        assert first.family == "box"
        assert first.start.tolist() == [0.3, 0.1]
        assert first.goal.tolist() == [1.5, 2.0]
        assert first.others == {"finger": 0.2}
        assert first.scene.obstacles == (Box("table", (1, 0, 0.5), (1, 2, 0.1)),)


def test_families_and_numbers_can_be_limited(problems: Path) -> None:
    assert [one.name for one in read_problems(problems, JOINTS, families=["cage"], limit=1)] == ["cage/0001"]
    with pytest.raises(RobotError, match=r"no problems of shelf$"):
        read_problems(problems, JOINTS, families=["shelf"])


def test_primitives_are_placed_relative_to_their_object() -> None:
    poses = [POSE, POSE, {"position": [0, 0, 0], "orientation": QUARTER_TURN}]
    document = {
        "id": "thing",
        "pose": {"position": [0, 0, 1], "orientation": QUARTER_TURN},
        "primitives": [
            {"type": "cylinder", "dimensions": [0.4, 0.1]},
            {"type": "sphere", "dimensions": [0.2]},
            {"type": "box", "dimensions": [1, 2, 3]},
        ],
        "primitive_poses": poses,
    }
    can, ball, box = read_obstacles(document)
    assert isinstance(can, Cylinder)
    assert isinstance(ball, Sphere)
    assert isinstance(box, Box)
    np.testing.assert_allclose(can.position, (0, 1, 1.5), atol=1e-15)
    assert (can.length, can.radius, ball.radius) == (0.4, 0.1, 0.2)
    np.testing.assert_allclose(box.pose[:3, :3], np.diag([-1, -1, 1]), atol=1e-15)


MESH = {"id": "cup", "meshes": [{"triangles": []}], "primitives": [], "primitive_poses": []}
CONE = {"id": "hat", "primitives": [{"type": "cone", "dimensions": [1, 1]}], "primitive_poses": [POSE]}
FLAT = {"id": "flat", "primitives": [{"type": "box", "dimensions": [1, 1, 0]}], "primitive_poses": [POSE]}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no problems"),
        ({"a/request1.yaml": request()}, r"a/request1.yaml: no scene1.yaml beside it"),
        ({"a/request1.yaml": "{", "a/scene1.yaml": scene()}, "a/request1.yaml: not YAML: .*"),
        ({"a/request1.yaml": "[]", "a/scene1.yaml": scene()}, "not a planning request with a scene: .*"),
        ({"a/request1.yaml": request(), "a/scene1.yaml": _far_scene()}, "not a planning request with a scene: .*"),
        ({"a/request1.yaml": request(), "a/scene1.yaml": "a: 1"}, "not a planning request with a scene: .*"),
        (
            {"a/request1.yaml": request(goal_constraints=[{"position_constraints": []}]), "a/scene1.yaml": scene()},
            "a/request1.yaml: the goal must be one set of joint constraints; goals by poses are not supported",
        ),
        ({"a/request1.yaml": request(), "a/scene1.yaml": scene(MESH)}, "object 'cup' has meshes, .* by primitives"),
        ({"a/request1.yaml": request(), "a/scene1.yaml": scene(CONE)}, "object 'hat' is a cone, .* spheres are"),
        ({"a/request1.yaml": request(), "a/scene1.yaml": scene(FLAT)}, r"obstacle 'flat': size must be positive.*"),
        (
            {"a/request1.yaml": request(goal_constraints=[{"joint_constraints": []}]), "a/scene1.yaml": scene()},
            "a/request1.yaml: the goal has no value for joint 'shoulder'",
        ),
    ],
)
def test_bad_files_are_one_clear_line(files: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=f"{message}$") as fault:
        read_problems(write(tmp_path, files), JOINTS)
    assert "\n" not in str(fault.value)


def test_bad_archives_are_one_clear_line(problems: Path, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"missing.tar.xz: no such file or directory$"):
        read_problems(tmp_path / "missing.tar.xz", JOINTS)
    cut = archive_of(problems)
    cut.write_bytes(cut.read_bytes()[:-60])
    for path, content in ((cut, cut.read_bytes()), (tmp_path / "text.tar.xz", b"text")):
        path.write_bytes(content)
        with pytest.raises(RobotError, match="not an archive of problems"):
            read_problems(path, JOINTS)


def test_an_archive_without_yaml_has_no_problems(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "empty.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("readme.txt"), io.BytesIO())
    with pytest.raises(RobotError, match=r"no problems$"):
        read_problems(tmp_path / "empty.tar", JOINTS)


@pytest.mark.parametrize("name", GROUPS)
def test_real_problems_are_almost_all_valid_at_both_ends(name: str, shared_data: Path) -> None:
    robot = real_robot(shared_data, name)
    found = read_problems(shared_data / "arms" / name / "problems.tar.xz", robot.joint_names, limit=10)
    assert len(found) == 70
    ends = [[one.start, one.goal] for one in found]
    invalid = sum(not robot.in_scene(one.scene).valid(rows).all() for one, rows in zip(found, ends, strict=True))
    assert invalid <= 3, "spheres are larger than the meshes that the problems were made with"


def test_an_archive_that_expands_to_gigabytes_is_refused(problems: Path) -> None:
    (problems / "box" / "request0003.yaml").write_bytes(b" " * 20 * 2**20)
    with pytest.raises(RobotError, match=r"problems\.tar\.xz: unpacks to more than 16777216 bytes"):
        read_problems(archive_of(problems), JOINTS)


def test_headers_of_an_archive_are_not_read_beyond_the_limit(tmp_path: Path) -> None:
    header = tarfile.TarInfo("long")
    header.type, header.size = tarfile.XHDTYPE, 64 * 2**20
    path = tmp_path / "problems.tar.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(header.tobuf())
        stream.write(bytes(header.size))
    tracemalloc.start()
    with pytest.raises(RobotError, match=r"problems\.tar\.gz: unpacks to more than 16777216 bytes"):
        read_problems(path, JOINTS)
    assert tracemalloc.get_traced_memory()[1] < 48 * 2**20
    tracemalloc.stop()


def test_aliases_are_read_unless_they_expand_to_a_large_document(problems: Path) -> None:
    (problems / "box" / "scene0001.yaml").write_text(yaml.safe_dump(scene(*scene()["world"]["collision_objects"] * 3)))
    assert "*id001" in (problems / "box" / "scene0001.yaml").read_text()
    assert len(read_problems(problems, JOINTS)[0].scene.obstacles) == 4
    parts = "".join(f"part{n}: &part{n} [{','.join(10 * [f'*part{n - 1}'])}]\n" for n in range(1, 9))
    for document in (f"part0: &part0 x\n{parts}world: *part8\n", "world: &all [*all]"):
        (problems / "box" / "scene0001.yaml").write_text(document)
        with pytest.raises(RobotError, match=r"scene0001\.yaml: YAML whose aliases repeat more values than are read"):
            read_problems(problems, JOINTS)


@pytest.mark.parametrize("text", ["2001-99-99", "[" * 10_000, "!!int x"])
def test_yaml_that_python_cannot_hold_is_one_line(problems: Path, text: str) -> None:
    (problems / "box" / "scene0001.yaml").write_text(text)
    with pytest.raises(RobotError, match=r"^[^\n]*scene0001\.yaml: not YAML: [^\n]*$"):
        read_problems(problems, JOINTS)
