from __future__ import annotations

import csv
import sys
from dataclasses import replace

import pytest
from PIL import Image

from sailplan.errors import SailplanError
from sailplan.evaluation.figures import Panel
from sailplan.experiments.adaptation import ADAPTATION, comparisons
from sailplan.experiments.convergence import CONVERGENCE
from sailplan.experiments.reproduction import QUICK_LABEL, Reproduction
from sailplan.experiments.runs import runs_of
from sailplan.experiments.searches import policy_of, records_of
from sailplan.experiments.snapshots import SNAPSHOTS, panel_of, telling_task, watch
from sailplan.learning.run_folder import read_metrics
from sailplan.parallel import no_progress
from sailplan.policies import LazyPolicy
from tests.experiments.tiny import FAMILIES

FAMILY = FAMILIES[0]


def test_the_world_that_is_shown_is_the_harder_one(made: Reproduction) -> None:
    records = records_of(made, [made.system("h_euc")], [FAMILY])
    shown = telling_task(made, FAMILY)
    (own,) = [one.expansions for one in records if one.problem == shown.name]
    assert sum(one.expansions <= own for one in records) >= 4
    assert sum(one.expansions >= own for one in records) >= 2


def test_a_panel_at_a_third_has_a_third_of_the_expansions_and_no_path(made: Reproduction) -> None:
    problem = telling_task(made, FAMILY).problem()
    result = watch(problem, policy_of(made, made.system("h_euc"), FAMILY))
    third, end = panel_of(problem, result, 1 / 3), panel_of(problem, result)
    assert third.caption == f"{round(result.expansions / 3)} expansions"
    assert end.caption == f"{result.expansions} expansions"
    assert third.picture.tobytes() != end.picture.tobytes()


def test_a_panel_of_a_search_by_edges_counts_evaluations(made: Reproduction) -> None:
    problem = telling_task(made, FAMILY).problem()
    result = watch(problem, LazyPolicy())
    third, end = panel_of(problem, result, 1 / 3), panel_of(problem, result)
    assert third.caption == f"{round(result.edge_evaluations / 3)} evaluations"
    assert end.caption == f"{result.edge_evaluations} evaluations"
    assert third.picture.tobytes() != end.picture.tobytes()


def test_snapshots_count_what_the_searches_did(made: Reproduction) -> None:
    part = SNAPSHOTS.make(made, no_progress)
    assert [(row["family"], row["policy"]) for row in part.numbers] == [
        (family, name) for family in FAMILIES for name in ("sail", "sl", "h_euc")
    ]
    for row in part.numbers:
        assert row["settings"] == QUICK_LABEL
        problem = telling_task(made, row["family"]).problem()
        found = watch(problem, policy_of(made, made.system(row["policy"]), row["family"]))
        assert (row["expansions"], row["found"]) == (found.expansions, found.found)


def test_the_moments_of_a_row(copied: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    captions: list[list[str]] = []

    def listen(title: str, note: str, columns: list[str], rows: dict[str, list[Panel]]) -> Image.Image:
        captions.extend([panel.caption for panel in row] for row in rows.values())
        return Image.new("RGB", (1, 1))

    monkeypatch.setattr("sailplan.experiments.snapshots.draw_figure", listen)
    part = SNAPSHOTS.make(copied, no_progress)
    counts = [row["expansions"] for row in part.numbers[:3]]
    steps = [round(counts[0] / 3), round(2 * counts[0] / 3), *counts]
    assert captions[0] == [f"{count} expansions" for count in steps]


def test_five_panels_a_row_and_one_row_a_family(made: Reproduction) -> None:
    sizes = []
    for families in (FAMILIES[:1], FAMILIES):
        (figure,) = SNAPSHOTS.make(replace(made, families=families), no_progress).figures
        with Image.open(figure.file) as image:
            sizes.append(image.size)
    assert sizes[0][0] == sizes[1][0] > 5 * 400
    assert sizes[1][1] - sizes[0][1] > 400


def test_the_same_world_for_every_policy(made: Reproduction) -> None:
    part = ADAPTATION.make(made, no_progress)
    assert [one.file.name for one in part.figures] == ["adaptation_bugtrap.png"]
    rows = [(row["family"], row["policy"]) for row in part.numbers]
    policies = ("SaIL of single_bugtrap", "SaIL of shifting_gaps", "h_EUC")
    assert rows == [(family, name) for family in ("single_bugtrap", "shifting_gaps") for name in policies]
    assert len({(row["family"], row["world"]) for row in part.numbers}) == 2


def test_adaptation_needs_its_families(made: Reproduction) -> None:
    one = replace(made, families=FAMILIES[:1])
    assert comparisons(one) == []
    with pytest.raises(SailplanError, match=r"adaptation compares .* single_bugtrap.*--families"):
        ADAPTATION.runs(one)
    assert {run.folder.name for run in ADAPTATION.runs(made)} == {f"sail-{family}-0" for family in FAMILIES}


def test_the_curves_are_those_of_the_runs(made: Reproduction) -> None:
    with (made.out / "convergence.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["settings"] for row in rows} == {QUICK_LABEL}
    others = runs_of(made, [made.system("cem"), made.system("ql")], FAMILIES[:1])
    for run in [*runs_of(made, [made.system("sail")], FAMILIES), *others]:
        kept = [row for row in rows if (row["family"], row["system"]) == (run.family, run.system.name)]
        curve = [float(row["validation_expansions"]) for row in kept]
        assert curve == [one.validation_expansions for one in read_metrics(run.folder)]
    assert {row["system"] for row in rows} == {"sail", "cem", "ql"}
    for name in ("convergence.png", "convergence_families.png"):
        with Image.open(made.out / name) as image:
            assert image.format == "PNG"


def test_every_system_is_trained_on_forest_where_it_is_asked_for(made: Reproduction) -> None:
    asked = replace(made, families=("mazes", "forest"))
    assert {run.folder.name for run in CONVERGENCE.runs(asked)} == {
        *("sail-forest-0", "cem-forest-0", "ql-forest-0"),
        "sail-mazes-0",
    }


def test_without_matplotlib_nothing_is_trained(made: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sailplan.learning.convergence", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(SailplanError, match=r"matplotlib: pip install '.\[plot\]' in a checkout"):
        CONVERGENCE.runs(made)


def test_every_picture_says_that_it_is_quick(copied: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def listen(*words: object, **options: object) -> Image.Image:
        told.append(" ".join(str(word) for word in words if isinstance(word, str)))
        return Image.new("RGB", (1, 1))

    for module in ("snapshots", "adaptation"):
        monkeypatch.setattr(f"sailplan.experiments.{module}.draw_figure", listen)
    monkeypatch.setattr("sailplan.learning.convergence.draw_convergence", listen)
    for experiment in (SNAPSHOTS, ADAPTATION, CONVERGENCE):
        experiment.make(copied, no_progress)
    assert len(told) == 4
    assert all(QUICK_LABEL in words for words in told)
