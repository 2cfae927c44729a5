from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from sailplan import files
from sailplan.core import search
from sailplan.datasets import World
from sailplan.errors import SailplanError, TrainingError
from sailplan.graphs import MOVINGAI_MOVES, GridGraph, Problem, grid_problem
from sailplan.learning import Round, SailSettings, train_sail
from sailplan.learning.rounds import Trained
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_metrics, read_plan
from sailplan.policies import load_policy
from sailplan.policies.catalogue import read_facts, save_policy
from sailplan.policies.features import feature_set
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from tests.learned_policies import random_policy
from tests.learning.tiny import TINY, assert_same_network, pocket_problem, tiny_problems

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]
SETTINGS = TINY.changed(rounds=2)
MIXTURE = SETTINGS.changed(result="mixture")
"""With this the model changes in every round."""
WRITES = 1 + 4 * SETTINGS.rounds
"""The settings; then examples, policy, model and metrics of each round."""


def _plan(settings: SailSettings = SETTINGS) -> Plan:
    return Plan("sail", "some/worlds", 3, settings)


def _run(
    path: Path, settings: SailSettings = SETTINGS, on_round: Callable[[Round], None] = lambda done: None
) -> Trained | OneOfMany:
    """Begin a run or, where there is one, go on with it."""
    digest = digest_of([*TRAIN, *VALIDATION])
    if (path / "settings.json").exists():
        keeper = RunFolder.resume(path, read_plan(path), digest)
    else:
        keeper = RunFolder.begin(path, _plan(settings), digest)
    plan = keeper.plan
    assert isinstance(plan.settings, SailSettings)
    return train_sail(TRAIN, VALIDATION, plan.settings, seed=plan.seed, keeper=keeper, on_round=on_round).policy


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nothing interrupted."""
    path = tmp_path_factory.mktemp("whole") / "run"
    _run(path)
    return path


@pytest.fixture(scope="module")
def whole_mixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the same of a run whose result is the mixture of its rounds."""
    path = tmp_path_factory.mktemp("mixture") / "run"
    _run(path, MIXTURE)
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder to damage."""
    for file in whole.rglob("*"):
        if file.is_file():
            files.write_text(tmp_path / "run" / file.relative_to(whole), "")
            (tmp_path / "run" / file.relative_to(whole)).write_bytes(file.read_bytes())
    return tmp_path / "run"


def _results(path: Path) -> tuple[dict[str, bytes], list[tuple[int | float, ...]], list[list[float]]]:
    """Return what a run has come to: the bytes of its models, its metrics but for times, its examples."""
    models = {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*.safetensors")}
    rounds: list[tuple[int | float, ...]] = [
        (one.number, one.mixing, one.examples, one.loss, one.validation_expansions) for one in read_metrics(path)
    ]
    examples = []
    for file in sorted(path.glob("rounds/*.npz")):
        with np.load(file) as arrays:
            examples.append([*arrays["rows"].reshape(-1).tolist(), *arrays["labels"].tolist()])
    return models, rounds, examples


def _assert_no_halves(path: Path) -> None:
    """Whatever is there is whole."""
    names = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()}
    rounds = range(1, SETTINGS.rounds + 1)
    known = {f"rounds/{number:03d}{suffix}" for number in rounds for suffix in (".npz", ".safetensors")}
    assert names <= known | {"settings.json", "metrics.csv", "model.safetensors"}
    for name in names:
        if name.endswith(".safetensors"):
            load_policy(path / name)
        if name.endswith(".npz"):
            with np.load(path / name) as arrays:
                assert len(arrays["rows"]) == len(arrays["labels"])
    if names:
        assert read_plan(path) == _plan(MIXTURE)
        assert len(read_metrics(path)) in (0, *rounds)


def test_the_folder_of_a_run(whole: Path) -> None:
    names = sorted(file.relative_to(whole).as_posix() for file in whole.rglob("*") if file.is_file())
    assert names == [
        "metrics.csv",
        "model.safetensors",
        "rounds/001.npz",
        "rounds/001.safetensors",
        "rounds/002.npz",
        "rounds/002.safetensors",
        "settings.json",
    ]
    with (whole / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["number"] for row in rows] == ["1", "2"]
    assert read_plan(whole) == _plan()


def test_the_model_is_the_result_and_tells_how_it_was_made(whole: Path) -> None:
    rounds, model = read_metrics(whole), load_policy(whole / "model.safetensors")
    best = min(rounds, key=lambda one: one.validation_expansions)
    kept = load_policy(whole / "rounds" / f"{best.number:03d}.safetensors")
    assert isinstance(model, LearnedPolicy)
    assert isinstance(kept, LearnedPolicy)
    assert_same_network(model, kept)
    facts = read_facts(whole / "model.safetensors")
    assert (facts["algorithm"], facts["seed"], facts["data"], facts["round"]) == ("sail", 3, "worlds", best.number)
    assert facts["validation_expansions"] == best.validation_expansions
    assert facts["validation_evaluations"] == best.validation_evaluations > best.validation_expansions
    assert SailSettings.from_json(facts["settings"]) == SETTINGS
    assert facts["data_digest"] == digest_of([*TRAIN, *VALIDATION])
    assert {"python", "numpy", "torch"} <= set(facts["versions"])


def test_metrics_of_earlier_versions_have_no_evaluations(copy: Path) -> None:
    now = read_metrics(copy)
    lines = (copy / "metrics.csv").read_text().splitlines()
    (copy / "metrics.csv").write_text("".join(line.rpartition(",")[0] + "\n" for line in lines))
    before = read_metrics(copy)
    assert all(isnan(one.validation_evaluations) for one in before)
    assert [replace(one, validation_evaluations=0.0) for one in before] == [
        replace(one, validation_evaluations=0.0) for one in now
    ]
    (copy / "metrics.csv").write_text(
        "\n".join([lines[0], *(line.rpartition(",")[0] + ",nan" for line in lines[1:]), ""])
    )
    with pytest.raises(TrainingError, match="a round without validation"):
        read_metrics(copy)


def test_runs_of_earlier_versions_have_a_weight_of_the_learned_part(copy: Path, whole: Path) -> None:
    lines = [line.split(",") for line in (copy / "metrics.csv").read_text().splitlines()]
    place = lines[0].index("validation_expansions")
    for line, value in zip(lines, ["trust", "1.0", "1.0"], strict=True):
        line.insert(place, value)
    # As if it had been stopped after its first round.
    (copy / "metrics.csv").write_text("".join(",".join(line) + "\n" for line in lines[:2]))
    assert read_metrics(copy) == read_metrics(whole)[:1]
    told = json.loads((copy / "settings.json").read_text())
    told["settings"]["trust"] = [1.0]
    (copy / "settings.json").write_text(json.dumps(told))
    assert read_plan(copy) == _plan()
    _run(copy)
    assert _results(copy) == _results(whole)
    assert "trust" not in (copy / "metrics.csv").read_text()


def test_a_run_whose_learned_part_may_have_another_weight_is_refused_in_one_line(copy: Path) -> None:
    told = json.loads((copy / "settings.json").read_text())
    told["settings"]["trust"] = [1.0, 0.3]
    (copy / "settings.json").write_text(json.dumps(told))
    with pytest.raises(TrainingError, match=r"settings.json: .*an earlier version .* another weight than 1") as raised:
        read_plan(copy)
    assert "\n" not in str(raised.value)


def test_what_was_trained_is_what_was_saved(whole: Path, tmp_path: Path) -> None:
    trained = train_sail(TRAIN, VALIDATION, SETTINGS, seed=3).policy
    model = load_policy(whole / "model.safetensors")
    assert isinstance(trained, LearnedPolicy)
    assert isinstance(model, LearnedPolicy)
    assert_same_network(trained, model)
    for problem in VALIDATION:
        one, other = search(problem, trained).trace, search(problem, model).trace
        assert one.expanded.tolist() == other.expanded.tolist()


def test_a_finished_run_that_is_resumed_stays_as_it_is(copy: Path) -> None:
    before = {file: file.read_bytes() for file in copy.rglob("*") if file.is_file()}
    policy = _run(copy)
    assert isinstance(policy, LearnedPolicy)
    assert {file: file.read_bytes() for file in copy.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("stop_after", [1, 2])
def test_a_run_stopped_between_rounds_goes_on_as_if_it_had_not_been(
    whole: Path, tmp_path: Path, stop_after: int
) -> None:
    def stop(done: Round) -> None:
        if done.number == stop_after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _run(tmp_path / "run", on_round=stop)
    assert len(read_metrics(tmp_path / "run")) == stop_after
    _run(tmp_path / "run")
    assert _results(tmp_path / "run") == _results(whole)


class FullDisk(io.BufferedIOBase):
    """Takes a few bytes, then no more."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle, self._room = handle, 10

    def write(self, data: object) -> int:
        taken = bytes(data)  # type: ignore[call-overload]
        self._room -= len(taken)
        if self._room < 0:
            self._handle.write(taken[:5])
            raise OSError(28, "No space left on device")
        return self._handle.write(taken)

    def seekable(self) -> bool:
        return False


