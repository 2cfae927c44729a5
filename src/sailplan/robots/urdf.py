"""Reader of robot models (URDF): links with collision spheres, and the joints between them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.files import FilePath, fault_line, file_bytes
from sailplan.robots.transforms import make_transform, rotation_from_rpy

MOVING = ("revolute", "continuous", "prismatic")
"""The types of joints with one degree of freedom."""


@dataclass(frozen=True)
class Mimic:
    """The value of a joint as a linear function of another joint's value."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of a robot model; its child link moves relative to its parent link."""

    name: str
    kind: str
    """One of `MOVING`, or "fixed"."""
    parent: str
    child: str
    origin: FloatArray
    """The 4 x 4 transform from the parent link to the joint."""
    axis: FloatArray
    """The unit axis of rotation or translation, in the frame of the joint."""
    lower: float
    upper: float
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class RobotModel:
    """The links and joints of a robot; read one with `read_urdf`."""

    name: str
    source: str
    """The file, for messages."""
    links: tuple[str, ...]
    """In an order in which parents are before their children."""
    joints: Mapping[str, Joint]
    """By name, in the order of the file."""
    spheres: Mapping[str, FloatArray]
    """The collision spheres of each link: rows of centre (in the frame of the link) and radius."""

    @cached_property
    def joint_above(self) -> dict[str, Joint]:
        """The joint whose child is a link, by link; the root has none."""
        return {joint.child: joint for joint in self.joints.values()}

    def joint(self, name: str) -> Joint:
        """Return a joint by name; raises RobotError if there is none."""
        if name not in self.joints:
            raise RobotError(f"{self.source}: no joint {name!r}")
        return self.joints[name]

    def link(self, name: str) -> str:
        """Return the name of a link; raises RobotError if there is none."""
        if name not in self.links:
            raise RobotError(f"{self.source}: no link {name!r}")
        return name


def read_urdf(path: FilePath, *, spheres_only: bool = True) -> RobotModel:
    """Read a robot model from a URDF file.

    Parameters
    ----------
    path
        The file.
    spheres_only
        Whether all collision geometry must be spheres, and there must be some. If False, other shapes are ignored.

    Returns
    -------
    RobotModel
        The links, joints and collision spheres.

    Raises
    ------
    RobotError
        If the file is missing or is no URDF, names an unknown link or joint, has no single root, or has collision
        geometry that is not a sphere.
    """
    root = read_xml(path, "robot")
    source = str(Path(path))
    joints = {one.name: one for one in (_joint(element, source) for element in root.findall("joint"))}
    names = [_attribute(element, "name", f"{source}: a link") for element in root.findall("link")]
    if not names:
        raise RobotError(f"{source}: no links")
    for joint in joints.values():
        for link in (joint.parent, joint.child):
            if link not in names:
                raise RobotError(f"{source}: joint {joint.name!r} names a missing link {link!r}")
        if joint.mimic and joint.mimic.joint not in joints:
            raise RobotError(f"{source}: joint {joint.name!r} mimics a missing joint {joint.mimic.joint!r}")
    spheres = {
        name: _spheres(element, f"{source}: link {name!r}", spheres_only)
        for name, element in zip(names, root.findall("link"), strict=True)
    }
    if spheres_only and not any(len(one) for one in spheres.values()):
        raise RobotError(f"{source}: no collision geometry; a spherized URDF is needed")
    ordered = _parents_first(names, joints, source)
    return RobotModel(root.get("name", ""), source, ordered, joints, spheres)


def read_xml(path: FilePath, tag: str) -> Element:
    """Read an XML file whose root has the given tag; raises RobotError with one line otherwise."""
    try:
        root = ElementTree.fromstring(file_bytes(path, error=RobotError))
    except ElementTree.ParseError as fault:
        raise RobotError(f"{path}: not XML: {fault_line(fault)}") from fault
    if root.tag != tag:
        raise RobotError(f"{path}: the root element is <{root.tag}>, and <{tag}> is expected")
    return root


def _joint(element: Element, source: str) -> Joint:
    name = _attribute(element, "name", f"{source}: a joint")
    where = f"{source}: joint {name!r}"
    kind = _attribute(element, "type", where)
    if kind not in (*MOVING, "fixed"):
        raise RobotError(f"{where}: the type {kind!r} is not supported (only {', '.join(MOVING)} and fixed)")
    axis = _numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0), where)
    length = float(np.linalg.norm(axis))
    if kind != "fixed" and length == 0.0:
        raise RobotError(f"{where}: the axis is zero")
    lower, upper = _limits(element, kind, where)
    mimic = element.find("mimic")
    return Joint(
        name=name,
        kind=kind,
        parent=_attribute(_part(element, "parent", where), "link", where),
        child=_attribute(_part(element, "child", where), "link", where),
        origin=_origin(element, where),
        axis=axis / (length or 1.0),
        lower=lower,
        upper=upper,
        # A fixed joint has no value, so that it mimics nothing.
        mimic=None if mimic is None or kind == "fixed" else _mimic(mimic, where),
    )


