"""What robots read from files have in common: a model with joints, a scene around it, and counts of checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, Self, TypeVar

from sailplan.core.graph import FloatArray
from sailplan.robots.robot import RESOLUTION, BoolArray, CheckCounts
from sailplan.robots.scene import Obstacle, Scene


class JointModel(Protocol):
    """The joints of a model; see `Robot`."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints."""

    @property
    def lower(self) -> FloatArray:
        """The lower limits of the joints."""

    @property
    def upper(self) -> FloatArray:
        """The upper limits of the joints."""

    @property
    def continuous(self) -> BoolArray:
        """Whether each joint turns without limit."""


_Model = TypeVar("_Model", bound=JointModel)


@dataclass(frozen=True, eq=False)
class ModelRobot(Generic[_Model]):
    """A robot with a model, in a scene; a subclass adds the checks."""

    model: _Model
    """The joints, and what the checks need."""
    scene: Scene = field(default_factory=Scene)
    """The obstacles; `in_scene` gives the robot others."""
    resolution: float = RESOLUTION
    """Largest distance between checked configurations of an edge, in the joint space."""
    counts: CheckCounts = field(default_factory=CheckCounts)
    """What was checked so far in this scene."""

    def in_scene(self, scene: Scene | Iterable[Obstacle]) -> Self:
        """Return the same robot among other obstacles, with counts from zero."""
        inside = scene if isinstance(scene, Scene) else Scene(tuple(scene))
        return replace(self, scene=inside, counts=CheckCounts())

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints."""
        return self.model.joint_names

    @property
    def joint_limits(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper limits of the joints."""
        return self.model.lower, self.model.upper

    @property
    def continuous(self) -> BoolArray:
        """Whether each joint turns without limit."""
        return self.model.continuous
