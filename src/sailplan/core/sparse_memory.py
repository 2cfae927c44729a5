"""Arrays with an entry for every vertex or edge of a graph, of which a search may touch a small part.

numpy asks the system for huge pages for large arrays. A search that goes through a large map would then clear two
megabytes whenever it comes to a new place in an array: it would need several times the memory, and would stand still
for up to a tenth of a second, which breaks time limits. Large arrays are mapped without huge pages here.
"""

from __future__ import annotations

import math
import mmap
import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

MANY = 1 << 22
"""Number of vertices or edges from which huge pages are avoided; smaller graphs are searched faster with them."""

Shape = int | tuple[int, ...]


def sparse_zeros(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of zeros whose memory is used where it is touched."""
    return _mapped(shape, dtype) if _is_large(shape) else np.zeros(shape, dtype)


def sparse_empty(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array with any contents whose memory is used where it is touched."""
    return _mapped(shape, dtype) if _is_large(shape) else np.empty(shape, dtype)


def _is_large(shape: Shape) -> bool:
    return (shape if isinstance(shape, int) else max(shape)) >= MANY


def _mapped(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    size = (shape if isinstance(shape, int) else math.prod(shape)) * np.dtype(dtype).itemsize
    if sys.platform == "win32":
        memory = mmap.mmap(-1, size)
    else:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, dtype).reshape(shape)