def _limits(element: Element, kind: str, where: str) -> tuple[float, float]:
    if kind == "fixed":
        return 0.0, 0.0
    if kind == "continuous":
        return -math.pi, math.pi
    limit = _part(element, "limit", where)
    lower, upper = (float(_numbers(limit, side, (0.0,), where)[0]) for side in ("lower", "upper"))
    if lower > upper:
        raise RobotError(f"{where}: the lower limit {lower} is above the upper limit {upper}")
    return lower, upper


def _mimic(element: Element, where: str) -> Mimic:
    multiplier, offset = (
        float(_numbers(element, name, (value,), where)[0]) for name, value in (("multiplier", 1.0), ("offset", 0.0))
    )
    return Mimic(_attribute(element, "joint", f"{where}: its mimic"), multiplier, offset)


def _spheres(link: Element, where: str, spheres_only: bool) -> FloatArray:
    rows = []
    for collision in link.findall("collision"):
        geometry = _part(collision, "geometry", f"{where}: its collision")
        sphere = geometry.find("sphere")
        if sphere is not None:
            radius = float(_numbers(sphere, "radius", None, where)[0])
            if radius <= 0.0:
                raise RobotError(f"{where}: a sphere has the radius {radius}")
            rows.append([*_origin(collision, where)[:3, 3], radius])
        elif spheres_only:
            shape = geometry[0].tag if len(geometry) else "nothing"
            raise RobotError(f"{where}: its collision geometry is {shape}, not spheres; a spherized URDF is needed")
    return np.array(rows, np.float64).reshape(-1, 4)


def _origin(element: Element, where: str) -> FloatArray:
    origin = element.find("origin")
    roll, pitch, yaw = _numbers(origin, "rpy", (0.0, 0.0, 0.0), where)
    return make_transform(rotation_from_rpy(roll, pitch, yaw), _numbers(origin, "xyz", (0.0, 0.0, 0.0), where))


def _parents_first(names: list[str], joints: Mapping[str, Joint], source: str) -> tuple[str, ...]:
    """Order links so that parents are before their children; raises RobotError unless they form one tree."""
    children: dict[str, list[str]] = {name: [] for name in names}
    if len(children) < len(names):
        twice = next(name for name in children if names.count(name) > 1)
        raise RobotError(f"{source}: link {twice!r} is given twice")
    parents: dict[str, str] = {}
    for joint in joints.values():
        if joint.child in parents:
            raise RobotError(f"{source}: link {joint.child!r} is the child of two joints")
        parents[joint.child] = joint.parent
        children[joint.parent].append(joint.child)
    roots = [name for name in names if name not in parents]
    if len(roots) != 1:
        raise RobotError(f"{source}: {len(roots)} root links, and a robot has one: {', '.join(roots) or 'a loop'}")
    ordered = list(roots)
    for name in ordered:
        ordered += children[name]
    if len(ordered) != len(names):
        missing = next(name for name in names if name not in ordered)
        raise RobotError(f"{source}: link {missing!r} is not connected to the root {roots[0]!r}")
    return tuple(ordered)


def _part(element: Element, tag: str, where: str) -> Element:
    part = element.find(tag)
    if part is None:
        raise RobotError(f"{where} has no <{tag}>")
    return part


def _attribute(element: Element, name: str, where: str) -> str:
    value = element.get(name)
    if not value:
        raise RobotError(f"{where} has no {name}")
    return value


def _numbers(element: Element | None, name: str, default: tuple[float, ...] | None, where: str) -> FloatArray:
    """Return the numbers of an attribute, or the default if it is absent; as many as the default has, else one."""
    text = None if element is None else element.get(name)
    if text is None and default is not None:
        return np.array(default)
    try:
        values = np.array([float(word) for word in (text or "").split()])
    except ValueError as fault:
        raise RobotError(f"{where}: {name}={text!r} is not made of numbers") from fault
    if len(values) != len(default or (0,)) or not np.isfinite(values).all():
        raise RobotError(f"{where}: {name}={text!r} must be {len(default or (0,))} finite numbers")
    return values
