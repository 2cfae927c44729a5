from __future__ import annotations

import numpy as np
import pytest

from sailplan.datasets import World, generate_world
from sailplan.learning.algorithms.planner.components import fit_mixture
from sailplan.policies.replanning.beliefs.mixture import LEVELS, PixelMixture
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, blocked_shares


def _prototypes() -> Floats:
    """Two worlds: a wall to the left, and a wall at the bottom and to the right."""
    worlds = np.zeros((2, PIXELS, PIXELS), np.float32)
    worlds[0, :, 5:15] = 1.0
    worlds[1, :10, :], worlds[1, :, 50:] = 1.0, 1.0
    return worlds


def _noisy(rng: np.random.Generator, counts: tuple[int, int], noise: float = 0.1) -> Floats:
    """So many copies of each prototype, in which some pixels are the opposite."""
    worlds = np.repeat(_prototypes(), counts, axis=0)
    return np.where(rng.random(worlds.shape) < noise, 1.0 - worlds, worlds).astype(np.float32)


def _fit(shares: Floats, components: int, seed: int = 0) -> PixelMixture:
    return fit_mixture(shares, components, np.random.default_rng(seed))


def _same(one: PixelMixture, other: PixelMixture) -> bool:
    return np.array_equal(one.levels, other.levels) and np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("seed", range(5))
def test_prototypes_are_recovered_from_noisy_worlds(seed: int) -> None:
    mixture = _fit(_noisy(np.random.default_rng(seed), (30, 20), 0.05), 2, seed)
    assert len(mixture) == 2
    order = np.argsort(-mixture.weights)
    assert mixture.weights[order] == pytest.approx([0.6, 0.4], abs=0.01)
    for component, prototype in zip(mixture.shares[order], _prototypes(), strict=True):
        assert np.array_equal(component > 0.5, prototype > 0.5)
        assert np.abs(component - (0.9 * prototype + 0.05)).mean() < 0.05


def test_components_beyond_the_kinds_of_worlds_do_not_mix_them() -> None:
    mixture = _fit(_noisy(np.random.default_rng(1), (40, 40)), 6)
    assert len(mixture) == 6
    prototypes = _prototypes()
    for component, weight in zip(mixture.shares, mixture.weights, strict=True):
        if weight > 0.05:
            errors = [np.abs(component - one).mean() for one in prototypes]
            assert min(errors) < 0.2 < max(errors)
    first = [np.abs(one - prototypes[0]).mean() < 0.2 for one in mixture.shares]
    assert mixture.weights[first].sum() == pytest.approx(0.5, abs=0.1)


def test_the_result_depends_on_the_generator_and_on_nothing_else() -> None:
    worlds = [generate_world("forest", 2, index, width=40, height=40) for index in range(32)]
    shares = np.stack([blocked_shares(world) for world in worlds])
    kept = shares.copy()
    one = _fit(shares, 4)
    assert np.array_equal(shares, kept)
    assert _same(one, _fit(shares, 4))
    assert not _same(one, _fit(shares, 4, seed=1))


@pytest.mark.parametrize(("worlds", "components"), [(1, 1), (7, 1), (15, 1), (16, 2), (39, 4), (40, 5), (200, 5)])
def test_there_are_fewer_components_for_few_worlds(worlds: int, components: int) -> None:
    shares = (np.random.default_rng(worlds).random((worlds, PIXELS, PIXELS)) < 0.3).astype(np.float32)
    mixture = _fit(shares, 5)
    assert len(mixture) == components
    assert mixture.weights.sum() == pytest.approx(1.0)
    assert np.abs(mixture.frequencies - shares.mean(axis=0)).max() < 0.1


def test_a_single_component_is_the_mean() -> None:
    shares = _noisy(np.random.default_rng(3), (9, 3))
    mixture = _fit(shares, 1)
    assert np.abs(mixture.shares[0] - shares.mean(axis=0)).max() <= 0.5 / LEVELS + 1e-6
    assert mixture.weights.tolist() == [1.0]


def test_identical_worlds() -> None:
    mixture = _fit(np.repeat(_prototypes()[:1], 24, axis=0), 3)
    assert len(mixture) == 3
    assert all(np.array_equal(component, _prototypes()[0]) for component in mixture.shares)


@pytest.mark.parametrize("blocked", [False, True])
def test_worlds_that_are_all_free_or_all_blocked(blocked: bool) -> None:
    shares = np.stack([blocked_shares(World(np.full((9, 9), blocked)))] * 16)
    mixture = _fit(shares, 2)
    assert set(mixture.levels.ravel().tolist()) == {LEVELS if blocked else 0}
    assert np.isfinite(mixture.blocked_logs).all()
    assert np.isfinite(mixture.free_logs).all()
