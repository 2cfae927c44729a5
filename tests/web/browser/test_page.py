"""The page of `sailplan serve`, used as a person would."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Browser, BrowserContext, Page, Route

import sailplan
from sailplan.datasets import World, generate_world, write_world
from sailplan.graphs.grid.graph import Moves
from tests.web.browser.conftest import COMPILING, Complaints, Downloads, OpenPage, Server, status

SMALL = "map=family:mazes:3:41x41"
FOUR = f"{SMALL}&policies=lazy,optimistic,a_star_octile,h_euc"


def policies(page: Page) -> list[str]:
    return [str(panel.get_attribute("data-policy")) for panel in page.locator(".panel").all()]


def counters(page: Page, policy: str) -> dict[str, str]:
    """The counters that a panel shows."""
    cells = page.locator(f'.panel[data-policy="{policy}"] dd').all()
    return {str(cell.get_attribute("data-name")): str(cell.text_content()) for cell in cells}


def race(page: Page, expect: str = "searched") -> None:
    page.evaluate("document.getElementById('status').textContent = ''")
    page.locator("#start-race").click()
    status(page, expect)


def editor_point(page: Page, size: int, x: float, y: float) -> tuple[float, float]:
    """The point of the screen in the middle of a cell."""
    page.locator("#editor").scroll_into_view_if_needed()
    box = page.locator("#editor").bounding_box()
    assert box is not None
    return box["x"] + (x + 0.5) / size * box["width"], box["y"] + (size - y - 0.5) / size * box["height"]


def drag(page: Page, size: int, *cells: tuple[float, float]) -> None:
    page.mouse.move(*editor_point(page, size, *cells[0]))
    page.mouse.down()
    for cell in cells[1:]:
        page.mouse.move(*editor_point(page, size, *cell), steps=4)
    page.mouse.up()


def map_of_address(page: Page) -> World:
    """The map that the page shows, read from its address by the server's own reader."""
    from sailplan.web.maps import read_map_object

    page.wait_for_timeout(400)
    text = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('map')")
    size, _, cells = text.partition(":")
    width, height = map(int, size.split("x"))
    padded = cells.replace("-", "+").replace("_", "/") + "=" * (-len(cells) % 4)
    described: dict[str, Any] = {"name": "drawn", "width": width, "height": height, "blocked": padded}
    described |= {"resolution": None, "origin": None, "unknown_cells": 0}
    return read_map_object(described, 10**6)


def alert(page: Page) -> str:
    page.locator("#alert:not([hidden])").wait_for(timeout=COMPILING)
    return str(page.locator("#alert").text_content())


def new_map(page: Page, side: int) -> None:
    page.fill("#width", str(side))
    page.fill("#height", str(side))
    page.click("#new")


def test_four_policies_race_and_their_counters_are_those_of_plan(open_page: OpenPage) -> None:
    page = open_page(FOUR)
    assert policies(page) == ["lazy", "optimistic", "a_star_octile", "h_euc"]
    world = generate_world("mazes", 3, 0, width=41, height=41)
    for name in policies(page):
        facts = sailplan.plan(world, policy=name).describe()
        shown = counters(page, name)
        assert shown["outcome"] == facts["outcome"]
        assert shown["expansions"] == str(facts["expansions"])
        assert shown["edge_evaluations"] == str(facts["edge_evaluations"])
        assert shown["cost"] == f"{facts['cost']:.4f}"
        assert shown["bound"] == ("not bounded" if facts["bound"] is None else f"{facts['bound']:.3f}")


def test_a_wall_is_drawn_undone_and_erased(open_page: OpenPage) -> None:
    page = open_page("map=example:open&policies=lazy")
    new_map(page, 41)
    page.fill("#brush", "1")
    page.locator("#brush").dispatch_event("change")
    drag(page, 41, (20, 0), (20, 30))
    wall = map_of_address(page)
    assert wall.blocked[:31, 20].all()
    assert wall.blocked.sum() == 31
    race(page)
    around = sailplan.plan(World(wall.blocked), policy="lazy").describe()
    assert counters(page, "lazy")["edge_evaluations"] == str(around["edge_evaluations"])
    page.select_option("#tool", "rectangle")
    drag(page, 41, (5, 5), (8, 7))
    assert map_of_address(page).blocked[5:8, 5:9].all()
    page.select_option("#tool", "line")
    page.check("#erase")
    drag(page, 41, (20, 0), (20, 10))
    erased = map_of_address(page)
    assert not erased.blocked[:11, 20].any()
    assert erased.blocked[11:31, 20].all()
    page.click("#undo")
    page.click("#undo")
    assert np.array_equal(map_of_address(page).blocked, wall.blocked)
    page.click("#redo")
    assert map_of_address(page).blocked[5:8, 5:9].all()


