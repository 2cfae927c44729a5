"""Any map file, by its suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from sailplan.datasets.formats.image import IMAGE_SUFFIXES, decode_image, image_world, read_png, write_png
from sailplan.datasets.formats.movingai import map_world, read_map, write_map
from sailplan.datasets.formats.ros import YAML_SUFFIXES, read_ros_map, ros_world, write_ros_map
from sailplan.errors import WorldError
from sailplan.files import FilePath
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.world import Unknown, World, check_unknown

READERS: dict[str, Callable[..., World]] = {
    **dict.fromkeys(IMAGE_SUFFIXES, read_png),
    ".map": read_map,
    ".yaml": read_ros_map,
    ".yml": read_ros_map,
}
"""The reader of each suffix."""

WRITERS: dict[str, Callable[[World, FilePath], None]] = {
    ".png": write_png,
    ".pgm": write_png,
    ".bmp": write_png,
    ".map": write_map,
    ".yaml": write_ros_map,
    ".yml": write_ros_map,
}
"""The writer of each suffix."""


def read_world(path: FilePath, *, unknown: Unknown = "blocked") -> World:
    """Read a map: an image, a MovingAI `.map` file or the `.yaml` file of a ROS map.

    Parameters
    ----------
    path
        The file; its suffix gives the format.
    unknown
        Whether unknown cells count as free or as blocked: gray pixels with the value 205 in images, cells between
        the thresholds in ROS maps. MovingAI maps have none.

    Returns
    -------
    World
        Named after the file.

    Raises
    ------
    WorldError
        If the file cannot be read.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "tiny.map"
    >>> write_world(World.from_image([[1, 0], [1, 1]]), path)
    >>> read_world(path)
    World('tiny', 2 x 2, 25% blocked)
    """
    suffix = _suffix(path)
    if suffix not in READERS:
        raise WorldError(f"{path}: worlds are read from files that end in {', '.join(READERS)}")
    check_unknown(unknown)
    return read_map(path) if suffix == ".map" else READERS[suffix](path, unknown=unknown)


def decode_world(files: Mapping[str, bytes], *, largest: int, unknown: Unknown = "blocked") -> World:
    """Read a map from memory, without the file system.

    Parameters
    ----------
    files
        The contents of a file by its name: an image, a `.map` file, or the `.yaml` file of a ROS map and its image.
    largest
        Cells of the largest map that is read.
    unknown
        As for `read_world`.

    Returns
    -------
    World
        The same as `read_world` returns for these files.

    Raises
    ------
    SizeError
        If the header of the map gives more cells.
    WorldError
        If the files cannot be read.

    Examples
    --------
    >>> decode_world({"tiny.map": b"type octile\\nheight 1\\nwidth 2\\nmap\\n.@"}, largest=100)
    World('tiny', 2 x 1, 50% blocked)
    """
    names = sorted(files, key=lambda name: _suffix(name) not in YAML_SUFFIXES)
    if not names or _suffix(names[0]) not in READERS:
        given = ", ".join(names) or "no file"
        raise WorldError(f"{given}: worlds are read from files that end in {', '.join(READERS)}")
    first, *others = names
    check_unknown(unknown)
    if _suffix(first) in YAML_SUFFIXES:
        image = partial(_image_beside, files, first, largest)
        return ros_world(files[first], first, image, unknown=unknown)
    if others:
        raise WorldError(f"{', '.join(names)}: two files are a .yaml file and the image that it names")
    if _suffix(first) == ".map":
        return map_world(files[first], first, largest=largest)
    return image_world(files[first], first, unknown=unknown, largest=largest)


def _image_beside(files: Mapping[str, bytes], yaml: str, largest: int, image: Path) -> Image.Image:
    if image.name not in files:
        raise WorldError(f"{yaml}: it names the image {image.name!r}, which must be given beside it")
    return decode_image(files[image.name], image.name, largest)


def as_world(given: FilePath | World | ArrayLike, *, unknown: Unknown = "blocked") -> World:
    """Return a world for whatever may stand for a map.

    Parameters
    ----------
    given
        A map file, a `World`, a two-dimensional boolean array in which True is free, or a gray image as an array of
        uint8 in which values above 127 are free. Row 0 of an array is the *top* row.
    unknown
        Whether unknown cells of a file or of a gray image count as free or as blocked.

    Raises
    ------
    WorldError
        If it is none of these; the message says what to use instead.

    Examples
    --------
    >>> as_world(np.array([[True, False]]))
    World('map', 2 x 1, 50% blocked)
    """
    check_unknown(unknown)
    if isinstance(given, World):
        return given
    if isinstance(given, str | os.PathLike):
        return read_world(given, unknown=unknown)
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise WorldError("a map given as rows needs rows of equal length") from error
    if array.dtype == np.uint8:
        return World.from_gray(array, name="map", unknown=unknown)
    if array.dtype == np.bool_ and array.ndim:
        return World.from_image(array, name="map")
    advice = "; pass terrain costs as costs= beside the map" if array.dtype.kind == "f" else ""
    raise WorldError(
        "a map is a file, a World, a boolean array (True is free) or a gray image of uint8, "
        f"got {shown(given if array.ndim == 0 else array)}{advice}"
    )


def write_world(world: World, path: FilePath) -> None:
    """Write a world in the format of the suffix; the write is atomic.

    Parameters
    ----------
    world
        The world.
    path
        The file; its suffix decides the format.

    Raises
    ------
    WorldError
        If worlds are not written to files with this suffix.
    OSError
        If the file cannot be written.
    """
    suffix = _suffix(path)
    if suffix not in WRITERS:
        raise WorldError(f"{path}: worlds are written to files that end in {', '.join(WRITERS)}")
    WRITERS[suffix](world, path)


def _suffix(path: FilePath) -> str:
    try:
        return Path(path).suffix.lower()
    except TypeError as error:
        raise WorldError(f"a map file is named by a path, got {shown(path)}") from error
