"""One call of `run_all` on a cluster: it sends items in chunks, reads the results, and survives lost workers."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from itertools import islice
from math import ceil
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from distributed import Future, KilledWorker

from sailplan.errors import ClusterError
from sailplan.parallel.packing import Crate, Packed, Parcel, pack, pack_beside, unpack

if TYPE_CHECKING:
    from sailplan.parallel.cluster import Cluster

_CHUNK_SECONDS = 0.25
"""Items are sent in chunks of about this duration, so that the overhead of a task does not count."""
_LAST_CHUNKS = 0.1
"""The last chunks are smaller, down to this part of the duration, so that all workers end at the same time."""
_FIRST_ITEMS = 32
"""Most items in a chunk while it is not known how long they take."""
_AHEAD_SECONDS, _AHEAD = 0.05, (2, 32)
"""Chunks of this duration are sent to each thread before results are back, and how many that may be: the one that it
works on, and another, so that it need not wait. The scheduler chooses a worker for a chunk when it is sent. The later
that is, the better it knows which one is free, and the more equally the last chunks are shared."""
_SMALL_FUNCTION = 1 << 16
"""Size in bytes up to which a function is sent with each chunk; a larger one is sent once."""
_DEATHS = 10
"""A chunk is not sent again if so many workers died while they had it: it may be the reason."""
_TOGETHER_SECONDS = 0.02
"""Results that arrive within this time are read together, as long as each thread has chunks to work on."""
LOOK_SECONDS = 1.0
"""The scheduler is asked for its workers in this interval."""
_PATIENCE_SECONDS = 300.0
"""A call waits so long for a new worker if there is none."""
_FAILED = ("error", "cancelled")
"""The states of a task of Dask that has no result and will have none."""
_PACKAGES = ("sailplan", "numpy", "numba")


class Pace:
    """How long items of functions take, by the names of the functions, and the sizes of chunks that follow from it."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def chunk_size(self, name: str, left: int | None, threads: int) -> int:
        """Return how many items of a function to send in a task; `left` is the number of all, if it is known."""
        pace = self._seconds.get(name)
        most = max(1, round(_CHUNK_SECONDS / pace)) if pace else _FIRST_ITEMS
        if left is None:
            return most if pace else 1
        shared = ceil(left / (2 * threads)) if pace else ceil(left / (8 * threads))
        least = min(round(_LAST_CHUNKS * most), ceil(left / threads)) if pace else 1
        return max(1, least, min(most, shared))

    def chunks_ahead(self, name: str, size: int) -> int:
        """Return how many chunks of so many items to send to a thread before results are back."""
        least, most = _AHEAD
        return min(most, max(least, ceil(_AHEAD_SECONDS / (size * self._seconds.get(name, _AHEAD_SECONDS)))))

    def keep(self, name: str, seconds: float) -> None:
        """Remember how long an item of a function takes; the first ones also load or compile kernels."""
        self._seconds[name] = max(min(seconds, 2.0 * self._seconds.get(name, seconds)), 1e-6)


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


class Job:
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
            size = self._cluster.pace.chunk_size(self._name, left, threads)
            if sent >= threads * self._cluster.pace.chunks_ahead(self._name, size):
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
                done = [self._done.get(timeout=LOOK_SECONDS)]
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
        # A result that was lost with a worker since then is computed again, and is waited for here.
        finished = [future for future in done if future.status not in _FAILED]
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
            self._cluster.pace.keep(self._name, seconds / chunk.size)
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


def run_chunk(versions: str, function: Packed, items: Packed, crates: Sequence[Crate]) -> tuple[float, bytes]:
    """Apply a function to some items; the task of a worker. Returns the duration and the pickled results."""
    if versions != stamp():
        raise ClusterError(f"a worker has other versions ({stamp()}) than this program ({versions})")
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
def stamp() -> str:
    """Return the versions that results depend on."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)])
