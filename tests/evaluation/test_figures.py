from __future__ import annotations

import numpy as np
from PIL import Image

from sailplan.evaluation.figures import Panel, draw_figure
from sailplan.graphs.grid.pictures import EXPANDED

RED = (255, 0, 0)


def _panel(colour: tuple[int, int, int] = RED) -> Panel:
    return Panel(Image.new("RGB", (300, 200), colour), "12 expansions")


def _count(picture: Image.Image, colour: tuple[int, int, int]) -> int:
    return int((np.asarray(picture) == colour).all(axis=2).sum())


def test_every_panel_is_there_once_and_whole() -> None:
    figure = draw_figure("Title", "note", ["a", "b"], {"first": [_panel()] * 2, "second": [_panel()] * 2})
    assert _count(figure, RED) == 4 * 300 * 200


def test_one_legend_however_many_panels() -> None:
    few = draw_figure("Title", "note", ["a", "b"], {"first": [_panel()] * 2})
    many = draw_figure("Title", "note", ["a", "b"], {name: [_panel()] * 2 for name in "xyz"})
    assert 0 < _count(few, EXPANDED) == _count(many, EXPANDED)


def test_a_long_note_takes_more_lines_and_stays_within() -> None:
    rows = {"first": [_panel()]}
    short, long = (draw_figure("Title", note, ["a"], rows) for note in ("word", "word " * 60))
    assert long.width == short.width
    assert long.height > short.height
    right = np.asarray(long)[:, -8:]
    assert (right == 255).all()


def test_a_short_row_leaves_room() -> None:
    figure = draw_figure("Title", "", ["a", "b"], {"first": [_panel()], "second": [_panel(), _panel()]})
    assert _count(figure, RED) == 3 * 300 * 200
