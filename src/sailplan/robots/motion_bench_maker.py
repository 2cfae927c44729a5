"""Reader of MotionBenchMaker problems: MoveIt planning requests and scenes, as YAML files in a folder or archive."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from sailplan.archives import most_unpacked
from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.files import FilePath, fault_line, file_bytes, is_folder
from sailplan.robots.scene import UPRIGHT, Box, Cylinder, Obstacle, Scene, Sphere
from sailplan.robots.transforms import quaternion_product, rotation_from_quaternion

_REQUEST = re.compile(r"request(\d+)\.yaml$")
_VALUES_PER_BYTE = 10
"""Limit of the values in a YAML file with aliases. Ten aliases in each of ten parts would be ten thousand million."""


@dataclass(frozen=True, eq=False)
class ArmProblem:
    """A planning problem of a robot arm."""

    name: str
    """The family and the number of the problem, for example `box_panda/0035`."""
    scene: Scene
    start: FloatArray
    """Joint values, in the order that `read_problems` was asked for."""
    goal: FloatArray
    others: Mapping[str, float]
    """Values in the start state of all other joints, for example of the gripper."""

    @property
    def family(self) -> str:
        """The name of the family."""
        return self.name.partition("/")[0]


def read_problems(
    path: FilePath, joint_names: Sequence[str], *, families: Sequence[str] | None = None, limit: int | None = None
) -> list[ArmProblem]:
    """Read MotionBenchMaker problems from an archive (.tar.xz, .tar.gz, ...) or from a folder.

    Files are pairs `requestNNNN.yaml` and `sceneNNNN.yaml`; the folder that they are in is the family. The allowed
    collision matrix of a scene is not used: it repeats the disabled pairs of the SRDF.

    Parameters
    ----------
    path
        The archive or folder.
    joint_names
        The joints of the robot, in the order of its configurations.
    families
        Read only families whose names contain one of these; by default all.
    limit
        Read at most so many problems of each family; by default all.

    Returns
    -------
    list of ArmProblem
        The problems, sorted by name.

    Raises
    ------
    RobotError
        If PyYAML is not installed, or the archive or a file in it cannot be read, has no start or goal for a joint,
        has a goal that is not made of joint values, or has an obstacle that is not a primitive.
    """
    texts = dict(_texts(Path(path)))
    found: dict[str, list[str]] = {}
    for name in sorted(texts):
        family = PurePosixPath(name).parent.name
        if _REQUEST.search(name) and (families is None or any(part in family for part in families)):
            found.setdefault(family, []).append(name)
    problems = [_problem(path, texts, name, joint_names) for names in found.values() for name in names[:limit]]
    if not problems:
        raise RobotError(f"{path}: no problems" + (f" of {', '.join(families)}" if families else ""))
    return problems


def read_obstacles(document: Mapping[str, Any]) -> list[Obstacle]:
    """Return the obstacles of a MoveIt collision object: one for each primitive, all with the name of the object.

    Parameters
    ----------
    document
        The collision object as a dictionary, with `id`, `primitives` and `primitive_poses`, and optionally `pose`.

    Returns
    -------
    list of Obstacle
        Boxes, cylinders and spheres.

    Raises
    ------
    RobotError
        If the object has meshes or planes, or a primitive that is not a box, cylinder or sphere.

    Examples
    --------
    >>> pose = {"position": [0.5, 0, 0.2], "orientation": [0, 0, 0, 1]}
    >>> can = {"type": "cylinder", "dimensions": [0.12, 0.03]}
    >>> read_obstacles({"id": "can", "primitives": [can], "primitive_poses": [pose]})[0].length
    0.12
    """
    name = str(document["id"])
    for kind in ("meshes", "planes"):
        if document.get(kind):
            raise RobotError(f"object {name!r} has {kind}, which are not supported: replace them by primitives")
    frame = document.get("pose") or {"position": (0.0, 0.0, 0.0), "orientation": UPRIGHT}
    rotation = rotation_from_quaternion(frame["orientation"])
    obstacles = []
    for shape, pose in zip(document["primitives"], document["primitive_poses"], strict=True):
        position = rotation @ np.asarray(pose["position"], np.float64) + frame["position"]
        orientation = quaternion_product(frame["orientation"], pose["orientation"])
        obstacles.append(_obstacle(name, shape["type"], shape["dimensions"], position, orientation))
    return obstacles


def _obstacle(name: str, kind: str, dimensions: Sequence[float], position: Any, orientation: Any) -> Obstacle:
    if kind == "box":
        return Box(name, position, tuple(dimensions), orientation)  # type: ignore[arg-type]
    if kind == "cylinder":
        length, radius = dimensions
        return Cylinder(name, position, radius, length, orientation)
    if kind == "sphere":
        return Sphere(name, position, *dimensions)
    raise RobotError(f"object {name!r} is a {kind}, which is not supported: only boxes, cylinders and spheres are")


def _problem(path: FilePath, texts: Mapping[str, bytes], name: str, joint_names: Sequence[str]) -> ArmProblem:
    where = f"{path}: {name}"
    scene_name = _REQUEST.sub(r"scene\1.yaml", name)
    if scene_name not in texts:
        raise RobotError(f"{where}: no {PurePosixPath(scene_name).name} beside it")
    request, world = (_document(texts[one], f"{path}: {one}") for one in (name, scene_name))
    try:
        state = request["start_state"]["joint_state"]
        start = dict(zip(state["name"], map(float, state["position"]), strict=True))
        goal = _goal(request["goal_constraints"])
        obstacles = [part for one in world["world"]["collision_objects"] for part in read_obstacles(one)]
    except RobotError as fault:
        raise RobotError(f"{where}: {fault}") from fault
    except (KeyError, TypeError, ValueError, OverflowError) as fault:
        raise RobotError(f"{where}: not a planning request with a scene: {fault_line(fault)}") from fault
    return ArmProblem(
        name=_REQUEST.sub(r"\1", "/".join(PurePosixPath(name).parts[-2:])),
        scene=Scene(tuple(obstacles)),
        start=_row(start, joint_names, f"{where}: the start state"),
        goal=_row(goal, joint_names, f"{where}: the goal"),
        others={joint: value for joint, value in start.items() if joint not in joint_names},
    )


def _goal(constraints: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the joint values of a goal; raises RobotError if it is a pose, or if there are several goals."""
    if len(constraints) != 1 or set(constraints[0]) != {"joint_constraints"}:
        raise RobotError("the goal must be one set of joint constraints; goals by poses are not supported")
    return {one["joint_name"]: float(one["position"]) for one in constraints[0]["joint_constraints"]}


