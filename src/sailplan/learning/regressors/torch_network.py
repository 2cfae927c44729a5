"""Networks trained with torch. The result is exported as dense layers, so that nothing else needs torch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from threading import Lock
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

from sailplan.core.graph import FloatArray
from sailplan.learning.regressors.regressor import Differences
from sailplan.learning.settings import NetworkSettings
from sailplan.policies.learned.network import Layer

_FILTERS, _KERNEL, _STRIDE = 8, 3, 2
_PREDICTED_AT_ONCE = 1 << 14


class TorchNetwork:
    """Dense layers with ReLU; the columns of a patch pass through a small convolution first.

    The same seed and data give the same weights to the last bit, whatever the number of threads.
    """

    def __init__(self, settings: NetworkSettings, seed: int, patch_columns: int = 0) -> None:
        self._settings, self._seed, self._patch_columns = settings, seed, patch_columns
        self._first: FirstLayer | None = None
        self._rest: list[nn.Linear] = []

    def fit(self, rows: FloatArray, values: FloatArray) -> None:
        """Learn from scratch by squared error."""

        def loss(rows: Tensor, values: Tensor) -> Tensor:
            return ((self._forward(rows) - values) ** 2).mean()

        with one_thread():
            self._descend([rows, values], loss, self._build(rows.shape[1]))

    def fit_differences(self, steps: Differences, layers: Sequence[Layer]) -> float:
        """Continue from some layers by squared temporal difference; return its mean over the last pass.

        The sum of initial estimate and network output is fitted to the cost of the step plus, if the search goes on,
        the same sum for the next row as the network gives it at that moment (there is no target network). No gradient
        flows through the latter.
        """

        def loss(*batch: Tensor) -> Tensor:
            rows, guesses, costs, next_rows, next_guesses, largest, goes_on = batch
            with torch.no_grad():
                ahead = torch.minimum((next_guesses + self._forward(next_rows)).clamp(min=0.0), largest)
            return ((guesses + self._forward(rows) - costs - goes_on * ahead) ** 2).mean()

        with one_thread():
            generator = self._build(steps.rows.shape[1])
            self._set_layers(layers)
            return self._descend(steps, loss, generator)

    def fit_odds(self, rows: FloatArray, odds: FloatArray, labels: FloatArray) -> float:
        """Learn from scratch a change of given log odds, by cross-entropy; return its mean over the last pass."""

        def loss(rows: Tensor, odds: Tensor, labels: Tensor) -> Tensor:
            return nn.functional.binary_cross_entropy_with_logits(odds + self._forward(rows), labels)

        with one_thread():
            return self._descend([rows, odds, labels], loss, self._build(rows.shape[1]))

    def untrained(self, columns: int) -> list[Layer]:
        """The initial layers of a network with this seed."""
        with one_thread():
            self._build(columns)
        return self.dense_layers()

    def predict(self, rows: FloatArray) -> FloatArray:
        """The value of each row."""
        with one_thread(), torch.no_grad():
            inputs = torch.from_numpy(rows.astype(np.float32))
            firsts = range(0, len(inputs), _PREDICTED_AT_ONCE)
            parts = [self._forward(inputs[first : first + _PREDICTED_AT_ONCE]) for first in firsts]
            return torch.cat(parts).numpy().astype(np.float64)

    def dense_layers(self) -> list[Layer]:
        """All layers as dense ones; a convolution is unrolled."""
        assert self._first is not None
        with torch.no_grad():
            rest = [(layer.weight.t(), layer.bias) for layer in self._rest]
            return [(_array(weights), _array(biases)) for weights, biases in [self._first.as_dense(), *rest]]

    def _build(self, columns: int) -> torch.Generator:
        """Make the layers of a network with this seed; return the generator for what follows."""
        # Its own generator: trainings in other threads would draw from that of torch at the same time.
        generator, hidden = torch.Generator().manual_seed(self._seed), self._settings.hidden
        self._first = FirstLayer(columns - self._patch_columns, self._patch_columns, hidden[0], generator)
        widths = [self._first.outputs, *hidden[1:], 1]
        self._rest = [_drawn(nn.Linear, generator, *ends) for ends in pairwise(widths)]
        return generator

    def _forward(self, rows: Tensor) -> Tensor:
        assert self._first is not None
        values: Tensor = self._first(rows)
        for layer in self._rest:
            values = layer(torch.relu(values))
        return values[:, 0]

    def _set_layers(self, layers: Sequence[Layer]) -> None:
        assert self._first is not None
        with torch.no_grad():
            for module, (weights, biases) in zip([self._first.dense, *self._rest], layers, strict=True):
                module.weight.copy_(torch.from_numpy(weights).t())
                module.bias.copy_(torch.from_numpy(biases))

    def _descend(self, arrays: Sequence[FloatArray], loss: Callable[..., Tensor], generator: torch.Generator) -> float:
        """Take steps on shuffled batches of rows of all arrays; return the mean loss over the last pass."""
        settings = self._settings
        assert self._first is not None
        tensors = [torch.from_numpy(array.astype(np.float32)) for array in arrays]
        parameters = FlatParameters([*self._first.parameters(), *(p for one in self._rest for p in one.parameters())])
        optimisers = {"rmsprop": torch.optim.RMSprop, "adam": torch.optim.Adam}
        optimiser = optimisers[settings.optimiser]([parameters.flat], lr=settings.learning_rate, foreach=False)
        average, steps, count = torch.zeros_like(parameters.flat.data), 0, len(tensors[0])
        last = settings.epochs * -(-count // settings.batch_size)
        for _ in range(settings.epochs):
            order = torch.randperm(count, generator=generator)
            shuffled = [tensor[order] for tensor in tensors]
            total = torch.zeros(())
            for first in range(0, count, settings.batch_size):
                batch = [tensor[first : first + settings.batch_size] for tensor in shuffled]
                if settings.decay:
                    optimiser.param_groups[0]["lr"] = settings.learning_rate * (1.0 - steps / last)
                parameters.gradient.zero_()
                value = loss(*batch)
                value.backward()  # type: ignore[no-untyped-call]
                total += value.detach() * len(batch[0])
                optimiser.step()
                steps += 1
                if settings.averaging:
                    average.lerp_(parameters.flat.data, 1.0 - settings.averaging)
        if settings.averaging:
            parameters.flat.data.copy_(average / (1.0 - settings.averaging**steps))
        return float(total) / count


class FirstLayer(nn.Module):
    """A dense layer over the columns, beside a convolution over the columns of a patch."""

    def __init__(self, columns: int, patch_columns: int, outputs: int, generator: torch.Generator) -> None:
        super().__init__()
        self.dense = _drawn(nn.Linear, generator, columns, outputs)
        self._columns, self._side = columns, round(patch_columns**0.5)
        self.convolution = None
        if patch_columns:
            self.convolution = _drawn(nn.Conv2d, generator, 1, _FILTERS, _KERNEL, _STRIDE)
        places = (self._side - _KERNEL) // _STRIDE + 1
        self.outputs = outputs + (_FILTERS * places**2 if patch_columns else 0)

    def forward(self, rows: Tensor) -> Tensor:
        """The input of the next layer, before ReLU."""
        values: Tensor = self.dense(rows[:, : self._columns])
        if self.convolution is None:
            return values
        return torch.cat([values, self._convolve(rows[:, self._columns :])], dim=1)

    def as_dense(self) -> tuple[Tensor, Tensor]:
        """The layer as weights of shape (inputs, outputs) and biases."""
        weights, biases = self.dense.weight.t(), self.dense.bias
        if self.convolution is None:
            return weights, biases
        cells = self._side**2
        unrolled_biases = self._convolve(torch.zeros(1, cells))[0]
        unrolled = self._convolve(torch.eye(cells)) - unrolled_biases
        blocks = torch.block_diag(weights, unrolled)  # type: ignore[no-untyped-call]
        return blocks, torch.cat([biases, unrolled_biases])

    def _convolve(self, cells: Tensor) -> Tensor:
        assert self.convolution is not None
        values: Tensor = self.convolution(cells.reshape(-1, 1, self._side, self._side))
        return values.flatten(1)


_Layer = TypeVar("_Layer", nn.Linear, nn.Conv2d)


def _drawn(kind: type[_Layer], generator: torch.Generator, *sizes: int) -> _Layer:
    """Make a layer with the weights and biases that torch would draw, which itself uses the global generator."""
    layer: _Layer = skip_init(kind, *sizes)  # type: ignore[no-untyped-call]
    inputs = layer.weight[0].numel()
    limit = 1.0 / math.sqrt(inputs) if inputs else 0.0
    if inputs:
        nn.init.kaiming_uniform_(layer.weight, a=math.sqrt(5.0), generator=generator)
    assert layer.bias is not None
    nn.init.uniform_(layer.bias, -limit, limit, generator=generator)
    return layer


class FlatParameters:
    """Parameters and their gradients moved into one vector each, so that a step of the optimiser is a few calls."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        self.flat = nn.Parameter(torch.cat([one.detach().reshape(-1) for one in parameters]))
        self.gradient = torch.zeros_like(self.flat.data)
        self.flat.grad = self.gradient
        first = 0
        for one in parameters:
            end = first + one.numel()
            shape = one.shape
            one.data = self.flat.data[first:end].view(shape)
            one.grad = self.gradient[first:end].view(shape)
            first = end


def _array(tensor: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.ascontiguousarray(tensor.detach().numpy(), np.float32)


class _Threads:
    """The number of threads that torch had before the first of the blocks that are now in `one_thread`."""

    lock = Lock()
    blocks = 0
    before = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread: sums are taken in the same order on every machine, and small batches are fastest.

    Several threads may be in such blocks at the same time. OpenMP keeps a number for each thread, so that each of them
    restores its own when it leaves.
    """
    with _Threads.lock:
        # Not in a block: a thread that is new to torch begins with the 1 of another one.
        if not _Threads.blocks:
            _Threads.before = torch.get_num_threads()
        _Threads.blocks += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _Threads.lock:
            _Threads.blocks -= 1
            torch.set_num_threads(_Threads.before)
