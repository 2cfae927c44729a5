"""Decoding of OctoMap's binary trees."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel

DEPTH = 16
"""Levels of a tree: the root has a side of 2 ** 16 voxels."""
FREE, OCCUPIED, INNER = 1, 2, 3
"""The two bits of a child; 0 is unknown."""


@kernel
def decode_leaves(data, leaves, stack):
    """Write the leaves of a tree as rows (x, y, z, side, FREE or OCCUPIED); return the numbers of leaves and nodes.

    An inner node has two bytes, two bits for each of its eight children; nodes follow in depth-first order. The number
    of leaves is -1 if the data ends too early, and -2 if it goes on behind the tree or the tree is too deep.
    """
    read, found, nodes, waiting = 0, 0, 1, 1
    stack[0, 0] = stack[0, 1] = stack[0, 2] = 0
    stack[0, 3] = 1 << DEPTH
    while waiting > 0:
        waiting -= 1
        x, y, z, half = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] >> 1
        if half == 0:
            return -2, nodes
        if read + 2 > len(data):
            return -1, nodes
        children = data[read] | (data[read + 1] << 8)
        read += 2
        # Pushed in reverse order, so that the first child is read next.
        for number in range(7, -1, -1):
            kind = (children >> (2 * number)) & 3
            if kind == 0:
                continue
            nodes += 1
            at_x, at_y, at_z = x + half * (number & 1), y + half * (number >> 1 & 1), z + half * (number >> 2)
            if kind == INNER:
                stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] = at_x, at_y, at_z, half
                waiting += 1
            else:
                row = leaves[found]
                row[0], row[1], row[2], row[3], row[4] = at_x, at_y, at_z, half, kind
                found += 1
    return (found if read == len(data) else -2), nodes


@kernel
def fill_leaves(leaves, low_x, low_y, low_z, values):
    """Write the kind of each leaf to its voxels of a volume that begins at the given voxel."""
    for index in range(len(leaves)):
        row = leaves[index]
        x, y, z, side = row[0] - low_x, row[1] - low_y, row[2] - low_z, row[3]
        for at_x in range(x, x + side):
            for at_y in range(y, y + side):
                for at_z in range(z, z + side):
                    values[at_x, at_y, at_z] = row[4]
