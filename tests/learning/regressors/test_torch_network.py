from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from sailplan.learning import NetworkSettings
from sailplan.learning.regressors.torch_network import TorchNetwork
from sailplan.policies.learned.network import DenseNetwork, Layer, Scaling

SMALL = NetworkSettings(hidden=(7, 5), epochs=3, batch_size=16)
PATCHES = [0, 9, 25, 121]


def _data(columns: int, count: int = 100, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, columns))
    return rows, rows[:, 0] - np.abs(rows[:, 1]) + 0.1 * rng.normal(size=count)


def _fitted(settings: NetworkSettings = SMALL, seed: int = 0, patch: int = 0, columns: int = 3) -> TorchNetwork:
    network = TorchNetwork(settings, seed, patch)
    network.fit(*_data(columns + patch))
    return network


def _numbers(layers: list[Layer]) -> list[list[float]]:
    return [array.reshape(-1).tolist() for layer in layers for array in layer]


@pytest.fixture
def _many_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("patch", PATCHES[:2])
def test_the_same_seed_gives_the_same_weights_to_the_last_bit(patch: int) -> None:
    one, other = _fitted(patch=patch).dense_layers(), _fitted(patch=patch).dense_layers()
    assert _numbers(one) == _numbers(other)


def test_another_seed_gives_other_weights() -> None:
    assert _numbers(_fitted().dense_layers()) != _numbers(_fitted(seed=1).dense_layers())


@pytest.mark.usefixtures("_many_threads")
def test_threads_change_nothing_and_are_left_as_they_were() -> None:
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        network = _fitted()
        found.append((_numbers(network.dense_layers()), network.predict(_data(3)[0]).tolist()))
        assert torch.get_num_threads() == threads
    assert found[0] == found[1]


@pytest.mark.usefixtures("_many_threads")
def test_threads_are_given_back_after_a_fault_too() -> None:
    torch.set_num_threads(3)
    rows, values = _data(3)
    with pytest.raises(IndexError, match="out of bounds"):
        TorchNetwork(SMALL, 0).fit(rows, values[:50])
    assert torch.get_num_threads() == 3


def test_the_global_generator_is_not_touched() -> None:
    before = torch.random.get_rng_state()
    _fitted()
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(9)
    one = _numbers(_fitted().dense_layers())
    torch.manual_seed(10)
    assert _numbers(_fitted().dense_layers()) == one


