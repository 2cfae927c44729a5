from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sailplan.core import Limits, Note, Policy, SearchState, search
from sailplan.core.policy import Frontier
from sailplan.datasets import World, generate_world, write_png
from sailplan.errors import PolicyError, SailplanError, WorldError
from sailplan.evaluation import Evaluation, evaluate, write_records
from sailplan.evaluation.records import note_lines, read_records
from sailplan.graphs import Problem, grid_problem
from sailplan.policies import greedy
from sailplan.testing import draw_problem


def _walled(folder: Path, count: int, shapes: tuple[tuple[int, int], ...] = ((12, 12),)) -> Path:
    """Write maps with a wall all round, as scanned floors have."""
    for index in range(count):
        blocked = np.zeros(shapes[index % len(shapes)], np.bool_)
        blocked[0] = blocked[-1] = blocked[:, 0] = blocked[:, -1] = True
        write_png(World(blocked), folder / f"{index}.png")
    return folder


def _facts(evaluation: Evaluation) -> list[tuple[str, str, str, int]]:
    return [(one.family, one.problem, one.policy, one.expansions) for one in evaluation.records]


def test_names_and_policies_side_by_side(tmp_path: Path) -> None:
    for index in range(3):
        write_png(generate_world("forest", 1, index, width=21, height=21), tmp_path / "maps" / f"{index}.png")
    mixed = evaluate(tmp_path / "maps", ["h_euc", greedy("manhattan"), greedy("octile")])
    names = [one.policy for one in mixed.summaries]
    assert names == ["h_euc", "BestFirst", "BestFirst #2"]
    assert [one.worlds for one in mixed.summaries] == [3, 3, 3]
    named = evaluate(str(tmp_path / "maps"), {"a": "h_euc", "b": greedy("manhattan")})
    assert [one.policy for one in named.summaries] == ["a", "b"]
    assert [one.mean_expansions for one in named.summaries] == [one.mean_expansions for one in mixed.summaries[:2]]


def test_families_and_problems() -> None:
    family = evaluate("forest", "h_euc", limit=2, size=31, seed=3)
    assert [one.family for one in family.records] == ["forest", "forest"]
    problems = [draw_problem("S..G"), draw_problem("S.#\n..G")]
    given = evaluate(problems, "h_euc", limits=Limits(expansions=5))
    assert [(one.family, one.outcome) for one in given.records] == [("problems", "goal_generated")] * 2
    assert _facts(evaluate(problems[0], ["h_euc"])) == _facts(given)[:1]
    both = evaluate(["forest", problems[0]], "h_euc", limit=1, size=31)
    assert [one.family for one in both.summaries] == ["forest", "problems"]


def test_threads_change_nothing() -> None:
    one, two = (evaluate("mazes", ["h_euc", "bfws"], limit=4, size=31, jobs=jobs) for jobs in (1, 2))
    assert _facts(one) == _facts(two)


def test_it_shows_itself() -> None:
    evaluation = evaluate("forest", ["h_euc", "oracle"], limit=2, size=31)
    text = str(evaluation)
    assert text.startswith("forest: 2 worlds")
    assert "h_euc" in text
    assert "\x1b" not in text
    page = evaluation._repr_html_()
    assert page.startswith("<h3>forest: 2 worlds")
    assert "<td>oracle</td>" in page


@pytest.mark.parametrize(
    ("data", "policies", "error", "words"),
    [
        (3, "h_euc", SailplanError, "data must be"),
        ([], "h_euc", SailplanError, "data must be"),
        ([3], "h_euc", WorldError, "data must be"),
        (World(np.zeros((3, 3), np.bool_)), "h_euc", SailplanError, "data must be"),
        ("forest", [], SailplanError, "policies must be"),
        ("forest", 3, SailplanError, "policies must be"),
        ("forest", [3], PolicyError, "policies must be names or policies, got 3"),
        ("forest", {}, SailplanError, "policies must be names or policies, one or several"),
        ("forest", "nobody", PolicyError, "no policy 'nobody'"),
        ("nowhere", "h_euc", WorldError, "nowhere"),
    ],
)
def test_wrong_types_are_one_line(data: Any, policies: Any, error: type[SailplanError], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        evaluate(data, policies)
    assert "\n" not in str(raised.value)


def test_blocked_corners_get_random_ends(tmp_path: Path) -> None:
    data = _walled(tmp_path / "maps", 6, ((12, 12), (9, 15)))
    one, two = evaluate(data, "h_euc"), evaluate(data, "h_euc")
    assert _facts(one) == _facts(two)
    assert one.summaries[0].solved == 6
    assert one.notes == ["maps: blocked corners: random free cells are used instead (6 of 6 worlds)"]
    assert _facts(evaluate(data, "h_euc", endpoints="random")) == _facts(one)


def test_free_corners_keep_their_ends(tmp_path: Path) -> None:
    write_png(World(np.zeros((12, 12), np.bool_)), _walled(tmp_path / "maps", 2) / "9.png")
    evaluation = evaluate(tmp_path / "maps", "dijkstra")
    assert evaluation.records[-1].optimal_cost == pytest.approx(11 * 2**0.5)
    assert evaluation.notes == ["maps: blocked corners: random free cells are used instead (2 of 3 worlds)"]
    forest = evaluate("forest", "h_euc", limit=2)
    assert forest.notes == []
    assert _facts(forest) == _facts(evaluate("forest", "h_euc", limit=2, endpoints="corners"))


def test_corners_that_were_asked_for_and_are_blocked(tmp_path: Path) -> None:
    data = _walled(tmp_path / "maps", 3)
    with pytest.raises(WorldError, match=r"^3 of 3 worlds have a blocked start; use --endpoints random$"):
        evaluate(data, ["h_euc", "oracle"], endpoints="corners")
    write_png(World(np.zeros((12, 12), np.bool_)), data / "9.png")
    evaluation = evaluate(data, "h_euc", endpoints="corners")
    assert (evaluation.summaries[0].worlds, evaluation.summaries[0].unsolvable) == (1, 3)
    assert evaluation.notes == ["maps: blocked start: left out; use --endpoints random (3 of 4 worlds)"]


def test_nothing_to_compare() -> None:
    with pytest.raises(WorldError, match=r"^none of 1 worlds has a path from start to goal$"):
        evaluate(draw_problem("S#G"), ["h_euc", "oracle"])


@dataclass(frozen=True)
class Noting:
    """A policy whose searches carry a note."""

    inner: Policy

    @property
    def stop(self) -> Any:
        return self.inner.stop

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        frontier: Any = self.inner.open(problem, state)
        frontier.notes = (Note("mine", f"on {problem.name}"),)
        noted: Frontier = frontier
        return noted


def test_notes_of_searches_are_gathered_in_order(tmp_path: Path) -> None:
    problems = [grid_problem(generate_world("forest", 0, index, width=9, height=9)) for index in range(20)]
    policy = Noting(greedy("euclidean"))
    assert search(problems[0], policy).notes == (Note("mine", f"on {problems[0].name}"),)
    evaluation = evaluate(problems, [policy, "h_euc"], jobs=4)
    assert evaluation.notes == [f"problems: mine: on {problems[0].name} (20 of 20 worlds)"]
    assert [len(one.notes) for one in evaluation.records] == [1, 0] * 20
    write_records(evaluation.records, tmp_path / "records.csv")
    kept = read_records(tmp_path / "records.csv")
    assert note_lines(kept) == []
    assert [one.problem for one in kept] == [one.problem for one in evaluation.records]
