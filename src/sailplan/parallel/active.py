"""The cluster that `run_all` uses instead of threads, if one is in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from sailplan.errors import ClusterError

if TYPE_CHECKING:
    from sailplan.parallel.cluster import Cluster

_ACTIVE: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
_LOCAL = "local:"


def active_cluster() -> Cluster | None:
    """Return the cluster that is in use; None if work is done in threads."""
    return _ACTIVE.get()


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
        token = _ACTIVE.set(cluster)
        try:
            yield cluster
        finally:
            _ACTIVE.reset(token)


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
