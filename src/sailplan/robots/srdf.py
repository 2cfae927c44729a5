"""Reader of semantic robot descriptions (SRDF): groups of joints, link pairs that need no check, named states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from sailplan.errors import RobotError
from sailplan.files import FilePath
from sailplan.robots.urdf import MOVING, RobotModel, read_xml


@dataclass(frozen=True, eq=False)
class Semantics:
    """The content of an SRDF file; read one with `read_srdf`."""

    source: str
    """The file, for messages."""
    groups: Mapping[str, Element]
    disabled: frozenset[frozenset[str]]
    """Pairs of links that are not checked for collision with each other."""
    states: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Values of joints, by group and by name of the state."""

    def joints_of(self, group: str, model: RobotModel) -> tuple[str, ...]:
        """Return the moving joints of a group that mimic no other joint, in the order of the group.

        Parameters
        ----------
        group
            Name of a group.
        model
            The robot model that the joints are in.

        Returns
        -------
        tuple of str
            Names of joints.

        Raises
        ------
        RobotError
            If there is no such group, if it names a joint or link that the model does not have, or if no joint of it
            moves.
        """
        names = dict.fromkeys(self._named_joints(group, model, ()))
        joints = [model.joint(name) for name in names]
        moving = tuple(joint.name for joint in joints if joint.kind in MOVING and joint.mimic is None)
        if not moving:
            raise RobotError(f"{self.source}: no joint of group {group!r} moves")
        return moving

    def _named_joints(self, group: str, model: RobotModel, inside: tuple[str, ...]) -> list[str]:
        if group not in self.groups:
            raise RobotError(f"{self.source}: no group {group!r} (there are {', '.join(self.groups) or 'none'})")
        if group in inside:
            raise RobotError(f"{self.source}: group {group!r} contains itself")
        names: list[str] = []
        for part in self.groups[group]:
            if part.tag == "joint":
                names.append(part.get("name", ""))
            elif part.tag == "link":
                above = model.joint_above.get(model.link(part.get("name", "")))
                names += [above.name] if above else []
            elif part.tag == "chain":
                names += _chain(model, part.get("base_link", ""), part.get("tip_link", ""))
            elif part.tag == "group":
                names += self._named_joints(part.get("name", ""), model, (*inside, group))
        return names


def read_srdf(path: FilePath) -> Semantics:
    """Read the groups, disabled collision pairs and named states of an SRDF file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Semantics
        What the file contains.

    Raises
    ------
    RobotError
        If the file is missing or is no SRDF.
    """
    root = read_xml(path, "robot")
    states: dict[str, dict[str, dict[str, float]]] = {}
    for state in root.findall("group_state"):
        values = {joint.get("name", ""): _value(joint, state, path) for joint in state.findall("joint")}
        states.setdefault(state.get("group", ""), {})[state.get("name", "")] = values
    return Semantics(
        source=str(Path(path)),
        groups={group.get("name", ""): group for group in root.findall("group")},
        disabled=frozenset(
            frozenset((pair.get("link1", ""), pair.get("link2", ""))) for pair in root.findall("disable_collisions")
        ),
        states=states,
    )


def _value(joint: Element, state: Element, path: FilePath) -> float:
    try:
        return float(joint.get("value", ""))
    except ValueError as fault:
        where = f"{path}: state {state.get('name')!r}: joint {joint.get('name')!r}"
        raise RobotError(f"{where}: its value {joint.get('value')!r} is no number") from fault


def _chain(model: RobotModel, base: str, tip: str) -> list[str]:
    """Return the joints from a base link to a tip link."""
    names: list[str] = []
    link = model.link(tip)
    while link != model.link(base):
        above = model.joint_above.get(link)
        if above is None:
            raise RobotError(f"{model.source}: no chain from link {base!r} to link {tip!r}")
        names.append(above.name)
        link = above.parent
    return names[::-1]
