"""Worlds, the files that hold them, generated families, and datasets for training and evaluation."""

from sailplan.datasets.dataset import WorldDataset
from sailplan.datasets.edge_worlds import EdgeWorlds, read_edge_worlds, write_edge_worlds
from sailplan.datasets.families import FAMILIES, GeneratedWorlds, generate_world
from sailplan.datasets.formats import (
    OctoMap,
    SbplEnvironment,
    read_costs,
    read_map,
    read_mprim,
    read_nav2_lattice,
    read_neural_astar,
    read_octomap,
    read_png,
    read_primitives,
    read_ros_map,
    read_sbpl_environment,
    read_scenarios,
    read_world,
    write_map,
    write_png,
    write_ros_map,
    write_world,
)
from sailplan.datasets.recording import MapChecker, record_worlds
from sailplan.datasets.scenario import Scenario
from sailplan.graphs.grid.world import Cell, World

__all__ = [
    "FAMILIES",
    "Cell",
    "EdgeWorlds",
    "GeneratedWorlds",
    "MapChecker",
    "OctoMap",
    "SbplEnvironment",
    "Scenario",
    "World",
    "WorldDataset",
    "generate_world",
    "read_costs",
    "read_edge_worlds",
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
    "record_worlds",
    "write_edge_worlds",
    "write_map",
    "write_png",
    "write_ros_map",
    "write_world",
]
