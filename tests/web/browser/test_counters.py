"""The counters on the page are those of `sailplan plan --json`, on ten maps and with every policy."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from sailplan.datasets import FAMILIES, generate_world, write_png
from sailplan.policies.catalogue import CATALOGUE, PRETRAINED
from tests.cli.conftest import Run
from tests.web.browser.conftest import OpenPage
from tests.web.browser.test_page import counters

MAPS = list(itertools.islice(itertools.product(range(2), FAMILIES), 10))
LEARNED = sorted(PRETRAINED)


def shown(facts: dict[str, Any]) -> dict[str, str]:
    return {
        "outcome": facts["outcome"],
        "expansions": str(facts["expansions"]),
        "edge_evaluations": str(facts["edge_evaluations"]),
        "cost": "none" if facts["cost"] is None else f"{facts['cost']:.4f}",
        "bound": "not bounded" if facts["bound"] is None else f"{facts['bound']:.3f}",
    }


@pytest.mark.parametrize("number", range(len(MAPS)))
def test_the_page_shows_what_plan_prints(open_page: OpenPage, run: Run, tmp_path: Path, number: int) -> None:
    """Each map has all built-in policies and a part of the pretrained ones, so that all of them have their turn."""
    seed, family = MAPS[number]
    write_png(generate_world(family, seed, 0, width=41, height=41), tmp_path / "map.png")
    names = [*CATALOGUE, *LEARNED[number :: len(MAPS)]]
    for four in (names[first : first + 4] for first in range(0, len(names), 4)):
        page = open_page(f"map=family:{family}:{seed}:41x41&policies={','.join(four)}")
        for name in four:
            ran = run("plan", tmp_path / "map.png", "--policy", name, "--json")
            found = counters(page, name)
            assert {key: found[key] for key in found if key != "time"} == shown(json.loads(ran.out)), name
