"""A real Chromium, driven by Playwright, and a server in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.cli import conftest as cli

run = cli.run

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
COMPILING = 180_000
"""Milliseconds for a first search, which compiles its kernels."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser; with SAILPLAN_NEEDS_BROWSER set, a missing one is an error."""
    found = os.environ.get("SAILPLAN_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        message = "no Chromium was found; `make test-browser` installs it, or SAILPLAN_CHROMIUM names it"
        assert not os.environ.get("SAILPLAN_NEEDS_BROWSER"), message
        pytest.skip(message)
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


class Server:
    """`sailplan serve` on a free port of the loopback interface."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "sailplan", "serve", "--port", "0", "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = next(word for word in line.split() if word.startswith("http://"))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=60)
        assert "Traceback" not in errors, errors


@pytest.fixture(scope="session")
def server(chromium: str) -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    made.set_default_timeout(COMPILING)
    yield made
    made.close()


class Complaints:
    """What a page writes to the console as errors, and its uncaught exceptions."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.refusals: int | None = 0
        """Number of refused requests that the test provokes, each of which Chromium logs; None for any number."""

    def watch(self, page: Page) -> None:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.lines.append(str(error)))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.lines.append(message.text)

    def check(self) -> None:
        unexpected = [line for line in self.lines if not line.startswith("Failed to load resource")]
        assert not unexpected, unexpected
        assert self.refusals in (None, len(self.lines)), self.lines


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Fails the test if a page complains."""
    collected = Complaints()
    yield collected
    collected.check()


@pytest.fixture
def page(context: BrowserContext, complaints: Complaints) -> Page:
    opened = context.new_page()
    complaints.watch(opened)
    return opened


def status(page: Page, text: str) -> None:
    """Wait until the page says something that contains a text."""
    expect(page.locator("#status")).to_contain_text(text, timeout=COMPILING)


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(page: Page, server: Server) -> OpenPage:
    """Open the page with the setting of an address, and wait for its first race."""

    def opened(setting: str = "", *, said: str = "searched") -> Page:
        page.goto("about:blank")
        page.goto(f"{server.address}#{setting}")
        status(page, said)
        return page

    return opened


Downloads = Callable[[Page, str], Path]


@pytest.fixture
def downloads(tmp_path: Path) -> Downloads:
    """Press a button and return the file that it downloads."""

    def downloaded(page: Page, label: str) -> Path:
        with page.expect_download() as started:
            page.get_by_role("button", name=label).first.click()
        path = tmp_path / started.value.suggested_filename
        started.value.save_as(path)
        return path

    return downloaded
