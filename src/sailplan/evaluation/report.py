"""HTML pages: the report of a benchmark, and the parts of which every page is built.

A page is one file without scripts and without links to anything outside.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape

from PIL import Image

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.sheets import html
from sailplan.evaluation.tables import EXPLANATION, family_sheets
from sailplan.files import FilePath, write_text

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1300px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; } th, td { padding: .25em .7em; text-align: right; }
th { border-bottom: 2px solid #222; } tr:nth-child(even) td { background: #f4f6fa; }
td:first-child, th:first-child { text-align: left; } img { max-width: 100%; }
.wide { overflow-x: auto; } .note { background: #fff3cd; border: 1px solid #d9b64a; padding: .5em 1em; }
"""


def write_report(
    path: FilePath, headline: str, introduction: str, summaries: Sequence[Summary], pictures: Mapping[str, Image.Image]
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
    """
    tables = [html(sheet) for sheet in family_sheets(summaries)]
    figures = [heading(caption) + picture(png_bytes(image), caption) for caption, image in pictures.items()]
    write_page(path, headline, [paragraph(introduction), *tables, paragraph(f"{EXPLANATION}."), *figures])


def write_page(path: FilePath, headline: str, parts: Sequence[str]) -> None:
    """Write a page with these parts under a headline, atomically."""
    top = f'<html lang="en"><head><meta charset="utf-8"><title>{escape(headline)}</title><style>{_STYLE}</style></head>'
    lines = ["<!doctype html>", top, f"<body><h1>{escape(headline)}</h1>", *parts, "</body></html>"]
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
