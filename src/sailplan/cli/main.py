"""The entry point: every fault that is the user's to mend is one line, never a traceback."""

from __future__ import annotations

import os
import sys

import typer

from sailplan.errors import SailplanError

USAGE = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    try:
        # Here, not at the top: an interrupt while modules load is an interrupt like any other.
        from sailplan.cli.app import app
        from sailplan.cli.notes import belief_warnings_told

        with belief_warnings_told():
            code = app(arguments, standalone_mode=False, prog_name="sailplan")
        sys.stdout.flush()
    except (SailplanError, typer.TyperException) as error:
        code = _complain(error)
    except BrokenPipeError:
        # Whoever read the output has enough of it; a second complaint at exit would help nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        code = _complain(error)
    except MemoryError:
        code = _complain("not enough memory")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        _say("interrupted")
    sys.exit(code)


def _complain(error: object) -> int:
    message = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    if message:  # It is empty where the help was all there was to say.
        _say(message)
    return USAGE


def _say(message: str) -> None:
    print("sailplan: " + " ".join(message.split()), file=sys.stderr)  # noqa: T201
