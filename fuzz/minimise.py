"""Smaller inputs with the same fault."""

from __future__ import annotations

from collections.abc import Callable

MOST_ATTEMPTS = 400


def minimise(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Remove pieces of a file, large ones first, as long as it still fails in the same way."""
    attempts, size = 0, len(data) // 2
    while size and attempts < MOST_ATTEMPTS:
        at = 0
        while at < len(data) and attempts < MOST_ATTEMPTS:
            shorter = data[:at] + data[at + size :]
            attempts += 1
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data