Replacing = Callable[[Path], AbstractContextManager[BinaryIO]]


def _fail_at(monkeypatch: pytest.MonkeyPatch, number: int, fault: str) -> list[Path]:
    """Let the write of this number fail; return the list of all files written from now on."""
    written: list[Path] = []
    replacing: Replacing = files._replacing

    @contextmanager
    def failing(target: Path) -> Iterator[BinaryIO]:
        written.append(target)
        with replacing(target) as handle:
            if len(written) != number:
                yield handle
            elif fault == "full disk":
                yield FullDisk(handle)  # type: ignore[misc]
            else:
                yield handle
                raise KeyboardInterrupt

    monkeypatch.setattr(files, "_replacing", failing)
    return written


@pytest.mark.parametrize("fault", ["full disk", "interrupt"])
@pytest.mark.parametrize("number", range(1, WRITES + 1))
def test_a_run_broken_off_at_any_write_goes_on_as_if_it_had_not_been(
    whole_mixture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fault: str
) -> None:
    path = tmp_path / "run"
    written = _fail_at(monkeypatch, number, fault)
    with pytest.raises(OSError if fault == "full disk" else KeyboardInterrupt):
        _run(path, MIXTURE)
    assert len(written) == number
    monkeypatch.undo()
    _assert_no_halves(path)
    _run(path, MIXTURE)
    assert _results(path) == _results(whole_mixture)


