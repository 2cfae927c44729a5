from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sailplan.datasets import FAMILIES, World, generate_world, write_png
from sailplan.errors import PolicyError
from sailplan.policies import CATALOGUE, PRETRAINED
from sailplan.web import searches
from sailplan.web.searches import SearchRequest, WarmUp, checked_policy, read_search
from sailplan.web.settings import Settings
from tests.cli.conftest import Run, run
from tests.web.conftest import Client, search_request

__all__ = ["run"]

SIDE = 41
WORLDS = [generate_world(family, seed, 0, width=SIDE, height=SIDE) for seed in (0, 1) for family in FAMILIES][:10]
WITH_NUMBERS = ["lazy:1", "lazy:1.5", "weighted_a_star:3", "lwa_star:2", "smha_star:1.5"]


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[World, Path]]:
    folder = tmp_path_factory.mktemp("maps")
    pairs = []
    for number, world in enumerate(WORLDS):
        write_png(world, folder / f"map{number}.png")
        pairs.append((replace(world, name=f"map{number}"), folder / f"map{number}.png"))
    return pairs


def _counted(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if not name.startswith("seconds")}


@pytest.mark.parametrize("policy", [*CATALOGUE, *WITH_NUMBERS, *PRETRAINED])
def test_the_facts_are_those_of_the_command_line(
    client: Client, run: Run, maps: list[tuple[World, Path]], policy: str
) -> None:
    for world, path in maps:
        answer = client.post("/api/search", search_request(world, policy=policy, multipliers=False))
        assert answer.status == 200, answer.body
        printed = json.loads(run("plan", path, "--policy", policy, "--json").out)
        assert _counted(answer.value["facts"]) == _counted(printed)


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"diagonal": False}, ["--connectivity", 4]),
        ({"corner_cutting": True}, ["--corner-cutting"]),
        ({"bound": 1.2}, ["--bound", 1.2]),
        ({"max_evaluations": 50}, ["--max-evaluations", 50]),
        ({"policy": "a_star", "max_expansions": 50}, ["--policy", "a_star", "--max-expansions", 50]),
        ({"start": [40, 0], "goal": [0, 40]}, ["--start", "40,0", "--goal", "0,40"]),
    ],
)
def test_the_options_are_those_of_the_command_line(
    client: Client, run: Run, maps: list[tuple[World, Path]], fields: dict[str, Any], options: list[Any]
) -> None:
    world, path = maps[3]
    facts = client.post("/api/search", search_request(world, **fields)).value["facts"]
    assert _counted(facts) == _counted(json.loads(run("plan", path, "--json", *options).out))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "model.safetensors",
        "run",
        "./lazy",
        "sail:../mazes",
        "A*",
        "",
        "lazy/..",
        "\x00",
    ],
)
def test_other_names_are_refused_without_a_look_at_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*_: Any, **__: Any) -> None:
        raise AssertionError("the file system was touched")

    for method in ("exists", "is_dir", "is_file", "stat", "open", "read_bytes"):
        monkeypatch.setattr(Path, method, touched)
    with pytest.raises(PolicyError, match=r"^no policy .*; GET /api/options lists them$"):
        checked_policy(name)


def test_a_search_of_each_kind_is_preceded_by_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[SearchRequest] = []
    monkeypatch.setattr(searches, "answer", ran.append)
    warm_up, settings = WarmUp(), Settings()

    def before(world: World = WORLDS[0], **fields: Any) -> int:
        warm_up.before(read_search(search_request(world, **fields), settings))
        return len(ran)

    assert before() == 1
    assert before() == before(max_seconds=1) == before(policy="lazy") == 1
    assert (ran[0].limits.seconds, ran[0].limits.expansions, ran[0].world.width) == (None, None, 21)
    assert [before(policy="lazy:1.5"), before(policy="lazy:2")] == [2, 2]
    assert [before(anytime=True), before(bound=1.5), before(diagonal=False), before(policy="h_euc")] == [3, 4, 5, 6]
    paper = generate_world("mazes", 0, 0)
    assert [before(paper), before(paper, start=[1, 0])] == [7, 7]
    assert ran[-1].world.width == 201


def test_the_limits_of_a_request_are_those_of_the_server_at_most() -> None:
    settings = Settings(seconds=2.0, expansions=30, evaluations=40)
    limits = read_search(search_request(WORLDS[0]), settings).limits
    assert (limits.seconds, limits.expansions, limits.evaluations, limits.bound) == (2.0, 30, 40, None)
    body = search_request(WORLDS[0], max_seconds=1, max_expansions=99, max_evaluations=3, bound=2)
    limits = read_search(body, settings).limits
    assert (limits.seconds, limits.expansions, limits.evaluations, limits.bound) == (1, 30, 3, 2)
