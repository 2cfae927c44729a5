"""Help of the commands: options in groups, in two columns that fit a terminal of 80 columns, and an example."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

Rows = list[tuple[str, str]]
"""Names of arguments, options or commands, each with its help."""
_WIDEST = 100
"""Longest line, in characters."""
_COMMANDS = "Commands"
_OTHER = "Options"
"""Title of the options that are in no group, the last ones."""
_VALUES: dict[Any, str] = {int: "N", float: "X", Path: "PATH", str: "TEXT"}
"""What stands for the value of an option, by its type."""


class Command(TyperCommand):
    """A command with such help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        _print(self, ctx)


class CommandGroup(TyperGroup):
    """A group of commands with such help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        _print(self, ctx)


def _print(command: Any, context: Any) -> None:
    console = Console(highlight=False)
    panels = _panels(command, context)
    widths = {title: max(len(name) for name, _ in rows) for title, rows in panels.items()}
    options = max(width for title, width in widths.items() if title != _COMMANDS)
    usage = [context.command_path, "[OPTIONS]", *(name for name, _ in panels.get("Arguments", []))]
    if _COMMANDS in panels:
        usage.append("COMMAND ...")
    parts: list[RenderableType] = [Text("Usage: " + " ".join(usage)), "", *_paragraphs(command.help)]
    for title, rows in panels.items():
        width = widths[title] if title == _COMMANDS else options
        parts += [Text(title, style="bold"), Padding(_table(rows, width), (0, 0, 1, 2))]
    for part in parts:
        console.print(part, width=min(console.width, _WIDEST))


def _paragraphs(text: str) -> Iterator[RenderableType]:
    """The paragraphs of a docstring; the lines of an example are kept."""
    for paragraph in text.split("\n\n"):
        is_example = paragraph.startswith("Example")
        yield Text(paragraph if is_example else " ".join(paragraph.split()), overflow="ignore", no_wrap=is_example)
        yield ""


def _table(rows: Rows, names: int) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=names, no_wrap=True, style="cyan")
    table.add_column()
    for name, text in rows:
        table.add_row(Text(name), Text(text))
    return table


def _panels(command: Any, context: Any) -> dict[str, Rows]:
    """The arguments, the commands and the options by the title of their group."""
    panels: dict[str, Rows] = {}
    commands = [command.get_command(context, name) for name in getattr(command, "commands", ())]
    if commands:
        panels[_COMMANDS] = [(one.name, first_sentence(one.help)) for one in commands]
    for parameter in command.get_params(context):
        is_argument = parameter.param_type_name == "argument"
        title = "Arguments" if is_argument else parameter.rich_help_panel or _OTHER
        name = parameter.metavar or parameter.name.upper() if is_argument else _option(parameter)
        if not parameter.hidden:
            panels.setdefault(title, []).append((name, " ".join([parameter.help, *_remarks(parameter)])))
    return {**{title: rows for title, rows in panels.items() if title != _OTHER}, _OTHER: panels[_OTHER]}


def first_sentence(text: str) -> str:
    """The first sentence of a docstring."""
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def _option(option: Any) -> str:
    """The name of an option, and what stands for its value."""
    return option.opts[0] if option.is_flag else f"{option.opts[0]} {option.metavar or _value(option)}"


def _value(option: Any) -> str:
    if choices(option):
        return "NAME"
    kind = option.type_descriptor.annotation
    return _VALUES.get(get_args(kind)[0] if get_origin(kind) is list else kind, "TEXT")


def choices(parameter: Any) -> list[str]:
    """The values that an option or an argument may have, if they are few."""
    return [str(getattr(one, "value", one)) for one in parameter.type_descriptor.choices or ()]


def _remarks(parameter: Any) -> list[str]:
    """The choices of a value, its default and the opposite of a flag, in brackets."""
    remarks = [", ".join(choices(parameter))] if choices(parameter) else []
    remarks += [f"opposite: {name}" for name in parameter.secondary_opts]
    shown = parameter.show_default
    default = shown if isinstance(shown, str) else parameter.default
    if parameter.required and parameter.param_type_name == "option":
        remarks.append("required")
    elif shown and default is not None and not isinstance(default, bool):
        remarks.append(f"default: {getattr(default, 'value', default)}")
    return [f"[{'; '.join(remarks)}]"] if remarks else []
