from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from PIL import Image

import sailplan
from sailplan import Limits, Moves, Outcome, Plan, World
from sailplan.datasets import write_png, write_ros_map
from sailplan.errors import PolicyError, ProblemError, SailplanError, WorldError
from sailplan.policies import dijkstra
from sailplan.testing import draw_world

ROOMS = draw_world(
    """
    ....#....
    ....#....
    .........
    .........
    .........
    ....#....
    ....#....
    """,
    name="rooms",
)


def _ros_map(world: World, folder: Path, resolution: float = 0.5) -> Path:
    placed = World(world.blocked, resolution=resolution, origin=(-1.0, 2.0, 0.0))
    write_ros_map(placed, folder / "map.yaml")
    return folder / "map.yaml"


def test_whatever_stands_for_a_map(tmp_path: Path) -> None:
    free = np.array([[True, True, True], [True, False, True]])
    write_png(World.from_image(free), tmp_path / "map.png")
    gray = np.where(free, 255, 0).astype(np.uint8)
    given: list[Any] = [
        tmp_path / "map.png",
        str(tmp_path / "map.png"),
        World.from_image(free),
        free,
        free.tolist(),
        gray,
    ]
    for one in given:
        plan = sailplan.plan(one, (0, 0), (2, 0))
        assert plan.cells == ((0, 0), (0, 1), (1, 1), (2, 1), (2, 0))
        assert (plan.found, plan.cost, plan.outcome) == (True, 4.0, Outcome.PATH_CONFIRMED)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((3, 3)), "a map is a file, a World, .* got an array of float64 .*; pass terrain costs as costs= .*"),
        (np.zeros((3, 3), np.uint8), "map: the gray values are all 0 or 1, so this looks like a mask: .*"),
        (np.eye(3, dtype=np.uint8), "map: the gray values are all 0 or 1, so this looks like a mask: .*"),
        (np.eye(3, dtype=np.int64), "a map is a file, .* got an array of int64 of shape .*"),
        ([[1, 0], [1]], "a map given as rows needs rows of equal length"),
        (np.zeros(3, np.bool_), "map: a world needs two dimensions and a cell, .*"),
        (np.zeros((0, 3), np.uint8), "map: a world needs two dimensions and a cell, .*"),
        (None, "a map is a file, .* got None"),
        (max, "a map is a file, .* got <built-in function max>"),
        (7, "a map is a file, .* got 7"),
        (True, "a map is a file, .* got True"),
        ("absent.png", "absent.png: no such file or directory"),
    ],
)
def test_what_is_no_map_is_refused_in_one_line(given: Any, message: str) -> None:
    with pytest.raises(WorldError, match=f"^{message}$") as raised:
        sailplan.plan(given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"start": (0.0, 1.0)}, ProblemError, r"rooms: the start must be a pair of integers \(x, y\), got .*"),
        ({"goal": "12"}, ProblemError, r"rooms: the goal must be a pair of integers \(x, y\), got '12'"),
        ({"goal": (4, 0)}, ProblemError, r"rooms: the goal \(4, 0\) is blocked; the closest free cell is .*"),
        ({"goal": (9, 0)}, ProblemError, r"rooms: the goal \(9, 0\) is outside 9 x 7"),
        ({"metres": True, "start": (0, 0)}, WorldError, "rooms: the world has no resolution, .*"),
        ({"metres": max}, SailplanError, "metres must be True or False, got <built-in function max>"),
        ({"limits": 5}, SailplanError, r"limits must be given as Limits\(\.\.\.\), got 5"),
        ({"policy": 5}, PolicyError, "policy must be a name, a model file, a run folder or a Policy, got 5"),
        ({"policy": max}, PolicyError, "policy must be a name, .*"),
        ({"policy": "a_start"}, PolicyError, "no policy 'a_start'.*"),
        ({"robot_radius": -1}, SailplanError, "robot_radius must be a finite number that is not negative, got -1"),
        ({"robot_radius": math.nan}, SailplanError, "robot_radius must be a finite number .*"),
        ({"robot_radius": "1"}, SailplanError, "robot_radius must be a finite number .*"),
        ({"robot_radius": True}, SailplanError, "robot_radius must be a finite number .*"),
        ({"unknown": "gray"}, WorldError, 'unknown must be "free" or "blocked", got \'gray\''),
        ({"unknown": max}, WorldError, "unknown must be .*"),
        ({"costs": np.zeros((7, 9))}, WorldError, "rooms: costs must be at least 1 and at most 1e\\+100, .*"),
        ({"costs": np.ones((9, 7))}, WorldError, "rooms: costs need the shape of the map .*"),
        ({"moves": 8}, ProblemError, r"rooms: moves must be given as Moves\(\.\.\.\), got 8"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    arguments: dict[str, Any], error: type[SailplanError], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        sailplan.plan(ROOMS, **arguments)


def test_a_wall_of_one_pixel_on_the_diagonal_is_a_wall() -> None:
    free = ~np.eye(5, dtype=bool)
    plan = sailplan.plan(free, (0, 0), (4, 4))
    assert (plan.found, plan.outcome) == (False, Outcome.FRONTIER_EMPTY)
    assert sailplan.plan(free, (0, 0), (4, 4), moves=Moves()).found


def test_the_path_as_cells_array_metres_and_csv(tmp_path: Path) -> None:
    plan = sailplan.plan(_ros_map(ROOMS, tmp_path), (-0.9, 2.1), (2.9, 2.1), metres=True)
    assert (plan.cells[0], plan.cells[-1]) == ((0, 0), (7, 0))
    assert plan.array.tolist() == [list(cell) for cell in plan.cells]
    assert plan.array.dtype == np.int64
    np.testing.assert_allclose(plan.metres, plan.array * 0.5 + [-0.75, 2.25])
    plan.to_csv(tmp_path / "deep" / "path.csv")
    with (tmp_path / "deep" / "path.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["x"]), int(row["y"])) for row in rows] == list(plan.cells)
    assert [[float(row["x_metres"]), float(row["y_metres"])] for row in rows] == plan.metres.tolist()


def test_without_a_resolution_there_are_no_metres(tmp_path: Path) -> None:
    plan = sailplan.plan(ROOMS)
    with pytest.raises(WorldError, match="no resolution"):
        _ = plan.metres
    plan.to_csv(tmp_path / "path.csv")
    assert (tmp_path / "path.csv").read_text().splitlines()[0] == "x,y"


def test_points_outside_the_map_are_told_in_metres(tmp_path: Path) -> None:
    path = _ros_map(ROOMS, tmp_path)
    with pytest.raises(ProblemError, match=r"the goal \(30, 3\) metres is in cell \(62, 2\), outside 9 x 7 cells$"):
        sailplan.plan(path, goal=(30, 3), metres=True)
    with pytest.raises(ProblemError, match=r"got \(1\.5, 3\.0\); for metres use metres=True$"):
        sailplan.plan(path, goal=(1.5, 3.0))
    with pytest.raises(ProblemError, match=r"the goal must be a point \(x, y\), got 3$"):
        sailplan.plan(path, goal=3, metres=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", ["optimistic", "a_star_octile", "dijkstra"])
def test_a_radius_that_closes_the_only_door_names_the_largest_that_passes(policy: str) -> None:
    plan = sailplan.plan(ROOMS, (0, 3), (8, 3), robot_radius=2, policy=policy)
    assert (plan.outcome, plan.cells, plan.cost) == (Outcome.FRONTIER_EMPTY, (), math.inf)
    (note,) = plan.notes
    message = "rooms: a robot radius of 2 cells leaves no path; the largest radius that has a path is 1.999 cells"
    assert str(note) == message
    assert sailplan.plan(ROOMS, (0, 3), (8, 3), robot_radius=1.999, policy=policy).found


def test_a_radius_in_metres(tmp_path: Path) -> None:
    path, start, goal = _ros_map(ROOMS, tmp_path, 0.05), (-0.9875, 2.1625), (-0.5875, 2.1625)
    plan = sailplan.plan(path, start, goal, metres=True, robot_radius=0.1)
    assert str(plan.notes[0]) == (
        "map: a robot radius of 0.1 metres leaves no path; the largest radius that has a path is 0.09995 metres"
    )
    assert sailplan.plan(path, start, goal, metres=True, robot_radius=0.09995).found
    assert sailplan.plan(path, (0, 3), (8, 3), robot_radius=1.999).found


def test_a_radius_that_blocks_the_start_or_the_goal() -> None:
    with pytest.raises(ProblemError) as raised:
        sailplan.plan(ROOMS, (3, 0), (8, 3), robot_radius=1)
    assert str(raised.value) == (
        "rooms: a robot radius of 1 cells blocks the start (3, 0); the largest radius that has a path is 0.999 cells"
    )
    with pytest.raises(ProblemError, match=r"a robot radius of 3 cells blocks the goal \(6, 3\); the largest radius "):
        sailplan.plan(ROOMS, (0, 3), (6, 3), robot_radius=3)


def test_no_path_even_without_a_radius() -> None:
    plan = sailplan.plan(draw_world(".....#.....", name="w"), robot_radius=1)
    assert [note.message for note in plan.notes] == [
        "a robot radius of 1 cells leaves no path; there is no path even without a radius"
    ]
    assert sailplan.plan(draw_world(".#.")).notes == ()


@settings(max_examples=40)
@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=12)), st.floats(0.1, 4.0), st.booleans())
def test_the_largest_radius_has_a_path_and_a_larger_one_has_not(
    free: NDArray[np.bool_], radius: float, corner_cutting: bool
) -> None:
    free[-1, 0] = free[0, -1] = True
    moves = Moves(corner_cutting=corner_cutting)

    def attempt(size: float) -> tuple[bool, str]:
        try:
            plan = sailplan.plan(free, robot_radius=size, moves=moves, policy=dijkstra())
        except ProblemError as error:
            return False, str(error)
        return plan.found, " ".join(map(str, plan.notes))

    found, text = attempt(radius)
    largest = re.search(r"the largest radius that has a path is (\S+) cells", text)
    if found:
        assert text == ""
    elif largest is None:
        assert "no path even without a radius" in text
        assert not attempt(0.0)[0]
    else:
        assert float(largest[1]) < radius
        assert attempt(float(largest[1]))[0]
        assert not attempt(float(largest[1]) + 0.00101)[0]


