"""A Dask cluster: it receives shared objects once, runs functions in chunks of items, and survives lost workers."""

from __future__ import annotations

import logging
import platform
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from itertools import islice
from math import ceil
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import Any, ClassVar, NamedTuple

import dask
import distributed
from distributed import Client, Future, KilledWorker

from sailplan.errors import ClusterError
from sailplan.parallel.local import started
from sailplan.parallel.packing import Crate, Packed, Parcel, Place, pack, pack_beside, unpack

_CHUNK_SECONDS = 0.25
"""Items are sent in chunks of about this duration, so that the overhead of a task does not count."""
_LAST_CHUNKS = 0.2
"""The last chunks are smaller, down to this part of the duration, so that all workers end at the same time."""
_FIRST_ITEMS = 32
"""Most items in a chunk while it is not known how long they take."""
_AHEAD_SECONDS, _AHEAD = 0.75, (3, 32)
"""Chunks of this duration are sent to each thread before results are back, and how many that may be. More would only
read items earlier; fewer short ones would not be worth their messages."""
_SMALL_FUNCTION = 1 << 16
"""Size in bytes up to which a function is sent with each chunk; a larger one is sent once."""
_DEATHS = 10
"""A chunk is not sent again if so many workers died while they had it: it may be the reason."""
_TOGETHER_SECONDS = 0.02
"""Results that arrive within this time are read together, as long as each thread has chunks to work on."""
_LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 300.0
"""The connection is checked in this interval while no result arrives; a search waits so long for a new worker."""
_CONNECT_SECONDS, _START_SECONDS = 10, 60
_PACKAGES = ("sailplan", "numpy", "numba")
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.comm.timeouts.connect": "10s",
}
"""Settings of Dask. Functions with large models are sent as they are needed, which is no reason for a warning."""


class Cluster:
    """Workers of a Dask scheduler; `use_cluster` creates one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: dict[int, tuple[Future[Any], int]] = {}
        self._pace: dict[str, float] = {}
        self._address = client.scheduler_info()["address"]
        self._counted, self._looked = 0, -_LOOK_SECONDS
        self.stamp = _stamp()

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
        job = _Job(self, function, items, on_done)
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
            if id(part) not in self._sent and id(part) not in new:
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

    def chunk_size(self, name: str, left: int | None, threads: int) -> int:
        """Return how many items of a function to send in a task; `left` is the number of all, if it is known."""
        pace = self._pace.get(name)
        most = max(1, round(_CHUNK_SECONDS / pace)) if pace else _FIRST_ITEMS
        if left is None:
            return most if pace else 1
        shared = ceil(left / (2 * threads)) if pace else ceil(left / (8 * threads))
        least = min(round(_LAST_CHUNKS * most), ceil(left / threads)) if pace else 1
        return max(1, least, min(most, shared))

    def chunks_ahead(self, name: str, size: int) -> int:
        """Return how many chunks of so many items to send to a thread before results are back."""
        least, most = _AHEAD
        return min(most, max(least, ceil(_AHEAD_SECONDS / (size * self._pace.get(name, _AHEAD_SECONDS)))))

    def keep_pace(self, name: str, seconds: float) -> None:
        """Remember how long an item of a function takes; the first ones also load or compile kernels."""
        self._pace[name] = max(min(seconds, 2.0 * self._pace.get(name, seconds)), 1e-6)

    def check(self) -> int:
        """Return the number of threads, as of about a second ago; raises ClusterError if the scheduler is lost."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost()
        # The question takes as long as a short task.
        if monotonic() - self._looked >= _LOOK_SECONDS:
            self._counted, self._looked = sum(self.threads().values()), monotonic()
        return self._counted

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self._address} is lost; finished rounds are kept: --resume continues")


@dataclass(frozen=True, eq=False)
class _LargeFunction:
    """A function that is not sent with each chunk."""

    function: Callable[[Any], Any]
    sent_once: ClassVar[bool] = True

    def call(self, item: Any) -> Any:
        return self.function(item)


class _Chunk(NamedTuple):
    """Items that were sent to a worker."""

    first: int
    """The number of the first item."""
    size: int
    items: Parcel
    deaths: int = 0
    """The number of workers that died while they had it, as far as the scheduler has given up on it."""


