from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.datasets import World
from sailplan.errors import ModelError, PolicyError, SailplanError
from sailplan.graphs import grid_problem
from sailplan.policies.replanning.beliefs.kernel.pixels import collect, pool_hidden
from sailplan.policies.replanning.beliefs.pixels import (
    AREAS,
    LEVELS,
    PIXELS,
    PixelMemory,
    PixelView,
    Recall,
    Recollection,
)
from sailplan.testing import draw_world
from tests.naive import pixels as naive
from tests.policies.replanning.beliefs.random_networks import random_memory

SHAPES = st.one_of(
    st.tuples(st.integers(1, 150), st.integers(1, 150)),
    st.tuples(st.just(1), st.integers(1, 300)),
    st.sampled_from([(PIXELS, PIXELS), (3 * PIXELS, 3 * PIXELS), (PIXELS - 1, PIXELS + 1)]),
)
"""Heights and widths: smaller and larger than the number of pixels, equal to it, not square, a single row."""
SEEDS = st.integers(0, 2**32 - 1)


def _draw_status(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.uint8]:
    return rng.choice(np.array([UNSEEN, UNSEEN, OPEN, CLOSED, INVALID], np.uint8), shape)


def _view(shape: tuple[int, int]) -> PixelView:
    return PixelView(width=shape[1], height=shape[0])


@settings(max_examples=20)
@given(shape=SHAPES, seed=SEEDS)
def test_what_is_known_is_like_the_definition(shape: tuple[int, int], seed: int) -> None:
    status = _draw_status(shape, np.random.default_rng(seed))
    assert np.array_equal(_view(shape).known(status.reshape(-1)), naive.known_of(status).astype(np.float32))


