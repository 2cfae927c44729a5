from __future__ import annotations

import json
from pathlib import Path

import pytest

from sailplan.evaluation import read_records
from tests.cli.conftest import Run, assert_one_line


def test_table_records_and_report(run: Run, tmp_path: Path) -> None:
    records, page = tmp_path / "records.csv", tmp_path / "page.html"
    ran = run("evaluate", "--data", "forest", "--policies", "h_euc, A*", "--limit", 3, "--out", records)
    assert ran.code == 0
    assert "forest: 3 worlds" in ran.out
    assert len(read_records(records)) == 6
    assert run("report", records, "--out", page).code == 0
    assert "forest" in page.read_text()


def test_the_promised_objects(run: Run) -> None:
    ran = run("evaluate", "--data", "forest", "--data", "mazes", "--policies", "h_man,oracle", "--limit", 2, "--json")
    objects = json.loads(ran.out)
    assert [(one["family"], one["policy"]) for one in objects] == [
        ("forest", "h_man"),
        ("forest", "oracle"),
        ("mazes", "h_man"),
        ("mazes", "oracle"),
    ]
    assert all(one["ratio_to_clairvoyant"] == 1.0 for one in objects if one["policy"] == "oracle")
    assert all(one["ci95"][0] <= one["mean_expansions"] <= one["ci95"][1] for one in objects)


def test_listed_lengths_are_compared(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tiny.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    rows = "0\ttiny.map\t3\t2\t0\t1\t2\t1\t4.0\n0 tiny.map 3 2 0 0 2 0 9.0\n"
    (tmp_path / "tiny.map.scen").write_text("version 1\n" + rows)
    ran = run("evaluate", "--data", tmp_path / "tiny.map.scen", "--policies", "a_star")
    assert "a_star found the listed cost in 1 of 2 solved" in ran.out


def test_limits(run: Run) -> None:
    arguments = ["evaluate", "--data", "forest", "--policies", "a_star", "--limit", 1, "--json"]
    few, all_of_it = (json.loads(run(*arguments, *more).out)[0] for more in (["--max-expansions", 5], ["--unlimited"]))
    assert (few["solved"], few["mean_expansions"]) == (0, 5)
    assert (all_of_it["solved"], all_of_it["mean_cost_ratio"]) == (1, pytest.approx(1))


def test_searches_by_edges(run: Run, tmp_path: Path) -> None:
    arguments = ["evaluate", "--data", "mazes", "--size", 41, "--limit", 2, "--policies", "lazy,optimistic"]
    lazy, optimistic = json.loads(run(*arguments, "--json").out)
    assert (lazy["mean_expansions"], lazy["normalised"]) == (0.0, None)
    assert lazy["ratio_to_clairvoyant"] == lazy["ratio_to_fewest_edges"] >= 1.0
    assert optimistic["ratio_to_fewest_edges"] > optimistic["ratio_to_clairvoyant"]
    ran = run(*arguments, "--max-evaluations", 5, "--out", tmp_path / "records.csv")
    assert "evaluated" in ran.out
    assert all(record.edge_evaluations <= 5 for record in read_records(tmp_path / "records.csv"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "nowhere", "--policies", "h_euc"], ["nowhere"]),
        (["--data", "forest", "--policies", "h_euc,nobody"], ["nobody"]),
        (["--data", "forest", "--policies", ","], ["at least one"]),
        (["--data", "forest", "--policies", "h_euc", "--split", "dev"], ["dev", "validation"]),
        (["--data", "forest", "--policies", "h_euc", "--limit", "0"], ["--limit"]),
        (["--data", "forest"], ["--policies"]),
    ],
)
def test_bad_arguments_are_one_line(run: Run, arguments: list[str], words: list[str]) -> None:
    assert_one_line(run("evaluate", *arguments), *words)


def test_a_damaged_world_stops_the_run_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    records = tmp_path / "records.csv"
    assert_one_line(run("evaluate", "--data", tmp_path, "--policies", "h_euc", "--out", records), "bad.png")
    assert not records.exists()


def test_a_report_of_something_else(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n")
    assert_one_line(run("report", tmp_path / "x.csv", "--out", tmp_path / "r.html"), "not a file of records")
    assert not (tmp_path / "r.html").exists()
