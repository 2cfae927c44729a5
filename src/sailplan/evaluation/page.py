"""The small parts that every page is built of: one file, with no link to anything outside and no script."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape

from PIL import Image

from sailplan.files import FilePath, write_text

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1300px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; } th, td { padding: .25em .7em; text-align: right; }
th { border-bottom: 2px solid #222; } tr:nth-child(even) td { background: #f4f6fa; }
td:first-child, th:first-child { text-align: left; } img { max-width: 100%; }
.wide { overflow-x: auto; } .note { background: #fff3cd; border: 1px solid #d9b64a; padding: .5em 1em; }
"""


def write_page(path: FilePath, headline: str, parts: Sequence[str]) -> None:
    """Write a page of these parts under a headline, whole or not at all."""
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
    """A sentence that nobody should miss."""
    return f'<p class="note"><b>{escape(text)}</b></p>'


def picture(png: bytes, caption: str) -> str:
    """A PNG file within the page."""
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return f'<img alt="{escape(caption)}" src="{source}">'


def png_bytes(image: Image.Image) -> bytes:
    """An image as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