@settings(max_examples=20)
@given(shape=SHAPES, seed=SEEDS)
def test_what_is_hidden_is_like_the_definition(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    status, blocked = _draw_status(shape, rng), rng.random(shape) < 0.4
    shares, weights = np.empty((2, PIXELS, PIXELS), np.float32)
    pool_hidden(status.reshape(-1), blocked.reshape(-1), shape[1], shape[0], shares, weights)
    expected = naive.hidden_of(status, blocked)
    assert np.array_equal(shares, expected[0].astype(np.float32))
    assert np.array_equal(weights, expected[1].astype(np.float32))


@settings(max_examples=20)
@given(shape=SHAPES, seed=SEEDS)
def test_spreading_and_surprise_are_like_their_definitions(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    status, values = _draw_status(shape, rng), rng.random((PIXELS, PIXELS))
    assert np.array_equal(_view(shape).spread(values, status.reshape(-1)), naive.spread(values, status).reshape(-1))
    seen, expected = rng.random(shape) < 0.5, values.astype(np.float32)
    marked = seen.reshape(-1).copy()
    surprise = _view(shape).surprise(status.reshape(-1), marked, expected)
    assert surprise == pytest.approx(naive.surprise(status, seen, expected.astype(float)), abs=1e-6)
    assert np.array_equal(marked, (seen | (status != UNSEEN)).reshape(-1))
    assert _view(shape).surprise(status.reshape(-1), marked, expected) == 0.0


@settings(max_examples=30)
@given(shape=SHAPES, seed=SEEDS)
def test_collecting_is_the_transpose_of_spreading(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    status, values = _draw_status(shape, rng).reshape(-1), rng.random((PIXELS, PIXELS))
    gradient, collected = rng.normal(size=status.size), np.empty((PIXELS, PIXELS))
    collect(gradient, status, shape[1], shape[0], collected)
    # Cells that are known have the multiplier 1, whatever the values are.
    linear = np.where(status == UNSEEN, _view(shape).spread(values, status), 0.0)
    assert gradient @ linear == pytest.approx((collected * values).sum(), abs=1e-9)


def test_a_grid_of_three_by_three_cells_for_each_pixel() -> None:
    status = np.full((3 * PIXELS, 3 * PIXELS), UNSEEN, np.uint8)
    status[:3, 3:6] = [[INVALID, OPEN, UNSEEN], [CLOSED, UNSEEN, UNSEEN], [INVALID, INVALID, CLOSED]]
    known = _view(status.shape).known(status.reshape(-1))
    assert known[:, 0, 1].tolist() == pytest.approx([1.0, 3 / 9, 3 / 9])
    assert np.count_nonzero(known) == 3


def test_positions_are_relative_to_the_map_the_goal_and_the_start() -> None:
    problem = grid_problem(World(np.zeros((PIXELS, 2 * PIXELS), np.bool_)), (0, 0), (2 * PIXELS - 1, PIXELS - 1))
    positions = PixelView.of(problem).positions(problem)
    assert positions.shape == (6, PIXELS, PIXELS)
    assert positions[:2, PIXELS // 2, PIXELS // 2].tolist() == [0.0, 0.0]
    x_to_goal, y_to_goal = positions[2:4, -1, -1]
    assert (x_to_goal, y_to_goal) == pytest.approx((-0.25 / PIXELS, 0.0), abs=1e-6)
    x_from_start, y_from_start = positions[4:, 0, PIXELS - 1]
    assert (x_from_start, y_from_start) == pytest.approx((1.0 - 0.75 / PIXELS, 0.0), abs=1e-6)


@settings(max_examples=15)
@given(
    seed=SEEDS,
    recall=st.builds(Recall, st.floats(0.01, 1.0), st.floats(0.01, 1.0), st.sampled_from([1e-3, 10.0, 1e9])),
    left_out=st.sampled_from([None, 0, 3]),
)
def test_recollection_is_like_the_definition_however_it_is_updated(
    seed: int, recall: Recall, left_out: int | None
) -> None:
    rng = np.random.default_rng(seed)
    memory = random_memory(rng, 4, recall)
    recollection, status = Recollection(memory, left_out), np.full(90 * 70, UNSEEN, np.uint8)
    view = PixelView(90, 70)
    for _ in range(2):
        found = rng.integers(0, status.size, 40)
        status[found] = rng.choice([OPEN, INVALID], 40)
        recollection.update(view.known(status))
    expected = naive.recollect(memory.levels / LEVELS, view.known(status).astype(float), recall, left_out)
    # Weights of about a thousandth may be ignored or not.
    assert np.abs(recollection.shares() - expected).max() < 2e-3


def test_a_world_that_is_left_out_does_not_count_unless_it_is_the_only_one() -> None:
    rng = np.random.default_rng(1)
    memory, view = random_memory(rng, 4), PixelView(30, 30)
    others = PixelMemory(np.delete(memory.levels, 2, axis=0), memory.recall)
    known = view.known(_draw_status((30, 30), rng).reshape(-1))
    left, without = Recollection(memory, left_out=2), Recollection(others)
    for one in (left, without):
        assert np.isfinite(one.shares()).all()
        one.update(known)
    assert np.array_equal(left.shares(), without.shares())
    alone = PixelMemory(memory.levels[2:3])
    assert np.array_equal(Recollection(alone, left_out=0).shares(), Recollection(alone).shares())


def test_before_anything_is_known_all_worlds_count_alike() -> None:
    memory = random_memory(np.random.default_rng(2), 6)
    both = Recollection(memory).shares()
    assert np.abs(both - memory.frequencies).max() < 1e-6


def test_a_known_cell_tells_the_worlds_apart() -> None:
    left, right = draw_world("#. #."), draw_world(".# .#")
    recollection = Recollection(PixelMemory.of([left, right]))
    recollection.update(PixelView(2, 2).known(np.array([INVALID, UNSEEN, UNSEEN, UNSEEN], np.uint8)))
    everywhere, around = recollection.shares()
    assert everywhere[:, 0].tolist() == pytest.approx([1.0] * PIXELS)
    assert everywhere[:, -1].tolist() == pytest.approx([0.0] * PIXELS)
    assert (around[0, 0], around[0, -1]) == pytest.approx((1.0, 0.0))


def test_stored_shares_are_rounded() -> None:
    blocked = np.zeros((3 * PIXELS, 3 * PIXELS), np.bool_)
    blocked[0, :2], blocked[:3, 3:6], blocked[:3, 6:8] = True, True, True
    memory = PixelMemory.of([World(blocked)])
    assert memory.levels[0, 0, :4].tolist() == [1, 3, 2, 0]
    assert memory.frequencies[0, :4].tolist() == pytest.approx([1 / 3, 1.0, 2 / 3, 0.0])
    assert memory.by_pixel.shape == (PIXELS, PIXELS, 1)
    assert (memory.edges[0], memory.edges[-1], len(memory.edges)) == (0, PIXELS, AREAS + 1)


@settings(max_examples=20)
@given(worlds=st.integers(1, 9), seed=SEEDS)
def test_a_memory_survives_the_way_through_a_file(worlds: int, seed: int) -> None:
    memory = random_memory(np.random.default_rng(seed), worlds, Recall(1.5, 2.5, 7.0))
    facts, tensors = memory.describe()
    again = PixelMemory.build(facts, tensors)
    assert np.array_equal(again.levels, memory.levels)
    assert again.levels.dtype == np.uint8
    assert again.recall == memory.recall


@pytest.mark.parametrize(
    "changes",
    [
        {"pixels": 66},
        {"worlds": 0},
        {"worlds": -1},
        {"worlds": 2},
        {"worlds": 4},
        {"worlds": 10**9},
        {"recall": {"of_blocked": -1.0}},
        {"recall": {"reach": float("nan")}},
    ],
)
def test_damaged_facts_are_one_line(changes: dict[str, Any]) -> None:
    facts, tensors = random_memory(np.random.default_rng(0), 3).describe()
    with pytest.raises(SailplanError) as raised:
        PixelMemory.build({**facts, **changes}, tensors)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "type", "longer"])
def test_damaged_worlds_are_one_line(damage: str) -> None:
    facts, tensors = random_memory(np.random.default_rng(0), 3).describe()
    packed = tensors["worlds"]
    damaged = {
        "empty": packed[:0],
        "text": np.frombuffer(b"not compressed", np.uint8),
        "cut": packed[: len(packed) // 2],
        "type": packed.astype(np.float32),
        "longer": random_memory(np.random.default_rng(0), 40).describe()[1]["worlds"],
    }
    with pytest.raises(ModelError) as raised:
        PixelMemory.build(facts, {"worlds": damaged[damage]})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "told", [{"of_blocked": 0.0}, {"of_free": -1.0}, {"reach": np.inf}, {"reach": 0.0}, {"of_free": np.nan}]
)
def test_a_recall_that_cannot_be(told: dict[str, float]) -> None:
    with pytest.raises(PolicyError, match=r"^doubts and their reach must be positive"):
        Recall(**told)
