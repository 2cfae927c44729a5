"""Compare the sphere checker with coal on the same spherized models, and with the meshes of example robots.

Needs the packages coal and pin (`pip install sailplan[robots] pin`), and the folder of arms of the shared data:

    python benchmarks/sphere_checker.py --arms ../shared/data/arms
"""

from __future__ import annotations

import argparse
import json
import time
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
    """A spherized robot among obstacles, read by pinocchio and checked by coal."""

    def __init__(self, robot: SphereRobot, urdf: Path, srdf: Path) -> None:
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.geometry = pin.buildGeomFromUrdf(self.model, str(urdf), pin.GeometryType.COLLISION)
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


def compare_with_coal(folder: Path, name: str, count: int, scenes: int) -> dict[str, Any]:
    """Compare verdicts on random configurations, spread over scenes of MotionBenchMaker."""
    urdf, srdf = folder / name / f"{name}_spherized.urdf", folder / name / f"{name}.srdf"
    robot = SphereRobot.from_files(urdf, srdf, group=GROUPS[name])
    problems = read_problems(folder / name / "problems.tar.xz", robot.joint_names)
    rng = np.random.default_rng(0)
    lower, upper = robot.joint_limits
    counts = {"valid": 0, "invalid": 0, "different": 0, "different, not touching": 0}
    seconds = {"sphere checker": 0.0, "coal": 0.0}
    for problem, batch in zip(
        problems[:: max(len(problems) // scenes, 1)][:scenes],
        np.array_split(rng.uniform(lower, upper, (count, len(lower))), scenes),
        strict=True,
    ):
        inside = robot.in_scene(problem.scene)
        peer = CoalChecker(inside, urdf, srdf)
        inside.valid(batch[:1])
        began = time.perf_counter()
        verdicts = inside.valid(batch)
        between = time.perf_counter()
        theirs = np.array([peer.valid(row) for row in batch])
        seconds["sphere checker"] += between - began
        seconds["coal"] += time.perf_counter() - between
        counts["valid"] += int(verdicts.sum())
        counts["invalid"] += int((~verdicts).sum())
        differing = batch[verdicts != theirs]
        counts["different"] += len(differing)
        counts["different, not touching"] += sum(abs(peer.clearance(row)) > TOUCHING for row in differing)
    rates = {f"us a configuration, {one}": round(1e6 * spent / count, 2) for one, spent in seconds.items()}
    return {"robot": name, "configurations": count, "scenes": scenes, **counts, **rates}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=Path, default=Path("../shared/data/arms"))
    parser.add_argument("--robots", default="panda,ur5,fetch")
    parser.add_argument("--configurations", type=int, default=100_000)
    parser.add_argument("--scenes", type=int, default=70)
    options = parser.parse_args()
    for name in options.robots.split(","):
        print(json.dumps(compare_with_coal(options.arms, name, options.configurations, options.scenes)), flush=True)


if __name__ == "__main__":
    main()
