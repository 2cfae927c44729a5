"""A Dask cluster: it receives shared objects once, runs functions in chunks of items, and survives lost workers."""

from __future__ import annotations

import logging
import os
import platform
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from itertools import islice
from math import ceil
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import Any, NamedTuple

import dask
import distributed
from distributed import Client, Future, KilledWorker, LocalCluster

from sailplan.errors import ClusterError
from sailplan.parallel.packing import Shipment, pack, pack_beside, unpack

_CHUNK_SECONDS = 0.25
"""Items are sent in chunks of about this duration, so that the overhead of a task does not count."""
_CHUNKS_AHEAD = 4
"""Chunks per thread that are sent before results are back; more would only read items earlier."""
_SMALL_FUNCTION = 1 << 16
"""Size in bytes up to which a function is sent with each chunk; a larger one is sent once."""
_TRIES = 10
"""A chunk whose worker died is sent again, at most so often: it may be the reason."""
_LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 300.0
"""The connection is checked in this interval while no result arrives; a search waits so long for a new worker."""
_CONNECT_SECONDS, _START_SECONDS = 10, 60
_PACKAGES = ("sailplan", "numpy", "numba")
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.comm.timeouts.connect": "10s",
    "distributed.scheduler.allowed-failures": _TRIES,
}
"""Settings of Dask. Functions with large models are sent as they are needed, which is no reason for a warning."""


class Cluster:
    """Workers of a Dask scheduler; `use_cluster` creates one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: dict[int, Future[Any]] = {}
        self._pace: dict[str, float] = {}
        self._address = client.scheduler_info()["address"]
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

    def send(self, parts: Sequence[object]) -> list[Future[Any]]:
        """Send objects that are not on the cluster yet; return what tasks are given in their place."""
        return [self._send(part) for part in parts]

    def _send(self, part: object) -> Future[Any]:
        if id(part) not in self._sent:
            data, inner = pack(part)
            # As an argument of a task, so that it is sent again if the only worker that has it is killed.
            self._sent[id(part)] = self.submit(Shipment, data, self.send(inner))
            weakref.finalize(part, self._sent.pop, id(part), None)
        return self._sent[id(part)]

    def chunk_size(self, name: str, count: int | None, threads: int) -> int:
        """Return how many items of a function to send in a task; `count` is the number of all, if it is known."""
        pace = self._pace.get(name)
        by_pace = max(1, round(_CHUNK_SECONDS / pace)) if pace else 1
        if count is None:
            return by_pace
        return max(1, min(by_pace if pace else ceil(count / (8 * threads)), ceil(count / threads)))

    def keep_pace(self, name: str, seconds: float) -> None:
        """Remember how long an item of a function takes; the first ones also load or compile kernels."""
        self._pace[name] = max(min(seconds, self._pace.get(name, seconds)), 1e-6)

    def check(self) -> int:
        """Return the number of threads; raises ClusterError if the scheduler is lost."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost()
        return sum(self.threads().values())

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self._address} is lost; finished rounds are kept: --resume continues")


