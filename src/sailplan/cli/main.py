"""Commands and what they run on; errors and notes, each one line on standard error, never a traceback."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sailplan import __version__
from sailplan.errors import SailplanError

USAGE = 2
INTERRUPTED = 130
COMPLETION = "_SAILPLAN_COMPLETE"
"""The variable that a shell sets when it asks for completions."""


def prepare() -> None:
    """Load the modules of all commands, unless a shell asks for completions, which needs fewer."""
    if not os.environ.get(COMPLETION):
        import sailplan.cli.app  # noqa: F401


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    _prepare_output()
    # Where it has no folder for its cache, matplotlib says so in two long lines. Errors are still shown.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        if os.environ.get(COMPLETION):
            from sailplan.cli.completion import complete

            complete()
        from sailplan.cli.app import app

        code = app(arguments, standalone_mode=False, prog_name="sailplan")
        _note_missing_cache()
        sys.stdout.flush()
    except (SailplanError, typer.TyperException) as error:
        code = _complain(error)
    except BrokenPipeError:
        code = _stop_output()
    except SystemExit as end:
        # Typer and Rich turn a broken pipe into this.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        code = _stop_output()
    except OSError as error:
        code = _complain(error)
    except MemoryError:
        code = _complain("not enough memory")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        _say("interrupted")
    sys.exit(code)


def _prepare_output() -> None:
    """Let standard output and standard error take any text, also if they are closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, stream)
        # The names of files need not be valid UTF-8, nor does a terminal show every character. A caller from Python may
        # have replaced the stream by one that takes any text.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_output() -> int:
    """Ignore further output, whose reader has closed it; a second error at exit would help nobody."""
    # Typer may have replaced `sys.stdout`.
    if sys.__stdout__ is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
    return 0


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sailplan {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Search for paths when evaluating edges is expensive.

    Example:
      sailplan plan floor.png --start 3,4 --goal 180,190 --png search.png

    `sailplan COMMAND --help` describes a command. `sailplan demo` is a short tour.
    """


def tell(note: object) -> None:
    """Print a note on one line."""
    print(f"note: {' '.join(str(note).split())}", file=sys.stderr)  # noqa: T201


@contextmanager
def on_cluster(where: str | None) -> Iterator[None]:
    """Run the block on a cluster, if one was named, and say how many workers it has."""
    if where is None:
        yield
        return
    from sailplan.parallel import use_cluster

    with use_cluster(where) as cluster:
        tell(f"cluster: {cluster}")
        yield


def _note_missing_cache() -> None:
    """Say why kernels were compiled again, if they cannot be kept on disk."""
    # Only a command that searched has loaded the module.
    cache = sys.modules.get("sailplan.core.kernel.cache")
    for problem in cache.cache_problem if cache else ():
        tell(problem)


def _complain(error: object) -> int:
    message = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    if message:  # Empty if only the help was printed.
        _say(message)
    return USAGE


def _say(message: str) -> None:
    print("sailplan: " + " ".join(message.split()), file=sys.stderr)  # noqa: T201
