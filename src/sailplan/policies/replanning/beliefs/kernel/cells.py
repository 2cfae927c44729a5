"""Agreement of stored worlds with the known cells of a search, block by block, and their weighted mean."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel


@kernel
def add_disagreement(by_cell, cells, blocked, blocks, doubt_of_blocked, doubt_of_free, totals):
    """Add a doubt to the total of each world in which a known cell has the other state.

    `by_cell` has a row for each cell and a column for each world: 1 if the cell is blocked in the world. `blocks` is
    the row of `totals` for each of the cells.
    """
    for index in range(len(cells)):
        row, total = by_cell[cells[index]], totals[blocks[index]]
        if blocked[index]:
            for world in range(len(total)):
                total[world] += doubt_of_blocked * (1 - row[world])
        else:
            for world in range(len(total)):
                total[world] += doubt_of_free * row[world]


@kernel
def blend(by_world, chosen, weights, side, probabilities):
    """Compute the weighted mean of the chosen worlds in each block; the weights of a block sum to 1.

    `by_world` has shape (worlds, height, width), `probabilities` has shape (height, width). Blocks of `side` x `side`
    cells are numbered row by row; those at the upper and right border may be smaller.
    """
    height, width = probabilities.shape
    across = (width + side - 1) // side
    probabilities[:] = 0.0
    for block in range(len(chosen)):
        left, low = (block % across) * side, (block // across) * side
        right, high = min(left + side, width), min(low + side, height)
        for index in range(chosen.shape[1]):
            weight = weights[block, index]
            if weight == 0.0:
                continue
            world = by_world[chosen[block, index]]
            for y in range(low, high):
                for x in range(left, right):
                    probabilities[y, x] += weight * world[y, x]