def test_unknown_cells_are_blocked_unless_told_and_noted(tmp_path: Path) -> None:
    pixels = np.array([[255, 205, 255, 255], [255, 0, 255, 255]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "floor.png")
    for source, name in ((tmp_path / "floor.png", "floor"), (pixels, "map")):
        plan = sailplan.plan(source, (0, 0), (3, 0))
        assert not plan.found
        assert list(map(str, plan.notes)) == [f"{name}: 1 of 8 cells are unknown and count as blocked"]
        plan = sailplan.plan(source, (0, 0), (3, 0), unknown="free")
        assert plan.found
        assert list(map(str, plan.notes)) == [f"{name}: 1 of 8 cells are unknown and count as free"]
        with pytest.raises(ProblemError, match=r"the start \(1, 1\) is blocked"):
            sailplan.plan(source, (1, 1))


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_terrain_costs(engine: Any) -> None:
    costs = np.ones((3, 5))
    costs[0, 1:4] = 9.0  # The top row: y = 2.
    free = np.ones((3, 5), np.bool_)
    plan = sailplan.plan(free, (0, 2), (4, 2), costs=costs, policy="a_star_octile", engine=engine)
    assert [y for _, y in plan.cells] == [2, 1, 1, 1, 2]
    assert plan.cost == pytest.approx(2 + 2 * math.sqrt(2))
    assert sailplan.plan(free, (0, 2), (4, 2), costs=costs, engine=engine).found


@pytest.mark.parametrize("limits", [Limits(evaluations=3), Limits(expansions=0), Limits(seconds=0.0)])
def test_a_limit_that_is_reached_leaves_a_partial_path(limits: Limits, tmp_path: Path) -> None:
    plan = sailplan.plan(ROOMS, limits=limits)
    assert (plan.found, plan.cells) == (False, ())
    assert plan.partial[0] == (0, 0)
    (note,) = plan.notes
    last = plan.partial[-1]
    count = len(plan.partial)
    assert note.message == f"no path within the limits; the partial path of {count} cells ends at {last}"
    assert "partial" in repr(plan)
    plan.to_csv(tmp_path / "path.csv")
    assert (tmp_path / "path.csv").read_text() == "x,y\n"
    assert sailplan.plan(ROOMS).partial == ()


def test_policies_by_name_by_file_and_as_objects(tmp_path: Path) -> None:
    assert sailplan.plan(ROOMS).policy_name == "lazy"
    assert sailplan.plan(ROOMS, policy=dijkstra()).cost == sailplan.plan(ROOMS, policy="dijkstra").cost
    policy = sailplan.load_policy("sail:mazes")
    sailplan.save_policy(policy, tmp_path / "model.safetensors")
    assert sailplan.plan(ROOMS, policy=tmp_path / "model.safetensors").found


def test_a_plan_shows_what_it_counts() -> None:
    by_vertices, by_edges = sailplan.plan(ROOMS, policy="optimistic"), sailplan.plan(ROOMS, policy="lazy")
    assert repr(by_vertices).endswith(f", {by_vertices.expansions} expansions)")
    assert repr(by_edges).endswith(f", {by_edges.evaluations} evaluations)")


def test_a_plan_shows_itself(tmp_path: Path) -> None:
    for plan in (
        sailplan.plan(ROOMS),
        sailplan.plan(ROOMS, limits=Limits(expansions=2)),
        sailplan.plan(ROOMS, policy="lazy"),
        sailplan.plan(ROOMS, policy="lazy", limits=Limits(evaluations=2)),
    ):
        assert plan._repr_png_().startswith(b"\x89PNG")
        assert "data:image/png;base64," in plan._repr_html_()
        assert repr(plan).startswith("Plan(rooms: ")
        for name in ("a.png", "a.gif"):
            plan.save(tmp_path / name)
            with Image.open(tmp_path / name) as image:
                image.load()
        with pytest.raises(
            SailplanError, match=r"a\.txt: a plan is saved to a file that ends in \.png, \.gif or \.html$"
        ):
            plan.save(tmp_path / "a.txt")
    assert isinstance(plan, Plan)
    assert plan.problem.states(plan.result.partial_path) == list(plan.partial)


@pytest.mark.parametrize("radius", [False, True, None, "wide", np.array([1.0, 2.0]), -1, math.nan, math.inf])
def test_a_radius_that_is_none_is_refused_in_one_line(radius: Any) -> None:
    with pytest.raises(SailplanError, match=r"^robot_radius must be a finite number that is not negative, got"):
        sailplan.plan(ROOMS, robot_radius=radius)


@pytest.mark.parametrize("radius", [0, 0.0, np.float32(0.0), np.int8(0)])
def test_a_radius_of_zero_says_nothing(radius: Any) -> None:
    walled = np.array([[True, False, True]])
    assert sailplan.plan(walled, robot_radius=radius).notes == ()


def test_bounds_and_solutions() -> None:
    shortest = sailplan.plan(ROOMS, policy="dijkstra")
    assert (sailplan.plan(ROOMS).bound, shortest.bound) == (math.inf, 1.0)
    bounded = sailplan.plan(ROOMS, bound=1.2)
    assert (bounded.bound, bounded.cost <= 1.2 * shortest.cost) == (1.2, True)
    solutions: list[sailplan.Solution] = []
    best = sailplan.plan(ROOMS, on_solution=solutions.append)
    assert best.cost == pytest.approx(shortest.cost)
    assert best.bound == 1.0
    assert best.cells == tuple(best.problem.states(solutions[-1].path))
    nothing = sailplan.plan(np.array([[True, False, True]]), on_solution=solutions.append)
    assert (nothing.found, nothing.outcome) == (False, Outcome.FRONTIER_EMPTY)