def test_no_write_is_left_untried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = _fail_at(monkeypatch, WRITES + 1, "interrupt")
    _run(tmp_path / "run")
    assert len(written) == WRITES


def test_a_mixture_is_saved_as_one(whole_mixture: Path) -> None:
    model = load_policy(whole_mixture / "model.safetensors")
    assert isinstance(model, OneOfMany)
    assert model.seed == _plan().seed
    for number, policy in enumerate(model.policies, start=1):
        kept = load_policy(whole_mixture / "rounds" / f"{number:03d}.safetensors")
        assert isinstance(policy, LearnedPolicy)
        assert isinstance(kept, LearnedPolicy)
        assert_same_network(policy, kept)
    assert len(model.policies) == MIXTURE.rounds


def test_metrics_that_are_cut_anywhere_are_refused_or_a_beginning(copy: Path) -> None:
    whole, data = read_metrics(copy), (copy / "metrics.csv").read_bytes()
    for end in range(len(data)):
        (copy / "metrics.csv").write_bytes(data[:end])
        try:
            read = read_metrics(copy)
        except TrainingError:
            continue
        assert read == whole[: len(read)], end


def test_a_damaged_model_is_written_again(copy: Path) -> None:
    expected = (copy / "model.safetensors").read_bytes()
    for damaged in (expected[:-5], b""):
        (copy / "model.safetensors").write_bytes(damaged)
        _run(copy)
        assert (copy / "model.safetensors").read_bytes() == expected
    (copy / "model.safetensors").unlink()
    _run(copy)
    assert (copy / "model.safetensors").read_bytes() == expected


def test_a_folder_that_holds_a_run_is_refused(copy: Path) -> None:
    with pytest.raises(
        TrainingError, match=r"there is a run in this folder; continue it with --resume, or choose another$"
    ):
        RunFolder.begin(copy, _plan(), "digest")
    (copy / "settings.json").unlink()
    with pytest.raises(TrainingError, match="there is a run in this folder"):
        RunFolder.begin(copy, _plan(), "digest")