def test_start_and_goal_are_dragged(open_page: OpenPage) -> None:
    page = open_page("map=example:open&policies=lazy")
    new_map(page, 41)
    drag(page, 41, (0, 0), (10, 12))
    drag(page, 41, (40, 40), (30, 5))
    assert [page.input_value(f"#{name}") for name in ("start-x", "start-y", "goal-x", "goal-y")] == [
        "10",
        "12",
        "30",
        "5",
    ]
    race(page)
    assert counters(page, "lazy")["cost"] == f"{sailplan.plan(np.ones((41, 41), bool), (10, 12), (30, 5)).cost:.4f}"


def test_scrubbing_steps_and_playing(open_page: OpenPage) -> None:
    page = open_page(FOUR)
    final = counters(page, "optimistic")
    assert final["outcome"] == "goal_generated"
    slider = page.locator('.scrub input[type="range"]')
    slider.fill("0")
    assert counters(page, "optimistic")["expansions"] == f"0 of {final['expansions']}"
    page.get_by_role("button", name="Step", exact=True).click()
    assert counters(page, "lazy")["edge_evaluations"].startswith("1 of ")
    # On the common axis of evaluations, no search is ahead of the others.
    slider.fill("30")
    for name in policies(page):
        done = int(counters(page, name)["edge_evaluations"].split()[0])
        assert 30 - 8 < done <= 30
    page.get_by_role("button", name="Back", exact=True).click()
    assert int(slider.input_value()) < 30
    page.locator('select[aria-label="what the position counts"]').select_option("proportion")
    page.get_by_role("button", name="Last").click()
    assert counters(page, "optimistic") == final
    page.locator('select[aria-label="speed"]').select_option("8")
    page.get_by_role("button", name="First").click()
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Play").wait_for(timeout=20_000)
    assert counters(page, "optimistic") == final


def picture_of(page: Page, policy: str) -> str:
    return str(page.locator(f'.panel[data-policy="{policy}"] canvas').evaluate("canvas => canvas.toDataURL()"))


def test_each_overlay_changes_the_picture(open_page: OpenPage) -> None:
    page = open_page("map=family:bugtrap_forest:0:201x201&policies=lazy,optimistic,sail:any")
    shown_by = {
        "expanded": "optimistic",
        "open": "optimistic",
        "edges": "lazy",
        "invalid": "optimistic",
        "path": "lazy",
        "multipliers": "sail:any",
    }
    for name, policy in shown_by.items():
        before = picture_of(page, policy)
        page.locator(f'.overlays input[value="{name}"]').uncheck()
        assert picture_of(page, policy) != before, name
        page.locator(f'.overlays input[value="{name}"]').check()
        assert picture_of(page, policy) == before, name


@pytest.fixture
def floor() -> World:
    blocked = np.zeros((30, 50), np.bool_)
    blocked[5:25, 20] = True
    return World(blocked, name="floor", resolution=0.05, origin=(-1.0, 2.0, 0.0))


@pytest.mark.parametrize("suffix", [".png", ".map", ".yaml"])
def test_a_file_of_each_format_is_uploaded(open_page: OpenPage, tmp_path: Path, suffix: str, floor: World) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    write_world(floor, tmp_path / f"floor{suffix}")
    page.set_input_files("#file", sorted(tmp_path.iterdir()))
    status(page, "loaded")
    assert np.array_equal(map_of_address(page).blocked, floor.blocked)
    race(page)
    facts = sailplan.plan(floor, policy="lazy").describe()
    assert counters(page, "lazy")["edge_evaluations"] == str(facts["edge_evaluations"])


