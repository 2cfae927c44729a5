from __future__ import annotations

import json
from dataclasses import replace

from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.records import UNSOLVABLE, Record
from sailplan.evaluation.sheets import Cell
from sailplan.evaluation.tables import as_markdown, as_objects, family_sheet
from tests.evaluation.test_records import RECORD

RECORDS = [
    replace(RECORD, policy="oracle", expansions=210),
    replace(RECORD, policy="h_euc", expansions=400, edge_evaluations=2400),
    replace(RECORD, policy="a_star", expansions=16000, edge_evaluations=64000),
]
LAZY = replace(RECORD, policy="lazy", outcome="path_confirmed", expansions=0, edge_evaluations=300)


def test_objects_have_what_the_command_line_promises() -> None:
    first = as_objects(summarise(RECORDS))[0]
    promised = {
        *("policy", "family", "worlds", "unsolvable", "solved", "mean_expansions", "normalised"),
        *("ratio_to_clairvoyant", "mean_cost_ratio", "mean_edge_evaluations", "ms_per_search", "ci95"),
    }
    assert promised <= set(first)


def test_figures_that_do_not_exist_are_null_in_json() -> None:
    text = json.dumps(as_objects(summarise([replace(RECORD, outcome=UNSOLVABLE)])), allow_nan=False)
    assert json.loads(text)[0]["mean_expansions"] is None


def rows(records: list[Record]) -> dict[str, dict[str, Cell]]:
    sheet = family_sheet(summarise(records))
    return {row[0].text: dict(zip(sheet.headings, row, strict=True)) for row in sheet.rows}


def test_a_search_by_edges_has_no_score_of_expansions() -> None:
    lazy = {heading: cell.text for heading, cell in rows([*RECORDS, LAZY])["lazy"].items()}
    assert (lazy["expansions"], lazy["norm"]) == ("-", "-")
    assert (lazy["evaluated"], lazy["95 %"], lazy["x limit"]) == ("300", "300-300", "1.50")


def test_the_fewest_expansions_and_the_fewest_evaluations_are_bold() -> None:
    table = rows([*RECORDS, LAZY])
    bold = {(name, heading) for name, row in table.items() for heading, cell in row.items() if cell.bold}
    assert bold == {("h_euc", "policy"), ("h_euc", "expansions"), ("lazy", "policy"), ("lazy", "evaluated")}


def test_a_score_that_does_not_exist_is_null() -> None:
    (lazy,) = as_objects(summarise([LAZY]))
    assert (lazy["normalised"], lazy["mean_expansions"], lazy["mean_edge_evaluations"]) == (None, 0.0, 300.0)
    assert lazy["ratio_to_fewest_edges"] == 1.5


def test_markdown_has_a_row_for_each_policy() -> None:
    text = as_markdown(summarise(RECORDS))
    assert [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")] == [
        "policy",
        "oracle",
        r"**h\_euc**",
        r"a\_star",
    ]
