"""Networks trained with torch. What they learn leaves as dense layers, so that nothing else needs torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from sailplan.graphs.graph import FloatArray
from sailplan.learning.settings import NetworkSettings
from sailplan.policies.network import Layer

_FILTERS, _KERNEL, _STRIDE = 8, 3, 2
_PREDICTED_AT_ONCE = 1 << 14


class TorchNetwork:
    """Dense layers with ReLU; columns of a patch go through a small convolution first.

    The same seed and data give the same weights to the last bit, whatever the number of threads.
    """

    def __init__(self, settings: NetworkSettings, seed: int, patch_columns: int = 0) -> None:
        self._settings, self._seed, self._patch_columns = settings, seed, patch_columns
        self._first: FirstLayer | None = None
        self._rest: list[nn.Linear] = []

    def fit(self, rows: FloatArray, values: FloatArray) -> None:
        """Learn from scratch, by squared error."""
        with _one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
            self._build(rows.shape[1])
            self._descend(torch.from_numpy(rows.astype(np.float32)), torch.from_numpy(values.astype(np.float32)))

    def predict(self, rows: FloatArray) -> FloatArray:
        """The value of each row."""
        with _one_thread(), torch.no_grad():
            inputs = torch.from_numpy(rows.astype(np.float32))
            firsts = range(0, len(inputs), _PREDICTED_AT_ONCE)
            parts = [self._forward(inputs[first : first + _PREDICTED_AT_ONCE]) for first in firsts]
            return torch.cat(parts).numpy().astype(np.float64)

    def dense_layers(self) -> list[Layer]:
        """All layers as dense ones, a convolution among them unrolled."""
        assert self._first is not None
        with torch.no_grad():
            rest = [(layer.weight.t(), layer.bias) for layer in self._rest]
            return [(_array(weights), _array(biases)) for weights, biases in [self._first.as_dense(), *rest]]

    def _build(self, columns: int) -> None:
        hidden = self._settings.hidden
        self._first = FirstLayer(columns - self._patch_columns, self._patch_columns, hidden[0])
        widths = [self._first.outputs, *hidden[1:], 1]
        self._rest = [nn.Linear(before, after) for before, after in pairwise(widths)]

    def _forward(self, rows: Tensor) -> Tensor:
        assert self._first is not None
        values: Tensor = self._first(rows)
        for layer in self._rest:
            values = layer(torch.relu(values))
        return values[:, 0]

    def _descend(self, rows: Tensor, values: Tensor) -> None:
        settings = self._settings
        assert self._first is not None
        parameters = FlatParameters([*self._first.parameters(), *(p for one in self._rest for p in one.parameters())])
        optimisers = {"rmsprop": torch.optim.RMSprop, "adam": torch.optim.Adam}
        optimiser = optimisers[settings.optimiser]([parameters.flat], lr=settings.learning_rate, foreach=False)
        average, steps = torch.zeros_like(parameters.flat.data), 0
        last = settings.epochs * -(-len(rows) // settings.batch_size)
        for _ in range(settings.epochs):
            order = torch.randperm(len(rows))
            shuffled, wanted = rows[order], values[order]
            for first in range(0, len(rows), settings.batch_size):
                batch = slice(first, first + settings.batch_size)
                if settings.decay:
                    optimiser.param_groups[0]["lr"] = settings.learning_rate * (1.0 - steps / last)
                parameters.gradient.zero_()
                ((self._forward(shuffled[batch]) - wanted[batch]) ** 2).mean().backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                steps += 1
                if settings.averaging:
                    average.lerp_(parameters.flat.data, 1.0 - settings.averaging)
        if settings.averaging:
            parameters.flat.data.copy_(average / (1.0 - settings.averaging**steps))


class FirstLayer(nn.Module):
    """A dense layer over the columns, beside a convolution over those that are a patch."""

    def __init__(self, columns: int, patch_columns: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(columns, outputs)
        self._columns, self._side = columns, round(patch_columns**0.5)
        self.convolution = nn.Conv2d(1, _FILTERS, _KERNEL, stride=_STRIDE) if patch_columns else None
        places = (self._side - _KERNEL) // _STRIDE + 1
        self.outputs = outputs + (_FILTERS * places**2 if patch_columns else 0)

    def forward(self, rows: Tensor) -> Tensor:
        """What goes into the next layer, before ReLU."""
        values: Tensor = self.dense(rows[:, : self._columns])
        if self.convolution is None:
            return values
        return torch.cat([values, self._convolve(rows[:, self._columns :])], dim=1)

    def as_dense(self) -> tuple[Tensor, Tensor]:
        """The same as weights, shape (inputs, outputs), and biases."""
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


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums are taken in the same order whatever the machine; and small batches are fastest so."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
