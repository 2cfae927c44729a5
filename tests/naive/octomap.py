"""An encoder of OctoMap's binary trees, by recursion over the cubes of the tree."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

UNKNOWN, FREE, OCCUPIED, INNER = range(4)


def encode(values: NDArray[np.uint8], corner: tuple[int, int, int], resolution: float) -> bytes:
    """Return a file with these voxels (UNKNOWN, FREE or OCCUPIED), the first of which is at a corner in 0 .. 65535."""
    tree, nodes = _encode(values, np.array(corner), np.zeros(3, int), 1 << 16)
    header = f"# Octomap OcTree binary file\n# a comment\nid OcTree\nsize {nodes + 1}\nres {resolution}\ndata\n"
    return header.encode() + tree


def _encode(
    values: NDArray[np.uint8], corner: NDArray[np.int64], cube: NDArray[np.int64], side: int
) -> tuple[bytes, int]:
    """Return the bytes and the number of nodes below the cube."""
    bits, below, nodes = 0, b"", 0
    for number, (z, y, x) in enumerate(product((0, 1), repeat=3)):
        child = cube + side // 2 * np.array([x, y, z])
        low, high = (np.clip(at - corner, 0, values.shape) for at in (child, child + side // 2))
        part = values[low[0] : high[0], low[1] : high[1], low[2] : high[2]]
        if not part.any():
            continue
        kind = int(part.flat[0])
        if part.size < (side // 2) ** 3 or (part != kind).any():
            kind = INNER
            inside, more = _encode(values, corner, child, side // 2)
            below, nodes = below + inside, nodes + more
        bits |= kind << (2 * number)
        nodes += 1
    return bits.to_bytes(2, "little") + below, nodes
