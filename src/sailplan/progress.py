"""Progress bars on standard error, for work that takes more than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

ShowProgress = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""Opens a display with a description and a number of steps. The context manager yields a function to call after each
step, with a new description if there is one: `show_progress` or `no_progress`."""


@contextmanager
def show_progress(description: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar while the block runs, if standard error is a terminal.

    Parameters
    ----------
    description
        The text beside the bar.
    total
        Number of steps.

    Yields
    ------
    Callable
        Call it once after each step; its optional argument replaces the description.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=total)
        yield lambda text=None: bar.update(task, advance=1, description=text)


@contextmanager
def no_progress(description: str, total: int) -> Iterator[Callable[..., None]]:
    """Show nothing; takes the place of `show_progress`."""
    yield lambda text=None: None
