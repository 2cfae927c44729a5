"""A scheduler and workers on this machine: a process of its own that ends with the one that started it.

    python -m sailplan.parallel.local COUNT

prints the address of the scheduler, and runs until its standard input is closed.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import dask
from distributed import Nanny, Scheduler

from sailplan.errors import ClusterError

_END_SECONDS, _PAUSE_SECONDS = 10, 0.5
FEWER_LOOKS = {"distributed.admin.tick.interval": "1s"}
"""Every process of Dask measures the delay of its event loop, by default fifty times a second."""
SETTINGS = {
    **FEWER_LOOKS,
    # For the plots of the dashboard, the scheduler and each worker and its nanny measure themselves and the disks.
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "500ms",
    # Dask would let workers return freed memory to the system at once. Searches allocate their state again and again,
    # and took twice as long.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    # With the estimate for a network, one worker would get most tasks: the one that has the problems already.
    "distributed.scheduler.bandwidth": "10GB",
    "distributed.scheduler.work-stealing-interval": "100ms",
    # The client limits how many tasks there are; if the scheduler did too, workers would wait for it after each one.
    "distributed.scheduler.worker-saturation": "inf",
    # Nobody looks at the profiles that a thread of each worker would take every ten milliseconds.
    "distributed.worker.profile.enabled": False,
}
"""Settings of Dask for a scheduler and workers on one machine."""


@contextmanager
def started(count: int) -> Iterator[str]:
    """Start a scheduler and workers; return the address of the scheduler.

    They are not children of the calling script, which Dask would import in each of them. The scheduler does not share
    the GIL of this process.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "sailplan.parallel.local", str(count)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        # An interrupt from the terminal is for the main process, which ends the workers.
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdout, process:
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise ClusterError(f"no scheduler started; python -m sailplan.parallel.local {count} says why")
            yield address
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


async def serve(count: int, folder: str) -> None:
    """Run a scheduler and workers until standard input ends, which it also does if its writer is killed."""
    async with Scheduler(host="127.0.0.1", port=0, dashboard=True, dashboard_address="127.0.0.1:0") as scheduler:
        print(scheduler.address, flush=True)  # noqa: T201
        workers = [asyncio.create_task(_keep_worker(scheduler.address, folder)) for _ in range(count)]
        await asyncio.to_thread(sys.stdin.read)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _keep_worker(address: str, folder: str) -> None:
    """Keep a worker running.

    A nanny starts its worker again if it is killed, but gives up if that fails, for example if it is killed while it
    starts. `LocalCluster` would give up on every worker that does not come back within some seconds.
    """
    while True:
        with suppress(OSError, RuntimeError, TimeoutError):
            async with Nanny(
                address, nthreads=1, memory_limit="auto", host="127.0.0.1", local_directory=folder
            ) as nanny:
                await nanny.finished()
        await asyncio.sleep(_PAUSE_SECONDS)


def main(count: int) -> None:
    """Run a scheduler and workers in this process and its children."""
    with (
        dask.config.set(SETTINGS),
        tempfile.TemporaryDirectory(prefix="sailplan-", ignore_cleanup_errors=True) as folder,
    ):
        asyncio.run(serve(count, folder))


if __name__ == "__main__":
    main(int(sys.argv[1]))
