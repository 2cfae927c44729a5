from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sailplan.evaluation import Evaluation
from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.sheets import Cell, Sheet
from sailplan.evaluation.tables import HEADINGS, SPARE, family_sheet
from sailplan.evaluation.terminal import rich_table
from tests.evaluation.test_records import RECORD

NAMES = ["lazy", "weighted_a_star", "lazy-belief:alternating_gaps", "runs/a_long_name_of_a_folder/training"]
RECORDS = [
    *(replace(RECORD, policy=name, expansions=16000, edge_evaluations=64000, milliseconds=123.456) for name in NAMES),
    replace(RECORD, policy="oracle", expansions=210),
]


def shown(sheet: Sheet, width: int) -> list[str]:
    text = io.StringIO()
    Console(width=width, file=text).print(rich_table(sheet))
    return [line.rstrip() for line in text.getvalue().splitlines()]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_figure_is_cut_at_any_width(width: int) -> None:
    sheet = family_sheet(summarise(RECORDS))
    lines = shown(sheet, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    words = text.replace(",", " ").split()
    for row in sheet.rows:
        for heading, cell in zip(sheet.headings[1:], row[1:], strict=True):
            assert cell.text in words or heading in SPARE


@pytest.mark.parametrize("width", [60, 80, 120])
def test_names_are_broken_between_their_parts(width: int) -> None:
    lines = shown(family_sheet(summarise(RECORDS)), width)
    first = [line.split(" ")[0] for line in lines]
    for name in NAMES[:2]:
        assert name in first
    assert ("lazy-belief:alternating_gaps" in first) == (width >= 80)
    if width == 60:
        assert {"lazy-belief:", "alternating_gaps"} <= set(first)


def test_columns_are_left_out_in_order_and_named() -> None:
    sheet = family_sheet(summarise(RECORDS))
    assert all(heading in "\n".join(shown(sheet, 200)) for heading in HEADINGS)
    assert "left out" not in "\n".join(shown(sheet, 200))
    *_, last = shown(sheet, 80)
    assert last.startswith("columns left out: 95 %, norm (a terminal of ")
    natural = int(last.partition("terminal of ")[2].partition(" ")[0])
    assert "left out" not in "\n".join(shown(sheet, natural))


def test_columns_that_are_not_spare_are_shown_one_below_the_other() -> None:
    headings = ["planner", *(f"column {number}" for number in range(6))]
    sheet = Sheet("wide", headings, [[Cell("a_star"), *(Cell(f"{number}.000") for number in range(6))]])
    lines = shown(sheet, 40)
    assert sum(line.startswith("a_star") for line in lines) == 2
    assert max(map(len, lines)) <= 40
    assert all(f"{number}.000" in " ".join(lines) for number in range(6))


def test_several_families_have_the_same_columns_and_one_hint() -> None:
    families = [replace(RECORDS[0], policy="h_euc", family="forest"), *RECORDS]
    text = io.StringIO()
    Console(width=80, file=text).print(Evaluation(families))
    heads = [line.split() for line in text.getvalue().splitlines() if line.startswith("policy")]
    assert len(heads) == 2
    assert heads[0] == heads[1]
    assert text.getvalue().count("left out") == 1


def test_brackets_are_no_markup() -> None:
    sheet = Sheet("[bold] 50 %", ["planner", "A*|B"], [[Cell("h_euc", True), Cell("1 [x]", True)]])
    lines = shown(sheet, 80)
    assert lines[0] == "[bold] 50 %"
    assert "1 [x]" in lines[2]
    assert lines[1].split() == ["planner", "A*|B"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_an_evaluation_as_text_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a notebook
    lines = str(Evaluation(RECORDS)).splitlines()
    assert not any("\x1b" in line for line in lines)
    assert max(map(len, lines)) <= width
    assert "…" not in "\n".join(lines)


def test_no_sheet_is_no_table() -> None:
    text = io.StringIO()
    Console(file=text).print(rich_table())
    assert text.getvalue() == ""
