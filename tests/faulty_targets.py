"""Targets for the fuzzer whose faults are known."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path


class Faulty:
    """Input 3 raises, input 5 ends the process; every other one is refused or accepted."""

    seconds = 10.0

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None

    def check(self, rng: random.Random, number: int) -> bool:
        """Check an input."""
        self.last = rng.randbytes(20) + b"!" + rng.randbytes(20)
        if number == 5:
            os.kill(os.getpid(), signal.SIGSEGV)
        return self.again(self.last) if number == 3 else number % 2 == 0

    def again(self, data: bytes) -> bool:
        """Check given data."""
        if b"!" in data:
            raise ZeroDivisionError("no")
        return True


class Unmade:
    """A target that cannot be made."""

    def __init__(self, folder: Path) -> None:
        raise ValueError("no target today")
