from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.datasets import read_octomap
from sailplan.errors import WorldError
from sailplan.policies import load_policy
from tests.naive.octomap import FREE, OCCUPIED, encode
from tests.naive.voxels import shortest_costs


@settings(max_examples=40)
@given(
    shape=st.tuples(*[st.integers(1, 9)] * 3),
    corner=st.tuples(*[st.sampled_from([0, 5, 32764, 32768, 65527])] * 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, shape: tuple[int, int, int], corner: tuple[int, int, int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    # Blocks of equal voxels are pruned to larger leaves.
    values = rng.integers(0, 3, [(size + 3) // 4 for size in shape]).astype(np.uint8)
    values = np.kron(values, np.ones((4, 4, 4), np.uint8))[: shape[0], : shape[1], : shape[2]]
    values[0, 0, 0], values[-1, -1, -1] = OCCUPIED, FREE
    path = tmp_path_factory.mktemp("trees") / "room.bt"
    path.write_bytes(encode(values, corner, 0.25))
    read = read_octomap(path)
    assert np.array_equal(read.occupied, values == OCCUPIED)
    assert np.array_equal(read.free, values == FREE)
    assert np.array_equal(read.unknown, values == 0)
    assert (read.resolution, read.name) == (0.25, "room")
    assert read.origin == tuple((at - 32768) * 0.25 for at in corner)


def test_a_graph_of_a_map(tmp_path: Path) -> None:
    values = np.full((1, 1, 6), FREE, np.uint8)
    values[0, 0, 0], values[0, 0, 3] = OCCUPIED, 0
    (tmp_path / "shaft.bt").write_bytes(encode(values, (32768, 32768, 32768), 0.1))
    octomap = read_octomap(tmp_path / "shaft.bt")
    assert repr(octomap) == "OctoMap('shaft', 1 x 1 x 6 voxels of 0.1 m)"
    assert octomap.graph().blocked.tolist() == [[[True, False, False, True, False, False]]]
    graph = octomap.graph(unknown="free", robot_radius=0.1, connectivity=6, corner_cutting=True)
    assert graph.blocked.tolist() == [[[True, True, False, False, False, False]]]
    assert (graph.connectivity, graph.corner_cutting, graph.resolution, graph.name) == (6, True, 0.1, "shaft")
    with pytest.raises(WorldError, match='unknown must be "free" or "blocked", got \'maybe\''):
        octomap.graph(unknown="maybe")  # type: ignore[arg-type]


GOOD = encode(np.full((3, 2, 2), OCCUPIED, np.uint8), (40000, 7, 32768), 0.1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the first line must be '# Octomap OcTree binary file', got ''"),
        (b"\x89PNG\r\n", "the first line must be"),
        (GOOD.replace(b"id OcTree", b"id ColorOcTree"), "the header needs 'id OcTree', got 'ColorOcTree'"),
        (GOOD.replace(b"size", b"weight"), "bt:4: expected id, size and res once each, then data; got 'weight"),
        (GOOD.replace(b"res 0.1", b"res 0.1\nres 0.2"), "bt:6: expected id, size and res once each"),
        (GOOD.replace(b"res 0.1", b"res -1"), "the header needs a positive res, got '-1'"),
        (GOOD.replace(b"res 0.1", b"res wide"), "the header needs a positive res, got 'wide'"),
        (GOOD.replace(b"res 0.1\n", b""), "the header needs a positive res, got ''"),
        (GOOD.replace(b"size ", b"size x"), "the header needs a size above 0"),
        (GOOD.replace(b"size ", b"size 9"), r"the header says 9\d+ nodes, the tree has \d+"),
        (GOOD.split(b"data\n")[0], "the header has no line 'data'"),
        (GOOD[:-1], r"the tree is truncated: \d+ bytes end within its \d+ nodes"),
        (GOOD[:-2], "the tree is truncated"),
        (GOOD + b"\x00\x00", "are not one tree of depth 16"),
        (GOOD.split(b"data\n")[0] + b"data\n" + b"\x03\x00" * 40, "are not one tree of depth 16"),
        (b"# Octomap OcTree binary file\nid OcTree\nsize 1\nres 1\ndata\n\x00\x00", "the tree has no known voxels"),
        (
            b"# Octomap OcTree binary file\nid OcTree\nsize 2\nres 1\ndata\n\x01\x00",
            "the known box has 32768 x 32768 x 32768 voxels, and at most 16777216 are read of a file of its size",
        ),
    ],
)
def test_bad_files(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.bt").write_bytes(content)
    with pytest.raises(WorldError, match=message):
        read_octomap(tmp_path / "bad.bt")


def test_a_header_of_thousands_of_digits_is_refused_in_a_short_line(tmp_path: Path) -> None:
    for field in (b"id ", b"size ", b"res "):
        (tmp_path / "bad.bt").write_bytes(GOOD.replace(field, field + 5000 * b"9"))
        with pytest.raises(WorldError, match="the header needs") as caught:
            read_octomap(tmp_path / "bad.bt")
        assert len(str(caught.value)) < len(str(tmp_path)) + 120


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"none.bt: no such file or directory"):
        read_octomap(tmp_path / "none.bt")
    with pytest.raises(WorldError, match="is a directory"):
        read_octomap(tmp_path)


def test_the_map_of_a_building(shared_data: Path) -> None:
    octomap = read_octomap(shared_data / "voxels" / "geb079.bt")
    assert octomap.resolution == 0.08
    assert octomap.occupied.shape == (487, 187, 39)
    # 39 x 15 x 3.1 m, as its authors say.
    assert np.allclose(np.array(octomap.occupied.shape) * 0.08, (38.96, 14.96, 3.12))
    # Floor and ceiling are occupied, and what is between them is mostly free.
    known = octomap.occupied | octomap.free
    share = octomap.occupied.sum(axis=(0, 1)) / known.sum(axis=(0, 1))
    assert share[2] > 0.9
    assert share[-1] > 0.9
    assert share[15:30].max() < 0.2


@pytest.mark.parametrize("corner_cutting", [False, True])
def test_shortest_paths_in_a_building_are_those_of_scipy(shared_data: Path, corner_cutting: bool) -> None:
    octomap = read_octomap(shared_data / "voxels" / "geb079.bt")
    graph = octomap.graph(robot_radius=0.2, corner_cutting=corner_cutting)
    free = np.argwhere(~graph.blocked)
    start = tuple(free[len(free) // 2].tolist())
    distances = shortest_costs(graph.blocked, 26, corner_cutting, (start[0], start[1], start[2]))
    goals = free[:: len(free) // 12].tolist()
    found = [search(graph.problem(start, goal), load_policy("a_star_octile")) for goal in goals]
    assert [result.cost for result in found] == pytest.approx([distances[tuple(goal)] for goal in goals])
    assert sum(result.found for result in found) > 6
