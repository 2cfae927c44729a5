"""Apply a function to many items: in threads, in processes, or on the cluster that is in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed

from sailplan.parallel.active import active_cluster

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_all(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int = 1,
    *,
    on_done: Callable[[], None] | None = None,
) -> list[Result]:
    """Apply a function to every item, in threads or on the cluster that is in use.

    Compiled kernels release the GIL, so that threads are enough for searches.

    Parameters
    ----------
    function
        Called once for each item. It must be safe to call from several threads. On a cluster it is pickled with what it
        refers to, and a change that it makes there is lost.
    items
        Consumed as workers become free, so that a lazy sequence is not read at once.
    jobs
        Number of threads; with 1 everything runs in the calling thread. It has no effect on a cluster.
    on_done
        Called in this process after each item, from any thread.

    Returns
    -------
    list
        The results in the order of the items, whatever the number of threads or workers.

    Examples
    --------
    >>> run_all(str.upper, ["a", "b", "c"], jobs=2)
    ['A', 'B', 'C']
    """
    if cluster := active_cluster():
        return cluster.run_all(function, items, on_done)

    def run(item: Item) -> Result:
        result = function(item)
        if on_done:
            on_done()
        return result

    results: list[Result] = Parallel(n_jobs=jobs, prefer="threads")(delayed(run)(item) for item in items)
    return results


def run_in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """Apply a function to every item in processes, for long work that holds the GIL and uses the files of this machine.

    If a cluster is in use, the items are worked on one after the other in this process, and what the function does by
    `run_all` is done on the cluster.

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
    if active_cluster():
        return map(function, items)
    work = (delayed(function)(item) for item in items)
    results: Iterator[Result] = Parallel(n_jobs=jobs, return_as="generator_unordered")(work)
    return results
