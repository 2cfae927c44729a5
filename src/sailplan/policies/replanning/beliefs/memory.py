"""Worlds that are remembered: what a belief compares with what a search knows."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import ModelError
from sailplan.graphs.grid.world import World

Cells = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Memory:
    """Worlds of one size, each a row: 1 where a cell is blocked."""

    by_world: Cells = field(repr=False)

    @classmethod
    def of(cls, worlds: Sequence[World]) -> Memory:
        """Remember worlds."""
        return cls(np.array([world.blocked.reshape(-1) for world in worlds], np.uint8))

    @cached_property
    def by_cell(self) -> Cells:
        """The same with a row for each cell."""
        return np.ascontiguousarray(self.by_world.T)

    @cached_property
    def frequencies(self) -> FloatArray:
        """How often each cell is blocked."""
        frequencies: FloatArray = self.by_world.mean(axis=0)
        return frequencies

    def packed(self) -> Cells:
        """As bytes for a file: eight cells a byte, compressed; worlds of a family have much in common."""
        return np.frombuffer(zlib.compress(np.packbits(self.by_world).tobytes(), 9), np.uint8)

    @classmethod
    def unpacked(cls, packed: Cells, worlds: int, cells: int) -> Memory:
        """Read what `packed` made; raises ModelError where it is something else."""
        size = -(-worlds * cells // 8)
        try:
            # No more than is needed: a few bytes can hold a flood.
            reader = zlib.decompressobj()
            contents = reader.decompress(packed.tobytes(), size + 1)
        except zlib.error as error:
            raise ModelError(f"damaged worlds ({error})") from error
        if worlds < 1 or len(contents) != size:
            raise ModelError(f"{len(contents)} bytes of worlds where {size} are needed")
        return cls(np.unpackbits(np.frombuffer(contents, np.uint8), count=worlds * cells).reshape(worlds, cells))
