"""A sequence whose items are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

Key = TypeVar("Key")
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False, repr=False)
class LazySequence(Sequence[Item], Generic[Key, Item]):
    """`make(key)` for each key, made anew at each access; a slice is lazy too."""

    keys: Sequence[Key]
    """What tells the items apart: paths or numbers."""
    make: Callable[[Key], Item]
    """Makes the item of a key."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> LazySequence[Key, Item]: ...
    def __getitem__(self, index: int | slice) -> Item | LazySequence[Key, Item]:
        if isinstance(index, slice):
            return LazySequence(self.keys[index], self.make)
        return self.make(self.keys[index])

    def __repr__(self) -> str:
        return f"<{len(self)} items, each made when asked for>"