def test_a_folder_without_a_run_is_not_resumed(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(TrainingError, match=r": there is no run in this folder$"):
            read_plan(path)
        with pytest.raises(TrainingError, match=r": there is no run in this folder$"):
            RunFolder.resume(path, _plan(), "digest")


def test_other_worlds_than_before_are_refused(copy: Path) -> None:
    with pytest.raises(TrainingError, match=r"run: some/worlds holds other worlds than when this run began$"):
        RunFolder.resume(copy, _plan(), digest_of(TRAIN))


def test_a_run_that_could_not_begin_leaves_nothing(tmp_path: Path, copy: Path) -> None:
    RunFolder.begin(tmp_path / "new", _plan(), "digest").abandon()
    assert list((tmp_path / "new").iterdir()) == []
    RunFolder.begin(tmp_path / "new", _plan(), "digest")
    before = sorted(copy.rglob("*"))
    RunFolder(copy, _plan(), "digest").abandon()
    assert sorted(copy.rglob("*")) == before


def _assert_refused(path: Path, file: str) -> None:
    """One line that names the file, whether the plan is read or the training goes on."""
    with pytest.raises(SailplanError) as raised:
        _run(path)
    assert str(raised.value).startswith(f"{path / file}: ")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < len(str(path)) + 250


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"\x00\x00",
        b"hello",
        b"\xff\xfe\xff",
        b"a\rb,c\n1,2",
        b"x" * 200_000,
        b"number,loss\n1,0.5\n",
        lambda good: b'"' + good,
        lambda good: good.replace(b",", b";"),
        lambda good: good[: good.index(b"\n") + 20],
        lambda good: good + good.split(b"\n")[1] + b"\n",
        lambda good: good.replace(b"\n1,", b"\n7,"),
        lambda good: good.replace(b"\n1,", b"\nx,"),
        lambda good: good.replace(b"\n1,1.0,", b"\n1,maybe,"),
        lambda good: b",".join([*good.split(b",")[:-5], b"nan", *good.split(b",")[-4:]]),
    ],
)
def test_damaged_metrics_are_refused(copy: Path, contents: bytes | Callable[[bytes], bytes]) -> None:
    file = copy / "metrics.csv"
    file.write_bytes(contents if isinstance(contents, bytes) else contents(file.read_bytes()))
    _assert_refused(copy, "metrics.csv")


@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"[]", b"null", b"7", b'"text"', b"\xff\xfe", b"[" * 200_000, b"{}", b'{"settings": {}}'],
)
def test_damaged_settings_are_refused(copy: Path, contents: bytes) -> None:
    (copy / "settings.json").write_bytes(contents)
    _assert_refused(copy, "settings.json")


@pytest.mark.parametrize(
    "change",
    [
        {"algorithm": "cem"},
        {"algorithm": None},
        {"seed": "x"},
        {"seed": -1},
        {"seed": 1.5},
        {"data": 5},
        {"endpoints": "middle"},
        {"data_seed": None},
        {"settings": None},
        {"settings": {}},
        {"settings": []},
        {"settings": {**SETTINGS.as_json(), "rounds": 0}},
        {"settings": {**SETTINGS.as_json(), "rounds": 1.5}},
        {"settings": {**SETTINGS.as_json(), "rounds": "three"}},
        {"settings": {**SETTINGS.as_json(), "rounds": True}},
        {"settings": {**SETTINGS.as_json(), "features": "paper18"}},
        {"settings": {**SETTINGS.as_json(), "colour": "red"}},
        {"settings": {**SETTINGS.as_json(), "trust": [1.0, 0.3]}},
        {"settings": {**SETTINGS.as_json(), "trust": [0.0]}},
        {"settings": {**SETTINGS.as_json(), "trust": 1.0}},
        {"settings": {**SETTINGS.as_json(), "features": "walls"}},
        {"settings": {**SETTINGS.as_json(), "network": {**SETTINGS.network.__dict__, "hidden": [1.5]}}},
        {"settings": {**SETTINGS.as_json(), "network": {**SETTINGS.network.__dict__, "hidden": ["a"]}}},
        {"settings": {**SETTINGS.as_json(), "network": {**SETTINGS.network.__dict__, "hidden": 3}}},
    ],
)
def test_settings_that_cannot_be_are_refused(copy: Path, change: dict[str, object]) -> None:
    told = json.loads((copy / "settings.json").read_text())
    (copy / "settings.json").write_text(json.dumps({**told, **change}))
    _assert_refused(copy, "settings.json")


