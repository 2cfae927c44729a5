"""Occupancy maps of ROS: a yaml file beside an image, as map_server and Nav2 read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sailplan.datasets.formats.flat_yaml import FlatYaml, parse_flat_yaml, read_flat_yaml
from sailplan.datasets.formats.image import bands, pixels_of, read_image, write_png
from sailplan.errors import WorldError
from sailplan.files import FilePath, file_bytes, file_lines, text_lines, write_text
from sailplan.graphs.grid.world import Unknown, World, check_unknown

YAML_SUFFIXES = (".yaml", ".yml")

_YES_AND_NO = {"1": True, "0": False, "true": True, "false": False}
_MODES = ("trinary", "scale")


@dataclass(frozen=True)
class _Settings:
    image: Path
    """Relative to the folder of the yaml file."""
    resolution: float
    origin: tuple[float, float, float]
    negate: bool
    occupied_thresh: float
    free_thresh: float
    mode: str


def read_ros_map(path: FilePath, *, unknown: Unknown = "blocked") -> World:
    """Read a map of ROS from its yaml file and the image that this names.

    Parameters
    ----------
    path
        The yaml file. A cell is blocked if its occupancy is above `occupied_thresh`, free if it is below
        `free_thresh`, and unknown otherwise. In the mode `trinary` the occupancy comes from the mean of the channels
        of a pixel, alpha included, as in map_server. In `scale` a pixel that is not opaque is unknown, too. The mode
        `raw` is refused, because its values come without thresholds.
    unknown
        Whether unknown cells count as free or as blocked.

    Returns
    -------
    World
        With the resolution and the origin of the map, and the number of unknown cells.

    Raises
    ------
    WorldError
        If one of the two files cannot be read.
    """
    contents, folder = file_bytes(path, error=WorldError), Path(path).parent
    return ros_world(contents, path, lambda image: read_image(folder / image), unknown=unknown)


def ros_world(
    contents: bytes,
    place: FilePath,
    image_named: Callable[[Path], Image.Image],
    *,
    unknown: Unknown = "blocked",
) -> World:
    """Return the world of a yaml file that is in memory, as `read_ros_map` does.

    Parameters
    ----------
    contents
        The contents of the yaml file.
    place
        The name of the yaml file, for messages and for the name of the world.
    image_named
        Returns the image of a path, which the yaml file gives relative to its folder.
    unknown
        As for `read_ros_map`.

    Raises
    ------
    WorldError
        If one of the two files cannot be read.
    """
    settings = _parse_settings(parse_flat_yaml(text_lines(contents), place))
    check_unknown(unknown)
    # The image is released before the world is made.
    free, unknown_cells = _free_cells(image_named(settings.image), settings, unknown)
    return World.from_image(
        free,
        name=Path(place).stem,
        resolution=settings.resolution,
        origin=settings.origin,
        unknown_cells=unknown_cells,
        unknown=unknown,
    )


def write_ros_map(world: World, path: FilePath, *, image_suffix: Literal[".pgm", ".png"] = ".pgm") -> None:
    """Write the yaml file and, beside it, the image that it names.

    A world without a resolution and an origin gets cells of one metre, starting at (0, 0).

    Raises
    ------
    WorldError
        If the path does not end in .yaml or .yml.
    """
    if Path(path).suffix.lower() not in YAML_SUFFIXES:
        raise WorldError(f"{path}: a ROS map is written to a file that ends in .yaml or .yml")
    image = Path(path).with_suffix(image_suffix)
    write_png(world, image)
    origin = ", ".join(repr(float(number)) for number in world.origin or (0, 0, 0))
    quoted_name = "'" + image.name.replace("'", "''") + "'"
    write_text(
        path,
        f"image: {quoted_name}\nmode: trinary\nresolution: {float(world.resolution or 1)!r}\n"
        f"origin: [{origin}]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
    )


def is_ros_map(path: FilePath) -> bool:
    """Whether a yaml file describes a map: it has a line for the key `image`."""
    return any(line.startswith("image:") for line in file_lines(path, error=WorldError))


def named_image(path: FilePath) -> Path | None:
    """Return the image file that the yaml file of a map names; None if the yaml file is damaged."""
    try:
        return Path(path).parent / _inner_path(read_flat_yaml(path), "image")
    except WorldError:
        return None


def _free_cells(image: Image.Image, settings: _Settings, unknown: Unknown) -> tuple[NDArray[np.bool_], int]:
    """Return whether each pixel is free, and the number of unknown ones."""
    free, unknown_cells = np.empty((image.height, image.width), bool), 0
    for rows, band in bands(image):
        is_free, is_unknown = _free_and_unknown(pixels_of(band), settings)
        free[rows] = np.where(is_unknown, unknown == "free", is_free)
        unknown_cells += int(is_unknown.sum())
    return free, unknown_cells


def _free_and_unknown(pixels: NDArray[np.uint8], settings: _Settings) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    # Of an image without alpha this is an empty list of channels, and nothing is seen through.
    alpha = pixels[:, :, 3:]
    if settings.mode == "scale":
        pixels = pixels[:, :, :3]
    white = 255 * pixels.shape[2]
    brightness = np.arange(white + 1)
    occupancy = (brightness if settings.negate else white - brightness) / white
    blocked, free = occupancy > settings.occupied_thresh, occupancy < settings.free_thresh
    total = pixels.sum(axis=2, dtype=np.uint16)
    is_unknown = ~(free | blocked)[total]
    if settings.mode == "scale":
        is_unknown |= (alpha < 255).any(axis=2)
    return free[total], is_unknown


def _parse_settings(yaml: FlatYaml) -> _Settings:
    x, y, yaw = yaml.numbers("origin", 3)
    free_thresh, occupied_thresh = _read_thresholds(yaml)
    return _Settings(
        image=_inner_path(yaml, "image"),
        resolution=_read_resolution(yaml),
        origin=(x, y, yaw),
        negate=_YES_AND_NO[_one_of(yaml, "negate", tuple(_YES_AND_NO))],
        occupied_thresh=occupied_thresh,
        free_thresh=free_thresh,
        mode=_one_of(yaml, "mode", _MODES, default="trinary"),
    )


def _inner_path(yaml: FlatYaml, key: str) -> Path:
    """Return a path inside the folder of the yaml file, written with slashes or backslashes."""
    text = yaml.text(key)
    written = PureWindowsPath(text)
    if written.anchor or ".." in written.parts or not written.parts:
        where = yaml.place(key)
        raise WorldError(f"{where}: {key} must lie in the folder of the yaml file or below, got {text[:60]!r}")
    return Path(*written.parts)


def _read_resolution(yaml: FlatYaml) -> float:
    (resolution,) = yaml.numbers("resolution", 1)
    if resolution <= 0:
        raise WorldError(f"{yaml.place('resolution')}: resolution must be above 0, got {resolution}")
    return resolution


def _read_thresholds(yaml: FlatYaml) -> tuple[float, float]:
    (free,), (occupied,) = yaml.numbers("free_thresh", 1), yaml.numbers("occupied_thresh", 1)
    if not 0 <= free <= occupied <= 1:
        place = yaml.place("free_thresh")
        raise WorldError(f"{place}: need 0 <= free_thresh <= occupied_thresh <= 1, got {free} and {occupied}")
    return free, occupied


def _one_of(yaml: FlatYaml, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
    text = yaml.text(key, default).lower()
    if text not in choices:
        raise WorldError(f"{yaml.place(key)}: {key} is one of {', '.join(choices)}, got {text[:60]!r}")
    return text