class _Job:
    """One call of `run_all`."""

    def __init__(
        self,
        cluster: Cluster,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        on_done: Callable[[], None] | None,
    ) -> None:
        self._cluster, self._on_done = cluster, on_done
        self._name = _name_of(function)
        self._count = len(items) if isinstance(items, Sequence) else None
        self._items, self._read = iter(items), 0
        self._results: dict[int, list[Any]] = {}
        self._pending: dict[Future[Any], _Chunk] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._function = pack(function)
        if len(self._function.data) > _SMALL_FUNCTION:
            self._function = pack(_LargeFunction(function).call)

    def run(self) -> list[Any]:
        """Send chunks and read results until nothing is left."""
        while True:
            # Workers may have joined.
            threads = max(1, self._cluster.check())
            self._submit(list(self._next(threads)))
            if not self._pending:
                return [result for first in sorted(self._results) for result in self._results[first]]
            self._take(self._wait(threads))

    def cancel(self) -> None:
        """Release what an error or an interruption has left behind."""
        for future in self._pending:
            future.release()

    def _next(self, threads: int) -> Iterator[_Chunk]:
        """Read the chunks that are to be sent now."""
        sent = len(self._pending)
        while True:
            left = None if self._count is None else self._count - self._read
            size = self._cluster.chunk_size(self._name, left, threads)
            if sent >= threads * self._cluster.chunks_ahead(self._name, size):
                return
            items = list(islice(self._items, size))
            if not items:
                return
            yield _Chunk(self._read, len(items), pack(items))
            self._read += len(items)
            sent += 1

    def _submit(self, chunks: Sequence[_Chunk]) -> None:
        cluster = self._cluster
        tasks = []
        for chunk in chunks:
            packed, crates = cluster.address(self._function, chunk.items)
            tasks.append((cluster.stamp, *packed, crates))
        for future, chunk in zip(cluster.map(run_chunk, tasks), chunks, strict=True):
            self._pending[future] = chunk
            future.add_done_callback(self._done.put)

    def _wait(self, threads: int) -> list[Future[Any]]:
        """Return futures that are done, at least one, and those that follow at once while the threads are busy.

        Raises ClusterError if the scheduler is lost, or there is no worker for long.
        """
        last = monotonic()
        while True:
            try:
                done = [self._done.get(timeout=_LOOK_SECONDS)]
            except Empty:
                if self._cluster.check():
                    last = monotonic()
                elif monotonic() - last > _PATIENCE_SECONDS:
                    raise ClusterError(f"the cluster has had no worker for {_PATIENCE_SECONDS:.0f} s") from None
                continue
            end = monotonic() + _TOGETHER_SECONDS
            with suppress(Empty):
                while True:
                    busy = len(self._pending) - len(done) > 2 * threads
                    done.append(self._done.get(timeout=max(0.0, end - monotonic()) if busy else 0.0))
            return done

    def _take(self, done: Sequence[Future[Any]]) -> None:
        """Read the results of chunks; send those again whose worker died."""
        finished = [future for future in done if future.status == "finished"]
        try:
            results = self._cluster.gather(finished)
        except KilledWorker as error:
            # Results were lost with a worker, and could not be computed again.
            for future in finished:
                self._repeat(future, error)
            results = []
        for future, (seconds, data) in zip(finished, results, strict=False):
            chunk = self._pending.pop(future)
            self._results[chunk.first] = unpack(data, [*chunk.items.parts, *self._function.parts])
            self._cluster.keep_pace(self._name, seconds / chunk.size)
            if self._on_done:
                for _ in range(chunk.size):
                    self._on_done()
        for future in done:
            if future in self._pending:
                self._repeat(future, self._cluster.error(future))

    def _repeat(self, future: Future[Any], error: BaseException) -> None:
        """Send a chunk again if its worker died; raises what else went wrong."""
        chunk = self._pending.pop(future)
        if not isinstance(error, KilledWorker):
            raise error
        deaths = chunk.deaths + error.allowed_failures + 1
        if deaths >= _DEATHS:
            raise ClusterError(f"{deaths} workers died of the same task ({self._name})") from error
        self._submit([chunk._replace(deaths=deaths)])


def run_chunk(stamp: str, function: Packed, items: Packed, crates: Sequence[Crate]) -> tuple[float, bytes]:
    """Apply a function to some items; the task of a worker. Returns the duration and the pickled results."""
    if stamp != _stamp():
        raise ClusterError(f"a worker has other versions ({_stamp()}) than this program ({stamp})")
    call, shared = function.read(crates)
    read, own = items.read(crates)
    began = perf_counter()
    results = [call(item) for item in read]
    return perf_counter() - began, pack_beside(results, [*own, *shared])


def _name_of(function: Callable[[Any], Any]) -> str:
    """Return a name for functions that take about the same time."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__qualname__", type(function).__name__)


@lru_cache
def _stamp() -> str:
    """Return the versions that results depend on."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)])


@contextmanager
def connect(address: str, count: int = 1) -> Iterator[Cluster]:
    """Use the cluster of a scheduler, once it has so many workers."""
    with dask.config.set(_SETTINGS):
        try:
            client = Client(address, set_as_default=False, timeout=_CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"{address}: no scheduler answers there") from error
        with _quiet(), client:
            _wait_for(client, count)
            yield Cluster(client)


@contextmanager
def start(count: int) -> Iterator[Cluster]:
    """Use processes on this machine."""
    with started(count) as address, connect(address, count) as cluster:
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
