"""The kernels of the posterior beside plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.policies.replanning.beliefs.kernel.cells import add_disagreement, blend, mix, weigh

SEEDS = st.integers(0, 10_000)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 200))
def test_disagreement(seed: int, cells: int) -> None:
    rng = np.random.default_rng(seed)
    by_cell = rng.integers(0, 2, (cells, 7)).astype(np.uint8)
    status = rng.choice([UNSEEN, UNSEEN, OPEN, CLOSED, INVALID], cells).astype(np.uint8)
    known, probabilities = rng.random(cells) < 0.3, rng.random(cells)
    blocks = np.sort(rng.integers(0, 4, cells))
    new = np.flatnonzero((status != UNSEEN) & ~known)
    expected = np.zeros((4, 7))
    for cell in new:
        blocked = status[cell] == INVALID
        expected[blocks[cell]] += np.where(by_cell[cell] == blocked, 0.0, 0.6 if blocked else 0.5)
    surprise = np.abs((status[new] == INVALID) - probabilities[new]).max(initial=0.0)

    totals, touched, seen = np.zeros((4, 7)), np.zeros(4, np.bool_), known.copy()
    assert add_disagreement(status, seen, probabilities, by_cell, blocks, 0.6, 0.5, totals, touched) == surprise
    assert totals == pytest.approx(expected)
    assert seen.tolist() == ((status != UNSEEN) | known).tolist()
    assert np.flatnonzero(touched).tolist() == np.unique(blocks[new]).tolist()


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
def test_weights(seed: int, worlds: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    # Few different values, so that there are ties, and large ones, whose weights are 0.
    doubts = rng.choice([0.0, 0.5, 1.0, 9.0], (5, worlds))
    most = min(most, worlds)
    chosen, weights = np.empty((5, most), np.int64), np.empty((5, most))
    weigh(doubts, 1e-3, chosen, weights)
    for block, doubt in enumerate(doubts):
        best = np.argsort(doubt, kind="stable")[:most]
        assert chosen[block].tolist() == best.tolist()
        expected = np.exp(doubt[best[0]] - doubt[best])
        expected[expected < 1e-3] = 0.0
        assert weights[block] == pytest.approx(expected / expected.sum())


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 9), st.integers(1, 9))
def test_blend(seed: int, width: int, height: int) -> None:
    rng = np.random.default_rng(seed)
    worlds = (rng.random((6, height, width)) < 0.2).astype(np.uint8)
    side, across = 3, -(-width // 3)
    blocks = across * -(-height // side)
    chosen, weights = rng.integers(0, 6, (blocks, 2)), rng.choice([0.0, 0.25, 1.0], (blocks, 2))
    occupied, expected = np.zeros((6, blocks), np.bool_), np.empty((height, width))
    for y in range(height):
        for x in range(width):
            block = y // side * across + x // side
            occupied[:, block] |= worlds[:, y, x] > 0
            expected[y, x] = weights[block] @ worlds[chosen[block], y, x]
    blended = np.empty((height, width))
    some = np.flatnonzero(occupied.any(axis=0))
    blend(worlds, some, occupied[:, some], chosen[some], weights[some], side, blended)
    assert blended == pytest.approx(expected)


def test_mix() -> None:
    mixed = np.empty(2)
    assert mix(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.2, np.array([0.1, 0.9]), 0.05, mixed) is False
    assert mixed.tolist() == [0.1, 0.9]
    assert mix(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.2, np.array([0.1, 0.8]), 0.05, mixed) is True
