"""Notes on a run that went well: one line each on standard error."""

from __future__ import annotations

import sys


def tell(note: object) -> None:
    """Print a note."""
    print(f"note: {one_line(note)}", file=sys.stderr)  # noqa: T201


def one_line(note: object) -> str:
    """The text of a note without line breaks; a belief of the user's own may give any reason."""
    return " ".join(str(note).split())
