"""A pool of threads with a bounded queue: kernels release the interpreter lock, so that searches run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Any, TypeVar, cast

from starlette.requests import ClientDisconnect

from sailplan.web.refusals import Refusal

T = TypeVar("T")


class Pool:
    """Runs jobs in threads; a job that finds all places taken is refused."""

    def __init__(self, workers: int, queue: int) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="sailplan-search")
        self._places = BoundedSemaphore(workers + queue)

    async def run(self, job: Callable[[], T], client_left: Awaitable[None]) -> T:
        """Run a job in a thread, and return its result.

        Parameters
        ----------
        job
            The job.
        client_left
            Is done when nobody waits for the result any more; a job that has not begun is then dropped.

        Raises
        ------
        Refusal
            If no place is free, or the server is shutting down.
        ClientDisconnect
            If the client has left.
        """
        left: asyncio.Future[Any] = asyncio.ensure_future(client_left)
        try:
            result: asyncio.Future[Any] = asyncio.wrap_future(self._submit(job))
            await asyncio.wait([result, left], return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return cast(T, await result)
            result.cancel()
            raise ClientDisconnect
        finally:
            left.cancel()

    def _submit(self, job: Callable[[], T]) -> Future[T]:
        if not self._places.acquire(blocking=False):
            raise Refusal(429, "all workers are busy and the queue is full; try again", {"retry-after": "1"})
        try:
            future = self._executor.submit(job)
        except RuntimeError as error:
            self._places.release()
            raise Refusal(503, "the server is shutting down") from error
        future.add_done_callback(lambda _: self._places.release())
        return future

    def close(self) -> None:
        """Drop the jobs that wait, and take no more."""
        self._executor.shutdown(wait=False, cancel_futures=True)
