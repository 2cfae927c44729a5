from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.core import search
from sailplan.graphs import VoxelGraph, draw_views, save_views
from sailplan.graphs.grid.pictures import GOAL, PATH, START
from sailplan.policies import load_policy


def _graph() -> VoxelGraph:
    blocked = np.zeros((20, 10, 5), bool)
    blocked[10, 1:] = True
    return VoxelGraph(blocked)


@pytest.mark.parametrize("name", ["lazy", "a_star_octile"])
def test_both_views_have_the_path_and_its_ends(name: str) -> None:
    graph = _graph()
    result = search(graph.problem((0, 9, 0), (19, 9, 4)), load_policy(name))
    pixels = np.asarray(draw_views(graph, result))
    side = 50
    above, beside = pixels[24 : 24 + 10 * side, 8:-8], pixels[24 + 10 * side + 32 :, 8:-8]
    for view, start, goal in ((above, (9, 0), (9, 19)), (beside, (0, 0), (4, 19))):
        rows = (view.shape[0] // side) - 1
        for (up, right), colour in ((start, START), (goal, GOAL)):
            centre = view[(rows - up) * side + side // 2, right * side + side // 2]
            assert tuple(centre) == colour
        assert (view == PATH).all(axis=2).any()
    # The wall leaves its first voxel free.
    assert above[5 * side + 5, 10 * side + 5].mean() < 200
    assert above[-5, 10 * side + 5].mean() > above[5 * side + 5, 10 * side + 5].mean()


def test_without_a_path(tmp_path: Path) -> None:
    blocked = np.zeros((4, 3, 2), bool)
    blocked[2] = True
    graph = VoxelGraph(blocked)
    save_views(graph, search(graph.problem((0, 0, 0), (3, 0, 0)), load_policy("lazy")), tmp_path / "views.png")
    with Image.open(tmp_path / "views.png") as picture:
        assert picture.format == "PNG"
        assert PATH not in set(map(tuple, np.asarray(picture).reshape(-1, 3).tolist()))
