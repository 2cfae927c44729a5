from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load, save

from sailplan import files
from sailplan.core import Policy, StopRule, search
from sailplan.errors import ModelError
from sailplan.policies import PRETRAINED, greedy
from sailplan.policies.catalogue import find_model, read_facts, read_policy, save_policy
from sailplan.policies.features import PRESETS, FeatureSet, feature_set
from sailplan.policies.features.absolute import COST, POSITION
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.testing import random_problem
from tests.learned_policies import RULES, random_network, random_policy
from tests.same import assert_same_result

RNG = np.random.default_rng(11)
PROBLEMS = [random_problem(RNG, largest=15) for _ in range(6)]


def _assert_decides_alike(one: Policy, other: Policy) -> None:
    assert one.stop == other.stop
    for problem in PROBLEMS:
        assert_same_result(search(problem, one), search(problem, other))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("rescore", RULES)
@pytest.mark.parametrize("features", PRESETS)
def test_what_is_read_decides_as_what_was_written(features: str, rescore: str, path: Path) -> None:
    policy = random_policy(1, features, rescore)
    save_policy(policy, path)
    loaded = read_policy(path)
    assert isinstance(loaded, LearnedPolicy)
    assert (loaded.rescore, loaded.features) == (rescore, feature_set(features))
    _assert_decides_alike(policy, loaded)


@pytest.mark.parametrize("stop", StopRule)
def test_the_stop_rule_is_kept(stop: StopRule, path: Path) -> None:
    policy = random_policy(1)
    for kind in (
        LearnedPolicy(policy.features, policy.model, "lazy", stop),
        OneOfMany((policy, random_policy(2)), 3, stop),
    ):
        save_policy(kind, path)
        _assert_decides_alike(kind, read_policy(path))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_of_many_draws_as_before(count: int, path: Path) -> None:
    # Each with features, a rule and layers of its own.
    parts = [
        LearnedPolicy(
            feature_set(name := ("paper17", "relative")[seed % 2]),
            random_network(seed, len(feature_set(name).columns), (4,) * (seed % 3)),
            RULES[seed % 4],
        )
        for seed in range(count)
    ]
    many = OneOfMany(tuple(parts), 17)
    save_policy(many, path)
    _assert_decides_alike(many, read_policy(path))


def test_the_order_of_memory_does_not_matter(path: Path) -> None:
    network = random_network(1, 17)
    turned = tuple((np.asfortranarray(weights), biases[::-1].copy()[::-1]) for weights, biases in network.layers)
    policy = LearnedPolicy(
        feature_set("paper17"), DenseNetwork(turned, network.scaling, network.linear, network.unit, network.offset)
    )
    save_policy(policy, path)
    loaded = read_policy(path)
    assert isinstance(loaded, LearnedPolicy)
    assert isinstance(loaded.model, DenseNetwork)
    for one, other in zip(network.layers, loaded.model.layers, strict=True):
        assert [part.tolist() for part in one] == [part.tolist() for part in other]


def test_a_file_is_small_and_says_how_it_was_made(path: Path) -> None:
    policy = LearnedPolicy(feature_set("paper17"), random_network(0, 17, (100, 50)))
    save_policy(policy, path, {"rounds": 10, "family": "forest", "format": "not this"})
    assert path.stat().st_size < 100_000
    facts = read_facts(path)
    assert (facts["rounds"], facts["family"], facts["format"]) == (10, "forest", "sailplan policy 1")


def test_a_run_folder_names_its_model(path: Path) -> None:
    save_policy(random_policy(1), path)
    assert find_model(path.parent) == find_model(path) == path


def test_the_same_policy_gives_the_same_bytes(path: Path) -> None:
    save_policy(random_policy(1), path)
    first = path.read_bytes()
    save_policy(random_policy(1), path)
    assert path.read_bytes() == first


