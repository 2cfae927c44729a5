from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from PIL import Image

from sailplan.datasets import World, read_ros_map, write_ros_map
from sailplan.errors import WorldError

YAML = """\
image: room.pgm
resolution: 0.05
origin: [-1.5, 2.0, 0.25]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with an image: the grays that map_saver writes (free, unknown, occupied), and a second row."""
    (tmp_path / "room.pgm").write_bytes(b"P5\n# comment\n3 2\n255\n" + bytes([254, 205, 0, 206, 89, 90]))
    return tmp_path


def _read(folder: Path, text: str, **options: Any) -> World:
    (folder / "room.yaml").write_text(text, encoding="utf-8")
    return read_ros_map(folder / "room.yaml", **options)


def test_thresholds_and_the_pose(room: Path) -> None:
    world = _read(room, YAML)
    assert (world.unknown_cells, world.unknown) == (2, "blocked")
    assert world.image().astype(int).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert world.resolution == 0.05
    assert world.origin == (-1.5, 2.0, 0.25)
    assert world.name == "room"


def test_unknown_is_free_on_request(room: Path) -> None:
    world = _read(room, YAML, unknown="free")
    assert (world.unknown_cells, world.unknown) == (2, "free")
    assert world.image().astype(int).tolist() == [[1, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("negate", ["1", "true", "True"])
def test_negate_turns_black_into_free(room: Path, negate: str) -> None:
    world = _read(room, YAML.replace("negate: 0", f"negate: {negate}"))
    assert world.image().astype(int).tolist() == [[0, 0, 1], [0, 0, 0]]


def test_a_value_on_a_threshold_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "room.pgm").write_bytes(b"P5 4 1 255\n" + bytes([204, 205, 102, 101]))
    text = YAML.replace("0.65", "0.6").replace("0.196", "0.2")
    assert _read(tmp_path, text).image().astype(int).tolist() == [[0, 1, 0, 0]]
    assert _read(tmp_path, text, unknown="free").image().astype(int).tolist() == [[1, 1, 1, 0]]


@pytest.mark.parametrize(
    "text",
    [
        YAML.replace("\n", "\r\n"),
        "---\n# a map\n\n" + YAML,
        YAML.replace("room.pgm", "'room.pgm'   # the image"),
        YAML.replace("room.pgm", '"room.pgm"'),
        YAML.replace("room.pgm", "./room.pgm"),
        YAML.replace("[-1.5, 2.0, 0.25]", "\n- -1.5\n- 2\n- 0.25"),
        YAML.replace("[-1.5, 2.0, 0.25]", "  # pose\n  - -1.5\n  - '2.0'\n\n  - 2.5e-1"),
        YAML + "mode: Trinary\n",
        YAML + "comment: anything, at all\n",
        "\ufeff" + YAML.rstrip(),
    ],
)
def test_ways_of_writing_the_same(room: Path, text: str) -> None:
    world = _read(room, text)
    assert world.image().astype(int).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert world.origin == (-1.5, 2.0, 0.25)


def test_the_image_may_lie_in_a_folder_below(room: Path) -> None:
    (room / "below").mkdir()
    (room / "room.pgm").rename(room / "below" / "it's #1.pgm")
    assert _read(room, YAML.replace("room.pgm", "'below/it''s #1.pgm'")).width == 3
    assert _read(room, YAML.replace("room.pgm", "'below\\it''s #1.pgm'")).width == 3


def test_colours_are_averaged_and_alpha_with_them(tmp_path: Path) -> None:
    # Averages of 85, 212.5 and 205: without its alpha the last, a 188 gray, would be unknown in both modes.
    pixels = np.array([[[255, 0, 0], [255, 255, 128], [188, 188, 188]]], dtype=np.uint8)
    opaque = np.dstack([pixels, np.full((1, 3), 255, dtype=np.uint8)])
    Image.fromarray(pixels).save(tmp_path / "rgb.png")
    Image.fromarray(opaque).save(tmp_path / "rgba.png")
    text = YAML.replace("0.196", "0.2")
    assert _read(tmp_path, text.replace("room.pgm", "rgb.png")).image().tolist() == [[False, True, False]]
    with_alpha = text.replace("room.pgm", "rgba.png").replace("0.2\n", "0.21\n")
    assert _read(tmp_path, with_alpha).image().tolist() == [[False, True, True]]
    assert _read(tmp_path, with_alpha + "mode: scale\n").image().tolist() == [[False, True, False]]


def test_in_scale_mode_what_is_not_opaque_is_unknown(tmp_path: Path) -> None:
    pixels = np.array([[[255, 255], [255, 254], [0, 0], [0, 255]]], dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "room.png")
    text = YAML.replace("pgm", "png") + "mode: scale\n"
    assert _read(tmp_path, text).image().astype(int).tolist() == [[1, 0, 0, 0]]
    assert _read(tmp_path, text, unknown="free").image().astype(int).tolist() == [[1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ": the key 'origin' is missing"),
        (YAML.replace("image: room.pgm\n", ""), ": the key 'image' is missing"),
        (YAML.replace("free_thresh: 0.196\n", ""), ": the key 'free_thresh' is missing"),
        (YAML.replace("room.pgm", ""), r":1: image takes 1 value\(s\), got 0"),
        (YAML.replace("room.pgm", "[a.pgm, b.pgm]"), r":1: image takes 1 value\(s\), got 2"),
        (YAML.replace("0.05", "five"), ":2: resolution takes finite numbers, got 'five'"),
        (YAML.replace("0.05", ".nan"), r":2: resolution takes finite numbers, got '\.nan'"),
        (YAML.replace("0.05", "inf"), ":2: resolution takes finite numbers, got 'inf'"),
        (YAML.replace("0.05", "9" * 400), ":2: resolution takes finite numbers, got '9{60}'$"),
        (YAML.replace("0.05", "0"), r":2: resolution must be above 0, got 0\.0"),
        (YAML.replace("[-1.5, 2.0, 0.25]", "[-1.5, 2.0]"), r":3: origin takes 3 value\(s\), got 2"),
        (YAML.replace("[-1.5, 2.0, 0.25]", "0"), r":3: origin takes 3 value\(s\), got 1"),
        (YAML.replace("2.0, 0.25]", "2.0, north]"), ":3: origin takes finite numbers, got 'north'"),
        (
            YAML.replace("0.25]", "0.25"),
            r":3: a plain or quoted value is expected, .*; got '\[-1\.5, 2\.0, 0\.25'",
        ),
        (YAML.replace("2.0,", ","), r":3: a plain or quoted value is expected, .*; got ''"),
        (YAML.replace("negate: 0", "negate: 2"), ":4: negate is one of 1, 0, true, false, got '2'"),
        (
            YAML.replace("0.65", "65"),
            r":6: need 0 <= free_thresh <= occupied_thresh <= 1, got 0\.196 and 65\.0",
        ),
        (
            YAML.replace("0.65", "0.1"),
            r":6: need 0 <= free_thresh <= occupied_thresh <= 1, got 0\.196 and 0\.1",
        ),
        (YAML + "mode: raw\n", ":7: mode is one of trinary, scale, got 'raw'"),
        (YAML + "negate: 1\n", ":7: negate is given a second time"),
        (YAML + "nested:\n  key: value\n", ":8: expected 'key: value', got '  key: value'"),
        (YAML + "- stray\n", ":7: expected 'key: value', got '- stray'"),
        (YAML + "---\n", ":7: expected 'key: value', got '---'"),
        (YAML + "\tmode: trinary\n", r":7: expected 'key: value', got '\\tmode: trinary'"),
        (YAML + "word\n", ":7: expected 'key: value', got 'word'"),
        (YAML + "key: one: two\n", ":7: a plain or quoted value is expected, .*; got 'one: two'"),
        (YAML + "key: {a: b}\n", ":7: a plain or quoted value is expected, .*; got '{a: b}'"),
        (YAML + "key: |\n  text\n", r":7: a plain or quoted value is expected, .*; got '\|'"),
        (YAML + "key: &anchor 1\n", ":7: a plain or quoted value is expected, .*; got '&anchor 1'"),
        (YAML + "key: 'open\n", ':7: a plain or quoted value is expected, .*; got "\'open"'),
        (
            YAML.replace("room.pgm", "!!python/object/apply:os.system ['true']"),
            ":1: a plain or quoted value is expected, not a tag or a nested one; got .!!python/object.*",
        ),
        ("!!python/object:os.x\n" + YAML, ":1: expected 'key: value', got '!!python/object:os.x'"),
        (
            YAML.replace("[-1.5", "[!!float -1.5"),
            ":3: a plain or quoted value is expected, .*; got '!!float -1.5'",
        ),
        ("\0\1\n", r":1: expected 'key: value', got '\\x00\\x01'"),
    ],
)
def test_bad_yaml_is_refused_in_one_line(room: Path, text: str, fault: str) -> None:
    with pytest.raises(WorldError, match=rf"^\S+/room\.yaml{fault}$"):
        _read(room, text)


