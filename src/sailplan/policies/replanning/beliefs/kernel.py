"""How well remembered worlds agree with what a search knows, block by block, and what they say of the rest."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel


@kernel
def add_disagreement(by_cell, cells, blocked, blocks, doubt_of_blocked, doubt_of_free, totals):
    """Add to each world's total in a cell's block if the cell is known to be blocked and free in it, or the reverse.

    `by_cell` has a row for each cell and a column for each world: 1 where the cell is blocked in it. `blocks` says the
    row of the totals that each of the cells adds to.
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
    """In each block, the weighted mean of its chosen worlds; the weights of a block sum to 1.

    `by_world` has shape (worlds, height, width), `probabilities` the same without worlds. Blocks of `side` x `side`
    cells are counted row by row; those at the upper and right ends may be smaller.
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
