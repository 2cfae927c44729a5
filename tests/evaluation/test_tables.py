from __future__ import annotations

import io
import json
from dataclasses import replace

from rich.console import Console

from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.evaluation.sheets import rich_table
from sailplan.evaluation.tables import as_markdown, as_objects, family_sheet
from tests.evaluation.test_records import RECORD

RECORDS = [
    replace(RECORD, policy="oracle", expansions=210),
    replace(RECORD, policy="h_euc", expansions=400),
    replace(RECORD, policy="a_star", expansions=16000),
]


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


def test_the_table_fits_a_terminal_of_eighty_columns() -> None:
    console = Console(width=80, file=io.StringIO())
    with console.capture() as capture:
        console.print(rich_table(family_sheet(summarise(RECORDS))))
    text = capture.get()
    assert "…" not in text
    assert "16000.0" in text


def test_markdown_has_a_row_for_each_policy() -> None:
    text = as_markdown(summarise(RECORDS))
    assert [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")] == [
        "policy",
        "oracle",
        r"**h\_euc**",
        r"a\_star",
    ]
