"""The report of a benchmark: a page that holds its tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from sailplan.evaluation.metrics import Summary
from sailplan.evaluation.page import heading, paragraph, picture, png_bytes, write_page
from sailplan.evaluation.sheets import html
from sailplan.evaluation.tables import EXPLANATION, family_sheets
from sailplan.files import FilePath


def write_report(
    path: FilePath, headline: str, introduction: str, summaries: Sequence[Summary], pictures: Mapping[str, Image.Image]
) -> None:
    """Write a self-contained HTML page, whole or not at all."""
    tables = [html(sheet) for sheet in family_sheets(summaries)]
    figures = [heading(caption) + picture(png_bytes(image), caption) for caption, image in pictures.items()]
    write_page(path, headline, [paragraph(introduction), *tables, paragraph(f"{EXPLANATION}."), *figures])
