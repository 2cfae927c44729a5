from __future__ import annotations

import warnings

import numpy as np
import pytest

from sailplan.core.graph import FloatArray
from sailplan.datasets import World, generate_world
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.learning.algorithms.planner.components import fit_mixture, fit_regrets
from sailplan.policies.replanning.beliefs.learned import MOST_REGRET
from sailplan.policies.replanning.beliefs.mixture import LEVELS, PixelMixture
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, blocked_shares, world_of
from tests.naive.dijkstra import cost_to_go as naive_cost_to_go


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


def _naive_regrets(problem: Problem) -> FloatArray:
    """The regret of each cell in sides of the map, at most 0.6; NaN where it is blocked."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    world, vertices = graph.world, range(graph.vertex_count)
    ahead, behind = (naive_cost_to_go(graph, vertices, end) for end in (problem.goal, problem.start))
    regrets = np.full(world.blocked.shape, np.nan)
    for y, x in np.argwhere(~world.blocked).tolist():
        vertex = graph.vertex((x, y))
        reached = vertex in ahead and vertex in behind
        detour = ahead[vertex] + behind[vertex] - ahead[problem.start] if reached else np.inf
        regrets[y, x] = min(detour / max(world.width, world.height), 0.6)
    return regrets


def test_the_regrets_of_worlds_of_one_component_are_their_mean() -> None:
    worlds = [generate_world("forest", 2, index, width=PIXELS, height=PIXELS) for index in range(3)]
    problems = [grid_problem(world) for world in worlds]
    mixture = _fit(np.stack([blocked_shares(world) for world in worlds]), 1)
    (regrets,) = MOST_REGRET / LEVELS * fit_regrets(mixture, problems, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = np.nanmean([_naive_regrets(problem) for problem in problems], axis=0)
    assert np.abs(regrets - np.nan_to_num(expected)).max() <= 0.5 * MOST_REGRET / LEVELS + 1e-6


def test_each_component_has_the_regrets_of_its_own_worlds() -> None:
    kinds = [World(one > 0.5) for one in _prototypes()]
    ends = ((0, 30), (45, 60))
    problems = [grid_problem(kinds[i % 2], *ends) for i in range(16)]
    open_wall = kinds[0].blocked.copy()
    open_wall[60:] = False
    problems[0::2] = [grid_problem(World(open_wall), *ends)] * 8
    shares = np.stack([blocked_shares(world_of(problem)) for problem in problems])
    # The components begin as worlds of either kind.
    mixture = _fit(shares, 2, seed=1)
    assert mixture.weights == pytest.approx([0.5, 0.5])
    regrets = MOST_REGRET / LEVELS * fit_regrets(mixture, problems, 2)
    for problem in problems[:2]:
        agreement = np.abs(mixture.shares - blocked_shares(world_of(problem))).mean(axis=(1, 2))
        expected = np.nan_to_num(_naive_regrets(problem))
        assert np.abs(regrets[agreement.argmin()] - expected).max() < 0.01


@pytest.mark.parametrize("size", [9, 30])
def test_regrets_of_maps_with_fewer_cells_than_pixels(size: int) -> None:
    problem = grid_problem(generate_world("alternating_gaps", 2, 0, width=size, height=size))
    mixture = _fit(blocked_shares(world_of(problem))[None], 1)
    (regrets,) = MOST_REGRET / LEVELS * fit_regrets(mixture, [problem], 1)
    middle = [(2 * pixel + 1) * size // (2 * PIXELS) for pixel in range(PIXELS)]
    expected = np.nan_to_num(_naive_regrets(problem))[np.ix_(middle, middle)]
    assert np.abs(regrets - expected).max() <= 0.5 * MOST_REGRET / LEVELS + 1e-6
