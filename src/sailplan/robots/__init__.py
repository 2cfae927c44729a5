"""Robot arms with collision checkers: sphere models from URDF files, scenes, and problems of MotionBenchMaker."""

from sailplan.robots.function_robot import FunctionRobot
from sailplan.robots.motion_bench_maker import ArmProblem, read_obstacles, read_problems
from sailplan.robots.roboplan import RoboplanRobot
from sailplan.robots.robot import CheckCounts, Robot, check_configuration, joint_space
from sailplan.robots.scene import Box, Cylinder, Obstacle, Scene, Sphere
from sailplan.robots.spheres import SphereRobot
from sailplan.robots.validated import ValidatedResult, plan_validated

__all__ = [
    "ArmProblem",
    "Box",
    "CheckCounts",
    "Cylinder",
    "FunctionRobot",
    "Obstacle",
    "RoboplanRobot",
    "Robot",
    "Scene",
    "Sphere",
    "SphereRobot",
    "ValidatedResult",
    "check_configuration",
    "joint_space",
    "plan_validated",
    "read_obstacles",
    "read_problems",
]
