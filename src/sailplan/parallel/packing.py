"""Pickles for workers of a cluster, in which objects that many tasks share are only referred to.

Problems and large arrays occur in many tasks. A pickle of a task holds a number in the place of each of them; they
travel by themselves, once, many in a crate. A class of immutable objects that are worth it has an attribute
`sent_once`, which is true.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, NamedTuple, NoReturn

import numpy as np
from cloudpickle import Pickler

LARGE_ARRAY = 1 << 20
"""Size in bytes from which a read-only array is sent by itself."""
_NUMBERS = "biufc"
"""The kinds of arrays that consist of their bytes: truth values and numbers."""


class Parcel(NamedTuple):
    """A pickle, and the objects that it refers to by their number."""

    data: bytes
    parts: list[Any]


def pack(value: object) -> Parcel:
    """Pickle a value without the objects in it that are sent by themselves; functions may be local ones."""
    parts: list[Any] = []

    def number(part: object) -> int | None:
        if part is value or not _is_sent_once(part):
            return None
        # A pickler asks once for each object: it remembers what it has written.
        parts.append(part)
        return len(parts) - 1

    return Parcel(_pickled(value, number), parts)


def pack_beside(value: object, parts: Sequence[object]) -> bytes:
    """Pickle a value; those of `parts` that occur in it are only referred to."""
    numbers = {id(part): number for number, part in enumerate(parts)}
    return _pickled(value, lambda part: numbers.get(id(part)))


def unpack(data: bytes, parts: Sequence[object]) -> Any:
    """Read a pickle that refers to `parts`."""
    return _Unpickler(data, parts).load()


class Place(NamedTuple):
    """Where an object is: the number of its crate in a list of crates, and its number in the crate."""

    crate: int
    number: int


class Packed(NamedTuple):
    """A pickle, and the places of the objects that it refers to."""

    data: bytes
    places: Sequence[Place]

    def read(self, crates: Sequence[Crate]) -> tuple[Any, list[Any]]:
        """Return the value, and the objects that it refers to."""
        parts = [crates[place.crate][place.number] for place in self.places]
        return unpack(self.data, parts), parts


class Crate:
    """Objects on a worker: pickles that are read when an object is first used there.

    Parameters
    ----------
    content
        The objects. A place in crate 0 is in this one; the others follow.
    others
        The crates that objects of this one refer to.
    """

    def __init__(self, content: Sequence[Packed], others: Sequence[Crate]) -> None:
        self._content, self._others = content, others
        self._read: dict[int, Any] = {}
        # Objects of a crate refer to each other, so that a thread may come back.
        self._lock = RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Crate, (self._content, self._others)

    def __sizeof__(self) -> int:
        # Dask moves and spills data by its size; there are the pickles, and the objects themselves.
        return object.__sizeof__(self) + 2 * sum(len(one.data) for one in self._content)

    def __getitem__(self, number: int) -> Any:
        """The object; the same one for all tasks of a worker."""
        with self._lock:
            if number not in self._read:
                self._read[number], _ = self._content[number].read([self, *self._others])
            return self._read[number]


def _is_sent_once(part: object) -> bool:
    if isinstance(part, np.ndarray):
        return part.nbytes >= LARGE_ARRAY and not part.flags.writeable
    return getattr(type(part), "sent_once", False) is True


def _pickled(value: object, number: Callable[[object], int | None]) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, number).dump(value)
    return buffer.getvalue()


class _Pickler(Pickler):  # type: ignore[misc]
    """Pickles local functions too, and keeps arrays read-only: kernels would be compiled again for writeable ones.

    Parts are replaced here and not by `persistent_id`, which would be called for each number and text as well.
    """

    def __init__(self, file: io.BytesIO, number: Callable[[object], int | None]) -> None:
        super().__init__(file)
        self._number = number

    def reducer_override(self, part: Any) -> Any:
        number = self._number(part)
        if number is not None:
            return part_at, (number,)
        if type(part) is np.ndarray:
            if part.flags.c_contiguous and part.dtype.kind in _NUMBERS and part.dtype.isnative:
                # Read-only data becomes bytes, and bytes an array that is read-only. Results consist of many small
                # arrays, which numpy would pickle in three times the time.
                return np.ndarray, (part.shape, part.dtype, pickle.PickleBuffer(part.data))
            if not part.flags.writeable:
                return _read_only, (part.copy(),)
        return super().reducer_override(part)


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, parts: Sequence[object]) -> None:
        super().__init__(io.BytesIO(data))
        self._parts = parts

    def find_class(self, module: str, name: str) -> Any:
        if name == part_at.__name__ and module == __name__:
            return self._parts.__getitem__
        return super().find_class(module, name)


def part_at(number: int) -> NoReturn:
    """Stand for a part in a pickle; `unpack` puts the part itself there."""
    raise pickle.UnpicklingError(f"part {number} is not in this pickle")


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array
