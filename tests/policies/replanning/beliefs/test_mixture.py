from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.datasets import World
from sailplan.errors import ModelError, PolicyError
from sailplan.policies.replanning.beliefs.mixture import (
    AREAS,
    LEVELS,
    RAREST,
    PixelMixture,
    Recall,
    Recollection,
)
from sailplan.policies.replanning.beliefs.pixels import PIXELS
from sailplan.testing import draw_world
from tests.naive import pixels as naive
from tests.policies.replanning.beliefs.random_beliefs import mixture_of, random_mixture

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([(1, 1), (9, 5), (30, 30), (PIXELS, PIXELS), (90, 70), (1, 150), (201, 201)])
RECALLS = st.builds(
    Recall,
    st.floats(0.01, 2.0),
    st.floats(0.01, 2.0),
    st.sampled_from([1e-3, 10.0, 1e9]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
)


@settings(max_examples=20)
@given(seed=SEEDS, size=SIZES, recall=RECALLS, components=st.integers(1, 6))
def test_weights_are_like_the_definition_however_the_search_goes(
    seed: int, size: tuple[int, int], recall: Recall, components: int
) -> None:
    (width, height), rng = size, np.random.default_rng(seed)
    mixture = random_mixture(rng, components)
    recollection, status = Recollection(mixture, recall, width, height), np.full(width * height, UNSEEN, np.uint8)
    shares = mixture.shares.astype(np.float64)
    before = np.tile(mixture.weights / mixture.weights.sum(), (AREAS**2, 1))
    for _ in range(3):
        # Cells become known; what is free may be closed later.
        found = rng.integers(0, status.size, 40)
        status[found[status[found] == OPEN]] = CLOSED
        found = found[status[found] == UNSEEN]
        status[found] = rng.choice([OPEN, CLOSED, INVALID], len(found))
        change = recollection.observe(status)
        expected = naive.recall_weights(status.reshape(height, width), shares, mixture.weights, recall, AREAS)
        # What is proposed is not yet used.
        assert np.array_equal(recollection.weights, before)
        assert change == pytest.approx(np.abs(expected - before).max() if len(found) else 0.0, abs=1e-4)
        if rng.random() < 0.5:
            recollection.apply()
            before = recollection.weights.copy()
    recollection.observe(status)
    recollection.apply()
    assert recollection.weights == pytest.approx(expected, abs=1e-4)
    frequencies = mixture.frequencies.astype(np.float64)
    blocked = naive.blend(shares, recollection.weights, 2e-3, frequencies, recall.prior)
    assert recollection.blocked() == pytest.approx(blocked, rel=1e-5, abs=1e-9)
    assert recollection.observe(status) == 0.0


def test_the_share_that_is_carried_decreases_with_the_distance() -> None:
    recall = Recall(reach=20.0)
    assert recall.carried == pytest.approx(naive.carried(recall, PIXELS, AREAS))
    assert np.diag(recall.carried).tolist() == [1.0] * AREAS**2
    assert recall.carried[0, 1] == pytest.approx(np.exp(-PIXELS / AREAS / 20.0))
    assert recall.carried[0, -1] == recall.carried.min()


def test_before_anything_is_known_components_have_the_weights_of_the_training() -> None:
    mixture = random_mixture(np.random.default_rng(2), 6)
    recollection = Recollection(mixture, Recall(), 30, 40)
    assert recollection.observe(np.full(1200, UNSEEN, np.uint8)) == 0.0
    expected = mixture.weights / mixture.weights.sum()
    assert recollection.weights == pytest.approx(np.tile(expected, (AREAS**2, 1)))
    assert recollection.blocked() == pytest.approx(mixture.frequencies, abs=1e-5)
    assert mixture.frequencies == pytest.approx(np.tensordot(expected, mixture.levels / LEVELS, 1), abs=1e-6)


def test_a_known_cell_tells_components_apart() -> None:
    mixture = mixture_of(draw_world("#. #."), draw_world(".# .#"))
    recollection = Recollection(mixture, Recall(prior=0.0), 2, 2)
    for known, (left, right) in ((INVALID, (1.0, 0.0)), (OPEN, (0.0, 1.0))):
        recollection = Recollection(mixture, Recall(of_blocked=2.0, of_free=2.0, prior=0.0), 2, 2)
        recollection.observe(np.array([known, UNSEEN, UNSEEN, UNSEEN], np.uint8))
        recollection.apply()
        # Close to the known cell; far from it only part of the evidence counts.
        blocked = recollection.blocked()
        assert (blocked[0, 0], blocked[0, -1]) == pytest.approx((left, right), abs=0.1)
        assert abs(blocked[-1, -1] - right) > abs(blocked[0, 0] - left)


def test_no_cell_excludes_a_component() -> None:
    mixture = mixture_of(draw_world("#"), draw_world("."))
    recollection = Recollection(mixture, Recall(1.0, 1.0, local=0.0), 3, 1)
    recollection.observe(np.array([INVALID, OPEN, UNSEEN], np.uint8))
    recollection.apply()
    assert recollection.weights == pytest.approx(np.full((AREAS**2, 2), 0.5))
    recollection.observe(np.array([INVALID, OPEN, OPEN], np.uint8))
    recollection.apply()
    assert recollection.weights[:, 0] == pytest.approx(np.full(AREAS**2, RAREST), rel=1e-3)


def _line(size: int) -> np.ndarray:
    """A search has seen one row of cells from the left to the middle of the map; the second half of it is blocked."""
    status = np.full((size, size), UNSEEN, np.uint8)
    quarter, half = (round(pixels * size / PIXELS) for pixels in (16, 33))
    status[half, :quarter], status[half, quarter:half] = OPEN, INVALID
    return status.reshape(-1)


@pytest.mark.parametrize("size", [2 * PIXELS, 201, 401])
def test_evidence_does_not_depend_on_the_resolution(size: int) -> None:
    rng = np.random.default_rng(size)
    worlds = [World(np.kron(rng.random((9, 9)) < 0.4, np.ones((8, 8), np.bool_))) for _ in range(4)]
    mixture, recall, weights = mixture_of(*worlds), Recall(0.02, 0.02), []
    for one in (PIXELS, size):
        recollection = Recollection(mixture, recall, one, one)
        assert recollection.observe(_line(one)) > 0.05
        recollection.apply()
        weights.append(recollection.weights)
    assert np.abs(weights[0] - weights[1]).max() < 0.02


def test_evidence_counts_once_for_each_row_of_cells() -> None:
    """A strip that is twice as wide has twice the evidence, and the whole of a map still has a limit."""
    mixture = mixture_of(draw_world("#"), draw_world("."))
    changes = []
    for rows in (1, 2):
        recollection = Recollection(mixture, Recall(0.001, 0.001, local=0.0), 201, 201)
        status = np.full((201, 201), UNSEEN, np.uint8)
        status[:rows] = INVALID
        recollection.observe(status.reshape(-1))
        recollection.apply()
        odds = recollection.weights[0, 0] / recollection.weights[0, 1]
        changes.append(np.log(odds))
    assert changes[1] == pytest.approx(2.0 * changes[0], rel=1e-4)
    assert changes[0] == pytest.approx(67 * 0.001 * np.log((1.0 - RAREST) / RAREST), rel=1e-4)


@settings(max_examples=20)
@given(components=st.integers(1, 9), seed=SEEDS)
def test_a_mixture_survives_the_way_through_a_file(components: int, seed: int) -> None:
    mixture = random_mixture(np.random.default_rng(seed), components)
    again = PixelMixture.build(mixture.describe(), 0)
    assert len(again) == components
    assert again.levels.dtype == np.uint8
    assert np.array_equal(again.levels, mixture.levels)
    assert np.array_equal(again.weights, mixture.weights)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("components", lambda good: good[:-1]),
        ("components", lambda good: good[:0]),
        ("components", lambda good: good.astype(np.float32)),
        ("components", lambda good: good.astype(np.int8)),
        ("components", lambda good: good.reshape(-1)[0]),
        ("weights", lambda good: good[1:]),
        ("weights", lambda good: good[:0]),
        ("weights", lambda good: good[:, None]),
        ("weights", lambda good: good.astype(np.float32)),
        ("weights", lambda good: 0.0 * good),
        ("weights", lambda good: -good),
        ("weights", lambda good: np.nan * good),
        ("weights", lambda good: np.inf * good),
        ("weights", lambda good: np.full(len(good), 1e308)),
        ("weights", lambda good: 2.0 + good),
        ("weights", lambda good: np.array(1.0)),
    ],
)
def test_damaged_tensors_are_one_line(name: str, damage: Any) -> None:
    tensors = random_mixture(np.random.default_rng(0), 3).describe()
    with pytest.raises(ModelError) as raised:
        PixelMixture.build({**tensors, name: np.asarray(damage(tensors[name]))}, 0)
    assert "\n" not in str(raised.value)


