"""A report: one page that holds the table and the pictures, with no link to anything outside."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape

from PIL import Image

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.tables import EXPLANATION, HEADINGS, by_family, cells, title
from sailplan.files import FilePath, write_text

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1300px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; } th, td { padding: .25em .7em; text-align: right; }
th { border-bottom: 2px solid #222; } tr:nth-child(even) td { background: #f4f6fa; }
td:first-child, th:first-child { text-align: left; } img { max-width: 100%; }
"""


def write_report(
    path: FilePath, headline: str, introduction: str, summaries: Sequence[Summary], pictures: Mapping[str, Image.Image]
) -> None:
    """Write a self-contained HTML page, whole or not at all."""
    figures = [
        f'<h2>{escape(caption)}</h2>\n<img alt="{escape(caption)}" src="{_inline(picture)}">'
        for caption, picture in pictures.items()
    ]
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(headline)}</title><style>{_STYLE}</style></head>',
        f"<body><h1>{escape(headline)}</h1><p>{escape(introduction)}</p>",
        *[_table(rows) for rows in by_family(summaries).values()],
        f"<p>{escape(EXPLANATION)}.</p>",
        *figures,
        "</body></html>",
    ]
    write_text(path, "\n".join(parts) + "\n")


def _table(summaries: Sequence[Summary]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in HEADINGS)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells(summary)) + "</tr>" for summary in summaries
    )
    heading = f"<h3>{escape(title(summaries[0]))}</h3>"
    return f"{heading}\n<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"


def _inline(picture: Image.Image) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
