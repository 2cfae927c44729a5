from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from sailplan.datasets import generate_world, write_png
from sailplan.graphs import Problem
from sailplan.policies.catalogue import CATALOGUE, Entry
from sailplan.policies.replanning.beliefs import NEVER, Refresh
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.cli.conftest import Run


@dataclass(frozen=True)
class Stranger:
    """A belief that fits nothing."""

    name: str = "stranger"
    refresh: Refresh = NEVER

    def why_unsupported(self, problem: Problem) -> str:
        return "it knows\nother worlds"

    def multipliers(self, problem: Problem) -> None:
        raise AssertionError("it fits nothing")

    def follow(self, problem: Problem) -> None:
        raise AssertionError("it fits nothing")


@pytest.fixture(autouse=True)
def _strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stranger", "alien"):
        entry = Entry(lambda name=name: ReplanningPolicy(Stranger(name)), "", "baselines")  # type: ignore[misc]
        monkeypatch.setitem(CATALOGUE, name, entry)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_plan_tells_in_one_line_each_time(run: Run, maze: Path, engine: str) -> None:
    for _ in range(2):
        ran = run("plan", maze, "--policy", "stranger", "--engine", engine)
        assert ran.code == 0
        assert ran.error == "note: stranger: the belief is not used: it knows other worlds\n"


def test_plan_has_the_note_in_its_object(run: Run, maze: Path) -> None:
    ran = run("plan", maze, "--policy", "stranger", "--json")
    assert json.loads(ran.out)["note"] == "stranger: the belief is not used: it knows other worlds"
    assert json.loads(run("plan", maze, "--json").out)["note"] is None


def test_pictures_bring_no_second_note(run: Run, maze: Path, tmp_path: Path) -> None:
    ran = run("plan", maze, "--policy", "stranger", "--png", tmp_path / "a.png", "--gif", tmp_path / "a.gif")
    assert ran.error.count("\n") == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_evaluate_tells_once_for_each_belief_and_family(run: Run, jobs: int) -> None:
    data = ["--data", "forest", "--data", "mazes"]
    ran = run("evaluate", *data, "--policies", "stranger,alien,h_euc", "--limit", 3, "--jobs", jobs, "--json")
    assert len(json.loads(ran.out)) == 6
    assert ran.error.splitlines() == [
        f"note: {family}: {name}: the belief is not used: it knows other worlds (3 of 3 worlds)"
        for family in ("forest", "mazes")
        for name in ("stranger", "alien")
    ]


def test_evaluate_counts_all_worlds_every_time(run: Run, tmp_path: Path) -> None:
    """Python's warnings lost some of them under threads."""
    for index in range(150):
        write_png(generate_world("forest", 3, index, width=9, height=9), tmp_path / "maps" / f"{index}.png")
    for _ in range(10):
        ran = run("evaluate", "--data", tmp_path / "maps", "--policies", "stranger", "--jobs", 8, "--json")
        assert ran.error.count("\n") == 1
        assert "(150 of 150 worlds)" in ran.error