@pytest.mark.parametrize(
    "image",
    ["/etc/room.pgm", "../room.pgm", "a/../../room.pgm", "..\\room.pgm", "C:\\room.pgm", "C:room.pgm", "."],
)
def test_the_image_may_not_lie_elsewhere(room: Path, image: str) -> None:
    fault = r":1: image must lie in the folder of the yaml file or below, got '.*'"
    with pytest.raises(WorldError, match=rf"^\S+/room\.yaml{fault}$"):
        _read(room, YAML.replace("room.pgm", image))


def test_bad_images_say_which(room: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+/absent\.pgm: no such file or directory$"):
        _read(room, YAML.replace("room.pgm", "absent.pgm"))
    (room / "room.pgm").write_bytes(b"P5 100000 100000 255\n")
    with pytest.raises(WorldError, match=r"^\S+/room\.pgm: an image of more than 100000000 cells$"):
        _read(room, YAML)


def test_missing_yaml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent\.yaml: no such file or directory$"):
        read_ros_map(tmp_path / "absent.yaml")


@given(
    free=arrays(np.bool_, array_shapes(min_dims=2, max_dims=2)),
    resolution=st.floats(1e-9, 1e9),
    origin=st.tuples(*[st.floats(-1e9, 1e9)] * 3),
)
@pytest.mark.parametrize("image_suffix", [".pgm", ".png"])
def test_a_map_survives_writing_and_reading(
    image_suffix: str,
    free: NDArray[np.bool_],
    resolution: float,
    origin: tuple[float, float, float],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.getbasetemp() / "it's a map.yaml"
    written = World.from_image(free, resolution=resolution, origin=origin)
    write_ros_map(written, path, image_suffix=image_suffix)  # type: ignore[arg-type]
    read = read_ros_map(path)
    np.testing.assert_array_equal(read.blocked, written.blocked)
    assert (read.resolution, read.origin) == (resolution, origin)


def test_a_world_without_a_pose_gets_metres_from_zero(tmp_path: Path) -> None:
    write_ros_map(World.from_image([[1, 0]]), tmp_path / "new" / "room.yml")
    world = read_ros_map(tmp_path / "new" / "room.yml")
    assert (world.resolution, world.origin) == (1.0, (0.0, 0.0, 0.0))
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["room.pgm", "room.yml"]


def test_only_yaml_is_written(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"room\.pgm: a ROS map is written to a file that ends in \.yaml or \.yml$"):
        write_ros_map(World.from_image([[1, 0]]), tmp_path / "room.pgm")


def test_sixteen_bit_maps(tmp_path: Path) -> None:
    (tmp_path / "room.pgm").write_bytes(b"P5 3 1 65535\n" + struct.pack(">3H", 65535, 52685, 0))
    assert _read(tmp_path, YAML).image().tolist() == [[True, False, False]]


def test_the_map_of_nav2(shared_data: Path, tmp_path: Path) -> None:
    world = read_ros_map(shared_data / "ros_map" / "100by100_10.yaml")
    header, pixels = (shared_data / "ros_map" / "100by100_10.pgm").read_bytes().split(b"\n", 1)
    assert header == b"P5 2000 2000 255"
    shades = np.frombuffer(pixels, dtype=np.uint8).reshape(2000, 2000)
    np.testing.assert_array_equal(world.image(), shades / 255 < 0.196)
    assert (world.resolution, world.origin) == (0.05, (0.0, 0.0, 0.0))
    write_ros_map(world, tmp_path / "copy.yaml")
    np.testing.assert_array_equal(read_ros_map(tmp_path / "copy.yaml").blocked, world.blocked)
