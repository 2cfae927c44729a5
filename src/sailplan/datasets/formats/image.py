"""Worlds as images: white is free, black is blocked, the top row comes first.

Pillow decodes the files. A damaged or hostile file raises one WorldError with a clear message, nothing else.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sailplan.errors import SizeError, WorldError
from sailplan.files import FilePath, atomic_write, fault_line, file_bytes
from sailplan.graphs.grid.world import FREE_ABOVE, UNKNOWN_GRAY, Unknown, World, check_unknown

IMAGE_SUFFIXES = (".png", ".pgm", ".pbm", ".ppm", ".bmp", ".gif", ".jpg", ".jpeg", ".webp")
"""Suffixes of the images that can be read, in lower case."""

LARGEST_IMAGE = 100_000_000
"""Cells of the largest image that is decoded; a larger one is refused on its header alone."""

_BAND_CELLS = 1 << 20
"""Cells that are converted at once."""

# Pillow's other formats are excluded: EPS starts Ghostscript, and libtiff writes to stderr.
_READ_FORMATS = ("PNG", "PPM", "BMP", "GIF", "JPEG", "WEBP")
_WRITE_FORMATS = {".png": "PNG", ".pgm": "PPM", ".bmp": "BMP"}

# Python's warning filters are global to the process: two threads must not change them at once.
_silence = threading.Lock()


def read_png(path: FilePath, *, name: str | None = None, unknown: Unknown = "blocked") -> World:
    """Read a PNG, or any other image of `IMAGE_SUFFIXES`.

    Parameters
    ----------
    path
        The file. A luminance above 127 is free. Transparent pixels count as if on a white background, so a fully
        transparent pixel is free.
    name
        Name of the world; by default that of the file.
    unknown
        Whether unknown cells count as free or as blocked. By the convention of ROS, unknown are the gray pixels with
        exactly the value 205 (in colour images, in all three channels).

    Returns
    -------
    World
        It knows how many cells were unknown.

    Raises
    ------
    WorldError
        If the file is not an image that can be read.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "tiny.png"
    >>> Image.fromarray(np.array([[0, 205, 255]], np.uint8)).save(path)
    >>> world = read_png(path, unknown="free")
    >>> world.image().tolist(), world.unknown_cells
    ([[False, True, True]], 1)
    """
    return image_world(file_bytes(path, error=WorldError), path, name=name, unknown=unknown)


def image_world(
    contents: bytes,
    place: FilePath,
    *,
    name: str | None = None,
    unknown: Unknown = "blocked",
    largest: int = LARGEST_IMAGE,
) -> World:
    """Return the world of an image that is in memory, as `read_png` does.

    Parameters
    ----------
    contents
        The contents of the file.
    place
        The name of the file, for messages and for the name of the world.
    name, unknown
        As for `read_png`.
    largest
        Cells of the largest image that is decoded.

    Raises
    ------
    SizeError
        If the image has more cells; its header is enough to say so.
    WorldError
        If the contents are not an image that can be read.
    """
    check_unknown(unknown)
    # The image is released before the world is made.
    free, unknown_cells = _free_cells(decode_image(contents, place, largest), unknown)
    return World.from_image(free, name=name or Path(place).stem, unknown_cells=unknown_cells, unknown=unknown)


def _free_cells(image: Image.Image, unknown: Unknown) -> tuple[NDArray[np.bool_], int]:
    """Return whether each pixel is free, and the number of unknown ones."""
    free, unknown_cells = np.empty((image.height, image.width), bool), 0
    for rows, band in bands(image):
        opaque = with_white_background(band)
        is_unknown = (pixels_of(opaque) == UNKNOWN_GRAY).all(axis=2)
        free[rows] = np.asarray(opaque.convert("L")) > FREE_ABOVE
        free[rows][is_unknown] = unknown == "free"
        unknown_cells += int(is_unknown.sum())
    return free, unknown_cells


def bands(image: Image.Image) -> Iterator[tuple[slice, Image.Image]]:
    """Yield an image from the top in bands of rows: converting a large one as a whole takes many times its memory."""
    height = max(1, _BAND_CELLS // image.width)
    for top in range(0, image.height, height):
        bottom = min(top + height, image.height)
        yield slice(top, bottom), image.crop((0, top, image.width, bottom))


def pixels_of(image: Image.Image) -> NDArray[np.uint8]:
    """Return the channels of an image in a plain mode, with the shape (height, width, channels)."""
    return np.asarray(image, np.uint8).reshape(image.height, image.width, -1)


def with_white_background(image: Image.Image) -> Image.Image:
    """Return an image without transparency: what is behind it is white."""
    if image.mode != "RGBA":
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")


def write_png(world: World, path: FilePath) -> None:
    """Write the world as 8-bit gray, 255 free and 0 blocked; a suffix .pgm or .bmp selects that format.

    Raises
    ------
    WorldError
        If the suffix is none of .png, .pgm and .bmp.
    """
    image_format = _WRITE_FORMATS.get(Path(path).suffix.lower())
    if image_format is None:
        raise WorldError(f"{path}: images are written as {', '.join(_WRITE_FORMATS)}")
    pixels = world.image().astype(np.uint8) * np.uint8(255)
    with atomic_write(path) as handle:
        Image.fromarray(pixels).save(handle, format=image_format)


def read_image(path: FilePath) -> Image.Image:
    """Decode the first frame of an image as mode L, RGB or RGBA; 16-bit gray keeps its high byte."""
    return decode_image(file_bytes(path, error=WorldError), path)


def decode_image(contents: bytes, place: FilePath, largest: int = LARGEST_IMAGE) -> Image.Image:
    """Decode an image that is in memory, as `read_image` does; raises SizeError if it has more cells than `largest`."""
    if not contents:
        raise WorldError(f"{place}: the file is empty")
    try:
        with _silence, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _decode(contents, largest)
    except SizeError as error:
        raise SizeError(f"{place}: {error}") from error
    # Pillow's parsers raise nearly any exception on damaged files.
    except Exception as error:
        raise WorldError(f"{place}: {_refusal(error)}") from error


def _decode(contents: bytes, largest: int) -> Image.Image:
    with Image.open(io.BytesIO(contents), formats=_READ_FORMATS) as image:
        cells = image.width * image.height
        if cells > largest:
            raise SizeError(f"an image of {cells} cells, and at most {largest} are read")
        image.load()
        return _in_plain_mode(image)


def _in_plain_mode(image: Image.Image) -> Image.Image:
    if image.mode == "F":
        raise WorldError("floating-point pixels, which have no agreed black and white")
    if image.mode.startswith("I"):
        gray = np.empty((image.height, image.width), np.uint8)
        for rows, band in bands(image):
            gray[rows] = np.asarray(band) >> 8
        return Image.fromarray(gray)
    if image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info:
        plain = "RGBA"
    else:
        plain = "L" if image.mode in ("1", "L") else "RGB"
    # Pillow would copy an image that is in this mode already.
    return image if image.mode == plain else image.convert(plain)


def _refusal(error: Exception) -> str:
    match error:
        case WorldError():
            return str(error)
        case UnidentifiedImageError():
            return f"not an image of a kind that is read ({', '.join(_READ_FORMATS)})"
        case Image.DecompressionBombError():
            return f"an image of more than {LARGEST_IMAGE} cells"
    return f"a damaged image ({fault_line(error)})"
