from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sailplan.datasets import generate_world, write_png
from sailplan.errors import SailplanError
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.experiments import searches as module
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.searches import policy_of, records_of
from tests.experiments.tiny import FAMILIES, SIZE, tiny

FAMILY = FAMILIES[0]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return a list to which every benchmark adds the systems that it ran."""
    ran: list[list[str]] = []

    def noted(policies: dict[str, object], *rest: object, **options: object) -> object:
        ran.append(list(policies))
        return run_benchmark(policies, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run_benchmark", noted)
    return ran


def test_nothing_is_searched_twice(made: Reproduction, searched: list[list[str]]) -> None:
    first = records_of(made, made.systems, FAMILIES)
    assert searched == []
    # By their words: a cost that no file lists is NaN, which equals nothing.
    assert str(records_of(made, made.systems, FAMILIES)) == str(first)
    assert len(first) == 5 * len(made.systems) * len(FAMILIES)


def test_the_records_are_those_of_a_benchmark(made: Reproduction) -> None:
    system = made.system("sail")
    found = records_of(made, [system], [FAMILY])
    direct = run_benchmark({"sail": policy_of(made, system, FAMILY)}, [made.tasks(FAMILY)])
    untimed = [[replace(one, milliseconds=0.0) for one in records] for records in (found, direct)]
    assert str(untimed[0]) == str(untimed[1])


def test_another_model_is_searched_with_again(copied: Reproduction, searched: list[list[str]]) -> None:
    sail, sl = (copied.model_file(copied.system(name), FAMILY) for name in ("sail", "sl"))
    assert sail is not None
    assert sl is not None
    shutil.copy(sl, sail)
    records = records_of(copied, copied.systems, [FAMILY])
    assert searched == [["sail"]]
    by_system = {name: [one.expansions for one in records if one.policy == name] for name in ("sail", "sl")}
    assert by_system["sail"] == by_system["sl"]


def test_another_split_is_searched_anew(copied: Reproduction, searched: list[list[str]]) -> None:
    greedy = [copied.system("h_euc")]
    records = records_of(replace(copied, split="validation"), greedy, [FAMILY])
    assert searched == [["h_euc"]]
    assert [one.problem for one in records] == ["validation/0", "validation/1"]
    records_of(copied, greedy, [FAMILY])
    assert len(searched) == 1


def test_another_world_is_noticed(
    copied: Reproduction, worlds: Path, tmp_path: Path, searched: list[list[str]]
) -> None:
    shutil.copytree(worlds, tmp_path / "worlds")
    changed = tiny(copied.out, tmp_path / "worlds")
    greedy = [changed.system("h_euc")]
    records_of(changed, greedy, [FAMILY])
    assert searched == []
    world = generate_world("mazes", 5, 5, width=SIZE, height=SIZE)
    write_png(world, tmp_path / "worlds" / FAMILY / "test" / "1.png")
    records_of(changed, greedy, [FAMILY])
    assert searched == [["h_euc"]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:1],
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[1]],
        lambda lines: [line.replace("h_euc", "h_man") for line in lines],
        lambda lines: [line.replace(FAMILY, "mazes") for line in lines],
        lambda lines: [line.replace("goal_generated", "found") for line in lines],
    ],
)
def test_records_that_are_not_those_of_every_world_are_refused(
    copied: Reproduction, damage: Callable[[list[str]], list[str]]
) -> None:
    (file,) = (copied.out / "records").glob(f"{FAMILY}-h_euc-*.csv")
    file.write_text("\n".join(damage(file.read_text().splitlines())) + "\n")
    with pytest.raises(SailplanError, match=rf"{file.name}:.* not a record"):
        records_of(copied, copied.systems, [FAMILY])
