"""What is fuzzed: a target draws an input from a generator and checks what the library makes of it."""

from __future__ import annotations

import random
import traceback
from pathlib import Path
from typing import Protocol

import sailplan
from sailplan.errors import SailplanError

PACKAGE = str(Path(sailplan.__file__).parent)


class WrongAnswerError(Exception):
    """The library gave a wrong answer, or an error that is not one clear line."""


class Target(Protocol):
    """A kind of inputs. It is made once for each worker process, in a folder of its own."""

    seconds: float
    """Processor time that one input may take; the first ones may take longer, to compile."""
    last: bytes | None
    """The last input, if it is a file; saved with a finding."""

    def check(self, rng: random.Random, number: int) -> bool:
        """Draw an input and check it.

        Parameters
        ----------
        rng
            Decides the input, together with the number.
        number
            The number of the input. Inputs with close numbers may share what is expensive to prepare.

        Returns
        -------
        bool
            Whether the input was accepted; False if it was refused as it should be.

        Raises
        ------
        WrongAnswerError
            If the answer is wrong. Any other exception is a finding, too.
        """


def generator(seed: int, target: str, number: int) -> random.Random:
    """Return the generator that decides an input."""
    return random.Random(f"{seed} {target} {number}")


def check_refusal(error: SailplanError) -> None:
    """Raise WrongAnswerError if the message of an error is not one line that a terminal can show."""
    message = str(error)
    if not message or "\n" in message or "Traceback" in message or len(message) > 2000:
        raise WrongAnswerError(f"a {type(error).__name__} whose message is not one line: {message[:300]!r}")


def place_of(error: BaseException) -> str:
    """Return the innermost line of the package that an exception passed; findings of one place count as one."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    frame = (inside or frames)[-1]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
