from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sailplan.cli.completion import description, join_words
from sailplan.datasets import FAMILIES
from sailplan.policies import CATALOGUE, PRETRAINED

BASH = """
eval "$(_SAILPLAN_COMPLETE=source_bash sailplan)"
while read -r line; do
    IFS=' ' read -r -a COMP_WORDS <<< "$line"
    COMP_WORDS[${#COMP_WORDS[@]} - 1]=${COMP_WORDS[-1]%.}
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    COMPREPLY=()
    _sailplan_completion sailplan
    echo $(printf '%s ' "${COMPREPLY[@]}")
done
"""
"""Completes lines of words, as bash splits them; the last word ends with a dot, so that it may be empty."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a command `sailplan` and an empty cache."""
    command = tmp_path / "bin" / "sailplan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sailplan "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}


def answer(environment: dict[str, str], **request: str) -> str:
    done = subprocess.run(["sailplan"], env={**environment, **request}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_bash_completes_commands_options_and_values(environment: dict[str, str]) -> None:
    asked = {
        "sailplan pl.": ["plan"],
        "sailplan worlds .": ["generate", "show"],
        "sailplan plan --pol.": ["--policy"],
        "sailplan plan x.png --policy opt.": ["optimistic"],
        "sailplan plan x.png --policy sail : ma.": ["mazes"],
        "sailplan plan x.png --policy sail :.": [name[5:] for name in PRETRAINED if name.startswith("sail:")],
        "sailplan evaluate --policies a_star,dij.": ["a_star,dijkstra"],
        "sailplan evaluate --policies a_star,sail : ma.": ["mazes"],
        "sailplan evaluate --data ma.": ["mazes"],
        "sailplan train --endpoints .": ["auto", "corners", "random"],
        "sailplan worlds generate bug.": ["bugtrap_forest"],
        "sailplan plan x.png --png my.": [],
    }
    lines = "\n".join(asked)
    done = subprocess.run(["bash", "-c", BASH], input=lines + "\n", env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    assert [line.split() for line in done.stdout.splitlines()] == list(asked.values())


def test_zsh_and_fish_are_answered(environment: dict[str, str]) -> None:
    request = {"_TYPER_COMPLETE_ARGS": "sailplan plan --policy sail:ma"}
    assert "mazes" in answer(environment, _SAILPLAN_COMPLETE="complete_zsh", **request)
    request["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    assert answer(environment, _SAILPLAN_COMPLETE="complete_fish", **request).split() == ["sail:mazes"]
    for shell in ("bash", "zsh", "fish"):
        assert "sailplan" in answer(environment, _SAILPLAN_COMPLETE=f"source_{shell}")


def test_the_commands_are_imported_once(environment: dict[str, str]) -> None:
    loaded = (
        "import sys; from sailplan.cli.completion import description; description(); "
        "print('sailplan.cli.app' in sys.modules, 'numpy' in sys.modules)"
    )

    def run() -> str:
        command = [sys.executable, "-c", loaded]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert [run(), run()] == ["True True", "False False"]
    (Path(environment["XDG_CACHE_HOME"]) / "sailplan" / "commands.json").write_text("{")
    assert [run(), run()] == ["True True", "False False"]


def test_a_change_of_the_package_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    current, file = description(), tmp_path / "sailplan" / "commands.json"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({"stamp": kept["stamp"], "commands": {}}))
    assert description() == {}
    file.write_text(json.dumps({"stamp": ["elsewhere", 0, 0], "commands": {}}))
    assert description() == current
    assert json.loads(file.read_text()) == kept


def test_without_a_home_it_works_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert "plan" in description()["commands"]


def test_without_a_writable_folder_it_works_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    commands = description()["commands"]
    policy = next(one for one in commands["plan"]["parameters"] if one["name"] == "policy")
    assert set(policy["values"]) == {*CATALOGUE, *PRETRAINED}
    family = commands["worlds"]["commands"]["generate"]["parameters"][0]
    assert family["values"] == [*FAMILIES]


@pytest.mark.parametrize(
    ("words", "current", "joined"),
    [
        (["sailplan", "plan"], 1, (["sailplan", "plan"], 1)),
        (["s", "--policy", "sail", ":", "ma"], 4, (["s", "--policy", "sail:ma"], 2)),
        (["s", "--policy", "sail", ":"], 3, (["s", "--policy", "sail:"], 2)),
        (["s", "--policy", "sail", ":", "ma", "--js"], 5, (["s", "--policy", "sail:ma", "--js"], 3)),
        (["s", "--js", "--policy", "sail", ":", "ma"], 1, (["s", "--js", "--policy", "sail:ma"], 1)),
        (["sailplan", "plan", "--policy", "=", "sail", ":", "ma"], 6, (["sailplan", "plan", "--policy=sail:ma"], 2)),
    ],
)
def test_words_that_bash_split_are_joined(words: list[str], current: int, joined: tuple[list[str], int]) -> None:
    assert join_words(words, current) == joined
