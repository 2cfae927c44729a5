"""Worlds, the files that hold them, and datasets of them."""

from sailplan.worlds.dataset import WorldDataset
from sailplan.worlds.families import FAMILIES, GeneratedWorlds, generate_world
from sailplan.worlds.formats import (
    read_map,
    read_neural_astar,
    read_png,
    read_ros_map,
    read_scenarios,
    read_world,
    write_map,
    write_png,
    write_ros_map,
    write_world,
)
from sailplan.worlds.scenario import Scenario
from sailplan.worlds.world import Cell, World

__all__ = [
    "FAMILIES",
    "Cell",
    "GeneratedWorlds",
    "Scenario",
    "World",
    "WorldDataset",
    "generate_world",
    "read_map",
    "read_neural_astar",
    "read_png",
    "read_ros_map",
    "read_scenarios",
    "read_world",
    "write_map",
    "write_png",
    "write_ros_map",
    "write_world",
]
