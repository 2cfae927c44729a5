"""A robot as spheres: forward kinematics and collision checks in compiled code, from a spherized URDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.files import FilePath
from sailplan.graphs.roadmap import ConfigurationSpace
from sailplan.robots.kernel.collision import check_configurations, list_contacts
from sailplan.robots.kernel.edges import check_edges
from sailplan.robots.kernel.pose import ArmArrays, PoseArrays, place_robot
from sailplan.robots.model_robot import ModelRobot
from sailplan.robots.robot import (
    RESOLUTION,
    BoolArray,
    as_configurations,
    check_resolution,
    joint_space,
    segment_counts,
)
from sailplan.robots.sphere_model import SphereModel, assemble, padded, scratch_pose
from sailplan.robots.srdf import read_srdf
from sailplan.robots.urdf import read_urdf


@dataclass(frozen=True, eq=False)
class SphereRobot(ModelRobot[SphereModel]):
    """A robot made of spheres, in a scene; create one with `SphereRobot.from_files`."""

    @classmethod
    def from_files(
        cls,
        urdf: FilePath,
        srdf: FilePath | None = None,
        *,
        group: str | None = None,
        fixed: Mapping[str, float] | None = None,
        padding: float | Mapping[str, float] = 0.0,
        resolution: float = RESOLUTION,
    ) -> SphereRobot:
        """Read a robot from a spherized URDF, in which all collision geometry is spheres.

        Parameters
        ----------
        urdf
            The file with links and joints.
        srdf
            The file with groups of joints and with the pairs of links that need no check. Without it, all pairs of
            links are checked that are not adjacent and not rigidly connected.
        group
            The group of joints to plan for; by default all joints that move.
        fixed
            Values of joints that are not in the group; by default 0, or the limit next to it.
        padding
            Metres by which all spheres are enlarged, or those of some links, by link. Spheres that were fitted to
            meshes need not cover them.
        resolution
            Largest distance between checked configurations of an edge, in radians and metres.

        Returns
        -------
        SphereRobot
            The robot, in an empty scene.

        Raises
        ------
        RobotError
            If a file cannot be read, has no spheres, or has no such group, joint or link, if the padding is negative,
            or if the resolution is not positive.
        """
        if group is not None and srdf is None:
            raise RobotError(f"group {group!r} needs an SRDF file")
        robot = padded(read_urdf(urdf), padding)
        semantics = None if srdf is None else read_srdf(srdf)
        return cls(assemble(robot, semantics, group, fixed or {}), resolution=check_resolution(resolution))

    @cached_property
    def _arm(self) -> ArmArrays:
        return self.model.arrays

    @cached_property
    def _space(self) -> ConfigurationSpace:
        return joint_space(self)

    def valid(self, configurations: ArrayLike) -> BoolArray:
        """Return whether each configuration is inside the limits and free of collisions.

        Parameters
        ----------
        configurations
            Rows of joint values.

        Returns
        -------
        numpy.ndarray
            A bool for each row.

        Raises
        ------
        RobotError
            If a row has the wrong length or is not finite.
        """
        rows = as_configurations(self, configurations)
        result = np.empty(len(rows), bool)
        self.counts.configurations += len(rows)
        check_configurations(self._arm, self.scene.arrays, scratch_pose(self._arm), rows, result)
        return result

    def edge_valid(self, starts: ArrayLike, ends: ArrayLike, *, endpoints: bool = True) -> BoolArray:
        """Return whether the straight motion from each start to each end is valid.

        Parameters
        ----------
        starts, ends
            Rows of joint values.
        endpoints
            Whether the ends are checked as well.

        Returns
        -------
        numpy.ndarray
            A bool for each edge.

        Raises
        ------
        RobotError
            If a row has the wrong length or is not finite, or there are not as many ends as starts.
        """
        first, last = as_configurations(self, starts), as_configurations(self, ends)
        if len(first) != len(last):
            raise RobotError(f"as many ends as starts are needed, got {len(last)} and {len(first)}")
        differences = self._space.difference(first, last)
        segments = segment_counts(differences, self.resolution)
        result, checked, scratch = np.empty(len(first), bool), np.zeros(1, np.int64), np.empty(first.shape[1])
        arm, scene, pose = self._arm, self.scene.arrays, scratch_pose(self._arm)
        check_edges(arm, scene, pose, first, differences, segments, endpoints, scratch, checked, result)
        self.counts.edges += len(first)
        self.counts.configurations += int(checked[0])
        return result

    def collisions(self, configuration: ArrayLike) -> list[tuple[str, str]]:
        """Return which bodies collide at a configuration: pairs of a link and an obstacle, or of two links.

        Parameters
        ----------
        configuration
            One joint value for each joint.

        Returns
        -------
        list of tuple of str
            Names of links and obstacles.
        """
        (row,) = as_configurations(self, np.asarray(configuration)[None], "configuration")
        with_obstacles = np.zeros((len(self.model.links), len(self.scene)), bool)
        with_links = np.zeros(len(self._arm.pairs), bool)
        list_contacts(self._arm, self.scene.arrays, scratch_pose(self._arm), row, with_obstacles, with_links)
        links = self.model.links
        pairs = [(links[link], self.scene.names[obstacle]) for link, obstacle in np.argwhere(with_obstacles)]
        pairs += [(links[one], links[other]) for one, other in self._arm.pairs[with_links]]
        return list(dict.fromkeys(pairs))

    def sphere_positions(self, configuration: ArrayLike) -> FloatArray:
        """Return the spheres of the robot at a configuration: rows of centre, in the frame of the root, and radius."""
        pose = self._pose_at(configuration)
        return np.column_stack([pose.spheres, self._arm.spheres[:, 3]])

    def link_position(self, configuration: ArrayLike, link: str) -> FloatArray:
        """Return the origin of a link at a configuration, in the frame of the root; raises RobotError for no link."""
        return self.model.link_origin(self._pose_at(configuration), link)

    def _pose_at(self, configuration: ArrayLike) -> PoseArrays:
        (row,) = as_configurations(self, np.asarray(configuration)[None], "configuration")
        pose = scratch_pose(self._arm)
        place_robot(self._arm, pose, row)
        return pose
