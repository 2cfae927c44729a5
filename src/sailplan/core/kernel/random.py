"""Random numbers that depend on a seed and a step only: the same in both engines and in every thread."""

from __future__ import annotations

from numba import config, uint64

from sailplan.core.kernel.compile import kernel, piece

_INCREMENT, _FIRST_FACTOR, _SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_FRACTIONS = 9007199254740992.0
"""2^53, the number of different values below 1."""


@piece
def uniform(seed, step):
    """Return a number in [0, 1) for a seed and a step (the finaliser of SplitMix64)."""
    bits = uint64(seed) + uint64(step + 1) * uint64(_INCREMENT)
    bits = (bits ^ (bits >> uint64(30))) * uint64(_FIRST_FACTOR)
    bits = (bits ^ (bits >> uint64(27))) * uint64(_SECOND_FACTOR)
    bits ^= bits >> uint64(31)
    return float(bits >> uint64(11)) / _FRACTIONS


if config.DISABLE_JIT:

    def uniform(seed, step):
        """Return the same number with Python integers, which do not overflow."""
        mask = (1 << 64) - 1
        bits = (int(seed) + (int(step) + 1) * _INCREMENT) & mask
        bits = (bits ^ (bits >> 30)) * _FIRST_FACTOR & mask
        bits = (bits ^ (bits >> 27)) * _SECOND_FACTOR & mask
        bits ^= bits >> 31
        return float(bits >> 11) / _FRACTIONS


@kernel
def coin(seed, step, probability):
    """Return true with a given probability."""
    return uniform(seed, step) < probability


@kernel
def draw(seed, step):
    """Return `uniform` to Python."""
    return uniform(seed, step)
