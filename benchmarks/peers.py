"""Other libraries that plan on grids and graphs, each called as its users call it, with the rule that it plans by."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets import Cell, World
from sailplan.graphs import MOVINGAI_MOVES, PAPER_MOVES, EdgeStatus, GridGraph, Moves, grid_problem
from sailplan.oracle import cost_to_go

Solve = Callable[[], Any]
"""Plan from the bottom-left to the top-right cell of a prepared world; the path comes as the peer gives it."""

UNIT_MOVES = Moves(diagonal_cost=1.0)
"""A diagonal costs as much as a straight move."""
WHOLE_MOVES = Moves(diagonal_cost=99 / 70)
"""The square root of two as near as small whole numbers come to it."""


@dataclass(frozen=True)
class Peer:
    """A library and one of its planners."""

    name: str
    package: str
    rule: str
    """Its corner cutting and diagonal cost, as in its documentation or source."""
    moves: Moves
    """The moves under which ours plans by the same rule."""
    prepare: Callable[[World], Solve]
    """Make the map or graph that its call takes."""
    cells: Callable[[Any, int], list[Cell]]
    """Turn its path, on a world of this width, into cells."""
    graph: bool = False
    """Whether a graph is to be built first, which takes long."""

    def installed(self) -> bool:
        """Whether it can be imported."""
        try:
            importlib.import_module(self.package)
        except ImportError:
            return False
        return True


def from_rows(path: Any, width: int) -> list[Cell]:
    """Read a path of (row, column)."""
    return [(int(column), int(row)) for row, column in path]


def from_vertices(path: Any, width: int) -> list[Cell]:
    """Read a path of vertex numbers."""
    return [(int(vertex) % width, int(vertex) // width) for vertex in path]


def from_columns(path: Any, width: int) -> list[Cell]:
    """Read a path of (x, y)."""
    return [(int(x), int(y)) for x, y in path]


def from_nodes(path: Any, width: int) -> list[Cell]:
    """Read a path of node objects."""
    return [(node.x, node.y) for node in path]


def random_world(side: int, seed: int) -> World:
    """Block 20 % of the cells at random, again until the corners are joined even where no corner may be cut."""
    rng = np.random.default_rng([side, seed])
    while True:
        blocked = rng.random((side, side)) < 0.2
        blocked[0, 0] = blocked[-1, -1] = False
        world = World(blocked, name="20 % blocked")
        if math.isfinite(cost_to_go(grid_problem(world, moves=MOVINGAI_MOVES))[0]):
            return world


def path_cost(world: World, moves: Moves, cells: Sequence[Cell]) -> float:
    """Add up a path from corner to corner; infinite where it makes a move that the rule forbids."""
    graph = GridGraph(world, moves)
    path = [graph.vertex(cell) for cell in cells]
    total = 0.0 if path[:1] + path[-1:] == [0, graph.vertex_count - 1] else math.inf
    for vertex, target in pairwise(path):
        costs = dict(zip(*graph.successors(vertex), strict=True))
        held = graph.evaluate(vertex, [target])[0] in (EdgeStatus.VALID, EdgeStatus.VALID_TARGET)
        total += costs.get(target, math.inf) if held else math.inf
    return total


def grid_edges(world: World) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Every move between free cells once, corners cut: sources, targets and costs."""
    free, vertices = ~world.blocked, np.arange(world.blocked.size).reshape(world.blocked.shape)
    here, there = slice(None, -1), slice(1, None)
    pairs = (
        ((slice(None), here), (slice(None), there), 1.0),
        ((here, slice(None)), (there, slice(None)), 1.0),
        ((here, here), (there, there), math.sqrt(2.0)),
        ((here, there), (there, here), math.sqrt(2.0)),
    )
    held = [(vertices[a][free[a] & free[b]], vertices[b][free[a] & free[b]], cost) for a, b, cost in pairs]
    sources, targets = (np.concatenate([edges[end] for edges in held]) for end in (0, 1))
    return sources, targets, np.concatenate([np.full(len(edges[0]), edges[2]) for edges in held])


def octile_to_goal(world: World) -> Callable[[int], float]:
    """Distance to the top-right cell on an empty grid, for peers that ask Python for the heuristic."""
    width, goal_x, goal_y, extra = world.width, world.width - 1, world.height - 1, math.sqrt(2.0) - 1.0

    def distance(vertex: int) -> float:
        across, up = goal_x - vertex % width, goal_y - vertex // width
        return across + extra * up if across > up else up + extra * across

    return distance


def pyastar2d(world: World) -> Solve:
    """A* in C++ over an array of float32 weights."""
    plan = importlib.import_module("pyastar2d").astar_path
    weights = np.where(world.blocked, np.inf, 1.0).astype(np.float32)
    goal = world.height - 1, world.width - 1
    return lambda: plan(weights, (0, 0), goal, allow_diagonal=True)


def tcod_pathfinder(world: World) -> Solve:
    """A* in C over an array, costs are integers."""
    path = importlib.import_module("tcod.path")
    graph = path.SimpleGraph(cost=(~world.blocked).astype(np.int8), cardinal=70, diagonal=99)

    def solve() -> Any:
        finder = path.Pathfinder(graph)
        finder.add_root((0, 0))
        return finder.path_to((world.height - 1, world.width - 1))

    return solve


