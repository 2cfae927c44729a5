"""Small random roadmaps with worlds that have something in common."""

from __future__ import annotations

import numpy as np

from sailplan.datasets.edge_worlds import EdgeWorlds
from sailplan.graphs import ExplicitGraph


def random_roadmap(
    seed: int,
    *,
    vertices: int = 12,
    dimensions: int = 2,
    undirected: bool = True,
    worlds: int = 10,
    density: float = 0.3,
) -> EdgeWorlds:
    """Draw edges of random lengths and independent results of them; a quarter of the results is invalid."""
    rng = np.random.default_rng(seed)
    ends = np.argwhere(rng.random((vertices, vertices)) < density)
    ends = ends[ends[:, 0] < ends[:, 1]] if undirected else ends[ends[:, 0] != ends[:, 1]]
    rng.shuffle(ends)
    graph = ExplicitGraph.from_edges(
        vertices,
        np.column_stack([ends, rng.uniform(0.5, 2.0, len(ends))]),
        undirected=undirected,
        coordinates=rng.normal(size=(vertices, dimensions)) if dimensions else None,
    )
    start, goal = rng.integers(vertices, size=2).tolist()
    valid = rng.random((worlds, len(ends))) < rng.choice([0.5, 1.0], len(ends))
    return EdgeWorlds.of(graph, valid, start, goal, name=f"random {seed}", sizes=(worlds, 0))


def corridors(
    worlds: int, *, seed: int = 0, count: int = 6, length: int = 4, coordinates: bool = True, sizes: tuple[int, int]
) -> EdgeWorlds:
    """Corridors of vertices from 0 to 1, of which a random half is blocked at the far end in each world.

    The first corridors are open in most worlds, and the others are shorter.
    """
    rng = np.random.default_rng(seed)
    edges, places, ends = list[tuple[int, int, float]](), [[0.0, 0.0], [length + 1.0, 0.0]], list[int]()
    for number in range(count):
        inside = [2 + number * length + step for step in range(length)]
        places += [[step + 1.0, number + 1.0] for step in range(length)]
        along = 1.0 + 0.1 * (count - number)
        edges += [(before, after, along) for before, after in zip([0, *inside], [*inside, 1], strict=True)]
        ends.append(len(edges) - 1)
    graph = ExplicitGraph.from_edges(len(places), edges, undirected=True, coordinates=places if coordinates else None)
    valid = np.ones((worlds, len(edges)), bool)
    valid[:, ends] = rng.random((worlds, count)) < np.linspace(0.95, 0.05, count)
    valid[:, ends[0]] |= ~valid[:, ends].any(axis=1)
    return EdgeWorlds.of(graph, valid, 0, 1, name="corridors", sizes=sizes)