def test_nothing_is_no_mixture() -> None:
    with pytest.raises(ModelError):
        PixelMixture(np.zeros((0, PIXELS, PIXELS), np.uint8), np.zeros(0))


@pytest.mark.parametrize(
    "told",
    [
        {"of_blocked": 0.0},
        {"of_free": -1.0},
        {"of_free": np.nan},
        {"reach": np.inf},
        {"reach": 0.0},
        {"local": -0.1},
        {"local": 1.1},
        {"prior": np.nan},
        {"prior": 2.0},
    ],
)
def test_a_recall_that_cannot_be(told: dict[str, float]) -> None:
    with pytest.raises(PolicyError, match=r"^weights and their reach must be positive"):
        Recall(**told)


def test_a_recall_in_a_model_file() -> None:
    for recall in (Recall(), Recall(1e-6, 9.0, 3.0, 0.0, 1.0), Recall(local=1.0, prior=0.0)):
        assert Recall.build(json.loads(json.dumps(asdict(recall)))) == recall
    with pytest.raises(TypeError):
        Recall.build({"colour": 1.0})
    with pytest.raises(ValueError, match="convert"):
        Recall.build({"reach": "far"})


def test_mixtures_of_a_union_are_equally_likely() -> None:
    rng = np.random.default_rng(0)
    one, other = random_mixture(rng, 2), random_mixture(rng, 5)
    union = PixelMixture.union([one, other])
    assert len(union) == 7
    assert union.weights[:2].sum() == pytest.approx(0.5)
    assert union.frequencies == pytest.approx((one.frequencies + other.frequencies) / 2.0, abs=1e-6)
    assert np.array_equal(union.levels[2:], other.levels)
    assert union.plain == 0


