from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from sailplan.evaluation.benchmark import PAPER_LIMITS, run_benchmark
from sailplan.evaluation.metrics import normalised, summarise
from sailplan.evaluation.records import UNSOLVABLE, Record
from sailplan.experiments.reproduction import QUICK_LABEL, Reproduction
from sailplan.experiments.runs import runs_of
from sailplan.experiments.searches import policy_of, records_of
from sailplan.experiments.systems import PUBLISHED, SOURCES, SYSTEMS
from sailplan.experiments.table import family_sheet, notes, rows_of, scores_sheet
from tests.experiments.tiny import FAMILIES

FAMILY = FAMILIES[0]


@pytest.fixture
def records(made: Reproduction) -> list[Record]:
    return records_of(made, made.systems, FAMILIES)


def test_the_figures_are_those_of_a_direct_benchmark(made: Reproduction) -> None:
    policies = {one.name: policy_of(made, one, FAMILY) for one in made.systems}
    expected = {one.policy: one for one in summarise(run_benchmark(policies, [made.tasks(FAMILY)], PAPER_LIMITS))}
    with (made.out / "table.csv").open() as file:
        rows = {row["system"]: row for row in csv.DictReader(file) if row["family"] == FAMILY}
    assert list(rows) == [one.name for one in made.systems]
    for name, row in rows.items():
        summary = expected[name]
        assert float(row["mean_expansions"]) == summary.mean_expansions
        assert (float(row["expansions_low"]), float(row["expansions_high"])) == summary.ci95
        assert float(row["normalised"]) == normalised(summary.mean_expansions)
        assert float(row["normalised_high"]) == normalised(summary.ci95[1])
        assert (int(row["worlds"]), int(row["unsolvable"]), int(row["solved"])) == (5, 0, summary.solved)
        assert float(row["ms_per_search"]) > 0


def test_scores_have_the_interval_of_their_expansions(made: Reproduction, records: list[Record]) -> None:
    spread = [replace(one, expansions=500 * (1 + index % 5)) for index, one in enumerate(records)]
    expected = {(one.family, one.policy): one for one in summarise(spread)}
    for row in rows_of(made, spread):
        low, high = expected[row.family, row.system].ci95
        assert row.mean_expansions == 1500
        assert row.normalised == pytest.approx(1300 / 4800)
        assert row.normalised_low == pytest.approx((low - 200) / 4800)
        assert row.normalised_high == pytest.approx((high - 200) / 4800)
        assert row.normalised_low < row.normalised < row.normalised_high


def test_published_numbers_stand_beside_with_their_source(made: Reproduction, records: list[Record]) -> None:
    rows = {(row.family, row.system): row for row in rows_of(made, records)}
    assert rows[FAMILY, "sail"].published == 0.104
    assert "Fig. 2" in (rows[FAMILY, "sail"].source or "")
    assert rows[FAMILY, "weighted_a_star"].published is None
    assert rows[FAMILY, "sail_default"].published is None
    assert PUBLISHED["multiple_bugtraps"]["bfws"] == 0.169
    assert "LoG 2022" in SOURCES["bfws"]


def test_every_published_system_is_compared() -> None:
    assert set(SOURCES) <= {one.name for one in SYSTEMS}


def test_trained_systems_tell_their_seconds(made: Reproduction, records: list[Record]) -> None:
    rows = {row.system: row for row in rows_of(made, records) if row.family == FAMILY}
    (run,) = runs_of(made, [made.system("sail")], [FAMILY])
    assert rows["sail"].training_seconds == run.seconds
    assert rows["h_euc"].training_seconds is None


def _with(records: list[Record], expansions: dict[str, int]) -> list[Record]:
    return [replace(one, expansions=expansions.get(one.policy, 900)) for one in records]


def test_the_best_planner_is_bold_and_the_oracle_never(made: Reproduction, records: list[Record]) -> None:
    rows = rows_of(made, _with(records, {"oracle": 210, "h_euc": 400, "sl": 400}))
    assert {row.system for row in rows if row.best} == {"h_euc", "sl"}
    group = [row for row in rows if row.family == FAMILY]
    sheet = family_sheet(group)
    assert {cells[0].text for cells in sheet.rows if cells[0].bold} == {"SL", "h_EUC"}
    assert not any(cells[1].bold for cells in sheet.rows), "a published number is not ours"


def test_scores_at_a_glance_and_their_sums(made: Reproduction, records: list[Record]) -> None:
    rows = rows_of(made, _with(records, {"sail": 680, "h_euc": 20_000, "oracle": 210}))
    groups = [[row for row in rows if row.family == family] for family in FAMILIES]
    sheet = scores_sheet(made, groups)
    columns = {name: column for column, name in enumerate(sheet.headings)}
    texts = [[cell.text for cell in row] for row in sheet.rows]
    assert [row[0] for row in texts] == [*FAMILIES, "sum"]
    assert [row[columns["SaIL"]] for row in texts] == ["0.100 (0.104)", "0.100 (0.158)", "0.200 (0.262)"]
    assert [row[columns["h_EUC"]] for row in texts] == ["1.000 (0.506)", "1.000 (0.184)", "2.000 (0.690)"]
    assert [row[columns["weighted A*"]] for row in texts] == ["0.146", "0.146", "0.292"]
    assert all(row[columns["SaIL"]].bold for row in sheet.rows)
    assert not any(row[columns["oracle"]].bold for row in sheet.rows)


def test_worlds_left_out_are_told(made: Reproduction, records: list[Record]) -> None:
    some = [replace(one, outcome=UNSOLVABLE) if one.problem == "test/0" else one for one in records]
    group = [row for row in rows_of(made, some) if row.family == FAMILY]
    assert family_sheet(group).title.startswith(f"{FAMILY}: 4 worlds, 1 unsolvable left out")


def test_what_a_reader_has_to_know(made: Reproduction, records: list[Record]) -> None:
    told = " ".join(notes(made, rows_of(made, records)))
    assert QUICK_LABEL in told
    assert "SaIL, default: with the default preset of this library, not the paper's settings" in told
    assert "looked at" not in told
    validation = replace(made, split="validation")
    assert "validation worlds: the trainings have seen" in " ".join(notes(validation, rows_of(made, records)))


def test_every_file_says_that_it_is_quick(made: Reproduction) -> None:
    for name in ("table.csv", "table.md", "table.tex"):
        assert QUICK_LABEL in (made.out / name).read_text()


def test_markdown_and_latex_are_escaped(made: Reproduction) -> None:
    text = (made.out / "table.md").read_text()
    assert r"single\_bugtrap" in text
    assert r"| A\* |" in text
    assert "****" not in text
    tex = [line for line in (made.out / "table.tex").read_text().splitlines() if not line.startswith("%")]
    assert any(line.startswith(r"single\_bugtrap & ") for line in tex)
    assert not any("_" in line.replace(r"\_", "") for line in tex)
    assert not any("%" in line.replace(r"\%", "").removesuffix("{%") for line in tex)
    assert all(line.count(r"\textbf{}") == 0 for line in tex)
