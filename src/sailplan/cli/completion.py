"""Shell completion.

Importing the commands takes more than a second, too long for a key press. A description of them is kept on disk, and
the shell is answered from it, by commands that do nothing.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from sailplan.cli.main import COMPLETION

_PACKAGE = Path(__file__).parent.parent
_MARKS = (":", "=")
"""Where bash splits words."""
_LISTS = {"policies", "families"}
"""Parameters whose value is several names separated by commas."""


def complete() -> None:
    """Answer the shell, and exit."""
    app = _application(description())
    if os.environ[COMPLETION] != "complete_bash":
        app(prog_name="sailplan")
    words, current = join_words(os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"]))
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(current)
    with redirect_stdout(io.StringIO()) as answer, suppress(SystemExit):
        app(prog_name="sailplan")
    # Bash replaces only what follows the last colon of the value.
    value = words[current].partition("=")[2] if words[current].startswith("--") else words[current]
    known = value[: value.rfind(":") + 1]
    typer.echo("\n".join(line.removeprefix(known) for line in answer.getvalue().splitlines()))
    sys.exit(0)


def join_words(words: list[str], current: int) -> tuple[list[str], int]:
    """Join words that bash has split at colons and equals signs, as in `--policy=sail:mazes`.

    Examples
    --------
    >>> join_words(["sailplan", "plan", "--policy", "sail", ":", "ma"], 5)
    (['sailplan', 'plan', '--policy', 'sail:ma'], 3)
    """
    joined: list[str] = []
    place = current
    for index, word in enumerate(words):
        if joined and (word in _MARKS or words[index - 1] in _MARKS):
            joined[-1] += word
            place -= index <= current
        else:
            joined.append(word)
    return joined, place


def description() -> dict[str, Any]:
    """The commands as plain objects; from the disk, unless the package has changed since it was written."""
    stamp = _stamp()
    # Python raises RuntimeError for a user without a home.
    with suppress(OSError, ValueError, KeyError, TypeError, RuntimeError):
        kept = json.loads(_cache_file().read_text(encoding="utf-8"))
        if kept["stamp"] == stamp:
            commands: dict[str, Any] = kept["commands"]
            return commands
    return _write(stamp)


def _write(stamp: list[Any]) -> dict[str, Any]:
    """Describe the commands of the package, and keep the description."""
    from typer.main import get_command

    from sailplan.cli.app import app
    from sailplan.files import write_text

    described = _describe(get_command(app), _values())
    # Without a writable folder every completion takes as long as the first.
    with suppress(OSError, RuntimeError):
        write_text(_cache_file(), json.dumps({"stamp": stamp, "commands": described}))
    return described


def _cache_file() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "sailplan" / "commands.json"


def _stamp() -> list[Any]:
    """What changes if the package does: its place, and the number and the latest change of its files."""
    times = [file.stat().st_mtime_ns for file in _PACKAGE.rglob("*") if file.suffix in (".py", ".safetensors")]
    return [str(_PACKAGE), len(times), max(times)]


def _values() -> dict[str, list[str]]:
    """The names that values of options and arguments may have, by the name of the parameter."""
    from sailplan.datasets import FAMILIES
    from sailplan.policies.catalogue import policy_groups

    policies = [name for group in policy_groups() for name, _ in group.policies]
    families = [*FAMILIES]
    return {"policy": policies, "policies": policies, "data": families, "family": families, "families": families}


def _describe(command: Any, values: dict[str, list[str]]) -> dict[str, Any]:
    from sailplan.cli.help import choices, first_sentence

    described: dict[str, Any] = {"help": first_sentence(command.help)}
    if hasattr(command, "commands"):
        return described | {"commands": {name: _describe(one, values) for name, one in command.commands.items()}}
    described["parameters"] = [
        {
            "name": one.name,
            "option": "/".join([*one.opts, *one.secondary_opts]) if one.param_type_name == "option" else None,
            "flag": getattr(one, "is_flag", False),
            "values": choices(one) or ([] if one.type_descriptor.is_path else values.get(one.name, [])),
        }
        for one in command.params
    ]
    return described


def _application(described: dict[str, Any], *, root: bool = True) -> typer.Typer:
    """Commands with these names and parameters."""
    app = typer.Typer(add_completion=root)
    for name, one in described["commands"].items():
        if "commands" in one:
            app.add_typer(_application(one, root=False), name=name, help=one["help"])
        else:
            app.command(name, help=one["help"])(_function(one["parameters"]))
    return app


def _function(parameters: list[dict[str, Any]]) -> Callable[..., None]:
    """A function with these parameters, which does nothing."""

    def nothing(**values: object) -> None:
        """Do nothing."""

    signature = [
        inspect.Parameter(
            one["name"],
            inspect.Parameter.KEYWORD_ONLY,
            default=False if one["flag"] else "",
            annotation=_annotation(one),
        )
        for one in parameters
    ]
    nothing.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    nothing.__annotations__ = {one.name: one.annotation for one in signature}
    return nothing


def _annotation(parameter: dict[str, Any]) -> Any:
    found = _completer(parameter["values"], several=parameter["name"] in _LISTS)
    option, kind = parameter["option"], bool if parameter["flag"] else str
    info: Any = typer.Option(option, autocompletion=found) if option else typer.Argument(autocompletion=found)
    return Annotated[kind, info]


def _completer(values: list[str], *, several: bool) -> Callable[[str], list[str]]:
    """A function that returns the values that begin with a text; with several, after the last comma of it."""

    def found(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        return [before + comma + value for value in values if value.startswith(last)]

    return found
