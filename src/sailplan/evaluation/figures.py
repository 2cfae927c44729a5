"""Figures of many searches: panels in rows and columns under titles, with one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from sailplan.graphs.grid.pictures import FREE, INK, draw_legend

_TITLE, _TEXT = 34, 26
_LINE = _TEXT + 10
_MARGIN = 16
_SIDE = _LINE + _MARGIN
"""Width of the column of row titles."""


@dataclass(frozen=True)
class Panel:
    """A picture and the line below it."""

    picture: Image.Image
    caption: str


def draw_figure(title: str, note: str, columns: Sequence[str], rows: Mapping[str, Sequence[Panel]]) -> Image.Image:
    """Draw panels in rows and columns with titles, under a headline and an explanatory note."""
    panels = [panel for row in rows.values() for panel in row]
    width = max(panel.picture.width for panel in panels)
    height = max(panel.picture.height for panel in panels) + _LINE
    whole = _SIDE + len(columns) * width + _MARGIN
    lines = _wrapped(note, whole - 2 * _MARGIN)
    legend = draw_legend(whole - _SIDE, _TEXT)
    top = _MARGIN + _TITLE + 12 + len(lines) * _LINE
    bottom = top + _LINE + len(rows) * height
    figure = Image.new("RGB", (whole, bottom + legend.height + _MARGIN), FREE)
    draw = ImageDraw.Draw(figure)
    draw.text((_MARGIN, _MARGIN - 4), title, fill=INK, font=ImageFont.load_default(_TITLE))
    for number, line in enumerate(lines):
        draw.text((_MARGIN, _MARGIN + _TITLE + 8 + number * _LINE), line, fill=INK, font=_font())
    for number, name in enumerate(columns):
        draw.text((_SIDE + (number + 0.5) * width, top), name, fill=INK, font=_font(), anchor="ma")
    for number, (name, row) in enumerate(rows.items()):
        above = top + _LINE + number * height
        figure.paste(_upright(name, height), (_MARGIN, above))
        for column, panel in enumerate(row):
            left = _SIDE + column * width
            figure.paste(panel.picture, (left, above))
            middle = left + width / 2, above + panel.picture.height - 4
            draw.text(middle, panel.caption, fill=INK, font=_font(), anchor="ma")
    figure.paste(legend, (_SIDE, bottom + _MARGIN // 2))
    return figure


def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_TEXT)


def _upright(text: str, length: int) -> Image.Image:
    """The text rotated, to be read from bottom to top."""
    strip = Image.new("RGB", (length, _LINE), FREE)
    ImageDraw.Draw(strip).text((length / 2, 2), text, fill=INK, font=_font(), anchor="ma")
    return strip.rotate(90, expand=True)


def _wrapped(text: str, width: int) -> list[str]:
    """Break the text into lines of at most `width` pixels."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font().getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
