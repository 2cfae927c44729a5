"""Worlds as pictures: white is free, black is blocked, the top row comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from sailplan.datasets.formats.image import read_image, write_gray
from sailplan.files import FilePath
from sailplan.graphs.grid.world import World


def read_png(path: FilePath, *, name: str | None = None) -> World:
    """Read a PNG, or any other image of `IMAGE_SUFFIXES`: a luminance above 127 is free.

    Transparency counts as over white paper, so a fully transparent pixel is free.
    The world is called after the file unless a name is given.
    """
    image = read_image(path)
    if image.mode == "RGBA":
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return World.from_image(np.asarray(image.convert("L")) > 127, name=name or Path(path).stem)


def write_png(world: World, path: FilePath) -> None:
    """Write the world as 8-bit gray, 255 free and 0 blocked; a suffix .pgm or .bmp picks that format."""
    write_gray(world.image().astype(np.uint8) * np.uint8(255), path)
