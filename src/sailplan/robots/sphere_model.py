"""Assembly of a sphere model: the arrays of the compiled checker, from a robot model and its semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.robots.kernel.collision import list_contacts
from sailplan.robots.kernel.pose import ArmArrays, PoseArrays
from sailplan.robots.robot import BoolArray
from sailplan.robots.scene import Scene
from sailplan.robots.srdf import Semantics
from sailplan.robots.transforms import make_transform, rotation_about
from sailplan.robots.urdf import MOVING, Joint, RobotModel

_SAMPLES = 1000
"""Number of configurations at which links are looked at for permanent contacts."""


@dataclass(frozen=True, eq=False)
class SphereModel:
    """The joints, links and spheres of a robot, without obstacles."""

    name: str
    joint_names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    continuous: BoolArray
    links: tuple[str, ...]
    """The links that have spheres, in the order of `arrays`."""
    arrays: ArmArrays
    permanent_contacts: tuple[tuple[str, str], ...]
    """Pairs of links that collide at every configuration of a sample; they are not checked."""
    places: Mapping[str, tuple[int, FloatArray]]
    """For every link, the frame that it moves with and its 4 x 4 transform in that frame."""

    def link_origin(self, pose: PoseArrays, link: str) -> FloatArray:
        """Return the origin of a link in the frame of the root."""
        if link not in self.places:
            raise RobotError(f"robot {self.name!r} has no link {link!r}")
        frame, inside = self.places[link]
        rotation, translation = pose.frames[frame, :9].reshape(3, 3), pose.frames[frame, 9:]
        origin: FloatArray = rotation @ inside[:3, 3] + translation
        return origin


def padded(model: RobotModel, padding: float | Mapping[str, float]) -> RobotModel:
    """Return a model with larger spheres: by the same amount everywhere, or by link; raises RobotError."""
    amounts = padding if isinstance(padding, Mapping) else dict.fromkeys(model.links, padding)
    for link, amount in amounts.items():
        if not 0.0 <= amount < np.inf:
            raise RobotError(f"the padding of link {model.link(link)!r} must be a number, not negative, got {amount}")
    growth = {model.link(link): np.array([0.0, 0.0, 0.0, amount]) for link, amount in amounts.items()}
    spheres = {link: rows + growth.get(link, 0.0) for link, rows in model.spheres.items()}
    return replace(model, spheres=spheres)


def assemble(
    model: RobotModel, semantics: Semantics | None, group: str | None, fixed: Mapping[str, float]
) -> SphereModel:
    """Assemble the arrays of a robot whose joints outside the group are fixed; raises RobotError."""
    free = tuple(one.name for one in model.joints.values() if one.kind in MOVING and one.mimic is None)
    planned = free if semantics is None or group is None else semantics.joints_of(group, model)
    for name in fixed:
        if model.joint(name).kind == "fixed" or name in planned:
            raise RobotError(f"joint {name!r} cannot be fixed at a value: it is planned for, or does not move")
    frames = _Frames(model, planned, fixed)
    links = tuple(link for link in model.links if len(model.spheres[link]))
    joints = [model.joints[name] for name in planned]
    continuous = np.array([joint.kind == "continuous" for joint in joints])
    lower, upper = (np.array([getattr(joint, side) for joint in joints]) for side in ("lower", "upper"))
    spheres = [_moved(model.spheres[link], frames.places[link][1]) for link in links]
    arrays = ArmArrays(
        parents=np.array(frames.parents, np.int64),
        offsets=np.array([_flat(offset) for offset in frames.offsets]),
        axes=np.array([joint.axis if joint else np.zeros(3) for joint in frames.joints]),
        prismatic=np.array([joint is not None and joint.kind == "prismatic" for joint in frames.joints]),
        inputs=np.array([column for column, _, _ in frames.motions], np.int64),
        scales=np.array([scale for _, scale, _ in frames.motions]),
        shifts=np.array([shift for _, _, shift in frames.motions]),
        spheres=np.concatenate(spheres),
        first=np.cumsum([0, *map(len, spheres)], dtype=np.int64),
        link_frames=np.array([frames.places[link][0] for link in links], np.int64),
        bounds=np.array([_bounding_sphere(one) for one in spheres]),
        pairs=_link_pairs(model, links, frames.places, frozenset() if semantics is None else semantics.disabled),
        lower=np.where(continuous, -np.inf, lower),
        upper=np.where(continuous, np.inf, upper),
    )
    permanent = _permanent_contacts(arrays, lower, upper)
    contacts = tuple((links[one], links[other]) for one, other in arrays.pairs[permanent])
    arrays = arrays._replace(pairs=arrays.pairs[~permanent])
    return SphereModel(model.name, planned, lower, upper, continuous, links, arrays, contacts, frames.places)


def scratch_pose(arrays: ArmArrays) -> PoseArrays:
    """Return new scratch arrays for the compiled checker."""
    frames = np.empty((len(arrays.parents), 12))
    frames[0] = _flat(np.eye(4))
    return PoseArrays(frames, np.empty((len(arrays.spheres), 3)), np.empty((len(arrays.bounds), 3)))


def _permanent_contacts(arrays: ArmArrays, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Return which pairs of links collide at every one of some random configurations.

    Spheres are larger than what they cover, so that close links may overlap at all configurations, which an SRDF made
    for meshes does not know. With such a pair no configuration would be valid.
    """
    rng = np.random.default_rng(0)
    with_obstacles, with_links = np.empty((len(arrays.bounds), 0), bool), np.empty(len(arrays.pairs), bool)
    always, pose, scene = np.ones(len(arrays.pairs), bool), scratch_pose(arrays), Scene().arrays
    for configuration in rng.uniform(lower, upper, (_SAMPLES, len(lower))):
        list_contacts(arrays, scene, pose, configuration, with_obstacles, with_links)
        always &= with_links
        if not always.any():
            break
    return always


