"""`sailplan report`, with searches to replay."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sailplan.evaluation.records import read_records
from tests.cli.conftest import Run, assert_one_line


@pytest.fixture
def records(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    data = ("--data", "mazes", "--data", "forest", "--size", 31, "--limit", 3)
    assert run("evaluate", *data, "--policies", "lazy,h_euc,dijkstra,h_oct,a_star", "--out", path).code == 0
    return path


def scenes(page: Path) -> list[dict[str, Any]]:
    text = page.read_text(encoding="utf-8")
    return [json.loads(found) for found in re.findall(r'<script type="application/json">(.*?)</script>', text)]


def test_the_world_with_the_most_evaluations_of_each_family_is_replayed(
    run: Run, records: Path, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    assert run("report", records, "--replay", "mazes", "--replay", "forest", "--size", 31, "--out", page).code == 0
    rows = read_records(records)
    for scene, family in zip(scenes(page), ("mazes", "forest"), strict=True):
        effort: dict[str, int] = {}
        for row in rows:
            if row.family == family:
                effort[row.problem] = effort.get(row.problem, 0) + row.edge_evaluations
        hardest = max(effort, key=lambda name: effort[name])
        facts = [search["facts"] for search in scene["searches"]]
        assert [one["policy"] for one in facts] == ["lazy", "h_euc", "dijkstra", "h_oct"]
        recorded = {row.policy: row.edge_evaluations for row in rows if row.problem == hardest}
        assert all(one["edge_evaluations"] == recorded[one["policy"]] for one in facts)


def test_policies_to_replay_are_chosen(run: Run, records: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    chosen = ("--replay", "mazes", "--size", 31, "--policies", "a_star,lazy")
    assert run("report", records, *chosen, "--out", page).code == 0
    (scene,) = scenes(page)
    assert [search["facts"]["policy"] for search in scene["searches"]] == ["a_star", "lazy"]


def test_a_report_without_replays_has_no_script(run: Run, records: Path, tmp_path: Path) -> None:
    assert run("report", records, "--out", tmp_path / "report.html").code == 0
    assert "<script" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_data_that_was_not_evaluated_is_refused(run: Run, records: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = run("report", records, "--replay", "shifting_gaps", "--size", 31, "--out", page)
    assert_one_line(ran, "shifting_gaps", "is one of the records")
    assert not page.exists()


def test_maps_of_another_size_are_refused(run: Run, records: Path, tmp_path: Path) -> None:
    ran = run("report", records, "--replay", "mazes", "--size", 41, "--out", tmp_path / "report.html")
    assert_one_line(ran, "not the map of the records", "--size")