class _Chunk(NamedTuple):
    """Items that were sent to a worker."""

    first: int
    """The number of the first item."""
    items: Sequence[Any]
    data: bytes
    parts: list[Any]
    tries: int = 1


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
        self._name = getattr(function, "__qualname__", type(function).__name__)
        self._count = len(items) if isinstance(items, Sequence) else None
        self._items, self._read = iter(items), 0
        self._results: dict[int, list[Any]] = {}
        self._pending: dict[Future[Any], _Chunk] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        data, self._parts = pack(function)
        self._function: Any = data
        self._sent = cluster.send(self._parts)
        if len(data) > _SMALL_FUNCTION:
            self._function = cluster.submit(Shipment, data, self._sent)

    def run(self) -> list[Any]:
        """Send chunks and read results until nothing is left."""
        threads = max(1, self._cluster.check())
        while True:
            free = _CHUNKS_AHEAD * threads - len(self._pending)
            self._submit(list(islice(iter(lambda: self._next(threads), None), free)))
            if not self._pending:
                return [result for first in sorted(self._results) for result in self._results[first]]
            self._take(self._wait())

    def cancel(self) -> None:
        """Release what an error or an interruption has left behind."""
        for future in self._pending:
            future.release()

    def _next(self, threads: int) -> _Chunk | None:
        items = list(islice(self._items, self._cluster.chunk_size(self._name, self._count, threads)))
        if not items:
            return None
        self._read += len(items)
        return _Chunk(self._read - len(items), items, *pack(items))

    def _submit(self, chunks: Sequence[_Chunk]) -> None:
        cluster = self._cluster
        futures = cluster.map(
            run_chunk,
            [(cluster.stamp, self._function, self._sent, chunk.data, cluster.send(chunk.parts)) for chunk in chunks],
        )
        for future, chunk in zip(futures, chunks, strict=True):
            self._pending[future] = chunk
            future.add_done_callback(self._done.put)

    def _wait(self) -> list[Future[Any]]:
        """Return all futures that are done, at least one.

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
            while not self._done.empty():
                done.append(self._done.get())
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
            self._results[chunk.first] = unpack(data, [*chunk.parts, *self._parts])
            self._cluster.keep_pace(self._name, seconds / len(chunk.items))
            if self._on_done:
                for _ in chunk.items:
                    self._on_done()
        for future in done:
            if future in self._pending:
                self._repeat(future, self._cluster.error(future))

    def _repeat(self, future: Future[Any], error: BaseException) -> None:
        """Send a chunk again if its worker died; raises what else went wrong."""
        chunk = self._pending.pop(future)
        if not isinstance(error, KilledWorker):
            raise error
        if chunk.tries >= _TRIES:
            raise ClusterError(f"{chunk.tries} workers died of the same task ({self._name})") from error
        self._submit([chunk._replace(tries=chunk.tries + 1)])


def run_chunk(
    stamp: str, function: Any, function_parts: Sequence[Shipment], items: bytes, item_parts: Sequence[Shipment]
) -> tuple[float, bytes]:
    """Apply a function to some items; the task of a worker. Returns the duration and the pickled results."""
    if stamp != _stamp():
        raise ClusterError(f"a worker has other versions ({_stamp()}) than this program ({stamp})")
    own, shared = ([one.value for one in parts] for parts in (item_parts, function_parts))
    call = function.value if isinstance(function, Shipment) else unpack(function, shared)
    read = unpack(items, own)
    began = perf_counter()
    results = [call(item) for item in read]
    return perf_counter() - began, pack_beside(results, [*own, *shared])


@lru_cache
def _stamp() -> str:
    """Return the versions that results depend on."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)])


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Use the cluster of a scheduler."""
    with dask.config.set(_SETTINGS):
        try:
            client = Client(address, set_as_default=False, timeout=_CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"{address}: no scheduler answers there") from error
        with _quiet(), client:
            _wait_for(client, 1)
            yield Cluster(client)


@contextmanager
def start(count: int) -> Iterator[Cluster]:
    """Use processes on this machine."""
    with (
        dask.config.set(_SETTINGS),
        _quiet(),
        tempfile.TemporaryDirectory(prefix="sailplan-", ignore_cleanup_errors=True) as folder,
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=False) as scheduler,
        _workers(scheduler.scheduler_address, count, folder),
        Client(scheduler, set_as_default=False) as client,
    ):
        _wait_for(client, count)
        yield Cluster(client)


@contextmanager
def _workers(address: str, count: int, folder: str) -> Iterator[None]:
    """Start workers as a user of a real cluster does: a process of its own does not import the script again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = {"nworkers": count, "nthreads": 1, "host": "127.0.0.1", "local-directory": folder, "death-timeout": 30}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [*command, *(text for name, value in options.items() for text in (f"--{name}", str(value))), "--no-dashboard"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # An interrupt from the terminal is for the main process, which ends the workers.
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(client: Client, count: int) -> None:
    try:
        client.wait_for_workers(count, timeout=_START_SECONDS)
    except TimeoutError as error:
        raise ClusterError(f"no worker has joined the cluster within {_START_SECONDS} s") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log of Dask, which reports lost workers and connections; what matters is raised."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado.application", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
