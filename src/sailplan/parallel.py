"""Parallel work: the only module that asks joblib for workers, so that a cluster can take their place later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_all(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> list[Result]:
    """Apply a function to every item in threads.

    Compiled kernels release the GIL, so that threads are enough for searches.

    Parameters
    ----------
    function
        Called once for each item. It must be safe to call from several threads.
    items
        Consumed as workers become free, so that a lazy sequence is not read at once.
    jobs
        Number of threads; with 1 everything runs in the calling thread.

    Returns
    -------
    list
        The results in the order of the items, whatever the number of threads.

    Examples
    --------
    >>> run_all(str.upper, ["a", "b", "c"], jobs=2)
    ['A', 'B', 'C']
    """
    results: list[Result] = Parallel(n_jobs=jobs, prefer="threads")(delayed(function)(item) for item in items)
    return results


def run_in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """Apply a function to every item in processes, for long work that holds the GIL.

    Parameters
    ----------
    function
        Called once for each item; function, items and results must be picklable.
    items
        What to work on.
    jobs
        Number of processes; with 1 everything runs in the calling process.

    Returns
    -------
    Iterator
        The results in the order in which they are finished.

    Raises
    ------
    concurrent.futures.process.BrokenProcessPool
        If a process was ended from outside.
    """
    work = (delayed(function)(item) for item in items)
    results: Iterator[Result] = Parallel(n_jobs=jobs, return_as="generator_unordered")(work)
    return results
