from __future__ import annotations

import struct
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from PIL import Image

from sailplan.datasets import World, WorldDataset, read_png, write_png
from sailplan.datasets.formats import image as image_module
from sailplan.datasets.formats.costs import read_costs
from sailplan.errors import WorldError

GRAYS = np.array([[0, 255], [127, 128]], dtype=np.uint8)
FREE = [[False, True], [False, True]]


def _png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds no pixels."""
    chunks = b""
    for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IEND", b"")):
        chunks += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return b"\x89PNG\r\n\x1a\n" + chunks


@given(free=arrays(np.bool_, array_shapes(min_dims=2, max_dims=2)))
@pytest.mark.parametrize("suffix", [".png", ".pgm", ".bmp"])
def test_a_world_survives_writing_and_reading(
    suffix: str, free: NDArray[np.bool_], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"world{suffix}"
    write_png(World.from_image(free), path)
    world = read_png(path)
    np.testing.assert_array_equal(world.image(), free)
    assert world.name == "world"


def test_what_is_written_is_eight_bit_gray_with_white_free(tmp_path: Path) -> None:
    write_png(World.from_image(FREE), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "L"
        assert np.asarray(image).tolist() == [[0, 255], [0, 255]]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_every_kind_of_pixel(tmp_path: Path, mode: str) -> None:
    Image.fromarray(GRAYS).convert(mode, dither=Image.Dither.NONE).save(tmp_path / "a.png")
    assert read_png(tmp_path / "a.png").image().tolist() == FREE


def test_sixteen_bit_gray(tmp_path: Path) -> None:
    deep = np.array([[0, 65535], [32767, 32768]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "a.png")
    assert read_png(tmp_path / "a.png").image().tolist() == FREE
    (tmp_path / "a.pgm").write_bytes(b"P5 2 2 65535\n" + deep.astype(">u2").tobytes())
    assert read_png(tmp_path / "a.pgm").image().tolist() == FREE


@pytest.mark.parametrize(("name", "options"), [("a.jpg", {"quality": 95}), ("a.gif", {}), ("a.webp", {})])
def test_other_formats(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    large = np.kron(np.array([[0, 255], [255, 0]], dtype=np.uint8), np.ones((16, 16), dtype=np.uint8))
    Image.fromarray(large).save(tmp_path / name, **options)
    np.testing.assert_array_equal(read_png(tmp_path / name).image(), large > 127)


def test_colour_counts_by_its_luminance(tmp_path: Path) -> None:
    red_green_blue_yellow = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]], dtype=np.uint8)
    Image.fromarray(red_green_blue_yellow).save(tmp_path / "a.png")
    assert read_png(tmp_path / "a.png").image().tolist() == [[False, True, False, True]]


def test_transparent_pixels_show_white_paper(tmp_path: Path) -> None:
    opaque_faint_and_clear_black = np.zeros((1, 4, 4), dtype=np.uint8)
    opaque_faint_and_clear_black[0, :, 3] = 255, 200, 100, 0
    Image.fromarray(opaque_faint_and_clear_black).save(tmp_path / "a.png")
    assert read_png(tmp_path / "a.png").image().tolist() == [[False, False, True, True]]


@pytest.mark.parametrize(("mode", "clear"), [("P", 0), ("L", 0), ("RGB", (0, 0, 0))])
def test_one_clear_colour(tmp_path: Path, mode: str, clear: int | tuple[int, ...]) -> None:
    Image.fromarray(GRAYS).convert(mode).save(tmp_path / "a.png", transparency=clear)
    assert read_png(tmp_path / "a.png").image().tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGB", "RGBA"])
def test_a_gray_of_exactly_205_is_unknown(tmp_path: Path, mode: str) -> None:
    grays = np.array([[0, 204, 205, 206, 255, 205]], dtype=np.uint8)
    Image.fromarray(grays).convert(mode).save(tmp_path / "a.png")
    blocked, free = read_png(tmp_path / "a.png"), read_png(tmp_path / "a.png", unknown="free")
    assert blocked.image().astype(int).tolist() == [[0, 1, 0, 1, 1, 0]]
    assert free.image().astype(int).tolist() == [[0, 1, 1, 1, 1, 1]]
    assert blocked.unknown_cells == free.unknown_cells == 2
    assert read_png(tmp_path / "a.png").unknown == "blocked"


def test_a_colour_of_luminance_205_is_not_unknown(tmp_path: Path) -> None:
    colour = Image.new("RGB", (1, 1), (255, 197, 115))
    assert colour.convert("L").getpixel((0, 0)) == 205
    colour.save(tmp_path / "a.png")
    world = read_png(tmp_path / "a.png")
    assert (world.is_free((0, 0)), world.unknown_cells) == (True, 0)


def test_the_images_of_the_paper_have_no_unknown_cells(shared_data: Path) -> None:
    for folder in sorted((shared_data / "motion_planning_datasets").iterdir()):
        if folder.is_dir():
            for path in WorldDataset.open(folder).files["validation"]:
                assert read_png(path).unknown_cells == 0


def test_a_name_may_be_given(tmp_path: Path) -> None:
    write_png(World.from_image(FREE), tmp_path / "800.png")
    assert read_png(tmp_path / "800.png").name == "800"
    assert read_png(tmp_path / "800.png", name="forest/800").name == "forest/800"


@pytest.mark.parametrize(
    ("contents", "fault"),
    [
        (b"", "the file is empty"),
        (b"words", r"not an image of a kind that is read \(PNG, PPM, BMP, GIF, JPEG, WEBP\)"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", r"not an image of a kind that is read \(.*\)"),
        (_png_header(4, 4), r"a damaged image \(.+\)"),
        (_png_header(0, 4), r"not an image .*|a damaged image .*"),
        (_png_header(9_500, 10_000), r"a damaged image \(.+\)"),
        (_png_header(10_001, 10_000), "an image of 100010000 cells, and at most 100000000 are read"),
        (_png_header(2**31 - 1, 2**31 - 1), "an image of more than 100000000 cells"),
        (b"P5 99999 99999 255\n", "an image of more than 100000000 cells"),
        (b"P5 4 4 255\nshort", r"a damaged image \(.+\)"),
        (b"P5 4 x 255\n", r"a damaged image \(.+\)"),
        (
            b"Pf 1 1 -1.0\n" + struct.pack("<f", 0.5),
            "floating-point pixels, which have no agreed black and white",
        ),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], contents: bytes, fault: str
) -> None:
    (tmp_path / "bad.png").write_bytes(contents)
    with pytest.raises(WorldError, match=rf"^\S+/bad\.png: ({fault})$"):
        read_png(tmp_path / "bad.png")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("name", ["a.png", "a.pgm", "a.bmp"])
def test_truncated_files_are_refused(tmp_path: Path, name: str, kept: float) -> None:
    noise = np.random.default_rng(0).random((40, 40)) > 0.5
    write_png(World.from_image(noise), tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(WorldError, match=rf"^\S+/{name}: (a damaged|not an) image .*$"):
        read_png(tmp_path / name)


def test_threads_leave_the_warning_filters_alone(tmp_path: Path) -> None:
    write_png(World.from_image(FREE), tmp_path / "a.png")
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as threads:
        assert len(list(threads.map(read_png, [tmp_path / "a.png"] * 200))) == 200
    assert warnings.filters == before


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent\.png: no such file or directory$"):
        read_png(tmp_path / "absent.png")
    with pytest.raises(WorldError, match=r"^\S+: is a directory$"):
        read_png(tmp_path)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_images_are_the_same_in_bands(tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grays = np.random.default_rng(0).choice(np.array([0, 100, 205, 255], np.uint8), (7, 5))
    image = Image.fromarray(grays.astype(np.uint16) << 8) if mode == "I;16" else Image.fromarray(grays).convert(mode)
    image.save(tmp_path / "a.png")
    whole, costs = read_png(tmp_path / "a.png", unknown="free"), read_costs(tmp_path / "a.png")
    monkeypatch.setattr(image_module, "_BAND_CELLS", 10)
    in_bands = read_png(tmp_path / "a.png", unknown="free")
    np.testing.assert_array_equal(in_bands.image(), whole.image())
    assert in_bands.unknown_cells == whole.unknown_cells
    np.testing.assert_array_equal(read_costs(tmp_path / "a.png"), costs)


@pytest.mark.parametrize(("read", "most"), [(read_png, 5), (read_costs, 10)])
def test_arrays_of_large_images_take_few_bytes_for_each_cell(
    tmp_path: Path, read: Callable[[Path], object], most: int
) -> None:
    side = 4000
    Image.new("RGB", (side, side), "white").save(tmp_path / "a.png", compress_level=1)
    tracemalloc.start()
    read(tmp_path / "a.png")
    assert tracemalloc.get_traced_memory()[1] < most * side**2
    tracemalloc.stop()


def test_other_suffixes_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+a\.jpg: images are written as \.png, \.pgm, \.bmp$"):
        write_png(World.from_image(FREE), tmp_path / "a.jpg")
    assert list(tmp_path.iterdir()) == []


def test_alpha_plays_no_part_in_single_bugtrap(shared_data: Path) -> None:
    folder = shared_data / "motion_planning_datasets" / "single_bugtrap"
    for path in WorldDataset.open(folder).files["validation"][:20]:
        with Image.open(path) as image:
            assert image.mode == "RGBA"
            red, green, blue, alpha = (np.asarray(channel) for channel in image.split())
        assert (alpha == 255).all()
        assert (red == green).all()
        assert (green == blue).all()
        np.testing.assert_array_equal(read_png(path).image(), red > 127)
