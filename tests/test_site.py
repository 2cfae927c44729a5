"""The site of the documentation: it builds without a warning, loads nothing from outside, and has every public name."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe
import pytest

from tests.test_front_door import PACKAGES

ROOT = Path(__file__).parents[1]
HOOKS = runpy.run_path(str(ROOT / "docs" / "hooks.py"))
EXPORTING = [package for package in PACKAGES if getattr(importlib.import_module(package), "__all__", [])]
LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")
"""The address of what a page loads from another host by itself; what a reader may follow is not loaded."""
LOADED_BY_STYLE = re.compile(r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')]+)")


def build(folder: Path, *, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


def test_nothing_is_loaded_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page
    for style in site.rglob("*.css"):
        assert not LOADED_BY_STYLE.findall(style.read_text(encoding="utf-8")), style


def test_a_star_is_not_taken_as_emphasis(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = re.findall(r"\w<(?:em|strong)>[^<]*", page.read_text(encoding="utf-8"))
        assert not found, f"{page}: {found}"


def test_search_knows_the_pages(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f'"{page.stem}.html' in index, page.name


def anchors(site: Path, package: str) -> set[str]:
    text = (site / "api" / f"{package}.html").read_text(encoding="utf-8")
    return set(re.findall(r'id="([\w.]+)"', text)) | set(re.findall(r'href="[^"#]*#([\w.]+)"', text))


@pytest.mark.parametrize("package", EXPORTING)
def test_the_reference_has_every_exported_name(package: str, site: Path) -> None:
    """It is documented on the page of the package, or the page links to where it is."""
    present = anchors(site, package)
    for name in importlib.import_module(package).__all__:
        assert HOOKS["home"](package, name).path in present, f"{package}.{name} is not in the reference"


@pytest.fixture(scope="module")
def sources() -> Any:
    return griffe.load("sailplan", search_paths=[str(ROOT / "src")])


def undocumented(package: str, sources: Any) -> Iterator[str]:
    for name in HOOKS["exported"](package):
        place = HOOKS["home"](package, name)
        entry = HOOKS["constant"](place)
        if entry:
            documented = not entry.endswith("```\n\n")
        else:
            documented = bool(sources[place.path.removeprefix("sailplan.")].docstring)
        if not documented:
            yield f"{package}.{name}"


@pytest.mark.parametrize("package", EXPORTING)
def test_every_exported_name_has_a_docstring(package: str, sources: Any) -> None:
    """Constants too: a string below the assignment."""
    assert not list(undocumented(package, sources))


def test_the_hooks_read_what_the_packages_export() -> None:
    assert HOOKS["packages"]() == sorted(EXPORTING, key=lambda name: (name.count("."), name))
    for package in EXPORTING:
        assert HOOKS["exported"](package) == importlib.import_module(package).__all__