def _refused(path: Path) -> str:
    """Return what read_policy says, having checked that it is one line that names the file."""
    with pytest.raises(ModelError) as caught:
        read_policy(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


SMALL = LearnedPolicy(feature_set("paper17"), random_network(0, 17, (2,)))


def _bytes(path: Path, policy: LearnedPolicy | OneOfMany = SMALL) -> bytes:
    save_policy(policy, path)
    return path.read_bytes()


def test_a_file_cut_short_anywhere(path: Path) -> None:
    whole = _bytes(path)
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        _refused(path)
    for more in (b"\0", b"more"):
        path.write_bytes(whole + more)
        _refused(path)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_other_bytes_is_read_or_refused_in_one_line(data: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "damaged.safetensors"
    contents = bytearray(_bytes(path))
    header = 8 + int.from_bytes(contents[:8], "little")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.one_of(st.integers(0, header - 1), st.integers(header, len(contents) - 1)))
        contents[place] = data.draw(st.integers(0, 255))
    path.write_bytes(contents)
    try:
        # Where nothing but white space or the name of the checksum was changed, it is the same policy.
        loaded = read_policy(path)
    except ModelError:
        _refused(path)
        return
    assert_same_result(search(PROBLEMS[0], loaded), search(PROBLEMS[0], SMALL))


def test_every_flipped_bit_is_refused_or_harmless(path: Path) -> None:
    whole = _bytes(path)
    expected = read_policy(path).describe()  # type: ignore[attr-defined]
    for place in range(len(whole)):
        contents = bytearray(whole)
        contents[place] ^= 1 << place % 8
        path.write_bytes(contents)
        try:
            facts, tensors = read_policy(path).describe()  # type: ignore[attr-defined]
        except ModelError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017
            continue
        assert facts == expected[0]
        assert all(np.array_equal(tensors[name], tensor) for name, tensor in expected[1].items())


def test_a_flipped_weight_is_named(path: Path) -> None:
    contents = bytearray(_bytes(path))
    contents[-1] ^= 1
    path.write_bytes(contents)
    assert _refused(path) == f"{path}: a damaged model file: its contents do not have the checksum in its header"


def test_a_file_of_an_earlier_version_has_no_checksum(path: Path) -> None:
    _rewritten(path, lambda header, tensors: None)
    assert isinstance(read_policy(path), OneOfMany)


@pytest.mark.parametrize("name", PRETRAINED)
def test_pretrained_files_have_a_checksum(name: str) -> None:
    file = resources.files("sailplan") / "pretrained" / PRETRAINED[name]
    with resources.as_file(file) as model, safe_open(model, "np") as opened:
        assert "checksum" in json.loads(opened.metadata()["sailplan"])


@pytest.mark.parametrize("place", range(0, 40, 3))
def test_damage_at_the_beginning_is_always_noticed(place: int, path: Path) -> None:
    contents = bytearray(_bytes(path))
    contents[place] ^= 0xFF
    path.write_bytes(contents)
    _refused(path)


def test_what_is_no_model_file(path: Path) -> None:
    assert _refused(path).endswith("no such file or directory")
    for contents in (b"", b"{}", b"hello\nworld\n" * 50, bytes(1000), pickle.dumps({"weights": [1.0]}), b"\xff" * 64):
        path.write_bytes(contents)
        assert "not a model file, or a damaged one" in _refused(path)
    assert _refused(path.parent).endswith("is a directory")


def test_a_pickle_is_never_run(path: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return Path.touch, (tmp_path / "sprung",)

    path.write_bytes(pickle.dumps(Trap()))
    _refused(path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "metadata", [None, {"format": "pt"}, {"sailplan": "{}"}, {"sailplan": "[1]"}, {"sailplan": '{"format": "other 1"}'}]
)
def test_safetensors_of_somebody_else(metadata: dict[str, str] | None, path: Path) -> None:
    path.write_bytes(save({"weight": np.zeros(3, np.float32)}, metadata=metadata))
    assert _refused(path).endswith("a safetensors file, but not a policy of sailplan")


def test_a_header_that_is_not_json(path: Path) -> None:
    path.write_bytes(save({"weight": np.zeros(3, np.float32)}, metadata={"sailplan": "{"}))
    assert "not a model file, or a damaged one" in _refused(path)


def _rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    """Write a good file again with its header and tensors changed, without a checksum as earlier versions did."""
    contents = _bytes(path, OneOfMany((SMALL, SMALL), 3))
    length = int.from_bytes(contents[:8], "little")
    header = json.loads(json.loads(contents[8 : 8 + length])["__metadata__"]["sailplan"])
    tensors = dict(load(contents))
    del header["checksum"]
    change(header, tensors)
    path.write_bytes(save(tensors, metadata={"sailplan": json.dumps(header)}))


NOT_THAT: list[object] = [None, [], {}, [1], "", "other", -1, 0, 1e999, math.nan, 10**30]


@pytest.mark.parametrize("value", NOT_THAT, ids=str)
@pytest.mark.parametrize("field", ["stop", "policies", "columns", "format"])
def test_a_header_with_another_value(field: str, value: object, path: Path) -> None:
    _rewritten(path, lambda header, tensors: header.update({field: value}))
    _refused(path)


@pytest.mark.parametrize("value", NOT_THAT, ids=str)
@pytest.mark.parametrize("field", ["features", "rescore", "layers"])
def test_a_part_with_another_value(field: str, value: object, path: Path) -> None:
    _rewritten(path, lambda header, tensors: header["policies"][1].update({field: value}))
    _refused(path)


@pytest.mark.parametrize("value", [None, [], {}, "other", 1e999, math.nan], ids=str)
def test_a_seed_that_is_none(value: object, path: Path) -> None:
    _rewritten(path, lambda header, tensors: header.update(seed_of_mixture=value))
    _refused(path)


def test_a_header_with_something_left_out(path: Path) -> None:
    for field in ("stop", "policies", "columns", "seed_of_mixture"):
        _rewritten(path, lambda header, tensors, field=field: header.pop(field))  # type: ignore[misc]
        assert f"'{field}' in it" in _refused(path)
    for name in load(_bytes(path)):
        _rewritten(path, lambda header, tensors, name=name: tensors.pop(name))  # type: ignore[misc]
        assert f"no '{name}' in it" in _refused(path)


def test_columns_of_another_version(path: Path) -> None:
    _rewritten(path, lambda header, tensors: header["columns"]["paper17"].reverse())
    assert "paper17 has other columns than in this version" in _refused(path)
    # As many columns, but not these.
    _rewritten(path, lambda header, tensors: [part.update(features="relative") for part in header["policies"]])
    _refused(path)


def _tensor(shape: tuple[int, ...], number: float = 1.0, dtype: type = np.float64) -> np.ndarray[Any, Any]:
    return np.full(shape, number, dtype)


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("weights.0", _tensor((17, 2), math.nan, np.float32)),
        ("weights.0", _tensor((17, 2), math.inf, np.float32)),
        ("weights.0", _tensor((17, 2))),
        ("weights.0", _tensor((2, 17), dtype=np.float32)),
        ("weights.0", _tensor((34,), dtype=np.float32)),
        ("weights.1", _tensor((2, 2), dtype=np.float32)),
        ("biases.0", _tensor((3,), dtype=np.float32)),
        ("biases.0", _tensor((2, 1), dtype=np.float32)),
        ("biases.0", _tensor((), dtype=np.float32)),
        ("biases.1", _tensor((1,), math.nan, np.float32)),
        ("mean", _tensor((16,))),
        ("mean", _tensor((17,), dtype=np.float32)),
        ("mean", _tensor((17,), math.nan)),
        ("mean", _tensor((17,), 1e300)),
        ("deviation", _tensor((17,), -1.0)),
        ("deviation", _tensor((17,), 0.0)),
        ("deviation", _tensor((17,), math.nan)),
        ("deviation", _tensor((17,), 1e-50)),
        ("deviation", _tensor((17,), 5e-324)),
        ("deviation", _tensor((18,))),
        ("linear", _tensor((17,), math.inf)),
        ("linear", _tensor((1,))),
        ("output", _tensor((1,))),
        ("output", _tensor((3,))),
        ("output", _tensor((2,), math.nan)),
        ("output", _tensor((2,), 1e300)),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.shape}-{value.dtype}-{value.flat[0]}",
)
def test_a_tensor_that_does_not_fit(name: str, tensor: np.ndarray[Any, Any], path: Path) -> None:
    _rewritten(path, lambda header, tensors: tensors.update({f"1.{name}": tensor}))
    assert "not a policy of this version" in _refused(path)


