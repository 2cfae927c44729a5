"""Image files through Pillow, held so that a bad one costs one clear line and nothing else."""

from __future__ import annotations

import io
import threading
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sailplan.errors import WorldError
from sailplan.files import FilePath, fault_line, file_bytes, whole_file

IMAGE_SUFFIXES = (".png", ".pgm", ".pbm", ".ppm", ".bmp", ".gif", ".jpg", ".jpeg", ".webp")
"""How the names of the images that can be read end, in lower case."""

LARGEST_IMAGE = 100_000_000
"""Cells of the largest image that is decoded; a larger one is refused on its header alone."""

# Pillow's other formats are left out: EPS starts Ghostscript, and libtiff writes to stderr by itself.
_READ_FORMATS = ("PNG", "PPM", "BMP", "GIF", "JPEG", "WEBP")
_WRITE_FORMATS = {".png": "PNG", ".pgm": "PPM", ".bmp": "BMP"}

# Python's warning filters belong to the process: two threads may not silence them at once.
_silence = threading.Lock()


def read_image(path: FilePath) -> Image.Image:
    """Decode the first frame of an image as mode L, RGB or RGBA; 16-bit gray keeps its high byte."""
    contents = file_bytes(path, error=WorldError)
    if not contents:
        raise WorldError(f"{path}: the file is empty")
    try:
        with _silence, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _decode(contents)
    # The parsers of Pillow answer damaged files with nearly every exception there is.
    except Exception as error:
        raise WorldError(f"{path}: {_refusal(error)}") from error


def write_gray(pixels: NDArray[np.uint8], path: FilePath) -> None:
    """Write an 8-bit gray image, top row first, as PNG, PGM or BMP by the suffix."""
    image_format = _WRITE_FORMATS.get(Path(path).suffix.lower())
    if image_format is None:
        raise WorldError(f"{path}: images are written as {', '.join(_WRITE_FORMATS)}")
    with whole_file(path) as handle:
        Image.fromarray(pixels).save(handle, format=image_format)


def _decode(contents: bytes) -> Image.Image:
    with Image.open(io.BytesIO(contents), formats=_READ_FORMATS) as image:
        cells = image.width * image.height
        if cells > LARGEST_IMAGE:
            raise WorldError(f"an image of {cells} cells, and at most {LARGEST_IMAGE} are read")
        image.load()
        return _in_plain_mode(image)


def _in_plain_mode(image: Image.Image) -> Image.Image:
    if image.mode == "F":
        raise WorldError("floating-point pixels, which have no agreed black and white")
    if image.mode.startswith("I"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


def _refusal(error: Exception) -> str:
    match error:
        case WorldError():
            return str(error)
        case UnidentifiedImageError():
            return f"not an image of a kind that is read ({', '.join(_READ_FORMATS)})"
        case Image.DecompressionBombError():
            return f"an image of more than {LARGEST_IMAGE} cells"
    return f"a damaged image ({fault_line(error)})"
