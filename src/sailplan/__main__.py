"""The command line as a program: `python -m sailplan`, and the script `sailplan`.

An interrupt ends it with the code 130 and without a traceback, also while modules are loaded and while the interpreter
shuts down.
"""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def run() -> None:
    """Run the command line on the arguments of the process, and exit with its code."""
    try:
        _run()
    except KeyboardInterrupt:
        _leave()


def _run() -> None:
    import signal

    interrupts: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        """Let the command end and clean up; a second interrupt does not wait for that."""
        signal.signal(signal.SIGINT, _leave)
        interrupts.append(number)
        raise KeyboardInterrupt

    # Else interrupts are ignored, as for a command in the background of a shell.
    is_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_interruptible:
        # Nothing has to be cleaned up yet, and modules may take an exception while they load for another fault.
        signal.signal(signal.SIGINT, _leave)
    sys.unraisablehook = _report_unraisable
    from sailplan.cli.main import main, prepare

    prepare()
    try:
        if is_interruptible:
            signal.signal(signal.SIGINT, interrupt)
        main()
    # Whatever is raised after an interrupt is its consequence.
    except BaseException:
        if interrupts:
            sys.exit(INTERRUPTED)
        raise
    finally:
        if is_interruptible:
            # Until the interpreter has ended.
            signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> None:
    """End the process at once."""
    os.write(2, b"sailplan: interrupted\n")
    os._exit(INTERRUPTED)


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """End after an interrupt in a finaliser, where Python ignores exceptions, and report any other exception."""
    if unraisable.exc_type is KeyboardInterrupt:
        _leave()
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    run()
