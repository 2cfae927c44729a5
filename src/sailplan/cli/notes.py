"""Notes: what is to be known of a run that went well; a line each on standard error, never a Python warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from sailplan.errors import BeliefWarning


def tell(note: str) -> None:
    """Print a note."""
    print(f"note: {one_line(note)}", file=sys.stderr)  # noqa: T201


def one_line(text: str) -> str:
    """The text without line breaks; a belief of the user's may give any reason."""
    return " ".join(text.split())


@contextmanager
def belief_warnings_to(hear: Callable[[BeliefWarning], None]) -> Iterator[None]:
    """Within the block each BeliefWarning goes there, whatever was warned of before; blocks may be nested."""
    before = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if isinstance(message, BeliefWarning):
            hear(message)
        else:
            before(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        # Python's own rule is once for each line of code, which would hide all problems but the first.
        warnings.simplefilter("always", BeliefWarning)
        warnings.showwarning = show
        yield


@contextmanager
def belief_warnings_told() -> Iterator[None]:
    """Within the block a BeliefWarning is a note, once for each belief and reason."""
    told: set[tuple[str, str]] = set()

    def hear(warning: BeliefWarning) -> None:
        if (warning.belief, warning.reason) not in told:
            told.add((warning.belief, warning.reason))
            tell(str(warning))

    with belief_warnings_to(hear):
        yield


def tell_of_family(family: str, worlds: int, heard: Sequence[BeliefWarning]) -> None:
    """Print one note for each belief that did not fit in some worlds of a family."""
    for belief in dict.fromkeys(warning.belief for warning in heard):
        reasons = [warning.reason for warning in heard if warning.belief == belief]
        tell(f"{family}: {belief} charges nothing for the unseen in {len(reasons)} of {worlds} worlds: {reasons[0]}")