@pytest.mark.usefixtures("_many_threads")
def test_fits_in_several_threads_do_not_disturb_each_other() -> None:
    torch.set_num_threads(2)
    before = torch.random.get_rng_state()
    expected = [_numbers(_fitted(seed=seed, patch=9).dense_layers()) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            found = pool.map(lambda seed: _numbers(_fitted(seed=seed, patch=9).dense_layers()), range(4))
            assert list(found) == expected
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == 2
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(torch.get_num_threads).result() == 2


def test_the_weights_are_those_that_torch_would_draw() -> None:
    """Models of earlier versions, which drew them from the global generator, are trained again to the same bits."""
    network = TorchNetwork(SMALL, 3, 9)
    layers = network.untrained(12)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        dense, convolution = torch.nn.Linear(3, 7), torch.nn.Conv2d(1, 8, 3, stride=2)
        rest = torch.nn.Linear(15, 5)
    assert np.array_equal(layers[0][0][:3, :7], dense.weight.detach().numpy().T)
    assert np.array_equal(layers[0][1][:7], dense.bias.detach().numpy())
    assert convolution.bias is not None
    assert np.array_equal(layers[0][1][7:], convolution.bias.detach().numpy())
    assert np.array_equal(layers[1][0], rest.weight.detach().numpy().T)


def test_a_second_fit_begins_from_scratch() -> None:
    network = _fitted()
    once = _numbers(network.dense_layers())
    network.fit(*_data(3))
    assert _numbers(network.dense_layers()) == once
    network.fit(*_data(4))
    assert network.dense_layers()[0][0].shape == (4, 7)


@pytest.mark.parametrize("patch", PATCHES)
@pytest.mark.parametrize("hidden", [(7, 5), (4,)])
def test_dense_layers_compute_what_it_predicts(patch: int, hidden: tuple[int, ...]) -> None:
    network = _fitted(NetworkSettings(hidden=hidden, epochs=2, batch_size=16), patch=patch)
    layers, columns = network.dense_layers(), 3 + patch
    dense = DenseNetwork(tuple(layers), Scaling.none(columns), np.zeros(columns))
    rows, _ = _data(columns, seed=1)
    assert dense.predict(rows) == pytest.approx(network.predict(rows), abs=1e-4)
    assert np.ptp(network.predict(rows)) > 0.1
    assert all(array.dtype == np.float32 for layer in layers for array in layer)


def test_a_convolution_sees_cells_only_where_they_are() -> None:
    weights, biases = _fitted(patch=25).dense_layers()[0]
    dense, filters, places = 7, 8, 4
    assert weights.shape == (3 + 25, dense + filters * places)
    assert len(biases) == dense + filters * places
    assert (weights[3:, :dense] == 0).all()
    assert (weights[:3, dense:] == 0).all()
    # The first place of a filter covers the first three cells of the first three rows.
    covered = np.flatnonzero(weights[3:, dense] != 0)
    assert covered.tolist() == [0, 1, 2, 5, 6, 7, 10, 11, 12]
    # The last one, the same weights at the other corner.
    shifted = np.flatnonzero(weights[3:, dense + places - 1] != 0)
    assert shifted.tolist() == [cell + 12 for cell in covered]
    first, last = weights[3:, dense][covered], weights[3:, dense + places - 1][shifted]
    assert first == pytest.approx(last, abs=1e-6)


@pytest.mark.parametrize(
    "changes", [{"averaging": 0.0}, {"averaging": 0.9}, {"decay": True}, {"optimiser": "adam"}, {"hidden": (30,)}]
)
def test_a_simple_function_is_learned(changes: dict[str, object]) -> None:
    settings = NetworkSettings(**{"hidden": (30, 20), "epochs": 40, "batch_size": 32, **changes})  # type: ignore[arg-type]
    rows, values = _data(2, 800)
    network = TorchNetwork(settings, 0)
    network.fit(rows, values)
    unseen, wanted = _data(2, 300, seed=1)
    assert np.mean((network.predict(unseen) - wanted) ** 2) < 0.1 * wanted.var()


def test_settings_of_the_descent_each_matter() -> None:
    changed: list[dict[str, object]] = [
        {},
        {"averaging": 0.0},
        {"averaging": 0.5},
        {"decay": True},
        {"optimiser": "adam"},
        {"learning_rate": 0.02},
        {"epochs": 4},
        {"batch_size": 20},
    ]
    found = []
    for changes in changed:
        settings = NetworkSettings(**{"hidden": (7, 5), "epochs": 3, "batch_size": 16, **changes})  # type: ignore[arg-type]
        found.append(str(_numbers(_fitted(settings).dense_layers())))
    assert len(set(found)) == len(changed)


def test_the_average_begins_at_the_weights_not_at_zero() -> None:
    """After a single step there is one thing to take the average of."""
    one_step = {"hidden": (5,), "epochs": 1, "batch_size": 1000}
    plain, averaged = (
        _fitted(NetworkSettings(averaging=averaging, **one_step)).dense_layers()  # type: ignore[arg-type]
        for averaging in (0.0, 0.99)
    )
    for (weights, biases), (other_weights, other_biases) in zip(plain, averaged, strict=True):
        assert weights == pytest.approx(other_weights, rel=1e-4)
        assert biases == pytest.approx(other_biases, rel=1e-4)


def test_many_rows_are_predicted_in_parts_alike() -> None:
    network = _fitted()
    rows = np.random.default_rng(0).normal(size=(40_000, 3))
    values = network.predict(rows)
    assert values.dtype == np.float64
    assert values[[0, 20_000, -1]] == pytest.approx(network.predict(rows[[0, 20_000, -1]]), abs=1e-5)
