"""Random numbers that depend on nothing but a seed and a step: the same in both engines and in every thread."""

from __future__ import annotations

from numba import uint64

from sailplan.kernels.compile import kernel, piece


@piece
def uniform(seed, step):
    """A number in [0, 1) for each seed and step (the finaliser of SplitMix64)."""
    bits = uint64(seed) + uint64(step + 1) * uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> uint64(27))) * uint64(0x94D049BB133111EB)
    bits ^= bits >> uint64(31)
    return float(bits >> uint64(11)) / 9007199254740992.0


@kernel
def coin(seed, step, probability):
    """Whether the coin of this step falls on the side that has this probability."""
    return uniform(seed, step) < probability


@kernel
def draw(seed, step):
    """The same number, for Python."""
    return uniform(seed, step)
