"""The open list as a sorted list."""

from __future__ import annotations


class SortedQueue:
    """Vertices ordered by (key, insertion number), sorted anew at every insertion."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, int]] = []
        self._insertions = 0

    def offer(self, vertex: int, key: float) -> None:
        self._insertions += 1
        self._entries = sorted([*self._entries, (key, self._insertions, vertex)])

    def pop(self) -> int | None:
        return self._entries.pop(0)[2] if self._entries else None