def w9_grid(diagonal_movement: str) -> Callable[[World], Solve]:
    """A* in C++ over a grid object, with one of its rules for diagonal moves."""

    def prepare(world: World) -> Solve:
        envs, finders = (importlib.import_module(f"w9_pathfinding.{part}") for part in ("envs", "pf"))
        grid = envs.Grid(
            np.where(world.blocked, -1.0, 1.0).tolist(),
            diagonal_movement=envs.DiagonalMovement[diagonal_movement],
            diagonal_movement_cost_multiplier=math.sqrt(2.0),
        )
        finder, goal = finders.AStar(grid), (world.width - 1, world.height - 1)
        return lambda: finder.find_path((0, 0), goal)

    return prepare


def scikit_image(world: World) -> Solve:
    """Dijkstra in Cython over an array; it stops at the goal."""
    route = importlib.import_module("skimage.graph").route_through_array
    costs = np.where(world.blocked, -1.0, 1.0)
    goal = world.height - 1, world.width - 1
    return lambda: route(costs, (0, 0), goal, fully_connected=True, geometric=True)[0]


def scipy_dijkstra(world: World) -> Solve:
    """Dijkstra in Cython over a sparse matrix; it cannot stop at the goal."""
    sparse = importlib.import_module("scipy.sparse")
    dijkstra = importlib.import_module("scipy.sparse.csgraph").dijkstra
    sources, targets, costs = grid_edges(world)
    size = world.blocked.size
    ends = np.concatenate((sources, targets)), np.concatenate((targets, sources))
    graph = sparse.csr_matrix((np.concatenate((costs, costs)), ends), shape=(size, size))

    def solve() -> list[int]:
        _, before = dijkstra(graph, indices=0, return_predecessors=True)
        path = [size - 1]
        while path[-1] != 0:
            path.append(int(before[path[-1]]))
        return path[::-1]

    return solve


def rustworkx_a_star(world: World) -> Solve:
    """A* in Rust that asks Python for heuristic and cost."""
    rustworkx = importlib.import_module("rustworkx")
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(world.blocked.size))
    sources, targets, costs = grid_edges(world)
    graph.add_edges_from(list(zip(sources.tolist(), targets.tolist(), costs.tolist(), strict=True)))
    goal, distance = world.blocked.size - 1, octile_to_goal(world)
    return lambda: rustworkx.graph_astar_shortest_path(graph, 0, lambda node: node == goal, float, distance)


def igraph_dijkstra(world: World) -> Solve:
    """Dijkstra in C; it stops at the goal. (Its A* crashes the process on graphs of this size: igraph 1.0.0.)"""
    sources, targets, costs = grid_edges(world)
    graph = importlib.import_module("igraph").Graph(world.blocked.size, np.stack((sources, targets), axis=1))
    graph.es["weight"] = costs.tolist()
    goal = world.blocked.size - 1
    return lambda: graph.get_shortest_path(0, goal, weights="weight")


def networkx_a_star(world: World) -> Solve:
    """A* in Python over dictionaries."""
    networkx = importlib.import_module("networkx")
    graph = networkx.Graph()
    sources, targets, costs = grid_edges(world)
    graph.add_weighted_edges_from(zip(sources.tolist(), targets.tolist(), costs.tolist(), strict=True))
    goal, distance = world.blocked.size - 1, octile_to_goal(world)
    return lambda: networkx.astar_path(graph, 0, goal, lambda vertex, _: distance(vertex))


def pathfinding_a_star(world: World) -> Solve:
    """A* in Python over a grid of node objects."""
    grids, rules, finders = (
        importlib.import_module(f"pathfinding.{part}")
        for part in ("core.grid", "core.diagonal_movement", "finder.a_star")
    )
    grid = grids.Grid(matrix=(~world.blocked).astype(int).tolist())
    finder = finders.AStarFinder(diagonal_movement=rules.DiagonalMovement.always)
    start, goal = grid.node(0, 0), grid.node(world.width - 1, world.height - 1)
    return lambda: finder.find_path(start, goal, grid)[0]


CUT = "cuts corners, diagonal √2"
PEERS: Sequence[Peer] = (
    Peer("pyastar2d", "pyastar2d", "cuts corners, diagonal 1", UNIT_MOVES, pyastar2d, from_rows),
    Peer("tcod Pathfinder", "tcod", "cuts corners, diagonal 99/70", WHOLE_MOVES, tcod_pathfinder, from_rows),
    Peer("w9-pathfinding", "w9_pathfinding", CUT, PAPER_MOVES, w9_grid("always"), from_columns),
    Peer(
        "w9-pathfinding, whole corners",
        "w9_pathfinding",
        "cuts no corners, diagonal √2",
        MOVINGAI_MOVES,
        w9_grid("only_when_no_obstacle"),
        from_columns,
    ),
    Peer("scikit-image route", "skimage", CUT, PAPER_MOVES, scikit_image, from_rows),
    Peer("scipy dijkstra", "scipy", CUT, PAPER_MOVES, scipy_dijkstra, from_vertices, graph=True),
    Peer("rustworkx A*", "rustworkx", CUT, PAPER_MOVES, rustworkx_a_star, from_vertices, graph=True),
    Peer("igraph dijkstra", "igraph", CUT, PAPER_MOVES, igraph_dijkstra, from_vertices, graph=True),
    Peer("networkx A*", "networkx", CUT, PAPER_MOVES, networkx_a_star, from_vertices, graph=True),
    Peer("pathfinding A*", "pathfinding", CUT, PAPER_MOVES, pathfinding_a_star, from_nodes, graph=True),
)
