"""Terrain costs: how much more a move over each cell costs than over plain ground."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.archives import file_array
from sailplan.datasets.formats.image import IMAGE_SUFFIXES, bands, read_image, with_white_background
from sailplan.errors import WorldError
from sailplan.files import FilePath
from sailplan.graphs.grid.world import World

BLACK_COST = 10.0
"""Cost of a black pixel in an image of costs; white costs 1, and grays between them linearly."""


def read_costs(path: FilePath) -> NDArray[Any]:
    """Read terrain costs, top row first.

    Parameters
    ----------
    path
        A `.npy` file with a cost for each cell, or an image: a gray value v costs 1 + 9 * (255 - v) / 255, so white
        costs 1 and black costs 10.

    Returns
    -------
    array
        Shape (height, width). `World` checks the costs, which are at least 1.

    Raises
    ------
    WorldError
        If the file cannot be read.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "costs.npy"
    >>> np.save(path, [[1.0, 2.5]])
    >>> read_costs(path).tolist()
    [[1.0, 2.5]]
    """
    suffix = Path(path).suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        image, cost_of_gray = read_image(path), 1.0 + (BLACK_COST - 1.0) * (255.0 - np.arange(256.0)) / 255.0
        costs = np.empty((image.height, image.width))
        for rows, band in bands(image):
            costs[rows] = cost_of_gray[np.asarray(with_white_background(band).convert("L"))]
        return costs
    if suffix != ".npy":
        raise WorldError(f"{path}: costs are read from files that end in .npy, {', '.join(IMAGE_SUFFIXES)}")
    return file_array(path, error=WorldError)


def with_costs(world: World, costs: FilePath | ArrayLike) -> World:
    """Return the world with these terrain costs: a file of `read_costs` or an array, top row first.

    Raises
    ------
    WorldError
        If the costs cannot be read, or do not fit the world.
    """
    if isinstance(costs, str | os.PathLike):
        name, table = str(costs), read_costs(costs)
    else:
        name, table = world.name, np.asarray(costs)
    if table.shape != world.blocked.shape:
        raise WorldError(f"{name}: costs need the shape of the map {world.blocked.shape}, got {table.shape}")
    return replace(world, costs=table[::-1])
