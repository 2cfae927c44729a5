"""My drone: from an OctoMap or an array to a lazy plan in metres, with a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import sailplan
from sailplan.graphs import save_views

RADIUS = 0.3
"""Of the drone, in metres."""


def building() -> NDArray[np.bool_]:
    """A storey of 12 x 8 x 3 m in voxels of 0.2 m; True is occupied. Two walls have a door and a window."""
    occupied = np.zeros((60, 40, 15), bool)
    occupied[20] = occupied[40] = True
    occupied[20, 28:36, :11] = occupied[40, 4:12, 5:13] = False
    return occupied


def main() -> None:
    """Plan through the OctoMap given, from a point to another one, or through a building of our own."""
    if len(sys.argv) > 1:
        graph = sailplan.read_octomap(sys.argv[1]).graph(unknown="blocked", robot_radius=RADIUS)
        numbers = [float(number) for number in sys.argv[2:8]]
        start, goal = numbers[:3], numbers[3:]
    else:
        graph = sailplan.VoxelGraph(building(), resolution=0.2).inflated(RADIUS, metres=True)
        start, goal = [0.9, 1.1, 1.0], [11.0, 7.0, 2.0]
    problem = graph.problem(start, goal, metres=True)
    for name in ("a_star_octile", "optimistic", "lazy"):
        result = sailplan.search(problem, sailplan.load_policy(name))
        metres = graph.resolution * result.cost if graph.resolution else result.cost
        print(f"{name:14} {result.outcome.value:14} {metres:6.2f} m, {result.edge_evaluations:7} edges evaluated")
    points = graph.points(result.path)
    print(f"{len(points)} points, from {points[0].round(2).tolist()} to {points[-1].round(2).tolist()}")
    np.savetxt("my_drone.csv", points, fmt="%.3f", delimiter=",", header="x,y,z", comments="")
    save_views(graph, result, Path("my_drone.png"))


if __name__ == "__main__":
    main()
