"""Work on many items: in threads, in processes, or on the cluster that is in use; and the display of its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from joblib import Parallel, delayed

from sailplan.errors import ClusterError

if TYPE_CHECKING:
    from sailplan.parallel.cluster import Cluster

Item = TypeVar("Item")
Result = TypeVar("Result")
_CLUSTER: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
"""The cluster that is in use; None if work is done in threads."""
_LOCAL = "local:"
ShowProgress = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""Opens a display with a description and a number of steps. The context manager yields a function to call after each
step, with a new description if there is one: `show_progress` or `no_progress`."""


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
    if cluster := _CLUSTER.get():
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
    if _CLUSTER.get():
        return map(function, items)
    work = (delayed(function)(item) for item in items)
    results: Iterator[Result] = Parallel(n_jobs=jobs, return_as="generator_unordered")(work)
    return results


@contextmanager
def use_cluster(where: str) -> Iterator[Cluster]:
    """Run searches, roll-outs and validations on a Dask cluster while the block runs.

    Trainings, evaluations and recordings inside the block give the same results as without a cluster, whatever the
    number of workers, and also if workers are killed or join later. `jobs` has no effect there. Workers need the same
    versions of Python, sailplan, numpy and numba, and no access to the files of this machine.

    Parameters
    ----------
    where
        The address of a scheduler, for example `tcp://10.0.0.5:8786`, or `local:N`: N processes on this machine, which
        end with the block.

    Returns
    -------
    context manager
        Its value is the cluster. Printed, it shows the number of workers and the address of the dashboard of Dask.

    Raises
    ------
    ClusterError
        If Dask is not installed, the scheduler cannot be reached or is lost, or no worker joins.

    Examples
    --------
    >>> import sailplan
    >>> with sailplan.use_cluster("local:4") as cluster:  # doctest: +SKIP
    ...     policy = sailplan.train("my_maps/")
    """
    count = _local_workers(where)
    try:
        from sailplan.parallel.cluster import connect, start
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"a cluster needs the package {error.name}: pip install '.[cluster]' in a checkout"
        ) from error
    with connect(where) if count is None else start(count) as cluster:
        token = _CLUSTER.set(cluster)
        try:
            yield cluster
        finally:
            _CLUSTER.reset(token)


def _local_workers(where: object) -> int | None:
    """Return the number of workers on this machine; None if `where` is an address."""
    if not isinstance(where, str) or not where.strip():
        raise ClusterError(f"a cluster is the address of a scheduler or local:N, not {where!r:.60}")
    if not where.startswith(_LOCAL):
        return None
    count = where.removeprefix(_LOCAL)
    if not (count.isascii() and count.isdigit() and 0 < int(count) <= 1024):
        raise ClusterError(f"{where:.60}: the number of workers must be between 1 and 1024")
    return int(count)


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
