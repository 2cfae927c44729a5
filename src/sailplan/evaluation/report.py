"""HTML pages: the report of a benchmark, and the parts of which every page is built.

A page is one file that loads nothing from outside. It has a script only if it replays searches.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from PIL import Image

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.sheets import html
from sailplan.evaluation.tables import EXPLANATION, family_sheets
from sailplan.files import FilePath, write_text

PLAYER = Path(__file__).parent / "player" / "static"
"""The folder of the player of searches, whose style all pages share."""
_STYLE = """
table { border-collapse: collapse; margin: 1em 0; } th, td { padding: .25em .7em; text-align: right; }
th { border-bottom: 2px solid var(--ink); } tr:nth-child(even) td { background: var(--raised); }
td:first-child, th:first-child { text-align: left; } img { max-width: 100%; }
.wide { overflow-x: auto; } .note { border: 2px solid var(--line); padding: .5em 1em; }
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_HEAD = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
)


def write_report(
    path: FilePath,
    headline: str,
    introduction: str,
    summaries: Sequence[Summary],
    pictures: Mapping[str, Image.Image],
    parts: Sequence[str] = (),
) -> None:
    """Write the tables and pictures of a benchmark as one self-contained HTML page.

    Parameters
    ----------
    path
        The file to write.
    headline, introduction
        Title and first paragraph of the page.
    summaries
        The rows of the tables.
    pictures
        Pictures by caption, below the tables.
    parts
        More parts of the page, such as searches to replay (`player_part`).
    """
    tables = [html(sheet) for sheet in family_sheets(summaries)]
    figures = [heading(caption) + picture(png_bytes(image), caption) for caption, image in pictures.items()]
    write_page(path, headline, [paragraph(introduction), *tables, paragraph(f"{EXPLANATION}."), *figures, *parts])


def write_page(path: FilePath, headline: str, parts: Sequence[str]) -> None:
    """Write a page with these parts under a headline, atomically."""
    style = (PLAYER / "player.css").read_text(encoding="utf-8") + _STYLE
    top = f'<html lang="en"><head>{_HEAD}<title>{escape(headline)}</title><style>{style}</style></head>'
    lines = ["<!doctype html>", top, f'<body class="page"><h1>{escape(headline)}</h1>', *parts, "</body></html>"]
    write_text(path, "\n".join(lines) + "\n")


def heading(text: str) -> str:
    """The heading of a section."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def note(text: str) -> str:
    """A highlighted sentence."""
    return f'<p class="note"><b>{escape(text)}</b></p>'


def picture(png: bytes, caption: str) -> str:
    """A PNG file embedded in the page."""
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return f'<img alt="{escape(caption)}" src="{source}">'


def png_bytes(image: Image.Image) -> bytes:
    """An image as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
