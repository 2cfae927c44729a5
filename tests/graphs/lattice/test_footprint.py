"""Footprints: the cells that they cover at a pose and along a motion, against clipped polygons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.errors import GraphError
from sailplan.graphs import Footprint, MotionPrimitive, as_footprint
from sailplan.graphs.lattice.footprint import SAMPLES_PER_CELL, sampled
from tests.lattices import ARROW, CAR
from tests.naive.lattice import covered_cells, swept_cells

POSES = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(0.0, 2.0 * math.pi))
LEAST_AREA = 1e-9
"""Overlaps below this area may be counted or not."""


def _cells(found: np.ndarray) -> set[tuple[int, int]]:
    return {(x, y) for x, y in found.tolist()}


@pytest.mark.parametrize("corners", [CAR, ARROW, ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1))])
@given(pose=POSES)
def test_the_cells_at_a_pose_are_those_that_share_an_area(
    corners: tuple[tuple[float, float], ...], pose: tuple[float, float, float]
) -> None:
    found = _cells(as_footprint(corners).cells(pose, 0.5))
    areas = covered_cells(corners, pose, 0.5)
    assert {cell for cell, area in areas.items() if area > LEAST_AREA} <= found
    # A corner that reaches into a cell by a hair shares an area of nearly nothing with it.
    assert found <= covered_cells(corners, pose, 0.5, enlarged=1.0001).keys()


@given(pose=POSES, radius=st.floats(0.0, 1.2))
def test_a_disc_covers_the_cells_whose_closest_point_is_within_its_radius(
    pose: tuple[float, float, float], radius: float
) -> None:
    found = _cells(as_footprint(radius).cells(pose, 0.5))
    for x in range(-10, 11):
        for y in range(-10, 11):
            gaps = [max(abs(0.5 * number - at) - 0.25, 0.0) for number, at in zip((x, y), pose, strict=False)]
            away = math.hypot(*gaps)
            if abs(away - radius) > 1e-6:
                assert ((x, y) in found) == (away < radius)


def test_touching_is_not_overlapping() -> None:
    square = as_footprint([(-0.25, -0.25), (0.25, -0.25), (0.25, 0.25), (-0.25, 0.25)])
    assert square.cells((0.0, 0.0, 0.0), 0.5).tolist() == [[0, 0]]
    assert as_footprint(0.25).cells((0.0, 0.0, 0.0), 0.5).tolist() == [[0, 0]]
    assert as_footprint(0.26).cells((0.0, 0.0, 0.0), 0.5).tolist() == [[-1, 0], [0, -1], [0, 0], [0, 1], [1, 0]]


@st.composite
def motions(draw: st.DrawFn) -> MotionPrimitive:
    poses = draw(st.lists(POSES, min_size=2, max_size=3))
    return MotionPrimitive(0, 0, (0, 0), 1.0, np.array(poses))


@pytest.mark.parametrize("corners", [CAR, ARROW])
@settings(max_examples=50)
@given(motion=motions())
def test_a_conservative_sweep_holds_every_overlap_of_dense_samples(
    corners: tuple[tuple[float, float], ...], motion: MotionPrimitive
) -> None:
    swept = _cells(as_footprint(corners).sweep(motion.poses, 0.5))
    dense = swept_cells(corners, motion, 0.5, most=0.03)
    assert {cell for cell, area in dense.items() if area > LEAST_AREA} <= swept


@settings(max_examples=50)
@given(motion=motions())
def test_a_sweep_holds_no_cell_far_from_the_motion(motion: MotionPrimitive) -> None:
    footprint = as_footprint(CAR)
    swept = _cells(footprint.sweep(motion.poses, 0.5))
    loose = _cells(footprint.sweep(motion.poses, 0.5, conservative=False))
    assert loose <= swept
    # Cells that are larger by an eighth on each side.
    assert swept <= swept_cells(CAR, motion, 0.5, most=0.03, enlarged=1.3).keys()


@given(motion=motions(), radius=st.floats(0.1, 2.0))
def test_samples_are_close_and_hold_the_given_poses(motion: MotionPrimitive, radius: float) -> None:
    step = 0.5 / SAMPLES_PER_CELL
    samples = sampled(motion.poses, step, radius)
    turns = np.remainder(np.diff(samples[:, 2]) + math.pi, 2.0 * math.pi) - math.pi
    moved = np.hypot(*np.diff(samples[:, :2], axis=0).T) + np.abs(turns) * radius
    assert (moved <= step * (1.0 + 1e-6)).all()
    for pose in motion.poses:
        near = np.abs(samples[:, :2] - pose[:2]).max(axis=1) < 1e-9
        angles = np.remainder(samples[:, 2] - pose[2] + math.pi, 2.0 * math.pi) - math.pi
        assert (near & (np.abs(angles) < 1e-9)).any()


@pytest.mark.parametrize(
    ("given_footprint", "message"),
    [
        ("round", "a footprint is a radius or corners"),
        (-1.0, "must not be negative"),
        (math.nan, "needs finite numbers"),
        (True, "needs finite numbers"),
        ([(0, 0), (1, 0)], "three or more corners"),
        ([(0, 0), (1, 0), (2, 0)], "needs an area"),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 1)], "three or more corners"),
        ([(0, 0), (1,)], "a footprint is a radius or corners"),
    ],
)
def test_bad_footprints_are_refused(given_footprint: object, message: str) -> None:
    with pytest.raises(GraphError, match=message) as caught:
        as_footprint(given_footprint)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_footprint_stays_what_it_is() -> None:
    footprint = as_footprint(CAR)
    assert as_footprint(footprint) is footprint
    assert isinstance(footprint, Footprint)
    assert footprint.outline((1.0, 2.0, math.pi / 2.0)).round(9).tolist()[1] == [1.3, 2.9]
    assert as_footprint(0.5).outline((0.0, 0.0, 0.0)).shape == (24, 2)


def test_a_footprint_of_too_many_cells_is_refused() -> None:
    for radius in (1e9, 1e300):
        with pytest.raises(GraphError, match=r"too large for cells of 0\.1 m"):
            as_footprint(radius).cells((0.0, 0.0, 0.0), 0.1)
