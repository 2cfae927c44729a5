from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from sailplan.errors import SailplanError
from sailplan.evaluation.records import UNSOLVABLE, Record, read_records, write_records

RECORD = Record(
    family="mazes",
    problem="mazes/0, the first",
    policy="h_euc",
    outcome="goal_generated",
    expansions=219,
    edge_evaluations=1437,
    policy_evaluations=600,
    cost=293.9726607,
    optimal_cost=290.0,
    clairvoyant_expansions=210,
    milliseconds=0.25,
    engine="compiled",
    listed_cost=math.inf,
    fewest_edges=200.0,
)


def test_records_survive_the_file(tmp_path: Path) -> None:
    write_records([RECORD, RECORD], tmp_path / "deep" / "records.csv")
    assert read_records(tmp_path / "deep" / "records.csv") == [RECORD, RECORD]


def test_records_of_earlier_versions_have_no_fewest_edges(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    write_records([RECORD], path)
    lines = [line.rsplit(",", 1)[0] for line in path.read_text().splitlines()]
    assert lines[0].endswith("listed_cost")
    path.write_text("\n".join(lines) + "\n")
    (record,) = read_records(path)
    assert math.isnan(record.fewest_edges)
    assert replace(record, fewest_edges=RECORD.fewest_edges) == RECORD


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "family\nmazes\n", "\x00\x01"], ids=["empty", "foreign", "too few columns", "binary"]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "records.csv"
    path.write_text(text)
    with pytest.raises(SailplanError, match="not a file of records"):
        read_records(path)


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    write_records([RECORD, RECORD], path)
    path.write_text(path.read_text().replace("219", "many", 1))
    with pytest.raises(SailplanError, match=r"records\.csv:2: not a record"):
        read_records(path)


def test_an_outcome_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    write_records([RECORD, replace(RECORD, outcome=UNSOLVABLE), replace(RECORD, outcome="lucky")], path)
    with pytest.raises(SailplanError, match=r"records\.csv:4: not a record: 'lucky'"):
        read_records(path)


def test_a_row_cut_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    write_records([RECORD], path)
    path.write_text(path.read_text().rsplit(",", 2)[0] + "\n")
    with pytest.raises(SailplanError, match="not a record"):
        read_records(path)
