"""Arguments of the command line: exit codes 0, 1 and 2, one line for an error, and no traceback.

Options and their kinds are read from the commands. Values are good or hostile, and small where a good one means work.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import typer.main
from tests.roadmaps import random_roadmap

from fuzz.target import WrongAnswerError
from sailplan.cli import main
from sailplan.cli.app import app
from sailplan.datasets import GeneratedWorlds, write_edge_worlds, write_world
from sailplan.evaluation.records import Record, write_records
from sailplan.graphs import Roadmap
from sailplan.policies import optimistic, save_policy

LEFT_OUT = ("serve", "demo", "reproduce")
"""Commands that run until they are stopped, or for minutes: only their help and wrong arguments are tried."""
IN_PROCESSES = 2000
"""Each input of so many is run as a process of its own."""
TRAINED = 0.02
"""Share of the command lines for `train` that begin with good arguments; a training takes seconds."""
SMALL = ("0", "1", "2", "3", "-1", "0.5", "1.0")
HOSTILE = (
    *("", " ", "-", "--", "x", "nan", "inf", "-inf", "1e400", "1e-400", "9" * 30, "-" + "9" * 30, "1" + "0" * 400),
    *(
        "0x1",
        "²",
        "٣",
        "\x00",
        "\udcff",
        "é",
        "a" * 5000,
        "../..",
        "/",
        "/dev/null",
        # A name that cannot be created either, so that no command finds what another one wrote.
        "/dev/null/a.png",
        "~",
        "%s",
        "{}",
    ),
    *("1,2", "1,2,3", "1,", ",", "1;2", "0,0", "-1,-1", "1e9,1e9", "nan,nan", "[1]", "None", "True", "--help"),
)
_SECONDS = 120.0


class Arguments:
    """The target."""

    seconds = 20.0

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None
        self._folder = folder
        os.chdir(folder)
        command = typer.main.get_command(app)
        # Typer makes the commands at each call, which takes much longer than to parse the arguments.
        typer.main.get_command = lambda typer_instance: command
        self._commands = dict(_commands(command, ()))
        self._values = _files(folder)
        self._contents = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self._written = {path: _stamp(path) for path in self._contents}

    def check(self, rng: random.Random, number: int) -> bool:
        """Draw a command line and run it."""
        self._restore()
        path = rng.choice(list(self._commands))
        arguments = [*path, *self._arguments(rng, path)]
        self.last = "\n".join(arguments).encode("utf-8", "surrogateescape")
        if number % IN_PROCESSES == IN_PROCESSES - 1:
            code, out, error = _in_process_of_its_own(arguments, self._folder)
        else:
            code, out, error = _in_this_process(arguments)
        what = " ".join(arguments)[:500]
        if code not in (0, 1, 2):
            raise WrongAnswerError(f"exit code {code}: {what}: {error[-500:]}")
        if "Traceback" in out + error:
            raise WrongAnswerError(f"a traceback: {what}: {error[-500:]}")
        if code == 2 and not error.strip():
            raise WrongAnswerError(f"exit code 2 without a reason: {what}")
        return code != 2

    def _restore(self) -> None:
        """Write the files again that an earlier command has replaced: an input depends on nothing but its number."""
        for path, contents in self._contents.items():
            if _stamp(path) != self._written[path]:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
                self._written[path] = _stamp(path)

    def _arguments(self, rng: random.Random, path: tuple[str, ...]) -> list[str]:
        options = self._commands[path]
        drawn: list[str] = []
        works = path[0] not in LEFT_OUT
        if works and rng.random() < (TRAINED if path == ("train",) else 0.7):
            drawn += self._good(rng, path)
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            option = rng.choice(options)
            if option.param_type_name == "argument":
                drawn.append(self._value(rng))
                continue
            drawn.append(rng.choice(option.opts) if rng.random() < 0.95 else "--no-such-option")
            if not getattr(option, "is_flag", False) and rng.random() < 0.95:
                drawn.append(self._value(rng))
        if not works:
            drawn.insert(0, rng.choice(("--help", "--no-such-option")))
        elif rng.random() < 0.1:
            rng.shuffle(drawn)
        return [*map(_without_null, drawn)]

    def _value(self, rng: random.Random) -> str:
        return rng.choice((rng.choice(SMALL), rng.choice(HOSTILE), rng.choice(self._values)))

    def _good(self, rng: random.Random, path: tuple[str, ...]) -> list[str]:
        """Arguments that a command accepts, small enough to be quick."""
        out = f"out{rng.randrange(10**9)}"
        match path:
            case ("plan",):
                return [
                    rng.choice(("a.png", "a.map", "a.yaml")),
                    "--policy",
                    rng.choice(("lazy", "h_euc", "optimistic")),
                ]
            case ("evaluate",):
                return ["--data", "worlds", "--policies", "h_euc", "--jobs", "1", "--limit", "1"]
            case ("train",):
                small = "--rounds 1 --worlds-per-round 1 --samples-per-world 2 --max-expansions 20 --steps 1 --routes 2"
                return ["--data", "worlds", "--out", out, *small.split(), *["--components", "2", "--search-steps", "0"]]
            case ("report",):
                return ["records.csv", "--out", f"{out}.html"]
            case ("worlds", "generate"):
                return ["forest", "--count", "1", "--width", "9", "--height", "9", "--out", out]
            case ("worlds", "show"):
                return ["a.png"]
            case ("roadmap", "record"):
                return ["roadmap.npz", "--maps", "worlds", "--out", f"{out}.npz"]
        return []


def _commands(command: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], list[Any]]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        return [(path, [*command.params])]
    return [found for name, one in inner.items() for found in _commands(one, (*path, name))]


def _files(folder: Path) -> list[str]:
    """Write files that arguments name; return their names."""
    world = GeneratedWorlds("mazes", 1, 0, width=9, height=9)[0]
    for name in ("a.png", "a.map", "a.yaml"):
        write_world(world, folder / name)
    for split, count in (("train", 2), ("validation", 1), ("test", 1)):
        for index, one in enumerate(GeneratedWorlds("mazes", count, 1, width=9, height=9)):
            write_world(one, folder / "worlds" / split / f"{index}.png")
    write_edge_worlds(random_roadmap(0, vertices=6, worlds=3), folder / "edges.npz")
    Roadmap.sample([0.0, 0.0], [9.0, 9.0], 9, neighbours=3).save(folder / "roadmap.npz")
    save_policy(optimistic(), folder / "model.safetensors")
    write_records(
        [Record("mazes", "0", "lazy", "path_confirmed", 5, 9, 7, 12.5, 12.5, 4, 0.25, "compiled", 12.5, 8.0)],
        folder / "records.csv",
    )
    np.save(folder / "costs.npy", np.ones((9, 9)))
    (folder / "empty.png").write_bytes(b"")
    return [*sorted(path.name for path in folder.iterdir()), "h_euc", "lazy:1.5", "forest", "corners", "paper", "sail"]


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is replaced; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def _in_this_process(arguments: list[str]) -> tuple[int, str, str]:
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            main(arguments)
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue(), error.getvalue()
    return -1, out.getvalue(), error.getvalue()


def _in_process_of_its_own(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "sailplan", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=_SECONDS
    )
    return done.returncode, done.stdout, done.stderr


def _without_null(text: str) -> str:
    """No process can be started with a null byte in an argument."""
    return text.replace("\x00", "")
