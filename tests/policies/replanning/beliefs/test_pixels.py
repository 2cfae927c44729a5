from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.datasets import World
from sailplan.graphs import Problem, grid_problem
from sailplan.policies.replanning.beliefs.kernel.pixels import (
    add_evidence,
    blend,
    collect,
    penalise,
    pool,
    spread,
    weigh,
)
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, blocked_shares
from sailplan.policies.replanning.beliefs.prior import Penalty
from sailplan.testing import draw_world
from tests.naive import pixels as naive

SHAPES = st.one_of(
    st.tuples(st.integers(1, 100), st.integers(1, 100)),
    st.tuples(st.just(1), st.integers(1, 300)),
    st.sampled_from([(PIXELS, PIXELS), (3 * PIXELS, 3 * PIXELS), (PIXELS - 1, PIXELS + 1), (401, 12)]),
)
"""Heights and widths: smaller and larger than the number of pixels, equal to it, not square, a single row."""
GRIDS = st.sampled_from([(1, 1), (7, 3), (13, 5), (PIXELS, 5)])
"""Numbers of pixels and of areas in each direction."""
SEEDS = st.integers(0, 2**32 - 1)


def _draw_status(shape: tuple[int, int], rng: np.random.Generator, most: int = 3000) -> NDArray[np.uint8]:
    """Draw a status for each cell; at most about `most` cells are known."""
    status = rng.choice(np.array([UNSEEN, OPEN, CLOSED, INVALID], np.uint8), shape)
    status[rng.random(shape) >= most / status.size] = UNSEEN
    return status


@settings(max_examples=15)
@given(shape=SHAPES, grid=GRIDS, seed=SEEDS)
def test_pooling_is_like_the_definition(shape: tuple[int, int], grid: tuple[int, int], seed: int) -> None:
    blocked = np.random.default_rng(seed).random(shape) < 0.4
    shares = np.empty((grid[0], grid[0]), np.float32)
    pool(blocked, shares)
    assert np.array_equal(shares, naive.pool(blocked, grid[0]).astype(np.float32))


@settings(max_examples=20)
@given(shape=SHAPES, grid=GRIDS, seed=SEEDS, components=st.integers(1, 5))
def test_evidence_is_like_the_definition_however_it_becomes_known(
    shape: tuple[int, int], grid: tuple[int, int], seed: int, components: int
) -> None:
    (pixels, across), rng = grid, np.random.default_rng(seed)
    shares = rng.random((components, pixels, pixels))
    logs = [np.ascontiguousarray(np.log(one).transpose(1, 2, 0), np.float32) for one in (shares, 1.0 - shares)]
    last = _draw_status(shape, rng)
    first = np.where(rng.random(shape) < 0.5, last, UNSEEN).astype(np.uint8)
    seen, evidence = np.zeros(last.size, np.bool_), np.zeros((across**2, components))

    def look(status: NDArray[np.uint8]) -> bool:
        arguments = status.reshape(-1), seen, shape[1], shape[0], *logs, 0.7, 0.3, across, evidence
        return bool(add_evidence(*arguments))

    assert look(first) == (first != UNSEEN).any()
    assert look(last) == ((first == UNSEEN) & (last != UNSEEN)).any()
    assert np.array_equal(seen, (last != UNSEEN).reshape(-1))
    # What is known counts once.
    kept = evidence.copy()
    assert not look(last)
    assert np.array_equal(evidence, kept)
    assert evidence == pytest.approx(naive.evidence_of(last, shares, 0.7, 0.3, across, rarest=0.0), rel=1e-4, abs=1e-9)


