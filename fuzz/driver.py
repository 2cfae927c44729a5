"""The parent process: it starts workers, restarts those that crash, and ends those that do not end."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import RawValue
from pathlib import Path

from fuzz.worker import LONGEST, Announced, Finding, log_of, save, work

_POLL = 0.2


@dataclass
class Tally:
    """What was done on one target."""

    target: str
    inputs: int = 0
    refused: int = 0
    seconds: float = 0.0
    crashes: list[Finding] = field(default_factory=list)
    """Inputs that ended a worker, or did not end."""


@dataclass
class _Worker:
    process: multiprocessing.process.BaseProcess
    announced: Announced


def run_target(
    name: str, *, seed: int, seconds: float, inputs: int, jobs: int, out: Path, tell: Callable[[str], None]
) -> Tally:
    """Check inputs of a target for some seconds, or so many of them, in several processes."""
    context = multiprocessing.get_context("spawn")
    tally = Tally(name)
    began = time.monotonic()
    ends = began + seconds

    def start(number: int) -> _Worker:
        announced: Announced = RawValue(Announced, False, number, 0, 0, time.monotonic(), LONGEST)
        left = max(ends - time.monotonic(), 0.0)
        numbers = range(number, inputs, jobs)
        process = context.Process(target=work, args=(name, seed, numbers, announced, out, left), daemon=True)
        process.start()
        return _Worker(process, announced)

    workers = [start(index) for index in range(jobs)]
    while workers:
        time.sleep(_POLL)
        for worker in [*workers]:
            fault = _fault(worker)
            if fault is None and worker.process.exitcode is None:
                continue
            workers.remove(worker)
            worker.process.join()
            tally.inputs += worker.announced.inputs
            tally.refused += worker.announced.refused
            if fault:
                message = f"the worker {fault}{_reason(worker, out)}"
                finding = Finding(name, seed, worker.announced.number, fault, message)
                save(finding, None, out)
                tally.crashes.append(finding)
                tell(f"{name}: input {finding.number}: {message}")
                # If the target cannot be made, for example without torch, every worker would end in the same way.
                if worker.announced.ready and time.monotonic() < ends:
                    workers.append(start(worker.announced.number + jobs))
    tally.seconds = time.monotonic() - began
    return tally


def _fault(worker: _Worker) -> str | None:
    """Return what is wrong with a worker; one that does not end is killed."""
    code = worker.process.exitcode
    if code is not None:
        return f"ended with code {code}" if code else None
    if worker.announced.began and time.monotonic() - worker.announced.began > worker.announced.longest:
        worker.process.kill()
        return f"took more than {worker.announced.longest:.0f} s"
    return None


def _reason(worker: _Worker, out: Path) -> str:
    """Return why a worker ended before its first input: the last line of its log. Later, the input says why."""
    log = log_of(worker.process.pid, out)
    if worker.announced.ready or not log.exists():
        return ""
    lines = log.read_text(errors="replace").strip().split("\n")
    return f" before its first input: {lines[-1]}"


def run(
    targets: Sequence[str],
    *,
    seed: int,
    minutes: float,
    inputs: int,
    jobs: int,
    out: Path,
    tell: Callable[[str], None],
) -> list[Tally]:
    """Check inputs of each target for an equal part of the time, but at most so many."""
    out.mkdir(parents=True, exist_ok=True)
    tallies = []
    for name in targets:
        seconds = 60.0 * minutes / len(targets)
        tally = run_target(name, seed=seed, seconds=seconds, inputs=inputs, jobs=jobs, out=out, tell=tell)
        rate = tally.inputs / tally.seconds
        tell(f"{name:12} {tally.inputs:9} inputs, {tally.refused} refused, {tally.seconds:.0f} s, {rate:.0f} a second")
        tallies.append(tally)
    return tallies
