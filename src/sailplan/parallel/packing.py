"""Pickles for workers of a cluster, in which objects that many tasks share are only referred to.

Problems and large arrays occur in many tasks. A pickle of a task holds a number in the place of each of them; they
travel by themselves, once. A class of immutable objects that are worth it has an attribute `sent_once`, which is true.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from cloudpickle import Pickler

LARGE_ARRAY = 1 << 20
"""Size in bytes from which a read-only array is sent by itself."""


class Parcel(NamedTuple):
    """A pickle, and the objects that it refers to by their number."""

    data: bytes
    parts: list[Any]


def pack(value: object) -> Parcel:
    """Pickle a value without the objects in it that are sent by themselves; functions may be local ones."""
    parts: list[Any] = []
    numbers: dict[int, int] = {}

    def number(part: object) -> int | None:
        if part is value or not _is_sent_once(part):
            return None
        if id(part) not in numbers:
            numbers[id(part)] = len(parts)
            parts.append(part)
        return numbers[id(part)]

    return Parcel(_pickled(value, number), parts)


def pack_beside(value: object, parts: Sequence[object]) -> bytes:
    """Pickle a value; those of `parts` that occur in it are only referred to."""
    numbers = {id(part): number for number, part in enumerate(parts)}
    return _pickled(value, lambda part: numbers.get(id(part)))


def unpack(data: bytes, parts: Sequence[object]) -> Any:
    """Read a pickle that refers to `parts`."""
    return _Unpickler(data, parts).load()


class Shipment:
    """An object on a worker: a pickle that is read when the object is first used there."""

    def __init__(self, data: bytes, parts: Sequence[Shipment]) -> None:
        self._data, self._parts = data, parts
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Shipment, (self._data, self._parts)

    def __sizeof__(self) -> int:
        # Dask moves and spills data by its size; there is the pickle, and the object itself.
        return object.__sizeof__(self) + 2 * len(self._data)

    @property
    def value(self) -> Any:
        """The object; the same one for all tasks of a worker."""
        with self._lock:
            if not hasattr(self, "_value"):
                self._value = unpack(self._data, [part.value for part in self._parts])
            return self._value


def _is_sent_once(part: object) -> bool:
    if isinstance(part, np.ndarray):
        return part.nbytes >= LARGE_ARRAY and not part.flags.writeable
    return getattr(type(part), "sent_once", False) is True


def _pickled(value: object, number: Callable[[object], int | None]) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, number).dump(value)
    return buffer.getvalue()


class _Pickler(Pickler):  # type: ignore[misc]
    """Pickles local functions too, and keeps arrays read-only: kernels would be compiled again for writeable ones."""

    def __init__(self, file: io.BytesIO, number: Callable[[object], int | None]) -> None:
        super().__init__(file)
        self._number = number

    def persistent_id(self, part: object) -> int | None:
        return self._number(part)

    def reducer_override(self, part: Any) -> Any:
        if type(part) is np.ndarray and not part.flags.writeable:
            return _read_only, (part.copy(),)
        return super().reducer_override(part)


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, parts: Sequence[object]) -> None:
        super().__init__(io.BytesIO(data))
        self._parts = parts

    def persistent_load(self, number: Any) -> object:
        return self._parts[number]


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array
