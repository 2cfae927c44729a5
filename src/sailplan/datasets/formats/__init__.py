"""Readers and writers of world files, and readers of motion primitives."""

from sailplan.datasets.formats.costs import read_costs
from sailplan.datasets.formats.image import read_png, write_png
from sailplan.datasets.formats.movingai import read_map, read_scenarios, write_map
from sailplan.datasets.formats.nav2_lattice import read_nav2_lattice
from sailplan.datasets.formats.npz import read_neural_astar
from sailplan.datasets.formats.octomap import OctoMap, read_octomap
from sailplan.datasets.formats.primitives import read_primitives
from sailplan.datasets.formats.read import read_world, write_world
from sailplan.datasets.formats.ros import read_ros_map, write_ros_map
from sailplan.datasets.formats.sbpl import SbplEnvironment, read_mprim, read_sbpl_environment

__all__ = [
    "OctoMap",
    "SbplEnvironment",
    "read_costs",
    "read_map",
    "read_mprim",
    "read_nav2_lattice",
    "read_neural_astar",
    "read_octomap",
    "read_png",
    "read_primitives",
    "read_ros_map",
    "read_sbpl_environment",
    "read_scenarios",
    "read_world",
    "write_map",
    "write_png",
    "write_ros_map",
    "write_world",
]
