"""A worker process: it checks inputs one after the other, and announces each in shared memory before it begins.

The parent process can so name the input of a worker that crashed or does not end.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import warnings
from ctypes import Structure, c_bool, c_double, c_int64
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzz.minimise import minimise
from fuzz.target import Target, generator, place_of
from fuzz.targets import entry_of

MEMORY = 3 * 2**30
"""Address space in bytes that the inputs may take beside what is loaded."""

LONGEST = 600.0
"""Seconds on the clock after which an input is taken for one that does not end; it includes compilation."""
CLOCK = 5.0
"""Seconds on the clock for each second of processor time that a target allows: other programs may run."""


class Announced(Structure):
    """What a worker says of itself in shared memory."""

    _fields_ = (
        ("ready", c_bool),
        ("number", c_int64),
        ("inputs", c_int64),
        ("refused", c_int64),
        ("began", c_double),
        ("longest", c_double),
    )


@dataclass(frozen=True)
class Finding:
    """A fault, and how to repeat it."""

    target: str
    seed: int
    number: int
    place: str
    """The exception and the line; findings of the same place are the same fault."""
    message: str

    @property
    def command(self) -> str:
        """The command that repeats the input."""
        return f"python -m fuzz --targets {self.target} --seed {self.seed} --only {self.number}"


def check_one(target: Target, name: str, seed: int, number: int) -> tuple[bool, Finding | None]:
    """Check one input; return whether it was accepted, and what is wrong."""
    began = time.process_time()
    try:
        accepted = target.check(generator(seed, name, number), number)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        return False, Finding(name, seed, number, place_of(error), f"{type(error).__name__}: {error}"[:2000])
    seconds = time.process_time() - began
    if seconds > target.seconds:
        return accepted, Finding(name, seed, number, "slow", f"{seconds:.1f} s of processor time")
    return accepted, None


def save(finding: Finding, target: Target | None, folder: Path) -> None:
    """Write a finding and its input, unless there is one of the same place."""
    stem = "".join(letter if letter.isalnum() else "-" for letter in f"{finding.target} {finding.place}")
    file = folder / f"{stem}.json"
    if file.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**asdict(finding), "command": finding.command}, indent=2) + "\n")
    data = target.last if target else None
    if data is not None:
        (folder / f"{stem}.bin").write_bytes(_smaller(data, finding, target))


def log_of(process: int | None, out: Path) -> Path:
    """Return the file for what a worker prints on standard error."""
    return out / f"{process}.log"


def work(name: str, seed: int, numbers: range, announced: Announced, out: Path, seconds: float) -> None:
    """Check the inputs of these numbers, until the time is over."""
    ends = time.monotonic() + seconds
    # What the library prints on bad arguments is part of an input, not of the report.
    os.dup2(os.open(log_of(os.getpid(), out), os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        target = entry_of(name).make(Path(folder))
        _limit_memory()
        announced.longest, announced.ready = min(CLOCK * target.seconds, LONGEST), True
        for number in numbers:
            if time.monotonic() > ends:
                break
            announced.number, announced.began = number, time.monotonic()
            accepted, finding = check_one(target, name, seed, number)
            if finding:
                save(finding, target, out)
            announced.inputs += 1
            announced.refused += not accepted
        announced.began = 0.0


def _smaller(data: bytes, finding: Finding, target: Target | None) -> bytes:
    """Return a smaller input with the same fault, for targets that can check a given one."""
    again = getattr(target, "again", None)
    if again is None or finding.place == "slow":
        return data

    def fails(shorter: bytes) -> bool:
        try:
            again(shorter)
        except BaseException as error:
            return place_of(error) == finding.place
        return False

    return minimise(data, fails)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    used = pages * resource.getpagesize()
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
