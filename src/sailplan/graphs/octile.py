"""The empty-grid distance."""

from __future__ import annotations

from collections.abc import Sequence

from sailplan.core.kernel.edges import SPACE_DIAGONAL


def octile_length(offset: Sequence[float], diagonal_cost: float) -> float:
    """Length of the shortest way over offsets along up to three axes, by straight and diagonal moves.

    The engines must agree to the last bit, so terms are added in the order of the kernels.
    """
    straight, diagonal = min(1.0, diagonal_cost), min(2.0, diagonal_cost)
    largest = max(offset)
    smallest = min(offset) if len(offset) > 2 else 0.0
    total = 0.0
    for term in offset:
        total += term
    return straight * largest + (diagonal - straight) * (total - largest - smallest) + SPACE_DIAGONAL * smallest
