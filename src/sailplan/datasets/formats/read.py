"""Any world file, by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sailplan.datasets.formats.image import IMAGE_SUFFIXES, read_png, write_png
from sailplan.datasets.formats.movingai import read_map, write_map
from sailplan.datasets.formats.ros import read_ros_map, write_ros_map
from sailplan.errors import WorldError
from sailplan.files import FilePath
from sailplan.graphs.grid.world import World

READERS: dict[str, Callable[[FilePath], World]] = {
    **dict.fromkeys(IMAGE_SUFFIXES, read_png),
    ".map": read_map,
    ".yaml": read_ros_map,
    ".yml": read_ros_map,
}
"""What reads the files of each suffix."""

WRITERS: dict[str, Callable[[World, FilePath], None]] = {
    ".png": write_png,
    ".pgm": write_png,
    ".bmp": write_png,
    ".map": write_map,
    ".yaml": write_ros_map,
    ".yml": write_ros_map,
}
"""What writes the files of each suffix."""


def read_world(path: FilePath) -> World:
    """Read one world: an image, a MovingAI map or the yaml file of a ROS map."""
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise WorldError(f"{path}: worlds are read from files that end in {', '.join(READERS)}")
    return READERS[suffix](path)


def write_world(world: World, path: FilePath) -> None:
    """Write one world in the format of the suffix, whole or not at all."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise WorldError(f"{path}: worlds are written to files that end in {', '.join(WRITERS)}")
    WRITERS[suffix](world, path)
