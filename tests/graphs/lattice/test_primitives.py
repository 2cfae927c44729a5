"""Motion primitives: checks, costs, reversed motions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sailplan.errors import GraphError
from sailplan.graphs import MotionPrimitive, MotionPrimitives
from sailplan.graphs.lattice.primitives import build_primitive, four_ways
from tests.lattices import WITH_TURNS

HEADINGS = (0.0, math.pi / 2.0)
AHEAD = MotionPrimitive(0, 0, (1, 0), 0.5, np.array([(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)]))


def _primitive(**changes: object) -> MotionPrimitive:
    facts = {"start": 0, "end": 0, "offset": (1, 0), "cost": 0.5, "poses": AHEAD.poses}
    return MotionPrimitive(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("primitives", "message"),
    [
        ((), "^robot: there are no motion primitives$"),
        (
            (AHEAD, _primitive(start=2)),
            r"^robot: primitive 1 leads from heading 2 to 0, and the headings are 0 \.\. 1$",
        ),
        ((_primitive(cost=0.0),), "finite cost above 0"),
        ((_primitive(cost=math.nan),), "finite cost above 0"),
        ((_primitive(offset=(0, 0)),), "does not move"),
        ((_primitive(offset=(2, 0)),), r"ends at \(0.5, 0\), and not in the centre of cell \(2, 0\)"),
        ((_primitive(end=1),), "ends at the angle 0, and not at heading 1"),
        ((_primitive(poses=np.array([(0.2, 0.0, 0.0), (0.5, 0.0, 0.0)])),), r"starts at \(0.2, 0\)"),
    ],
)
def test_bad_primitives_are_refused(primitives: tuple[MotionPrimitive, ...], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        MotionPrimitives(0.5, HEADINGS, primitives, name="robot")


@pytest.mark.parametrize("poses", [[], [(0, 0, 0)], [(0, 0), (1, 0)], [(0, 0, 0), (math.inf, 0, 0)], "poses"])
def test_bad_poses_are_refused(poses: object) -> None:
    with pytest.raises(GraphError, match="poses"):
        _primitive(poses=poses)


@pytest.mark.parametrize("headings", [(), (1.0, 0.5), (0.0, 0.0), (-0.1, 0.5), (0.0, 7.0), ("north",)])
def test_bad_headings_are_refused(headings: tuple[float, ...]) -> None:
    with pytest.raises(GraphError, match="robot: headings must be"):
        MotionPrimitives(0.5, headings, (AHEAD,), name="robot")


@pytest.mark.parametrize("resolution", [0.0, -1.0, math.nan, math.inf])
def test_bad_resolutions_are_refused(resolution: float) -> None:
    with pytest.raises(GraphError, match="resolution must be above 0"):
        MotionPrimitives(resolution, HEADINGS, (AHEAD,))


def test_of_two_motions_between_the_same_poses_the_cheaper_one_is_kept() -> None:
    detour = _primitive(cost=0.4)
    primitives = MotionPrimitives(0.5, HEADINGS, (AHEAD, detour, _primitive(cost=0.4)))
    assert primitives.by_heading == ((detour,), ())
    assert primitives.cost_per_metre == pytest.approx(0.8)


def test_the_cost_is_the_larger_of_length_and_turn_times_the_multiplier() -> None:
    def cost(end: int, length: float, turn_cost: float, multiplier: float) -> float:
        return build_primitive(
            HEADINGS, 0.5, start=0, end=end, offset=(1, 0), poses=(), length=length, turn_cost=turn_cost,
            multiplier=multiplier,
        ).cost  # fmt: skip

    assert cost(0, 0.7, 9.0, 1.0) == 0.7
    assert cost(0, 0.1, 9.0, 1.0) == 0.5  # not below the straight line
    assert cost(1, 0.7, 1.0, 1.0) == math.pi / 2.0
    assert cost(1, 0.7, 0.1, 3.0) == pytest.approx(2.1)


def test_first_and_last_pose_are_exact() -> None:
    primitive = build_primitive(
        HEADINGS, 0.5, start=0, end=1, offset=(1, 1),
        poses=[(0.00001, 0.0, 0.0), (0.4, 0.1, 0.6), (0.5, 0.49, 1.5)], length=1.0, turn_cost=0.0,
    )  # fmt: skip
    assert primitive.poses.tolist() == [[0, 0, 0], [0.4, 0.1, 0.6], [0.5, 0.49, 1.5], [0.5, 0.5, math.pi / 2.0]]


def test_reversed_motions_lead_back() -> None:
    both = WITH_TURNS.with_reverse(3.0)
    count = len(WITH_TURNS.primitives)
    assert both.primitives[:count] == WITH_TURNS.primitives
    for one, back in zip(WITH_TURNS.primitives, both.primitives[count:], strict=True):
        assert (back.start, back.end, back.cost) == (one.end, one.start, 3.0 * one.cost)
        assert back.offset == (-one.offset[0], -one.offset[1])
        assert np.allclose(back.poses[::-1, 2], one.poses[:, 2])
    with pytest.raises(GraphError, match="backward must be above 0"):
        WITH_TURNS.with_reverse(0.0)


@pytest.mark.parametrize(
    ("angle", "heading"), [(0.1, 0), (-0.1, 0), (1.5, 1), (3.2, 2), (-1.5, 3), (9.0, 2), (40.0, 1)]
)
def test_the_nearest_heading(angle: float, heading: int) -> None:
    assert four_ways([(1, 0, 0)], resolution=1.0).nearest_heading(angle) == heading
