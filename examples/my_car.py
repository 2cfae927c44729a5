"""Plan for a car-like robot: a map, motion primitives and a footprint in; poses and a picture out.

Run it on your own robot with `python my_car.py floor.yaml primitives.json`: a map, and a lattice file of Nav2 (.json)
or motion primitives of SBPL (.mprim) for cells of the same size. Without arguments it plans on a generated map.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sailplan
from sailplan.graphs import save_lattice

FOOTPRINT = [(-0.15, -0.15), (0.35, -0.15), (0.35, 0.15), (-0.15, 0.15)]
"""Corners in metres; x points ahead, y to the left, and the origin is the point that the primitives move."""


def main(folder: Path) -> None:
    """Compare planners, then save the poses and a picture of the lazy plan."""
    if len(sys.argv) > 2:
        world, motions = sailplan.read_world(sys.argv[1]), sailplan.read_primitives(sys.argv[2])
    else:
        world = sailplan.generate_world("forest", seed=3, index=0)  # without a resolution: cells of the primitives
        motions = sailplan.read_primitives(Path(__file__).parent / "car.mprim")
    graph = sailplan.LatticeGraph(world, motions.with_reverse(2.0), FOOTPRINT)
    print(f"{graph.vertex_count} poses, {len(graph.primitives.primitives)} motions")

    x, y, _ = graph.state(graph.vertex_count - 1)  # the last pose is in the top right corner
    start, goal = (0.9, 0.9, 0.0), (x - 0.9, y - 0.9, 1.57)
    problem = graph.problem(start, goal)  # metres and radians; an error says where the robot collides

    for policy in ("a_star", "optimistic", "lazy", "lazy:1.2"):
        result = sailplan.search(problem, sailplan.load_policy(policy))
        print(f"{policy:10} cost {result.cost:7.3f} m  {result.edge_evaluations:7} motions checked")

    poses = graph.poses(result.path)  # rows (x, y, heading) for a controller, those between the vertices among them
    folder.mkdir(exist_ok=True)
    with (folder / "poses.csv").open("w", encoding="utf-8") as file:
        file.writelines(f"{x:.4f},{y:.4f},{heading:.4f}\n" for x, y, heading in poses)
    save_lattice(problem, result.path, folder / "car.png", result.trace.evaluated)
    print(f"{len(poses)} poses from {problem.states(result.path[:1])[0]}, in {folder}")


if __name__ == "__main__":
    main(Path("my_car"))