def test_a_file_is_dropped_onto_the_page(open_page: OpenPage, tmp_path: Path, floor: World) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    write_world(floor, tmp_path / "floor.png")
    contents = list((tmp_path / "floor.png").read_bytes())
    dropped = page.evaluate_handle(
        """bytes => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], "floor.png", { type: "image/png" }));
            return data;
        }""",
        contents,
    )
    page.dispatch_event("#map", "drop", {"dataTransfer": dropped})
    status(page, "loaded")
    assert np.array_equal(map_of_address(page).blocked, floor.blocked)


def test_an_address_has_the_whole_setting(open_page: OpenPage, page: Page, context: BrowserContext) -> None:
    open_page(f"{SMALL}&policies=lazy,h_euc")
    page.fill("#brush", "1")
    page.locator("#brush").dispatch_event("change")
    drag(page, 41, (20, 20), (25, 20))
    page.fill("#start-x", "1")
    page.locator("#start-x").dispatch_event("change")
    page.uncheck("#diagonal")
    page.fill("#bound", "1.5")
    page.locator("#bound").dispatch_event("change")
    page.select_option("#policy-1", "")
    page.locator('.overlays input[value="open"]').uncheck()
    page.locator('.totals input[type="range"]').fill("3")
    race(page)
    page.click("#share")
    status(page, "address")
    address, shown = page.url, counters(page, "lazy")
    drawn = map_of_address(page)
    other = context.new_page()
    other.goto(address)
    status(other, "searched")
    assert {**counters(other, "lazy"), "time": ""} == {**shown, "time": ""}
    assert np.array_equal(map_of_address(other).blocked, drawn.blocked)
    assert policies(other) == ["lazy"]
    assert other.input_value("#start-x") == "1"
    assert not other.is_checked("#diagonal")
    assert other.input_value("#bound") == "1.5"
    assert not other.locator('.overlays input[value="open"]').is_checked()
    assert other.locator("output[data-name=evaluation-cost]").text_content() == "1 ms"
    facts = sailplan.plan(drawn, (1, 0), (40, 40), bound=1.5, moves=Moves(diagonal=False, corner_cutting=False))
    assert shown["cost"] == f"{facts.cost:.4f}"


def test_downloads_open(open_page: OpenPage, downloads: Downloads, tmp_path: Path) -> None:
    page = open_page(f"{SMALL}&policies=lazy,a_star_octile")
    with Image.open(downloads(page, "Download picture")) as picture:
        picture.load()
        assert picture.format == "PNG"
        size = picture.size
    with Image.open(downloads(page, "Download film")) as film:
        assert (film.format, film.size) == ("GIF", size)
        assert sum(1 for _ in ImageSequence.Iterator(film)) == 61
    found = sailplan.plan(generate_world("mazes", 3, 0, width=41, height=41), policy="lazy")
    found.to_csv(tmp_path / "expected.csv")
    assert downloads(page, "Path as CSV").read_text() == (tmp_path / "expected.csv").read_text()
    facts = json.loads(downloads(page, "Result as JSON").read_text())
    expected = json.loads(json.dumps(found.describe()))
    untimed = {"map", "seconds", "seconds_by_phase"}
    assert {key: value for key, value in facts.items() if key not in untimed} == {
        key: value for key, value in expected.items() if key not in untimed
    }


def test_a_path_in_metres_is_downloaded(
    open_page: OpenPage, downloads: Downloads, tmp_path: Path, floor: World
) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    write_world(floor, tmp_path / "floor.yaml")
    page.set_input_files("#file", [tmp_path / "floor.yaml", tmp_path / "floor.pgm"])
    status(page, "loaded")
    race(page)
    rows = list(csv.reader(downloads(page, "Path as CSV").read_text().splitlines()))
    sailplan.plan(tmp_path / "floor.yaml").to_csv(tmp_path / "expected.csv")
    assert rows == list(csv.reader((tmp_path / "expected.csv").read_text().splitlines()))


