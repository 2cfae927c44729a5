"""Ways through the code: how many files of the package a command enters.

    python benchmarks/ways.py            counts for `plan`, and for `train` with either preset of `sail`
    python benchmarks/ways.py --files    the files too

A file counts if one of its functions is entered while the command runs warm (a first call loads and compiles). A
crossing is a function that is called from another file of the package, each pair of caller's file and function once.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import sailplan
from sailplan.cli.main import main as command_line
from sailplan.datasets import generate_world, write_png

PACKAGE = str(Path(sailplan.__file__).parent)


class Ways(NamedTuple):
    """What a call entered."""

    files: set[str]
    crossings: set[tuple[str, str, str]]


def trace(call: Callable[[], None]) -> Ways:
    """Run a call and list the package files it enters, in all threads."""
    ways = Ways(set(), set())

    def profile(frame: FrameType, event: str, argument: object) -> None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event != "call" or not file.startswith(PACKAGE) or name == "<module>":
            return
        ways.files.add(file)
        caller = frame.f_back
        while caller and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        if caller and caller.f_code.co_filename != file:
            ways.crossings.add((caller.f_code.co_filename, file, name))

    sys.setprofile(profile)
    threading.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return ways


def command(*arguments: object) -> None:
    """Run the command line silently; raises RuntimeError if it fails."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            command_line([str(argument) for argument in arguments])
    except SystemExit as stopped:
        if stopped.code:
            raise RuntimeError(output.getvalue()) from stopped


def ways_of(folder: Path) -> dict[str, Ways]:
    """The ways of a plan with a belief and of small trainings, each after a call that warms up."""
    write_png(generate_world("mazes", 0, 0), folder / "map.png")
    small = ["--rounds", 1, "--training-worlds", 4, "--validation-worlds", 2]
    shorter = ["--steps", 2, "--routes", 2, "--search-steps", 1, "--search-pairs", 2]
    presets = {"train_paper": ["--preset", "paper", "--epochs", 1], "train_default": shorter}

    def plan() -> None:
        command("plan", folder / "map.png", "--policy", "belief:mazes")

    def train(preset: str, name: str) -> None:
        command("train", "--data", "forest", *small, *presets[preset], "--out", folder / preset / name)

    plan()
    ways = {"plan": trace(plan)}
    for preset in presets:
        train(preset, "warm")
        ways[preset] = trace(lambda preset=preset: train(preset, "traced"))  # type: ignore[misc]
    return ways


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="list the files too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, ways in ways_of(Path(folder)).items():
            print(f"{name}: {len(ways.files)} files, {len(ways.crossings)} crossings")
            for file in sorted(ways.files) if arguments.files else []:
                print(f"  {Path(file).relative_to(PACKAGE)}")


if __name__ == "__main__":
    main()