class _Frames:
    """The frames of a robot: the world, then each moving joint; fixed joints are merged into the frame above."""

    def __init__(self, model: RobotModel, planned: Sequence[str], fixed: Mapping[str, float]) -> None:
        self.parents = [0]
        self.offsets: list[FloatArray] = [np.eye(4)]
        self.joints: list[Joint | None] = [None]
        self.motions = [(0, 0.0, 0.0)]
        self.places: dict[str, tuple[int, FloatArray]] = {model.links[0]: (0, np.eye(4))}
        for link in model.links[1:]:
            joint = model.joint_above[link]
            frame, inside = self.places[joint.parent]
            motion = _motion(model, joint, planned, fixed)
            if motion[1] == 0.0:
                self.places[link] = frame, inside @ joint.origin @ _moved_by(joint, motion[2])
            else:
                self.places[link] = len(self.parents), np.eye(4)
                self.parents.append(frame)
                self.offsets.append(inside @ joint.origin)
                self.joints.append(joint)
                self.motions.append(motion)


def _motion(
    model: RobotModel, joint: Joint, planned: Sequence[str], fixed: Mapping[str, float], seen: tuple[str, ...] = ()
) -> tuple[int, float, float]:
    """Return the column, scale and shift that give the value of a joint; the scale is 0 if it does not move."""
    if joint.kind == "fixed":
        return 0, 0.0, 0.0
    if joint.mimic:
        if joint.name in seen:
            raise RobotError(f"{model.source}: joint {joint.name!r} mimics itself")
        other = model.joint(joint.mimic.joint)
        column, scale, shift = _motion(model, other, planned, fixed, (*seen, joint.name))
        return column, joint.mimic.multiplier * scale, joint.mimic.multiplier * shift + joint.mimic.offset
    if joint.name in planned:
        return planned.index(joint.name), 1.0, 0.0
    return 0, 0.0, float(fixed.get(joint.name, np.clip(0.0, joint.lower, joint.upper)))


def _moved_by(joint: Joint, value: float) -> FloatArray:
    if joint.kind == "prismatic":
        return make_transform(np.eye(3), value * joint.axis)
    return make_transform(rotation_about(joint.axis, value), np.zeros(3))


def _flat(transform: FloatArray) -> FloatArray:
    return np.concatenate([transform[:3, :3].ravel(), transform[:3, 3]])


def _moved(spheres: FloatArray, transform: FloatArray) -> FloatArray:
    return np.column_stack([spheres[:, :3] @ transform[:3, :3].T + transform[:3, 3], spheres[:, 3]])


def _bounding_sphere(spheres: FloatArray) -> FloatArray:
    """Return a small sphere around spheres: the centre moves towards the farthest one by ever smaller steps."""
    centre = spheres[:, :3].mean(axis=0)
    for step in range(1, 200):
        reaches = np.linalg.norm(spheres[:, :3] - centre, axis=1) + spheres[:, 3]
        centre = centre + (spheres[reaches.argmax(), :3] - centre) / (step + 1)
    reaches = np.linalg.norm(spheres[:, :3] - centre, axis=1) + spheres[:, 3]
    return np.append(centre, reaches.max())


def _link_pairs(
    model: RobotModel,
    links: Sequence[str],
    places: Mapping[str, tuple[int, FloatArray]],
    disabled: frozenset[frozenset[str]],
) -> np.ndarray:
    """Return pairs of links to check: not disabled, not parent and child, and not moving with the same frame."""
    adjacent = {frozenset((joint.parent, joint.child)) for joint in model.joints.values()}
    pairs = [
        (first, second)
        for (first, one), (second, other) in combinations(enumerate(links), 2)
        if frozenset((one, other)) not in disabled | adjacent and places[one][0] != places[other][0]
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)
