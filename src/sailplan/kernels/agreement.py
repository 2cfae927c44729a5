"""How well remembered worlds agree with what a search knows, and what they say of the rest."""

from __future__ import annotations

from sailplan.kernels.compile import kernel


@kernel
def add_disagreement(by_cell, cells, blocked, doubt_of_blocked, doubt_of_free, totals):
    """Add to each world's total for every cell that is blocked and free in it, or free and blocked in it.

    `by_cell` has a row for each cell and a column for each world: 1 where the cell is blocked in it.
    """
    for index in range(len(cells)):
        row = by_cell[cells[index]]
        if blocked[index]:
            for world in range(len(totals)):
                totals[world] += doubt_of_blocked * (1 - row[world])
        else:
            for world in range(len(totals)):
                totals[world] += doubt_of_free * row[world]


@kernel
def blend(by_world, chosen, weights, probabilities):
    """The weighted mean of the chosen worlds, each a row; the weights sum to 1."""
    probabilities[:] = 0.0
    for index in range(len(chosen)):
        row, weight = by_world[chosen[index]], weights[index]
        for cell in range(len(probabilities)):
            probabilities[cell] += weight * row[cell]
