from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.core import Limits, open_search
from sailplan.core.graph import FloatArray
from sailplan.errors import SailplanError
from sailplan.evaluation.animation import frames
from sailplan.graphs import ExplicitGraph, Moves, Problem, grid_problem
from sailplan.graphs.grid import pictures
from sailplan.policies import LazyPolicy, greedy
from sailplan.testing import draw_problem, draw_world

PICTURE = """
    .....
    .###.
    S..#G
    """


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    return set(map(tuple, np.asarray(image.convert("RGB")).reshape(-1, 3).tolist()))


def test_each_kind_of_cell_has_its_colour_and_place() -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, greedy("euclidean"))
    session.run()
    table = pictures._colours(problem.graph.world, session.state)  # type: ignore[attr-defined]
    assert tuple(table[2, 0]) == pictures.EXPANDED  # the start, bottom left
    assert tuple(table[1, 1]) == pictures.KNOWN_INVALID
    assert tuple(table[2, 4]) == pictures.FRONTIER  # the goal has just entered the open list


def test_what_was_never_touched_stays_faint() -> None:
    problem = draw_problem("S....\n.....\n.....\n.....\nG...#")
    session = open_search(problem, greedy("euclidean"))
    session.run()
    table = pictures._colours(problem.graph.world, session.state)  # type: ignore[attr-defined]
    assert tuple(table[4, 4]) == pictures.HIDDEN_OBSTACLE


def test_a_picture_shows_path_start_and_goal(tmp_path: Path) -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, greedy("euclidean"))
    result = session.run()
    pictures.write_picture(pictures.draw_search(problem, session.state, result.path, "caption"), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert {pictures.PATH, pictures.START, pictures.GOAL} <= colours(image)


@pytest.mark.parametrize("shape", [(1, 1), (1, 90), (90, 1), (7, 300)])
def test_any_shape_can_be_drawn(shape: tuple[int, int]) -> None:
    world = draw_world("\n".join("." * shape[1] for _ in range(shape[0])))
    assert min(pictures.draw_world(world).size) >= 1


def test_a_film_goes_from_the_first_to_the_last_expansion(tmp_path: Path) -> None:
    problem = draw_problem(PICTURE)
    result = open_search(problem, greedy("euclidean")).run()
    film = list(frames(problem, result, "film", count=4))
    pictures.write_animation(film, tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == len(film)  # type: ignore[attr-defined]
    assert pictures.EXPANDED in colours(film[-1])
    assert pictures.PATH in colours(film[-1])


def test_a_search_by_edges_shows_what_its_edges_found() -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, LazyPolicy())
    result = session.run()
    table = pictures._colours(problem.graph.world, session.state)  # type: ignore[attr-defined]
    free, invalid = pictures.EXPANDED, pictures.KNOWN_INVALID
    for vertex in result.path:
        x, y = problem.graph.state(vertex)  # type: ignore[attr-defined]
        assert tuple(table[2 - y, x]) == free
    for vertex in session.state.invalid.tolist():
        x, y = problem.graph.state(vertex)  # type: ignore[attr-defined]
        assert tuple(table[2 - y, x]) == invalid
    assert pictures.FRONTIER not in {tuple(colour) for colour in table.reshape(-1, 3).tolist()}
    assert pictures.counted(session.state) == f"{result.edge_evaluations} evaluations"


def test_cells_behind_valid_edges_are_free_before_a_path_leads_to_them() -> None:
    problem = draw_problem("S....G")
    session = open_search(problem, LazyPolicy(selector="backward"))
    session.run(Limits(evaluations=2))
    table = pictures._colours(problem.graph.world, session.state)  # type: ignore[attr-defined]
    free = [x for x, colour in enumerate(table[0].tolist()) if tuple(colour) == pictures.EXPANDED]
    assert free == [0, 3, 4, 5]


def test_invalid_edges_are_drawn_and_explained() -> None:
    world = draw_world("..\n#.")
    problem = grid_problem(world, (1, 0), (0, 1), Moves(corner_cutting=False))
    session = open_search(problem, LazyPolicy())
    blank = pictures.draw_search(problem, session.state)
    session.run(Limits(evaluations=1))
    assert len(session.state.invalid_edges) == 1
    shown = pictures.draw_search(problem, session.state)
    assert blank.size == shown.size
    marks = [(np.asarray(one) == pictures.INVALID_EDGE).all(axis=-1).sum() for one in (blank, shown)]
    assert 0 < marks[0] < marks[1]


def test_the_side_of_a_picture_may_be_given() -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, LazyPolicy())
    assert pictures.draw_search(problem, session.state).width > 800
    assert 400 < pictures.draw_search(problem, session.state, side=400).width < 500


def test_expansions_are_counted_beside_evaluations() -> None:
    session = open_search(draw_problem("S..G"), greedy("euclidean"))
    session.run()
    assert pictures.counted(session.state) == "3 expansions, 3 evaluations"


def test_only_grids_can_be_drawn() -> None:
    problem = Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), 0, 1)
    session = open_search(problem, greedy("zero"))
    with pytest.raises(SailplanError, match="only searches on grids"):
        pictures.draw_search(problem, session.state)


# Machado, Oliveira and Fernandes (2009): how colours look with each kind of colour blindness, in linear RGB.
_SEEN = {
    "all colours": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
_TO_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
_WHITE = np.array([0.9505, 1.0, 1.0888])


def _lab(colour: pictures.Colour, seen: FloatArray) -> FloatArray:
    """The colour in CIELAB, as somebody sees it."""
    share = np.array(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    ratio = _TO_XYZ @ np.clip(seen @ linear, 0, 1) / _WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", _SEEN)
def test_colours_are_told_apart_by_colour_blind_readers(seen: str) -> None:
    names = ["FREE", "HIDDEN_OBSTACLE", "COSTLY", "PENALISED", "PENALISED_OBSTACLE", "KNOWN_INVALID", "FRONTIER"]
    names += ["EXPANDED", "INVALID_EDGE", "PATH", "START", "GOAL"]
    colours = {name: _lab(getattr(pictures, name), _SEEN[seen]) for name in names}
    for one, other in itertools.combinations(names, 2):
        assert np.linalg.norm(colours[one] - colours[other]) > 12, (one, other)