@settings(max_examples=40)
@given(
    across=st.integers(1, 5),
    components=st.integers(1, 7),
    seed=SEEDS,
    size=st.sampled_from([0.1, 5.0, 1e4]),
    local=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_weights_are_like_the_definition(across: int, components: int, seed: int, size: float, local: float) -> None:
    rng = np.random.default_rng(seed)
    evidence = -size * rng.random((across**2, components))
    prior, carried = rng.dirichlet(np.ones(components)) + 1e-9, rng.random((across**2, across**2))
    weights, proposed = rng.dirichlet(np.ones(components), across**2), np.empty((across**2, components))
    before, everywhere = weights.copy(), np.empty(components)
    largest = weigh(evidence, np.log(prior), carried, local, everywhere, proposed, weights)
    assert proposed == pytest.approx(naive.weigh(evidence, prior, carried, local), rel=1e-6, abs=1e-9)
    assert proposed.sum(axis=1) == pytest.approx(np.ones(across**2))
    assert largest == np.abs(proposed - weights).max()
    assert np.array_equal(weights, before)


@settings(max_examples=20)
@given(grid=GRIDS, components=st.integers(1, 5), seed=SEEDS, prior=st.sampled_from([0.0, 0.1, 1.0]))
def test_blending_is_like_the_definition(grid: tuple[int, int], components: int, seed: int, prior: float) -> None:
    (pixels, across), rng = grid, np.random.default_rng(seed)
    shares, frequencies = rng.random((components, pixels, pixels)), rng.random((pixels, pixels))
    weights = rng.dirichlet(np.full(components, 0.3), across**2)
    blocked, low = np.empty((pixels, pixels)), (shares.astype(np.float32), frequencies.astype(np.float32))
    blend(low[0], weights, across, 0.05, low[1], prior, blocked)
    assert blocked == pytest.approx(naive.blend(shares, weights, 0.05, frequencies, prior), rel=1e-5)


@settings(max_examples=20)
@given(
    seed=SEEDS,
    penalty=st.builds(
        Penalty, st.floats(0, 9), st.floats(0, 99), st.sampled_from([0.0, 0.5, 0.999994]), st.floats(0, 9)
    ),
)
def test_penalties_are_like_the_definition(seed: int, penalty: Penalty) -> None:
    rng = np.random.default_rng(seed)
    blocked, frequencies, extra = rng.random((3, 9, 9))
    # Sums of shares may exceed 1 by rounding.
    blocked[0], blocked[1] = 0.0, 1.0 + 1e-7
    frequencies, multipliers = frequencies.astype(np.float32), np.empty((9, 9))
    weights = penalty.prior_weight, penalty.surprise, penalty.certainty, penalty.sharpness
    penalise(blocked, frequencies, extra, *weights, multipliers)
    expected = naive.penalise(blocked, frequencies.astype(np.float64), extra, penalty)
    assert multipliers == pytest.approx(expected, rel=1e-9)
    assert multipliers - extra == pytest.approx(penalty.multipliers(frequencies, np.minimum(blocked, 1.0)), rel=1e-6)


@settings(max_examples=20)
@given(shape=SHAPES, grid=GRIDS, seed=SEEDS, least_step=st.sampled_from([0.0, 0.2, 10.0]))
def test_spreading_and_collecting_are_like_their_definitions(
    shape: tuple[int, int], grid: tuple[int, int], seed: int, least_step: float
) -> None:
    pixels, rng = grid[0], np.random.default_rng(seed)
    status, values = _draw_status(shape, rng), rng.uniform(1.0, 2.0, (pixels, pixels))
    before, gradient, collected = rng.uniform(1.0, 2.0, shape), rng.normal(size=shape), np.empty((pixels, pixels))
    multipliers = before.reshape(-1).copy()
    spread(values, status.reshape(-1), shape[1], shape[0], 0, shape[0], least_step, multipliers)
    assert np.array_equal(multipliers, naive.spread(values, status, least_step, before).reshape(-1))
    collect(gradient.reshape(-1), status.reshape(-1), shape[1], shape[0], collected)
    assert collected == pytest.approx(naive.collect(gradient, status, pixels), abs=1e-9)


@settings(max_examples=30)
@given(shape=SHAPES, seed=SEEDS)
def test_collecting_is_the_transpose_of_spreading(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    status, values = _draw_status(shape, rng).reshape(-1), rng.random((PIXELS, PIXELS))
    gradient, collected, multipliers = rng.normal(size=status.size), np.empty((PIXELS, PIXELS)), np.zeros(status.size)
    collect(gradient, status, shape[1], shape[0], collected)
    spread(values, status, shape[1], shape[0], 0, shape[0], 0.0, multipliers)
    # Cells that are known have the multiplier 1, whatever the values are.
    linear = np.where(status == UNSEEN, multipliers, 0.0)
    assert gradient @ linear == pytest.approx((collected * values).sum(), abs=1e-9)


@pytest.mark.parametrize("size", [3 * PIXELS, 401])
def test_large_maps_of_the_paper_and_of_twice_its_size(size: int) -> None:
    rng = np.random.default_rng(size)
    blocked = rng.random((size, size)) < 0.3
    assert np.array_equal(blocked_shares(World(blocked)), naive.pool(blocked, PIXELS).astype(np.float32))
    status, values = _draw_status((size, size), rng), rng.uniform(1.0, 2.0, (PIXELS, PIXELS))
    multipliers, collected, gradient = np.zeros(size**2), np.empty((PIXELS, PIXELS)), rng.normal(size=(size, size))
    spread(values, status.reshape(-1), size, size, 0, size, 0.2, multipliers)
    assert np.array_equal(multipliers, naive.spread(values, status, 0.2, np.zeros((size, size))).reshape(-1))
    collect(gradient.reshape(-1), status.reshape(-1), size, size, collected)
    assert collected == pytest.approx(naive.collect(gradient, status, PIXELS), abs=1e-9)


def test_every_cell_of_a_map_of_three_by_three_cells_for_each_pixel_is_in_its_pixel() -> None:
    blocked = np.zeros((3 * PIXELS, 3 * PIXELS), np.bool_)
    blocked[0, :2], blocked[:3, 3:6], blocked[:3, 6:8] = True, True, True
    shares = blocked_shares(World(blocked))
    assert shares[0, :4].tolist() == pytest.approx([2 / 9, 1.0, 2 / 3, 0.0])
    assert not shares[1:].any()
    values = np.arange(PIXELS**2, dtype=np.float64).reshape(PIXELS, PIXELS)
    multipliers = np.zeros(blocked.size)
    spread(values, np.full(blocked.size, UNSEEN, np.uint8), 3 * PIXELS, 3 * PIXELS, 0, 3 * PIXELS, 0.0, multipliers)
    assert np.array_equal(multipliers.reshape(3 * PIXELS, -1), np.kron(values, np.ones((3, 3))))


def test_small_worlds_are_enlarged() -> None:
    shares = blocked_shares(
        draw_world("""
        #..
        ..#
    """)
    )
    # Rows are counted from the bottom.
    assert shares[[0, 0, -1, -1], [0, -1, 0, -1]].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert set(shares.ravel().tolist()) == {0.0, 1.0}


def _empty(size: int, start: tuple[int, int], goal: tuple[int, int], height: int | None = None) -> Problem:
    return grid_problem(World(np.zeros((height or size, size), np.bool_)), start, goal)


def test_a_frame_is_relative_to_the_size_of_the_map() -> None:
    frame = PixelFrame.of(_empty(10, (0, 1), (9, 3), height=4))
    assert (*frame.start, *frame.goal) == pytest.approx((0.05, 0.375, 0.95, 0.875))


@pytest.mark.parametrize(
    ("start", "goal", "fits"),
    [
        ((10, 10), (50, 50), True),
        ((12, 8), (48, 52), True),
        ((13, 10), (50, 50), False),
        ((10, 7), (50, 50), False),
        ((10, 10), (53, 50), False),
        ((10, 10), (50, 47), False),
        ((50, 50), (10, 10), False),
    ],
)
def test_a_frame_fits_within_two_pixels(start: tuple[int, int], goal: tuple[int, int], fits: bool) -> None:
    frame = PixelFrame.of(_empty(PIXELS, (10, 10), (50, 50)))
    assert frame.fits(_empty(PIXELS, start, goal)) == fits
    larger = [(3 * x + 1, 3 * y + 1) for x, y in (start, goal)]
    assert frame.fits(_empty(3 * PIXELS, larger[0], larger[1])) == fits
    assert frame.fits(_empty(3 * PIXELS, (larger[0][0], start[1]), (larger[1][0], goal[1]), height=PIXELS)) == fits


def test_corners_are_the_same_on_maps_of_similar_resolution_and_not_on_tiny_ones() -> None:
    frame = PixelFrame.of(_empty(201, (0, 0), (200, 200)))
    assert all(frame.fits(_empty(size, (0, 0), (size - 1, size - 1))) for size in (20, PIXELS, 401, 1000))
    assert not frame.fits(_empty(5, (0, 0), (4, 4)))


def test_the_frame_of_several_problems() -> None:
    same = [_empty(size, (0, 0), (size - 1, size - 1)) for size in (50, 67, 201)]
    assert PixelFrame.shared(same) == PixelFrame.of(same[0])
    assert PixelFrame.shared([*same, _empty(50, (0, 0), (40, 49))]) is None
    assert PixelFrame.shared(same[:1]) == PixelFrame.of(same[0])


def test_a_frame_in_a_model_file() -> None:
    frame = PixelFrame((0.25, 0.5), (0.75, 1.0))
    assert PixelFrame.build([*frame.start, *frame.goal]) == frame
    assert PixelFrame.build(None) is None
    for damaged in ([], [0.5] * 3, [0.5] * 5, ["left", 0.5, 0.5, 0.5]):
        with pytest.raises(ValueError, match=r"unpack|convert"):
            PixelFrame.build(damaged)
