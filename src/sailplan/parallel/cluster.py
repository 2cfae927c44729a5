"""A Dask cluster: its connection, its tasks, and the objects that it received once."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

import dask
import distributed
from distributed import Client, Future

from sailplan.errors import ClusterError
from sailplan.parallel.job import LOOK_SECONDS, Job, Pace, stamp
from sailplan.parallel.local import FEWER_LOOKS, started
from sailplan.parallel.packing import Crate, Packed, Parcel, Place, pack

_CONNECT_SECONDS, _START_SECONDS = 10, 60
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1TB",
    # The state of all workers, which nothing here reads.
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.comm.timeouts.connect": "10s",
    **FEWER_LOOKS,
}
"""Settings of Dask. Functions with large models are sent as they are needed, which is no reason for a warning."""


class Cluster:
    """Workers of a Dask scheduler; `use_cluster` creates one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: dict[int, tuple[Future[Any], int]] = {}
        self._address = client.scheduler_info()["address"]
        self._counted, self._looked = 0, -LOOK_SECONDS
        self.pace = Pace()
        self.stamp = stamp()

    def __str__(self) -> str:
        threads = self.threads()
        workers = f"{len(threads)} worker{'s' if len(threads) != 1 else ''} at {self._address}"
        return f"{workers}, dashboard {self._client.dashboard_link}"

    def threads(self) -> dict[str, int]:
        """Return the number of threads of each worker that is there now, by its address."""
        try:
            found: dict[str, int] = self._client.nthreads()
        except (OSError, TimeoutError, RuntimeError) as error:
            raise self._lost() from error
        return found

    def run_all(
        self, function: Callable[[Any], Any], items: Iterable[Any], on_done: Callable[[], None] | None
    ) -> list[Any]:
        """Apply a function to every item; see `sailplan.parallel.run_all`."""
        job = Job(self, function, items, on_done)
        try:
            return job.run()
        finally:
            job.cancel()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start a task."""
        (future,) = self.map(function, [arguments])
        return future

    def map(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Future[Any]]:
        """Start a task for each tuple of arguments."""
        if not arguments:
            return []
        try:
            started: list[Future[Any]] = self._client.map(function, *zip(*arguments, strict=True), pure=False)
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        return started

    def gather(self, futures: Sequence[Future[Any]]) -> list[Any]:
        """Return the results of tasks that have finished."""
        try:
            results: list[Any] = self._client.gather(list(futures)) if futures else []
        except (distributed.CancelledError, OSError, TimeoutError, RuntimeError) as error:
            raise self._lost() from error
        return results

    def error(self, future: Future[Any]) -> BaseException:
        """Return why a task has failed."""
        try:
            error: BaseException | None = future.exception()
        except (distributed.CancelledError, OSError, TimeoutError, RuntimeError):
            error = None
        return error or self._lost()

    def address(self, *parcels: Parcel) -> tuple[list[Packed], list[Future[Any]]]:
        """Send what pickles refer to and is not on the cluster yet; return them with its places, and the crates."""
        self._send([part for parcel in parcels for part in parcel.parts])
        return self._places(parcels, [])

    def _places(self, parcels: Sequence[Parcel], own: Sequence[object]) -> tuple[list[Packed], list[Future[Any]]]:
        """Find what pickles refer to: in `own`, if there is any, which is crate 0, or in crates that were sent."""
        here = {id(part): Place(0, number) for number, part in enumerate(own)}
        first = 1 if own else 0
        crates: dict[Future[Any], int] = {}

        def place(part: object) -> Place:
            if id(part) in here:
                return here[id(part)]
            crate, number = self._sent[id(part)]
            return Place(first + crates.setdefault(crate, len(crates)), number)

        return [Packed(data, [place(part) for part in parts]) for data, parts in parcels], list(crates)

    def _send(self, parts: Sequence[object]) -> None:
        """Send objects, and those that they refer to, in one crate; without those that are there already."""
        new: dict[int, tuple[object, Parcel]] = {}
        left = list(parts)
        while left:
            part = left.pop()
            if not self._has(part) and id(part) not in new:
                new[id(part)] = part, pack(part)
                left += new[id(part)][1].parts
        if not new:
            return
        content, others = self._places([parcel for _, parcel in new.values()], [part for part, _ in new.values()])
        # As an argument of a task, so that it is sent again if the only worker that has it is killed.
        crate = self.submit(Crate, content, others)
        for number, (part, _) in enumerate(new.values()):
            self._sent[id(part)] = crate, number
            weakref.finalize(part, self._sent.pop, id(part), None)

    def _has(self, part: object) -> bool:
        """Return whether an object was sent, and its crate was not given up because workers died."""
        return id(part) in self._sent and self._sent[id(part)][0].status != "error"

    def check(self) -> int:
        """Return the number of threads, as of about a second ago; raises ClusterError if the scheduler is lost."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost()
        # The question takes as long as a short task.
        if monotonic() - self._looked >= LOOK_SECONDS:
            self._counted, self._looked = sum(self.threads().values()), monotonic()
        return self._counted

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self._address} is lost; finished rounds are kept: --resume continues")


class _Client(Client):
    """A client that is closed if it cannot connect.

    Otherwise the garbage collector would close it, in any thread: also in one that starts or stops the event loop of
    another client, and holds the lock for it.
    """

    def start(self, **settings: object) -> None:
        """Connect to the scheduler."""
        try:
            super().start(**settings)  # type: ignore[no-untyped-call]
        except BaseException:
            self.close()  # type: ignore[no-untyped-call]
            raise


@contextmanager
def connect(address: str, count: int = 1, *, direct: bool = False) -> Iterator[Cluster]:
    """Use the cluster of a scheduler, once it has so many workers.

    `direct` says that this machine can reach them, so that results need not pass through the scheduler.
    """
    with dask.config.set(_SETTINGS):
        try:
            client = _Client(  # type: ignore[no-untyped-call]
                address, set_as_default=False, timeout=_CONNECT_SECONDS, direct_to_workers=direct
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"{address}: no scheduler answers there") from error
        with _quiet(), client:
            _wait_for(client, count)
            yield Cluster(client)


@contextmanager
def start(count: int) -> Iterator[Cluster]:
    """Use processes on this machine."""
    with started(count) as address, connect(address, count, direct=True) as cluster:
        yield cluster


def _wait_for(client: Client, count: int) -> None:
    try:
        client.wait_for_workers(count, timeout=_START_SECONDS)
    except TimeoutError as error:
        raise ClusterError(f"no worker has joined the cluster within {_START_SECONDS} s") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log of Dask, which reports lost workers and connections; what matters is raised."""
    # Dask gives levels and handlers of their own to some of its loggers.
    own = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    loggers = [logging.getLogger(name) for name in (*own, "tornado.application", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
