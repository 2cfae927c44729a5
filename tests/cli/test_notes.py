from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

from sailplan.cli.notes import belief_warnings_told
from sailplan.errors import BeliefWarning
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
        monkeypatch.setitem(CATALOGUE, name, Entry(lambda name=name: ReplanningPolicy(Stranger(name)), ""))  # type: ignore[misc]


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_plan_tells_in_one_line_each_time(run: Run, maze: Path, engine: str) -> None:
    for _ in range(2):
        ran = run("plan", maze, "--policy", "stranger", "--engine", engine)
        assert ran.code == 0
        assert ran.error == "note: maze: stranger charges nothing for the unseen here: it knows other worlds\n"


def test_plan_has_the_note_in_its_object(run: Run, maze: Path) -> None:
    ran = run("plan", maze, "--policy", "stranger", "--json")
    assert json.loads(ran.out)["note"] == "maze: stranger charges nothing for the unseen here: it knows other worlds"
    assert json.loads(run("plan", maze, "--json").out)["note"] is None


def test_pictures_bring_no_second_note(run: Run, maze: Path, tmp_path: Path) -> None:
    ran = run("plan", maze, "--policy", "stranger", "--png", tmp_path / "a.png", "--gif", tmp_path / "a.gif")
    assert ran.error.count("\n") == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_evaluate_tells_once_for_each_policy_and_family(run: Run, jobs: int) -> None:
    data = ["--data", "forest", "--data", "mazes"]
    ran = run("evaluate", *data, "--policies", "stranger,alien,h_euc", "--limit", 3, "--jobs", jobs, "--json")
    assert len(json.loads(ran.out)) == 6
    assert sorted(ran.error.splitlines()) == [
        f"note: {family}: {name} charges nothing for the unseen in 3 of 3 worlds: it knows other worlds"
        for family in ("forest", "mazes")
        for name in ("alien", "stranger")
    ]


def test_elsewhere_once_for_each_belief_and_reason(capsys: pytest.CaptureFixture[str]) -> None:
    with belief_warnings_told():
        for problem in ("a", "b"):
            for reason in ("size", "goal"):
                warnings.warn(BeliefWarning(problem, "stranger", reason), stacklevel=1)
    assert [line.rpartition(" ")[2] for line in capsys.readouterr().err.splitlines()] == ["size", "goal"]


def test_other_warnings_are_left_alone() -> None:
    with pytest.warns(UserWarning, match="something else"), belief_warnings_told():
        warnings.warn("something else", UserWarning, stacklevel=1)
