"""The network of cost multipliers while it is trained (torch)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sailplan.policies.replanning.beliefs.pixel_network import (
    DILATIONS,
    OUTPUTS,
    PLACES,
    Layer,
    PixelNetwork,
    layer_shapes,
)
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats
from sailplan.policies.replanning.beliefs.prior import Penalty

_FIRST_EXTRA = -3.0
"""The second output before training; its softplus, which is added to multipliers, is small."""


class Outputs(NamedTuple):
    """What the network predicts for each pixel of several states."""

    odds: Tensor
    """The log odds that a cell is blocked."""
    multipliers: Tensor
    """The cost multipliers."""


class TorchPixelNetwork(nn.Module):
    """The same layers as `PixelNetwork`; arrays have shape (states, channels, rows, columns)."""

    def __init__(self, near: int, far: int, penalty: Penalty) -> None:
        super().__init__()
        self._certainty, self._prior_weight = penalty.certainty, penalty.prior_weight
        self.surprise = nn.Parameter(torch.tensor(math.log(penalty.surprise)))
        self.sharpness = nn.Parameter(torch.tensor(math.log(penalty.sharpness)))
        self.layers = nn.ModuleDict(
            {
                name: nn.Conv2d(
                    inputs,
                    outputs,
                    side,
                    stride=2 if name == "down" else 1,
                    padding=_dilation(name) if side > 1 else 0,
                    dilation=_dilation(name),
                )
                for name, (side, inputs, outputs) in layer_shapes(near, far).items()
            }
        )
        self.offsets = nn.Parameter(torch.zeros(OUTPUTS, PIXELS, PIXELS))
        last = self.layers["last"]
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        nn.init.zeros_(last.weight)
        with torch.no_grad():
            last.bias.copy_(torch.tensor([0.0] * 4 + [_FIRST_EXTRA] * 4))

    def forward(self, inputs: Tensor, positions: Tensor, framed: Tensor) -> Tensor:
        """The outputs, shape (states, OUTPUTS, PIXELS, PIXELS); offsets count in states whose frame fits."""
        layers, odd = self.layers, 2 * PLACES - PIXELS
        places = functional.pixel_unshuffle(functional.pad(inputs, (0, odd, 0, odd)), 2)
        near = torch.relu(layers["first"](torch.cat([places, positions[..., ::2, ::2]], dim=1)))
        near = near + torch.relu(layers["near"](near))
        far = torch.relu(layers["down"](near))
        for index in range(len(DILATIONS)):
            far = far + torch.relu(layers[f"wide{index}"](far))
        large = functional.interpolate(far, scale_factor=2, mode="nearest")[..., :PLACES, :PLACES]
        near = near + torch.relu(layers["up"](torch.cat([large, near], dim=1)))
        near = near + torch.relu(layers["after"](near))
        pixels = functional.pixel_shuffle(layers["last"](near), 2)
        outputs: Tensor = pixels[..., :PIXELS, :PIXELS] + framed[:, None, None, None] * self.offsets
        return outputs

    def interpret(self, outputs: Tensor, recalled_odds: Tensor, frequencies: Tensor) -> Outputs:
        """Odds and multipliers from the outputs; the same as `LearnedMultipliers.predict`."""
        odds = outputs[:, 0] + recalled_odds
        likely = self._certainty * torch.sigmoid(odds) ** self.sharpness.exp()
        extra = functional.softplus(outputs[:, 1])
        known = 1.0 + self._prior_weight * frequencies
        return Outputs(odds, known + extra - self.surprise.exp() * torch.log1p(-likely))

    def without_torch(self) -> PixelNetwork:
        """The network as numpy arrays."""
        layers = {}
        for name, layer in self.layers.items():
            assert isinstance(layer, nn.Conv2d)
            assert layer.bias is not None
            layers[name] = Layer(_array(layer.weight.permute(2, 3, 1, 0)), _array(layer.bias))
        return PixelNetwork(layers, _array(self.offsets))

    @property
    def penalty(self) -> Penalty:
        """The multipliers as a function of probabilities."""
        surprise, sharpness = math.exp(self.surprise.item()), math.exp(self.sharpness.item())
        return Penalty(self._prior_weight, surprise, self._certainty, sharpness)

    @classmethod
    def of(cls, network: PixelNetwork, penalty: Penalty) -> TorchPixelNetwork:
        """The network from numpy arrays."""
        made = cls(*network.channels, penalty)
        with torch.no_grad():
            made.offsets.copy_(torch.from_numpy(network.offsets))
            for name, layer in made.layers.items():
                assert isinstance(layer, nn.Conv2d)
                assert layer.bias is not None
                weights, biases = network.layers[name]
                layer.weight.copy_(torch.from_numpy(weights).permute(3, 2, 0, 1))
                layer.bias.copy_(torch.from_numpy(biases))
        return made


def hidden_loss(odds: Tensor, shares: Tensor, weights: Tensor) -> Tensor:
    """The cross-entropy of the hidden cells of each state, summed over the states."""
    entropy = functional.binary_cross_entropy_with_logits(odds, shares, reduction="none")
    return (entropy * weights).mean(dim=(1, 2)).sum()


def stacked(arrays: Sequence[Floats | NDArray[np.float16]]) -> Tensor:
    """Arrays of the same shape as one tensor."""
    return torch.from_numpy(np.stack(arrays).astype(np.float32, copy=False))


def _dilation(name: str) -> int:
    return DILATIONS[int(name.removeprefix("wide"))] if name.startswith("wide") else 1


def _array(tensor: Tensor) -> Floats:
    return tensor.detach().numpy().astype(np.float32, order="C", copy=True)