@pytest.mark.parametrize("missing", ["algorithm", "data", "seed", "settings", "endpoints", "data_seed"])
def test_settings_that_miss_something_are_refused(copy: Path, missing: str) -> None:
    told = json.loads((copy / "settings.json").read_text())
    (copy / "settings.json").write_text(json.dumps({name: value for name, value in told.items() if name != missing}))
    _assert_refused(copy, "settings.json")


WIDTH = len(feature_set(SETTINGS.features).columns)


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (np.zeros((3, 2)), np.zeros(3)),
        (np.zeros(WIDTH), np.zeros(1)),
        (np.zeros((3, WIDTH)), np.zeros(4)),
        (np.zeros((3, WIDTH)), np.zeros((3, 1))),
        (np.zeros((3, WIDTH)), np.float64(0.0)),
        (np.full((3, WIDTH), "text"), np.zeros(3)),
        (np.zeros((3, WIDTH), complex), np.zeros(3)),
        (np.full((3, WIDTH), np.nan), np.zeros(3)),
    ],
)
def test_examples_of_another_shape_are_refused(copy: Path, rows: np.ndarray, labels: np.ndarray) -> None:
    np.savez(copy / "rounds" / "002.npz", rows=rows, labels=labels)
    _assert_refused(copy, "rounds/002.npz")


@pytest.mark.parametrize("name", ["rounds/001.npz", "rounds/002.npz", "rounds/001.safetensors"])
@pytest.mark.parametrize("kept", [0, 1, 60, 0.5, 0.98, None])
def test_a_cut_or_lost_round_is_refused(copy: Path, name: str, kept: float | None) -> None:
    file = copy / name
    contents = file.read_bytes()
    file.unlink()
    if kept is not None:
        file.write_bytes(contents[: int(kept * len(contents)) if isinstance(kept, float) else kept])
    _assert_refused(copy, name)


def test_examples_without_their_arrays_are_refused(copy: Path) -> None:
    np.savez(copy / "rounds" / "001.npz", something=np.zeros(3))
    _assert_refused(copy, "rounds/001.npz")
    np.savez(copy / "rounds" / "001.npz", rows=np.array([None]), labels=np.zeros(1), allow_pickle=True)
    _assert_refused(copy, "rounds/001.npz")


@pytest.mark.parametrize(
    "policy", [OneOfMany((random_policy(0, "relative"),)), random_policy(0, "paper17")], ids=["mixture", "paper17"]
)
def test_the_policy_of_another_run_is_refused(copy: Path, policy: LearnedPolicy | OneOfMany) -> None:
    save_policy(policy, copy / "rounds" / "001.safetensors")
    _assert_refused(copy, "rounds/001.safetensors")


def _grid(picture: list[str], start: tuple[int, int] = (0, 0), goal: tuple[int, int] = (3, 0)) -> Problem:
    return grid_problem(World(np.array([[letter == "#" for letter in row] for row in picture])), start, goal)


def test_the_digest_tells_worlds_starts_goals_moves_and_order_apart() -> None:
    grid = _grid(["...."] * 2)
    graph = grid.graph
    assert isinstance(graph, GridGraph)
    others = [
        _grid(["....", "..#."]),
        _grid(["...."] * 3),
        _grid(["...."] * 2, start=(1, 0)),
        _grid(["...."] * 2, goal=(2, 0)),
        grid_problem(graph.world, goal=(3, 0), moves=MOVINGAI_MOVES),
        pocket_problem(),
        _grid(["...."] * 9),
        _grid([*["...."] * 8, "...#"]),
    ]
    digests = [digest_of([one]) for one in [grid, *others]]
    digests += [digest_of([]), digest_of([grid, grid]), digest_of([grid, others[0]]), digest_of([others[0], grid])]
    assert len(set(digests)) == len(digests)
    assert digest_of([_grid(["...."] * 2)]) == digests[0]