def test_components_without_structure_predict_nothing() -> None:
    rng = np.random.default_rng(0)
    one = random_mixture(rng, 3)
    union = PixelMixture.union([one], (0.1, 0.3), 0.5)
    assert (len(union), union.plain) == (5, 2)
    assert union.weights[3:] == pytest.approx([0.25, 0.25])
    assert union.shares[3:].mean(axis=(1, 2)) == pytest.approx([0.1, 0.3], abs=1 / LEVELS)
    assert union.frequencies == pytest.approx(one.frequencies / 2.0, abs=1e-6)
    # A map with more obstacles than any component with structure, where these are free.
    status = np.where(one.shares.max(axis=0) < 0.2, INVALID, UNSEEN).astype(np.uint8).ravel()
    recollection = Recollection(union, Recall(local=0.0, prior=0.0), PIXELS, PIXELS)
    recollection.observe(status)
    recollection.apply()
    assert recollection.weights[:, 3:].sum(axis=1) == pytest.approx(np.ones(25), abs=1e-6)
    assert recollection.blocked() == pytest.approx(np.zeros((PIXELS, PIXELS)), abs=1e-6)


@pytest.mark.parametrize("plain", [-1, 6])
def test_a_number_of_components_without_structure_that_cannot_be(plain: int) -> None:
    with pytest.raises(ModelError, match="without structure"):
        replace(random_mixture(np.random.default_rng(0)), plain=plain)
