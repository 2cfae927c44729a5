from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from sailplan.errors import SizeError, WorldError
from sailplan.evaluation.player.recording import describe_map
from sailplan.graphs.grid.world import World
from sailplan.web.maps import read_map_object
from sailplan.web.refusals import Refusal

LARGEST = 1_000_000
FIELDS = {"name": "a", "width": 3, "height": 3}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


@given(blocked=arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=20)))
def test_a_map_survives_json(blocked: NDArray[np.bool_]) -> None:
    world = World(blocked, name="a", resolution=0.05, origin=(1.0, 2.0, -0.5), unknown_cells=1)
    back = read_map_object(json.loads(json.dumps(describe_map(world))), LARGEST)
    np.testing.assert_array_equal(back.blocked, blocked)
    assert (back.name, back.resolution, back.origin, back.unknown_cells) == ("a", 0.05, (1.0, 2.0, -0.5), 1)


def test_the_bottom_row_comes_first() -> None:
    bits = _text(zlib.compress(bytes([0b01000000])))
    world = read_map_object({"width": 2, "height": 2, "blocked": bits}, LARGEST)
    assert (world.name, world.blocked.tolist()) == ("map", [[False, True], [False, False]])


GOOD = zlib.compress(bytes(2))


@pytest.mark.parametrize(
    ("blocked", "message"),
    [
        ("***", "map.blocked is not base64"),
        ("é", "map.blocked is not base64"),
        ("", "map.blocked must hold exactly 2 bytes, one bit for each cell"),
        (_text(b"plain"), "map.blocked is not compressed by zlib, or damaged"),
        (_text(GOOD[:-5]), "map.blocked must hold exactly 2 bytes, one bit for each cell"),
        (_text(GOOD[:-1]), "map.blocked must hold exactly 2 bytes, one bit for each cell"),
        (_text(GOOD[:-1] + b"x"), "map.blocked is not compressed by zlib, or damaged"),
        (_text(GOOD + b"more"), "map.blocked must hold exactly 2 bytes, one bit for each cell"),
        (_text(zlib.compress(bytes(1))), "map.blocked must hold exactly 2 bytes, one bit for each cell"),
        (_text(zlib.compress(bytes(3))), "map.blocked must hold exactly 2 bytes, one bit for each cell"),
    ],
)
def test_cells_that_cannot_be_decoded(blocked: str, message: str) -> None:
    with pytest.raises(WorldError) as refused:
        read_map_object({**FIELDS, "blocked": blocked}, LARGEST)
    assert str(refused.value) == message


def test_a_bomb_is_not_decompressed() -> None:
    bomb = _text(zlib.compress(bytes(50_000_000), 9))
    tracemalloc.start()
    with pytest.raises(WorldError, match="exactly 2 bytes"):
        read_map_object({**FIELDS, "blocked": bomb}, LARGEST)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


@pytest.mark.parametrize(("width", "height"), [(1001, 1000), (2**53, 2**53), (1, 1_000_001)])
def test_a_large_map_is_refused_before_it_is_read(width: int, height: int) -> None:
    with pytest.raises(SizeError, match=f"^a map of {width} x {height} cells, and at most 1000000 cells are allowed$"):
        read_map_object({"width": width, "height": height, "blocked": "not read"}, LARGEST)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"width": 0}, "map.width must be between 1 and"),
        ({"width": 3.0}, "map.width must be an integer"),
        ({"resolution": 0}, "map.resolution must be between"),
        ({"resolution": 1e300}, "map.resolution must be between"),
        ({"origin": [0, 0]}, "map.origin must have 3 items, got 2"),
        ({"origin": [0, 0, 1e300]}, r"map.origin\[2\] must be between"),
        ({"name": "x" * 201}, "map.name must have 0 to 200 characters, got 201"),
        ({"terrain": "abc"}, "map.terrain must be null, got text"),
        ({"unknown_cells": -1}, "map.unknown_cells must be between"),
    ],
)
def test_fields_that_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(Refusal, match=f"^{message}"):
        read_map_object({**FIELDS, "blocked": _text(GOOD), **fields}, LARGEST)


def test_there_are_no_more_unknown_cells_than_cells() -> None:
    with pytest.raises(WorldError, match=r"^a: 10 unknown cells, and the map has 9 cells$"):
        read_map_object({**FIELDS, "blocked": _text(GOOD), "unknown_cells": 10}, LARGEST)
