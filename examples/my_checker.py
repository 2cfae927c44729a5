"""Plan with a checker of your own: a planar arm with three joints among round obstacles.

All that is needed is a method `valid(configurations)`, which says whether each configuration is free of collisions.
A roadmap calls it along edges, from coarse to fine, and lazy search only for edges that may be part of the path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import sailplan

LINK, POINTS = 1.0, 8
"""Length of a link, and the number of points on it that are checked."""


class PlanarArm:
    """The arm, and discs (x, y, radius) that it must not touch."""

    def __init__(self, discs: list[tuple[float, float, float]]) -> None:
        self.discs = np.array(discs)

    def valid(self, configurations: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether no point of the arm is inside a disc, for each row of joint angles."""
        angles = np.cumsum(configurations, axis=1)
        steps = LINK * np.stack([np.cos(angles), np.sin(angles)], axis=2)
        bases = np.cumsum(steps, axis=1) - steps
        along = np.linspace(0.0, 1.0, POINTS)[:, None]
        points = bases[:, :, None] + along * steps[:, :, None]
        gaps = np.linalg.norm(points[:, :, :, None] - self.discs[:, :2], axis=4) - self.discs[:, 2]
        clear: NDArray[np.bool_] = (gaps > 0.0).all(axis=(1, 2, 3))
        return clear


def main() -> None:
    """Plan twice in one scene, then once more after an obstacle was added."""
    roadmap = sailplan.Roadmap.sample([-np.pi] * 3, [np.pi] * 3, 400, wraps=[True] * 3)
    known = sailplan.KnownEdges(roadmap)
    start, discs, added = [0.0, 0.3, -0.3], [(1.5, 1.5, 0.6), (1.2, -1.6, 0.5)], (-1.6, 1.4, 0.6)
    for goal in ([2.8, 0.3, -0.2], [2.6, 0.6, -0.4]):
        plan(roadmap.problem(start, goal, PlanarArm(discs), extra=4, known=known))
    forgotten = known.forget(lambda rows: ~PlanarArm([added]).valid(rows))
    print(f"an obstacle appears: {forgotten} results forgotten, {len(known.valid)} valid edges still known")
    plan(roadmap.problem(start, goal, PlanarArm([*discs, added]), extra=4, known=known))


def plan(problem: sailplan.Problem) -> None:
    """Print the joint angles of a path, and how many edges were evaluated and checked."""
    result = sailplan.search(problem, sailplan.load_policy("lazy"))
    print(" -> ".join(str(angles.round(1).tolist()) for angles in problem.states(result.path)))
    checked = getattr(problem.graph, "edges_checked", 0)
    print(f"{result.outcome}: length {result.cost:.2f}, {result.edge_evaluations} edges evaluated, {checked} checked")


if __name__ == "__main__":
    main()