def _row(values: Mapping[str, float], joint_names: Sequence[str], where: str) -> FloatArray:
    missing = [name for name in joint_names if name not in values]
    if missing:
        raise RobotError(f"{where} has no value for joint {missing[0]!r}")
    return np.array([values[name] for name in joint_names])


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the YAML files of a folder or archive."""
    if is_folder(path):
        for file in path.rglob("*.yaml"):
            yield file.relative_to(path).as_posix(), file_bytes(file, error=RobotError)
        return
    content = file_bytes(path, error=RobotError)
    most = most_unpacked(len(content))
    try:
        unpacked = _unpacked(content, most + 1)
        if len(unpacked) > most:
            raise RobotError(f"{path}: unpacks to more than {most} bytes, and no more are read of its size")
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            for member in archive:
                handle = archive.extractfile(member) if member.name.endswith(".yaml") else None
                if handle:
                    yield member.name, handle.read()
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError, zlib.error) as fault:
        raise RobotError(f"{path}: not an archive of problems: {fault_line(fault)}") from fault


def _unpacked(content: bytes, most: int) -> bytes:
    """Return at most so many bytes of a compressed archive.

    It is not left to `tarfile`, which reads the headers of an archive as a whole, however large they say they are.
    """
    for magic, open_compressed in ((b"\xfd7zXZ\0", lzma.open), (b"\x1f\x8b", gzip.open), (b"BZh", bz2.open)):
        if content.startswith(magic):
            with open_compressed(io.BytesIO(content)) as stream:
                return stream.read(most)
    return content[:most]


def _document(text: bytes, where: str) -> Any:
    try:
        import yaml
    except ImportError as fault:
        raise RobotError("problems in YAML need PyYAML: pip install sailplan[robots]") from fault
    # The loader in C is ten times as fast; both build plain values only.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        values = _values_with_repeated(yaml.parse(text, loader)) if b"*" in text else 0.0
        if values <= _VALUES_PER_BYTE * len(text):
            return yaml.load(text, loader)
    # Values such as a date that does not exist are other errors.
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as fault:
        raise RobotError(f"{where}: not YAML: {fault_line(fault)}") from fault
    raise RobotError(f"{where}: YAML whose aliases repeat more values than are read of a file of its size")


def _values_with_repeated(events: Iterable[Any]) -> float:
    """Return the number of values of a YAML document if each alias is replaced by a copy of what it repeats."""
    counts, anchors, sizes = [0.0], [None], dict[str | None, float]()
    for event in events:
        kind, anchor = type(event).__name__, getattr(event, "anchor", None)
        if kind == "AliasEvent":
            # A part that is not complete repeats itself.
            counts[-1] += sizes.get(anchor, math.inf)
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            counts.append(0.0)
            anchors.append(anchor)
        elif kind in ("ScalarEvent", "SequenceEndEvent", "MappingEndEvent"):
            size = 1.0
            if kind != "ScalarEvent":
                size, anchor = size + counts.pop(), anchors.pop()
            counts[-1] += size
            sizes[anchor] = size
    return counts[0]
