from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.learning.convergence import draw_convergence


def _draw(path: Path, curves: dict[str, list[float]], title: str = "Convergence") -> np.ndarray:
    draw_convergence(curves, path, title)
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (768, 480))
        return np.asarray(image.convert("RGB"))


def _colours(pixels: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(pixel) for pixel in pixels.reshape(-1, 3).tolist()}


BLUE, ORANGE, GREEN = (31, 119, 180), (255, 127, 14), (44, 160, 44)


def test_one_curve_and_several(tmp_path: Path) -> None:
    one = _colours(_draw(tmp_path / "new" / "one.png", {"a": [9.0, 4.0, 5.0]}))
    several = _colours(_draw(tmp_path / "three.png", {"a": [9.0, 4.0, 5.0], "b": [8.0, 7.0], "c": [3.0]}))
    assert BLUE in one
    assert not {ORANGE, GREEN} & one
    assert {BLUE, ORANGE, GREEN} <= several


@pytest.mark.parametrize(
    ("curve", "share"), [([2.0, 1.0, 1.0, 2.0], 1 / 3), ([2.0, 1.0, 0.999, 2.0], 2 / 3), ([1.0, 2.0], 0.0)]
)
def test_the_star_is_at_the_best_round_the_first_of_equals(tmp_path: Path, curve: list[float], share: float) -> None:
    found = (_draw(tmp_path / "a.png", {"a": curve}) == BLUE).all(axis=2)
    columns = found.any(axis=0).nonzero()[0]
    # Nothing else that is drawn is as high in one column as the star.
    star = int(found.sum(axis=0).argmax())
    assert found[:, star].sum() > 12
    assert (star - columns.min()) / (columns.max() - columns.min()) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("name", ["_run", "", "a$_$", "x$y", r"\alpha $\frac{$", "ünï"])
def test_names_are_taken_as_they_are(tmp_path: Path, name: str) -> None:
    _draw(tmp_path / "a.png", {name: [2.0, 1.0]})


def test_nothing_to_draw_is_an_empty_picture(tmp_path: Path) -> None:
    assert BLUE not in _colours(_draw(tmp_path / "a.png", {}))
    assert BLUE not in _colours(_draw(tmp_path / "b.png", {"a": []}))


@pytest.mark.parametrize("curve", [[0.0], [0.0, 0.0], [20_000.0] * 15])
def test_flat_curves(tmp_path: Path, curve: list[float]) -> None:
    assert BLUE in _colours(_draw(tmp_path / "a.png", {"a": curve}))


def test_a_picture_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        draw_convergence({"a": [1.0]}, tmp_path / "file" / "a.png")


def test_a_system_has_its_colour_wherever_it_stands(tmp_path: Path) -> None:
    for curves in ({"CEM": [9.0, 4.0]}, {"SaIL": [3.0, 2.0], "QL": [9.0, 9.0], "CEM": [9.0, 4.0]}):
        assert GREEN in _colours(_draw(tmp_path / "a.png", curves))
    assert GREEN not in _colours(_draw(tmp_path / "b.png", {"SaIL": [3.0, 2.0], "SL": [4.0]}))


def test_many_curves_of_every_size_are_drawn_beside_their_names(tmp_path: Path) -> None:
    curves = {f"family {number}": [10.0**number, 2.0 * 10**number] for number in range(1, 9)}
    draw_convergence(curves, tmp_path / "a.png", "Many", logarithmic=True)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (768, 480)
        seen = _colours(np.asarray(image.convert("RGB")))
    assert {BLUE, ORANGE, GREEN} <= seen
