from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from sailplan.core import StopRule, search
from sailplan.datasets import GeneratedWorlds
from sailplan.errors import ModelError
from sailplan.graphs import grid_problem
from sailplan.policies.catalogue import read_facts, read_policy, save_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import Belief, Optimistic, Refresh
from sailplan.policies.replanning.beliefs.posterior import Agreement, Memory, Posterior
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.policies.replanning.beliefs.random_beliefs import random_belief
from tests.policies.replanning.test_policy import Fickle
from tests.same import assert_same_result

WORLDS = list(GeneratedWorlds("mazes", 8, seed=1, width=23, height=19))
FRAME = Frame(23, 19, (0, 0), (22, 18))
MEMORY = Memory.of(WORLDS[:6])
CHARGING = Penalty(0.3, 2.0, 0.99)
CONDITIONAL = Posterior(FRAME, MEMORY, CHARGING, Agreement(0.2, 0.1, 40.0, 3, 0.05), "mine", Refresh(3, 2))
LEARNED = replace(random_belief(seed=3), name="mine too", refresh=Refresh(3, 2))
BELIEFS: list[Belief] = [Optimistic(), Prior(FRAME, MEMORY.frequencies, CHARGING), CONDITIONAL, LEARNED]


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: belief.name)
def test_what_is_read_decides_as_what_was_written(belief: Belief, tmp_path: Path) -> None:
    policy = ReplanningPolicy(belief, StopRule.GOAL_EXPANDED, effort=0.5)
    save_policy(policy, tmp_path / "model", {"algorithm": "belief"})
    read = read_policy(tmp_path / "model")
    assert isinstance(read, ReplanningPolicy)
    assert (read.stop, read.effort) == (policy.stop, 0.5)
    assert (read.belief.name, read.belief.refresh) == (belief.name, belief.refresh)
    assert read_facts(tmp_path / "model")["algorithm"] == "belief"
    for world in WORLDS:
        assert_same_result(search(grid_problem(world), policy), search(grid_problem(world), read))


def test_only_beliefs_that_are_declared_saveable_can_be_saved(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"^only beliefs that are declared saveable can be saved, not Fickle$"):
        save_policy(ReplanningPolicy(Fickle(0, Refresh(1, 1))), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def _changed(path: Path, **changes: Any) -> None:
    """Write other things in the header of a belief's file; None takes them out."""
    header = read_facts(path)
    for name, value in changes.items():
        header["belief"][name] = value
    header["belief"] = {name: value for name, value in header["belief"].items() if value is not None}
    save_file(load_file(path), path, metadata={"sailplan": json.dumps(header)})


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "clairvoyant"},
        {"kind": None},
        {"kind": "prior"},
        {"frame": None},
        {"frame": {"width": -3, "height": 2, "start": [0, 0], "goal": [1, 1]}},
        {"frame": {"width": 1 << 20, "height": 1 << 20, "start": [0, 0], "goal": [1, 1]}},
        {"frame": {"width": 23, "height": 18, "start": [0, 0], "goal": [22, 17]}},
        {"charging": {"steady": -1.0}},
        {"charging": {"height": 1.0}},
        {"agreement": {"most": 0}},
        {"agreement": {"most": 2.5}},
        {"agreement": [1]},
        {"refresh": [1]},
        {"refresh": [0, 5]},
        {"refresh": [5, 10**30]},
        {"worlds": 5},
        {"worlds": 10**9},
        {"worlds": "many"},
    ],
)
def test_a_damaged_header_is_told_in_one_line(changes: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_policy(ReplanningPolicy(CONDITIONAL), path)
    _changed(path, **changes)
    _assert_refused(path)


def test_frequencies_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "model"
    bad: Any
    for bad in (np.full(5, 0.5), np.full(23 * 19, 1.5), np.full(23 * 19, np.nan), np.full(23 * 19, 0.5, np.float32)):
        save_policy(ReplanningPolicy(Prior(FRAME, MEMORY.frequencies, CHARGING)), path)
        header = {"sailplan": json.dumps(read_facts(path))}
        save_file({**load_file(path), "frequencies": bad}, path, metadata=header)
        with pytest.raises(ModelError, match="frequenc"):
            read_policy(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "conditional"},
        {"kind": "pixels"},
        {"frame": [0.5, 0.5, 0.5]},
        {"frame": 0.5},
        {"frame": ["left", 0.5, 0.5, 0.5]},
        {"recall": {"of_blocked": 0.0}},
        {"recall": {"prior": 1.5}},
        {"plain": 99},
        {"plain": "few"},
        {"regret_weight": -1.0},
        {"regret_weight": "heavy"},
        {"elsewhere": {"recall": {}}},
        {"elsewhere": 3},
        {"recall": {"colour": 1.0}},
        {"recall": 3},
        {"recall": None},
        {"charging": {"steady": -1.0}},
        {"charging": None},
        {"refresh": [0, 5]},
        {"name": None},
    ],
)
def test_a_damaged_header_of_learned_multipliers_is_told_in_one_line(changes: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_policy(ReplanningPolicy(LEARNED), path)
    _changed(path, **changes)
    _assert_refused(path)


@pytest.mark.parametrize("name", ["offsets", "regrets", "components", "weights"])
def test_damaged_tensors_of_learned_multipliers_are_told_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_policy(ReplanningPolicy(LEARNED), path)
    header, tensors = read_facts(path), load_file(path)
    good = tensors.pop(name)
    wide = good.astype(np.float32 if good.dtype == np.float64 else np.float64)
    text = np.frombuffer(b"text", np.uint8)
    damaged = [good[1:], good[:0], wide, good * np.nan, good.reshape(-1)[0], good[None], text]
    # A belief without offsets or regrets is complete.
    for bad in damaged if name in ("offsets", "regrets") else [None, *damaged]:
        kept = tensors if bad is None else {**tensors, name: np.ascontiguousarray(bad)}
        save_file(kept, path, metadata={"sailplan": json.dumps(header)})
        _assert_refused(path)


def test_learned_multipliers_of_a_lazy_search(tmp_path: Path) -> None:
    policy = LazyPolicy(belief=LEARNED)
    save_policy(policy, tmp_path / "model")
    read = read_policy(tmp_path / "model")
    assert isinstance(read, LazyPolicy)
    for world in WORLDS:
        assert_same_result(search(grid_problem(world), policy), search(grid_problem(world), read))


def _assert_refused(path: Path) -> None:
    with pytest.raises(ModelError, match=r"not a policy of this version") as raised:
        read_policy(path)
    assert "\n" not in str(raised.value)
