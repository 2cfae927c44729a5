"""OctoMap's binary files (.bt): occupancy trees of volumes, in which voxels are occupied, free or unknown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.formats.kernel import DEPTH, FREE, OCCUPIED, decode_leaves, fill_leaves
from sailplan.datasets.formats.movingai import natural_number
from sailplan.errors import WorldError
from sailplan.files import FilePath, file_bytes
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.world import Unknown, check_unknown
from sailplan.graphs.voxels.graph import VoxelGraph

_FIRST_LINE = b"# Octomap OcTree binary file"
_LONGEST_HEADER = 65536
_MOST_VOXELS = 1 << 28
_ALWAYS_READ, _VOXELS_PER_BYTE = 1 << 24, 256
"""Limits of the voxels of a small file, whose leaves may be huge. The map of a building has 17 voxels in a byte."""
_ROOM_IN_STACK = 7 * DEPTH + 8


@dataclass(frozen=True, eq=False)
class OctoMap:
    """The known part of an OctoMap, as arrays over its bounding box, indexed [x, y, z]."""

    occupied: NDArray[np.bool_]
    """Whether each voxel is occupied."""
    free: NDArray[np.bool_]
    """Whether each voxel is known to be free."""
    resolution: float
    """Side of a voxel in metres."""
    origin: tuple[float, float, float]
    """The corner of the box with the smallest coordinates, in metres."""
    name: str = "octomap"
    """The name of the map, for messages."""

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Whether each voxel is neither known to be occupied nor to be free."""
        return ~(self.occupied | self.free)

    def graph(
        self,
        *,
        unknown: Unknown = "blocked",
        robot_radius: float = 0.0,
        connectivity: int = 26,
        corner_cutting: bool = False,
    ) -> VoxelGraph:
        """Return a voxel graph over the box for a robot that is a sphere.

        Parameters
        ----------
        unknown
            What unknown voxels count as: "blocked" or "free".
        robot_radius
            In metres: voxels are blocked whose centres are at most this far from that of a blocked voxel.
        connectivity, corner_cutting
            As in `VoxelGraph`.

        Returns
        -------
        VoxelGraph
            A graph that converts metres.

        Raises
        ------
        WorldError
            If `unknown` is neither of the two.
        GraphError
            If another argument is out of its range.

        Examples
        --------
        >>> occupied = np.array([[[True, False, False]]])
        >>> seen = OctoMap(occupied, free=np.array([[[False, True, False]]]), resolution=0.1, origin=(0.0, 0.0, 0.0))
        >>> seen.graph().blocked.tolist(), seen.graph(unknown="free").blocked.tolist()
        ([[[True, False, True]]], [[[True, False, False]]])
        """
        blocked = self.occupied if check_unknown(unknown) == "free" else ~self.free
        graph = VoxelGraph(
            blocked, connectivity, corner_cutting, resolution=self.resolution, origin=self.origin, name=self.name
        )
        return graph.inflated(robot_radius, metres=True)

    def __repr__(self) -> str:
        sizes = " x ".join(map(str, self.occupied.shape))
        return f"OctoMap({self.name!r}, {sizes} voxels of {self.resolution:g} m)"


def read_octomap(path: FilePath) -> OctoMap:
    """Read a binary OctoMap file (`.bt`).

    Parameters
    ----------
    path
        The file, as OctoMap's `writeBinary` writes it, with an `OcTree`.

    Returns
    -------
    OctoMap
        The bounding box of the known voxels, named after the file.

    Raises
    ------
    WorldError
        If the file cannot be read, is of another kind, is truncated, or contains too many voxels.

    Examples
    --------
    >>> read_octomap("missing.bt")
    Traceback (most recent call last):
        ...
    sailplan.errors.WorldError: missing.bt: no such file or directory
    """
    content = file_bytes(path, error=WorldError)
    size, resolution, data = _read_header(content, path)
    leaves = _read_leaves(data, size, path)
    low = leaves[:, :3].min(axis=0)
    shape = ((leaves[:, :3] + leaves[:, 3:4]).max(axis=0) - low).tolist()
    most = min(_MOST_VOXELS, max(_ALWAYS_READ, _VOXELS_PER_BYTE * len(content)))
    if math.prod(shape) > most:
        sizes = " x ".join(map(str, shape))
        raise WorldError(f"{path}: the known box has {sizes} voxels, and at most {most} are read of a file of its size")
    values = np.zeros(shape, np.uint8)
    fill_leaves(leaves, *low.tolist(), values)
    x, y, z = ((low - (1 << (DEPTH - 1))) * resolution).tolist()
    return OctoMap(values == OCCUPIED, values == FREE, resolution, (x, y, z), Path(path).stem)


def _read_header(content: bytes, path: FilePath) -> tuple[int, float, bytes]:
    """Return the number of nodes, the resolution and the bytes of the tree."""
    if not content.startswith(_FIRST_LINE):
        first = content.partition(b"\n")[0][:50].decode("ascii", "replace")
        raise WorldError(f"{path}: the first line must be {_FIRST_LINE.decode()!r}, got {first!r}")
    fields: dict[str, str] = {}
    place, number = 0, 0
    while True:
        end = content.find(b"\n", place, _LONGEST_HEADER)
        if end < 0:
            raise WorldError(f"{path}: the header has no line 'data'")
        line, place, number = content[place:end].decode("ascii", "replace").strip(), end + 1, number + 1
        if line == "data":
            return *_read_fields(fields, path), content[place:]
        if line and not line.startswith("#"):
            key, _, value = line.partition(" ")
            if key not in ("id", "size", "res") or key in fields:
                raise WorldError(f"{path}:{number}: expected id, size and res once each, then data; got {line[:50]!r}")
            fields[key] = value.strip()


def _read_fields(fields: dict[str, str], path: FilePath) -> tuple[int, float]:
    if fields.get("id") != "OcTree":
        raise WorldError(f"{path}: the header needs 'id OcTree', got {shown(fields.get('id', ''))}")
    size = natural_number(fields.get("size", ""))
    if not size:
        raise WorldError(f"{path}: the header needs a size above 0, got {shown(fields.get('size', ''))}")
    try:
        resolution = float(fields.get("res", ""))
    except ValueError:
        resolution = math.nan
    if not 0.0 < resolution < math.inf:
        raise WorldError(f"{path}: the header needs a positive res, got {shown(fields.get('res', ''))}")
    return size, resolution


def _read_leaves(data: bytes, size: int, path: FilePath) -> NDArray[np.int32]:
    # Two bytes have at most eight leaves. Memory is touched only for those that there are.
    leaves = np.empty((4 * len(data) + 8, 5), np.int32)
    numbers = np.frombuffer(data, np.uint8).astype(np.int32)
    found, nodes = decode_leaves(numbers, leaves, np.empty((_ROOM_IN_STACK, 4), np.int64))
    if found == -1:
        raise WorldError(f"{path}: the tree is truncated: {len(data)} bytes end within its {size} nodes")
    if found < 0:
        raise WorldError(f"{path}: the {len(data)} bytes behind the header are not one tree of depth {DEPTH}")
    if nodes != size:
        raise WorldError(f"{path}: the header says {size} nodes, the tree has {nodes}")
    if found == 0:
        raise WorldError(f"{path}: the tree has no known voxels")
    return leaves[:found]
