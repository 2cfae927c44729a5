"""Small worlds of a roadmap, for tests of trainings of edges."""

from __future__ import annotations

import numpy as np

from sailplan.graphs import ExplicitGraph, Problem


def lattice_problems() -> list[Problem]:
    """Return worlds of a lattice of 5 x 5 vertices, in each of which a wall with one gap is invalid."""
    cells = [(x, y) for x in range(5) for y in range(5)]
    edges = [(a, b, 1.0) for a, one in enumerate(cells) for b, two in enumerate(cells) if a < b and _near(one, two)]
    graph = ExplicitGraph.from_edges(25, edges, undirected=True)
    rng, problems = np.random.default_rng(0), []
    for _ in range(40):
        wall, gap = int(rng.integers(1, 4)), int(rng.integers(5))
        blocked = {index for index, (x, y) in enumerate(cells) if x == wall and y != gap}
        valid = np.array([a not in blocked and b not in blocked for a, b, _ in edges])
        problems.append(Problem(graph.with_results(valid), 2, 22))
    return problems


def _near(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return abs(one[0] - two[0]) + abs(one[1] - two[1]) == 1
