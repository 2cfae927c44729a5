"""The code in README and docs runs, and README's code passes `mypy --strict`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from sailplan.cli.app import app
from sailplan.datasets import World, generate_world, write_world
from sailplan.learning import ALGORITHMS, DEFAULT

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
START = ROOT / "docs" / "index.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+?) -->\s*\Z")
"""A comment before a block that the tests do not run; it gives the reason."""


@dataclass(frozen=True)
class Block:
    """A block of code in a document."""

    document: Path
    line: int
    language: str
    text: str
    skipped: bool

    def __str__(self) -> str:
        return f"{self.document.name}:{self.line}"


def blocks_of(document: Path) -> Iterator[Block]:
    text = document.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        before = text[: found.start()]
        yield Block(document, before.count("\n") + 1, found[1], found[2], bool(NOT_RUN.search(before)))


def python_blocks(document: Path) -> list[Block]:
    return [block for block in blocks_of(document) if block.language == "python" and not block.skipped]


def command_lines(document: Path) -> list[str]:
    """The `sailplan ...` commands in the shell blocks of a document, without comments."""
    lines = "\n".join(block.text for block in blocks_of(document) if block.language == "").splitlines()
    return [" ".join(shlex.split(line, comments=True)) for line in lines if line.startswith("sailplan ")]


@pytest.fixture
def maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with the maps that the documents name the current one."""
    monkeypatch.chdir(tmp_path)
    blocked = np.zeros((200, 200), np.bool_)
    blocked[60:140, 100:104] = True
    write_world(World(blocked), "floor.png")
    write_world(World(blocked, resolution=0.05), "floor.yaml")
    for index in range(10):
        world = generate_world("forest", seed=0, index=index, width=31 + index, height=41)
        write_world(world, f"my_maps/{index}.png")
    shutil.copy(ROOT / "examples" / "car.mprim", "car.mprim")
    return tmp_path


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if python_blocks(path)], ids=lambda path: path.stem)
def test_python_blocks_run_in_order(document: Path, maps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a document share their names, as in one session."""
    # With the number of steps that is used for real work, this would take a quarter of an hour.
    shorter = DEFAULT.changed(steps=2, routes=4, search_steps=2, search_pairs=4)
    monkeypatch.setitem(ALGORITHMS["sail"].presets, "default", shorter)
    session = ModuleType("session")
    monkeypatch.setitem(sys.modules, "session", session)  # where dataclasses look up annotations
    for block in python_blocks(document):
        # Padded, so that a traceback names the line of the document.
        exec(compile("\n" * block.line + block.text, str(document), "exec"), session.__dict__)


def test_readme_is_strictly_typed(tmp_path: Path) -> None:
    files = []
    for block in python_blocks(README):
        files.append(tmp_path / f"readme_{block.line}.py")
        files[-1].write_text(block.text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", sorted({line for path in DOCUMENTS for line in command_lines(path)}))
def test_command_line_is_understood(line: str) -> None:
    """Every command exists and accepts these options and values; it is not run."""
    command: Any = get_command(app)
    arguments = shlex.split(line)[1:]
    while hasattr(command, "commands"):
        assert arguments[0] in command.commands, f"no command {arguments[0]!r}"
        command = command.commands[arguments.pop(0)]
    # Parsing checks names and types of options; it consumes the list that it gets.
    context = command.make_context("sailplan", list(arguments))
    assert context.params


def test_plan_commands_of_readme_run(maps: Path) -> None:
    run = [line for line in command_lines(README) if line.startswith("sailplan plan floor.")]
    assert run
    for line in run:
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"
    assert Path("path.csv").read_text().startswith("x,y,x_metres,y_metres\n")


@pytest.mark.parametrize("document", [README, START], ids=lambda path: path.stem)
def test_sample_output_is_current(document: Path, maps: Path) -> None:
    lines = command_lines(document)
    first = next(index for index, line in enumerate(lines) if line.startswith("sailplan worlds generate"))
    printed = [CliRunner().invoke(app, shlex.split(line)[1:]).stdout for line in lines[first : first + 3]]
    (sample,) = (block.text for block in blocks_of(document) if block.language == "text")
    assert without_times("".join(printed[1:])) == without_times(sample)


def without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("  time ")]


@pytest.mark.parametrize(
    "document", [*DOCUMENTS, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem
)
def test_links_lead_to_files(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://)([^)]+)\)", text):
        name, _, section = target.partition("#")
        linked = document.parent / name if name else document
        assert linked.exists(), f"{document.name}: {target}"
        if section:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert section in anchors, f"{document.name}: {target}"


@pytest.mark.parametrize(
    "document", [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *DOCUMENTS], ids=lambda path: path.stem
)
def test_paths_of_modules_exist(document: Path) -> None:
    """Paths in backticks, such as `core/search.py`, are those of the package or of the repository."""
    text = document.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:\w+/)+\w*(?:\.py)?)`", text):
        if path.partition("/")[0] in PLACES:
            places = (ROOT / "src" / "sailplan" / path, ROOT / path)
            assert any(place.exists() for place in places), f"{document.name}: {path}"


PLACES = {path.name for folder in (ROOT, ROOT / "src" / "sailplan") for path in folder.iterdir() if path.is_dir()}
