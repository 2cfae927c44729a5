"""Pages that replay searches: one file, small, without anything from outside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from sailplan import plan
from sailplan.datasets import World, generate_world
from sailplan.errors import SailplanError
from sailplan.evaluation.player import Scene, describe_map, write_player
from sailplan.graphs.grid import pictures

PLAYER = Path(pictures.__file__).parents[2] / "evaluation" / "player" / "static"


@pytest.mark.parametrize("policy", ["random", "dijkstra", "a_star", "sail:any", "lazy-belief:multiple_bugtraps"])
def test_a_search_on_a_map_of_the_paper_takes_less_than_500_kilobytes(tmp_path: Path, policy: str) -> None:
    plan(generate_world("multiple_bugtraps", 1, 0), policy=policy).save(tmp_path / "search.html")
    assert (tmp_path / "search.html").stat().st_size < 500_000


def test_a_page_has_nothing_from_outside_and_no_import(tmp_path: Path) -> None:
    plan(np.ones((5, 5), bool)).save(tmp_path / "search.html")
    text = (tmp_path / "search.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_no_name_can_end_the_element_of_a_scene(tmp_path: Path) -> None:
    world = World(np.zeros((3, 3), bool), name="</script><script>alert(1)</script>")
    found = plan(world)
    search = {"facts": found.describe(), "recording": found.recording()}
    write_player(tmp_path / "page.html", "<b>", [Scene("<i>", describe_map(world), [search])])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<b>" not in text
    assert "<i>" not in text
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    assert json.loads(data)["map"]["name"] == world.name


def test_the_modules_of_the_player_share_no_name() -> None:
    """They are joined in one script."""
    names: list[str] = []
    for module in sorted(PLAYER.glob("*.js")):
        text = module.read_text(encoding="utf-8")
        names += re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", text, re.MULTILINE)
    assert len(names) > 30
    assert len(names) == len(set(names))


def test_the_colours_of_the_page_are_those_of_pictures() -> None:
    text = (PLAYER / "colours.js").read_text(encoding="utf-8")
    colours = {name: tuple(map(int, numbers.split(","))) for name, numbers in re.findall(r"(\w+): \[(.+)\],", text)}
    expected = {name.lower(): value for name, value in vars(pictures).items() if name.isupper() and _is_colour(value)}
    assert colours == expected
    assert f"SHADES = {pictures.SHADES};" in text


def _is_colour(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(isinstance(one, int) for one in value)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SailplanError, match=r"ends in \.png, \.gif or \.html"):
        plan(np.ones((2, 2), bool)).save(tmp_path / "search.pdf")
