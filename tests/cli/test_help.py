from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from sailplan.cli.app import app
from tests.cli.conftest import Run


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command and of every group of commands."""
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*words, name))


COMMANDS = sorted(commands(get_command(app)))


def text_of(run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], width: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run(*words, "--help")
    assert ran.code == 0
    return ran.out


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "sailplan")
def test_the_help_fits_and_nothing_is_cut(run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    text = text_of(run, monkeypatch, words)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    flowing = " ".join(text.split())
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    for parameter in command.params:
        # A word that is broken over two lines would have a space in it.
        assert " ".join(parameter.help.split()) in flowing
    for inner in getattr(command, "commands", {}):
        assert re.search(rf"^  {inner} +[A-Z]", text, re.MULTILINE)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "sailplan")
def test_the_help_has_an_example_that_is_understood(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    found = re.search(r"^Example:\n  (sailplan .*)$", text_of(run, monkeypatch, words), re.MULTILINE)
    assert found
    arguments = shlex.split(found[1])[1:]
    assert arguments[: len(words)] == list(words)
    command: Any = get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[arguments.pop(0)]
    # Parsing checks names and types of options; the command is not run.
    assert command.make_context("sailplan", arguments).params


def test_many_options_are_in_groups(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in COMMANDS:
        lines = text_of(run, monkeypatch, words).splitlines()
        titles = [
            index for index, line in enumerate(lines) if re.match(r"[A-Z][^:]*$", line) and "  --" in lines[index + 1]
        ]
        sizes = [
            sum(line.startswith("  --") for line in lines[a:b])
            for a, b in zip(titles, [*titles[1:], None], strict=True)
        ]
        assert max(sizes) <= 10, words


def test_every_setting_of_a_training_is_in_a_named_group(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(run, monkeypatch, ("train",))
    assert text.count("Settings of ") == 6
    assert "Other settings" not in text


@pytest.mark.parametrize("width", [60, 120])
def test_other_widths(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    for words in COMMANDS:
        lines = text_of(run, monkeypatch, words, width).splitlines()
        example = next((index for index, line in enumerate(lines) if line == "Example:"), len(lines)) + 1
        assert max(len(line.rstrip()) for index, line in enumerate(lines) if index != example) <= width
        assert "…" not in "\n".join(lines)
