"""Steps along a noisy gradient, scaled by its size in each direction (Adam)."""

from __future__ import annotations

import numpy as np

from sailplan.core.graph import FloatArray


class Adam:
    """Running means of a gradient and of its square.

    Examples
    --------
    >>> adam = Adam((2,), momentum=0.9, scaling=0.99)
    >>> adam.direction(np.array([3.0, -0.1])).round(3)
    array([ 1., -1.])
    """

    def __init__(self, shape: tuple[int, ...], momentum: float, scaling: float, least_scale: float = 0.0) -> None:
        self._momentum, self._scaling, self._least_scale = momentum, scaling, least_scale
        self._mean, self._square, self._steps = np.zeros(shape), np.zeros(shape), 0

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the mean gradient so far in units of its root mean square.

        The root mean square is increased by `least_scale` times the largest one, so that directions in which the
        gradient is small move less.
        """
        self._steps += 1
        self._mean = self._momentum * self._mean + (1.0 - self._momentum) * gradient
        self._square = self._scaling * self._square + (1.0 - self._scaling) * gradient**2
        scale = np.sqrt(self._square / (1.0 - self._scaling**self._steps))
        scale = scale + self._least_scale * scale.max() + 1e-9
        direction: FloatArray = self._mean / (1.0 - self._momentum**self._steps) / scale
        return direction