def test_everything_with_keys_only(open_page: OpenPage) -> None:
    page = open_page("map=example:open&policies=lazy,optimistic")
    page.focus("#width")
    page.keyboard.press("Control+A")
    page.keyboard.type("21")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("21")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "editor":
            break
    assert page.evaluate("document.activeElement.id") == "editor"
    page.keyboard.press("t")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Enter")
    assert map_of_address(page).blocked[:11, 10].all()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("g")
    assert (page.input_value("#goal-x"), page.input_value("#goal-y")) == ("12", "10")
    page.keyboard.press("Control+z")
    assert (page.input_value("#goal-x"), page.input_value("#goal-y")) == ("20", "20")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.keyboard.press("r")
    status(page, "searched")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    assert counters(page, "lazy")["outcome"] == "searching"
    page.keyboard.press("ArrowRight")
    assert counters(page, "lazy")["edge_evaluations"].startswith("1 of ")
    page.keyboard.press("End")
    assert counters(page, "lazy")["outcome"] == "path_confirmed"
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()


def test_a_finger_draws(browser: Browser, server: Server, complaints: Complaints) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    complaints.watch(page)
    page.goto(
        f"{server.address}#map=21x21:eJxjYAAAAAIAAQ&policies=lazy".replace("21x21:eJxjYAAAAAIAAQ", "example:open")
    )
    status(page, "searched")
    new_map(page, 21)
    page.locator("#editor").scroll_into_view_if_needed()
    page.touchscreen.tap(*editor_point(page, 21, 10, 10))
    assert map_of_address(page).blocked[9:12, 9:12].all()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_four_hundred_pixels_are_enough(open_page: OpenPage, page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    open_page(FOUR)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 400
    for panel in page.locator(".panel").all():
        box = panel.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400


CONTRASTS = """() => {
  const channel = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const colour = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const [r, g, b, a = 1] = colour(getComputedStyle(one).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    const visible = element.getClientRects().length && !element.disabled && !element.closest("option, [hidden]");
    if (!own || !visible) continue;
    const lights = [colour(getComputedStyle(element).color), behind(element)].map(luminance).sort((a, b) => b - a);
    const name = element.tagName + " " + element.textContent.trim().slice(0, 30);
    found.push([name, (lights[0] + 0.05) / (lights[1] + 0.05)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(open_page: OpenPage, page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    open_page(FOUR)
    contrasts = dict(page.evaluate(CONTRASTS))
    assert len(contrasts) > 50
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}


def test_every_control_has_a_name(open_page: OpenPage) -> None:
    page = open_page(FOUR)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas")]
            .filter(one => !one.getAttribute("aria-label") && !one.labels?.[0]?.textContent.trim()
                && !one.textContent.trim()).map(one => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []


def test_a_goal_that_cannot_be_reached(open_page: OpenPage) -> None:
    page = open_page("map=example:open&policies=lazy,a_star_octile")
    new_map(page, 21)
    page.select_option("#tool", "rectangle")
    drag(page, 21, (0, 10), (20, 10))
    race(page, "2 found no path")
    assert counters(page, "lazy")["outcome"] == "frontier_empty"
    assert counters(page, "a_star_octile")["cost"] == "none"


def test_a_blocked_start_is_explained(open_page: OpenPage, complaints: Complaints) -> None:
    page = open_page("map=example:open&policies=lazy")
    new_map(page, 21)
    page.fill("#start-x", "10")
    page.fill("#start-y", "10")
    page.locator("#start-y").dispatch_event("change")
    page.select_option("#tool", "rectangle")
    drag(page, 21, (8, 2), (12, 2))
    page.evaluate("document.getElementById('alert').hidden = true")
    page.fill("#start-y", "2")
    page.locator("#start-y").dispatch_event("change")
    complaints.refusals = 1
    page.locator("#start-race").click()
    assert "the start (10, 2) is blocked; the closest free cell is" in alert(page)


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("broken.png", b"\x89PNG\r\n\x1a\n nothing", "broken.png: "),
        ("broken.map", b"type octile\nheight 3\n", "broken.map:3: "),
        ("floor.yaml", b"image: floor.pgm\n", "floor.yaml"),
        ("notes.txt", b"hello", "notes.txt"),
    ],
)
def test_a_damaged_file_is_refused_and_the_map_is_kept(
    open_page: OpenPage, complaints: Complaints, tmp_path: Path, name: str, contents: bytes, message: str
) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    title = page.locator("#map-title").text_content()
    (tmp_path / name).write_bytes(contents)
    complaints.refusals = 1
    page.set_input_files("#file", tmp_path / name)
    assert message in alert(page)
    assert page.locator("#map-title").text_content() == title
    assert "Traceback" not in alert(page)


def test_a_very_large_image_is_refused(open_page: OpenPage, complaints: Complaints, tmp_path: Path) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    Image.fromarray(np.full((5000, 5000), 255, np.uint8)).save(tmp_path / "large.png")
    complaints.refusals = 1
    page.set_input_files("#file", tmp_path / "large.png")
    assert "25000000" in alert(page).replace(",", "").replace(" ", "")


def test_a_lost_server_is_told_and_the_drawing_is_kept(page: Page, complaints: Complaints) -> None:
    own = Server()
    page.goto(f"{own.address}#{SMALL}&policies=lazy")
    status(page, "searched")
    own.stop()
    drag(page, 41, (20, 10), (20, 30))
    complaints.refusals = None  # Chromium tries again.
    page.locator("#start-race").click()
    assert "is `sailplan serve` still running?" in alert(page)
    assert map_of_address(page).blocked[10:31, 20].all()
    assert policies(page) == ["lazy"]


def test_a_damaged_address_is_told_and_the_page_works(open_page: OpenPage) -> None:
    page = open_page("map=41x41:AAAA&policies=lazy")
    assert "the map in the address is damaged" in alert(page)
    assert policies(page) == ["lazy"]


def test_a_policy_file_in_the_address_is_refused(open_page: OpenPage, complaints: Complaints) -> None:
    complaints.refusals = 1
    page = open_page(f"{SMALL}&policies=lazy,../model.safetensors")
    assert "no policy '../model.safetensors'" in alert(page)
    assert policies(page) == ["lazy"]


def test_an_anytime_search_shows_its_improving_path_and_bound(open_page: OpenPage) -> None:
    page = open_page("map=family:bugtrap_forest:0:201x201&policies=lazy&anytime=1")
    assert counters(page, "lazy")["bound"] == "1.000"
    solutions: list[Any] = []
    world = generate_world("bugtrap_forest", 0, 0)
    sailplan.plan(world, policy="lazy", on_solution=solutions.append)
    first = solutions[0]
    assert first.bound > 1.0
    page.locator('.scrub input[type="range"]').fill(str(first.evaluations - 1))
    assert counters(page, "lazy")["cost"] == "none"
    page.locator('.scrub input[type="range"]').fill(str(first.evaluations))
    assert counters(page, "lazy")["cost"] == f"{first.cost:.4f}"
    assert counters(page, "lazy")["bound"] == f"{first.bound:.3f}"


def test_the_cost_of_an_evaluation_decides_which_policy_is_best(open_page: OpenPage) -> None:
    page = open_page("map=family:bugtrap_forest:0:201x201&policies=lazy,a_star_octile")
    page.locator('.totals input[type="range"]').fill("6")
    assert page.locator(".times .best .name").text_content() == "lazy"
    rows = page.locator(".times li").all()
    totals = {str(row.get_attribute("data-policy")): float(str(row.get_attribute("data-seconds"))) for row in rows}
    for name, seconds in totals.items():
        assert seconds == pytest.approx(int(counters(page, name)["edge_evaluations"]), rel=0.05)


def is_stale(page: Page) -> bool:
    return bool(page.evaluate("document.getElementById('player').classList.contains('stale')"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00123, "1.23 ms"), (0.9996, "1.00 s"), (2.14, "2.14 s"), (9.99, "9.99 s"), (120.4, "120 s"), (0, "0.00 ms")],
)
def test_times_are_written_with_their_unit(page: Page, server: Server, seconds: float, text: str) -> None:
    page.goto(server.address)
    call = "async seconds => (await import('/player/player.js')).inMilliseconds(seconds)"
    assert page.evaluate(call, seconds) == text


def test_what_is_shown_of_an_earlier_setting_is_marked(open_page: OpenPage) -> None:
    page = open_page(f"{SMALL}&policies=lazy,h_euc")
    assert not is_stale(page)
    page.select_option("#policy-1", "h_oct")
    assert is_stale(page)
    race(page)
    assert not is_stale(page)
    page.uncheck("#diagonal")
    assert is_stale(page)
    race(page)

    def answer_slowly(route: Route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/api/search", answer_slowly)
    page.evaluate("document.getElementById('status').textContent = ''")
    page.locator("#start-race").click()
    drag(page, 41, (20, 10), (20, 12))
    status(page, "the setting has changed since")
    assert is_stale(page)


def test_a_family_is_loaded_with_its_policies_in_live_mode(open_page: OpenPage) -> None:
    page = open_page("map=family:mazes:3:201x201&policies=lazy,sail:mazes")
    page.check("#live")
    page.select_option("#source", "family:forest")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.click("#load")
    status(page, "2 of 2 searched")
    assert policies(page) == ["lazy", "sail:forest"]
    assert page.input_value("#policy-1") == "sail:forest"
    assert not is_stale(page)


def test_an_end_outside_the_map_is_refused(open_page: OpenPage) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    for value in ("41", "-1", "1.5", ""):
        page.fill("#goal-x", value)
        page.locator("#goal-x").dispatch_event("change")
        assert "x from 0 to 40" in alert(page)
        assert page.input_value("#goal-x") == "40"


def test_the_controls_work_while_a_race_is_played(open_page: OpenPage) -> None:
    page = open_page(FOUR)
    page.locator('select[aria-label="speed"]').select_option("0.25")
    slider = page.locator('.scrub input[type="range"]')
    end = int(str(slider.get_attribute("max")))
    page.get_by_role("button", name="First").click()
    page.get_by_role("button", name="Play").click()
    slider.fill(str(end // 2))
    page.wait_for_timeout(300)
    assert end // 2 <= int(slider.input_value()) < end * 0.6
    page.locator('select[aria-label="what the position counts"]').select_option("proportion")
    page.wait_for_timeout(200)
    steps = int(str(slider.get_attribute("max")))
    assert 0.45 * steps < int(slider.input_value()) < 0.7 * steps
    page.get_by_role("button", name="Pause").click()


@pytest.mark.parametrize(("width", "height"), [(1, 50), (20, 200), (60, 3)])
def test_maps_of_any_shape_fit_the_screen(open_page: OpenPage, width: int, height: int) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    page.fill("#width", str(width))
    page.fill("#height", str(height))
    page.click("#new")
    race(page)
    for canvas in page.locator("canvas").all():
        box = canvas.bounding_box()
        assert box is not None
        assert box["height"] <= 900
        assert box["width"] <= 1280
    found = sailplan.plan(np.ones((height, width), bool), policy="lazy")
    assert counters(page, "lazy")["edge_evaluations"] == str(found.evaluations)


def test_another_address_in_an_open_page_is_raced(open_page: OpenPage) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.evaluate("location.hash = 'map=family:forest:1:31x31&policies=h_euc'")
    status(page, "1 of 1 searched")
    assert policies(page) == ["h_euc"]
    assert "forest-1, 31 by 31" in str(page.locator("#map-title").text_content())


def test_an_uploaded_map_with_a_border_can_be_raced(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    blocked = np.ones((20, 30), np.bool_)
    blocked[2:-2, 2:-2] = False
    write_world(World(blocked), tmp_path / "room.png")
    page.set_input_files("#file", tmp_path / "room.png")
    status(page, "loaded")
    race(page, "1 of 1 searched")
    ends = [page.input_value(f"#{name}") for name in ("start-x", "start-y", "goal-x", "goal-y")]
    assert ends == ["2", "2", "27", "17"]


def test_an_edited_map_is_named_so(open_page: OpenPage) -> None:
    page = open_page(f"{SMALL}&policies=lazy")
    drag(page, 41, (20, 10), (20, 12))
    assert "mazes-3 (edited)" in str(page.locator("#map-title").text_content())
    page.click("#undo")
    assert "(edited)" not in str(page.locator("#map-title").text_content())
