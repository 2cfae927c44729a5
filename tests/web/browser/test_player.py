"""Files of `sailplan plan --html` and others, opened from disk without a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import BrowserContext, Page

from sailplan import plan
from sailplan.datasets import generate_world, write_png
from tests.cli.conftest import Run
from tests.web.browser.conftest import Downloads
from tests.web.browser.test_page import counters, picture_of


@pytest.fixture
def offline(context: BrowserContext, page: Page) -> Page:
    context.set_offline(True)
    return page


def test_a_search_plays_from_disk(offline: Page, run: Run, tmp_path: Path, downloads: Downloads) -> None:
    write_png(generate_world("bugtrap_forest", 0, 0), tmp_path / "map.png")
    file = tmp_path / "search.html"
    assert run("plan", tmp_path / "map.png", "--policy", "sail:any", "--html", file).code == 0
    offline.goto(file.as_uri())
    offline.locator(".panel").wait_for()
    facts = plan(tmp_path / "map.png", policy="sail:any").describe()
    final = counters(offline, "sail:any")
    assert final["expansions"] == str(facts["expansions"])
    assert final["edge_evaluations"] == str(facts["edge_evaluations"])
    assert final["cost"] == f"{facts['cost']:.4f}"
    end = picture_of(offline, "sail:any")
    offline.keyboard.press("Home")
    assert counters(offline, "sail:any")["expansions"] == f"0 of {facts['expansions']}"
    assert picture_of(offline, "sail:any") != end
    offline.locator('select[aria-label="speed"]').select_option("8")
    offline.get_by_role("button", name="Play").click()
    offline.get_by_role("button", name="Play").wait_for(timeout=20_000)
    assert counters(offline, "sail:any") == final
    with Image.open(downloads(offline, "Download film")) as film:
        assert sum(1 for _ in ImageSequence.Iterator(film)) == 61


def test_a_report_replays_searches(offline: Page, run: Run, tmp_path: Path) -> None:
    records, page = tmp_path / "records.csv", tmp_path / "report.html"
    evaluated = run(
        *("evaluate", "--data", "mazes", "--policies", "lazy,h_euc", "--limit", 2, "--size", 41, "--out", records)
    )
    assert evaluated.code == 0, evaluated.error
    written = run("report", records, "--replay", "mazes", "--size", 41, "--out", page)
    assert written.code == 0, written.error
    offline.goto(page.as_uri())
    offline.locator(".panel").first.wait_for()
    text = records.read_text()
    for policy in ("lazy", "h_euc"):
        assert f",{counters(offline, policy)['edge_evaluations']}," in text
    assert offline.evaluate("document.scrollingElement.scrollWidth") <= 1280