@pytest.mark.parametrize(
    "policy",
    [
        OneOfMany((greedy("zero"),)),
        LearnedPolicy(FeatureSet((POSITION, COST)), random_network(0, 3)),
        LearnedPolicy(FeatureSet((POSITION, COST), "paper17"), random_network(0, 3)),
        OneOfMany((SMALL,) * 1001),
        LearnedPolicy(
            feature_set("paper17"),
            DenseNetwork(
                ((np.full((17, 1), np.nan, np.float32), np.zeros(1, np.float32)),), Scaling.none(17), np.zeros(17)
            ),
        ),
        LearnedPolicy(
            feature_set("paper17"),
            DenseNetwork(((np.zeros((17, 1)), np.zeros(1)),), Scaling.none(17), np.zeros(17)),  # type: ignore[arg-type]
        ),
    ],
    ids=["not learned", "features", "features with a name", "too many", "NaN", "float64"],
)
def test_what_cannot_be_read_again_is_not_written(policy: LearnedPolicy | OneOfMany, path: Path) -> None:
    with pytest.raises(ModelError):
        save_policy(policy, path)
    assert not path.exists()


def test_facts_that_are_not_json(path: Path) -> None:
    with pytest.raises(ModelError, match=rf"^{re.escape(str(path))}: facts that cannot be written as JSON"):
        save_policy(SMALL, path, {"when": object()})
    assert not path.exists()


def test_a_full_disk_leaves_the_old_file_and_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _bytes(path)

    def full(*_: object, **__: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sailplan.policies.catalogue.save", full)
    with pytest.raises(OSError, match="No space left"):
        save_policy(random_policy(2), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_that_is_full_is_an_os_error() -> None:
    with pytest.raises(OSError, match="No space left"):
        save_policy(SMALL, "/dev/full")


def test_a_huge_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _bytes(path)
    monkeypatch.setattr(files, "LARGEST_FILE", 100)
    assert "at most 100 are read" in _refused(path)
