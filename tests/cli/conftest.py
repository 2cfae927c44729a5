from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sailplan.cli import main
from sailplan.datasets import generate_world, write_png


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    error: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def maze(tmp_path: Path) -> Path:
    path = tmp_path / "maze.png"
    write_png(generate_world("mazes", 0, 0), path)
    return path


def assert_one_line(ran: Ran, *words: str, code: int = 2) -> None:
    """One clear line on standard error that has these words, nothing on standard output."""
    assert ran.code == code
    assert ran.error.count("\n") == 1, ran.error
    assert "Traceback" not in ran.error
    for word in words:
        assert word in ran.error, ran.error
