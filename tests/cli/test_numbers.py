"""Numbers that no machine can hold are one line, whatever option they are given to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sailplan.datasets import write_png
from sailplan.testing import draw_world
from tests.cli.conftest import Run, assert_one_line

HUGE = 10**30
SMALL = ["--policies", "dijkstra", "--data", "mazes"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "{map}", "--max-expansions", HUGE],
        ["plan", "{map}", "--max-evaluations", HUGE],
        ["plan", "{map}", "--start", f"{HUGE},0"],
        ["evaluate", *SMALL, "--limit", HUGE],
        ["evaluate", *SMALL, "--skip", HUGE],
        ["evaluate", *SMALL, "--size", HUGE],
        ["evaluate", *SMALL, "--size", 100_000],
        ["evaluate", *SMALL, "--jobs", 100_000],
        ["evaluate", *SMALL, "--jobs", HUGE],
        ["worlds", "generate", "mazes", "--out", "{folder}", "--width", HUGE],
        ["worlds", "generate", "mazes", "--out", "{folder}", "--height", 10**9],
        ["worlds", "generate", "mazes", "--out", "{folder}", "--count", HUGE],
        ["roadmap", "sample", "--lower", "0,0", "--upper", "9,9", "--out", "{folder}/r.npz", "--count", HUGE],
        ["train", "--data", "mazes", "--out", "{folder}/run", "--jobs", 100_000],
        ["train", "--data", "mazes", "--out", "{folder}/run", "--training-worlds", HUGE],
        ["train", "--data", "mazes", "--out", "{folder}/run", "--preset", "paper", "--samples-per-world", HUGE],
        ["train", "--data", "mazes", "--out", "{folder}/run", "--preset", "paper", "--worlds-per-round", HUGE],
        ["reproduce", "table", "--out", "{folder}/r", "--jobs", HUGE],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_a_huge_number_is_one_line(run: Run, tmp_path: Path, arguments: list[object]) -> None:
    write_png(draw_world("..."), tmp_path / "map.png")
    given = [str(one).format(map=tmp_path / "map.png", folder=tmp_path) for one in arguments]
    assert_one_line(run(*given))
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "9" * 5000, "9" * 200_000])
def test_a_huge_number_in_records_is_one_line(run: Run, tmp_path: Path, number: str) -> None:
    records = tmp_path / "records.csv"
    assert run("evaluate", *SMALL, "--limit", 1, "--size", 5, "--out", records).code == 0
    header, row = records.read_text(encoding="utf-8").splitlines()
    place = header.split(",").index("expansions")
    fields = row.split(",")
    records.write_text("\n".join([header, ",".join([*fields[:place], number, *fields[place + 1 :]])]))
    assert_one_line(run("report", records, "--out", tmp_path / "page.html"), "records.csv:", "not a record")


def test_a_trace_goes_to_a_device(run: Run, tmp_path: Path) -> None:
    write_png(draw_world("..."), tmp_path / "map.png")
    ran = run("plan", tmp_path / "map.png", "--policy", "dijkstra", "--trace", "/dev/null", "--csv", "/dev/null")
    assert ran.code == 0
    assert Path("/dev/null").is_char_device()
