from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sailplan.core import search
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.errors import SailplanError, TrainingError
from sailplan.evaluation import evaluate
from sailplan.graphs import grid_problem
from sailplan.learning import PlannerSettings, read_metrics, read_plan, train
from sailplan.policies import LazyPolicy, load_policy
from sailplan.policies.replanning import LearnedMultipliers, ReplanningPolicy
from tests.learning.tiny import assert_same_belief, assert_same_network

QUICK: dict[str, Any] = {
    "preset": "paper",
    "rounds": 2,
    "worlds_per_round": 3,
    "samples_per_world": 6,
    "max_expansions": 60,
    "validation_expansions": 300,
    "hidden": (8, 4),
    "epochs": 1,
    "features": "relative",
}


@pytest.fixture
def maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a flat folder of maps below the current folder."""
    for index, world in enumerate(GeneratedWorlds("forest", 10, seed=4, width=17, height=17)):
        write_png(world, tmp_path / "my_maps" / f"{index}.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "my_maps"


def test_the_best_policy_and_its_run(maps: Path) -> None:
    policy: Any = train("my_maps", seed=3, **QUICK)
    assert policy.run == Path("runs/sail-my_maps-1")
    assert read_plan(policy.run).data == str(maps)
    assert list(policy.training.rounds) == read_metrics(policy.run)
    assert set(policy.training.baselines) == {"optimistic", "h_euc"}
    kept: Any = load_policy(policy.run / "model.safetensors")
    assert_same_network(policy, kept)
    problem = grid_problem(GeneratedWorlds("forest", 1, seed=9, width=17, height=17)[0])
    assert search(problem, policy).engine == "compiled"
    evaluation = evaluate(maps, ["h_euc", policy])
    assert [one.policy for one in evaluation.summaries] == ["h_euc", "sail-my_maps-1"]


def test_the_default_is_trained_through_the_planner(maps: Path) -> None:
    options = {name: QUICK[name] for name in ("worlds_per_round", "samples_per_world", "max_expansions")}
    options |= {"steps": 2, "components": 3, "routes": 3, "search_steps": 2, "search_pairs": 2}
    policy: Any = train(maps, rounds=1, **options)
    assert isinstance(load_policy(policy.run), ReplanningPolicy)
    assert isinstance(policy.belief, LearnedMultipliers)
    assert policy.run == Path("runs/sail-my_maps-1")
    assert isinstance(read_plan(policy.run).settings, PlannerSettings)
    kept: Any = load_policy(policy.run)
    assert_same_belief(policy, kept)
    lazy: Any = train(maps, rounds=1, objective="evaluations", **options)
    assert isinstance(load_policy(lazy.run), LazyPolicy)
    assert set(lazy.training.baselines) == {"lazy", "optimistic"}


def test_a_run_is_never_overwritten(maps: Path) -> None:
    first, second = (train(maps, algorithm="sl", **{**QUICK, "rounds": 1}) for _ in range(2))
    assert (first.run.name, second.run.name) == ("sl-my_maps-1", "sl-my_maps-2")
    given = train(maps, out="mine", **QUICK)
    assert given.run == Path("mine")
    with pytest.raises(TrainingError, match="there is a run in this folder"):
        train(maps, out="mine", **QUICK)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"data": 3}, "data must be a folder"),
        ({"data": ["a", "b"]}, "data must be a folder"),
        ({"data": "nowhere"}, "nowhere"),
        ({"algorithm": "dagger"}, "no algorithm 'dagger'; there are sail, sl, cem, ql, belief"),
        ({"algorithm": ["sail"]}, "no algorithm"),
        ({"preset": "best"}, "no preset 'best'; there are paper, default"),
        ({"seed": -1}, "not the plan of a training"),
        ({"seed": "one"}, "not the plan of a training"),
        ({"endpoints": "middle"}, "not the plan of a training"),
        ({"jobs": 0}, "jobs must be a positive number of threads, got 0"),
        ({"out": 3}, "out must be a folder, got 3"),
        ({"colour": "red"}, "colour: not a setting of this algorithm"),
        ({"rounds": "many"}, "rounds"),
        ({"hidden": 3}, "hidden"),
    ],
)
def test_wrong_arguments_are_one_line(maps: Path, options: dict[str, Any], words: str) -> None:
    data = options.pop("data", maps)
    with pytest.raises(SailplanError, match=words) as raised:
        train(data, **{**QUICK, **options})
    assert "\n" not in str(raised.value)
    assert not Path("runs").exists()
