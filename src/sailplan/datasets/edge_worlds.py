"""Roadmaps with the validity of every edge in many worlds, and the `.npz` files that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.archives import ArrayFile, write_arrays
from sailplan.core.graph import Problem
from sailplan.errors import GraphError, WorldError
from sailplan.files import FilePath
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.oracle import cost_to_go

SPLITS = ("train", "validation", "test")
DEFAULT_SIZES = (600, 200)
"""Number of training and validation worlds in a file that does not say so; those that follow are for tests."""
_REQUIRED = ("vertex_count", "sources", "targets", "lengths", "undirected", "valid", "start", "goal")
_OPTIONAL = ("coordinates", "sizes")

Verdicts = NDArray[np.uint8]
"""Packed bits, a row for each world: 1 if an edge is valid."""


@dataclass(frozen=True, eq=False)
class EdgeWorlds:
    """A graph, and which of its edges are valid in each of many worlds.

    Raises
    ------
    WorldError
        If the arrays do not fit together.

    Examples
    --------
    >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)], undirected=True)
    >>> worlds = EdgeWorlds.of(graph, [[True, True, True], [True, False, True]], starts=0, goals=2, name="triangle")
    >>> [float(cost_to_go(worlds.problem(index))[0]) for index in range(len(worlds))]
    [2.0, 3.0]
    """

    topology: ExplicitGraph
    """The vertices and edges."""
    packed: Verdicts
    """The validity of edges, as packed bits; edges are in the order in which the graph was given them."""
    starts: NDArray[np.int64]
    """The start in each world."""
    goals: NDArray[np.int64]
    """The goal in each world."""
    name: str = "edge worlds"
    """The name in tables and messages."""
    sizes: tuple[int, int] = DEFAULT_SIZES
    """Number of training worlds, which come first, and of validation worlds; those that follow are for tests."""

    def __post_init__(self) -> None:
        worlds, width = len(self.packed), -(-self.topology.edge_count // 8)
        if self.packed.dtype != np.uint8 or self.packed.shape != (worlds, width):
            shape = f"{self.packed.dtype} of shape {self.packed.shape}"
            raise WorldError(f"{self.name}: valid must hold {width} bytes for each world, got {shape}")
        for role, vertices in (("start", self.starts), ("goal", self.goals)):
            if vertices.shape != (worlds,):
                raise WorldError(f"{self.name}: {role} must be a vertex, or one for each of {worlds} worlds")
            wrong = vertices[(vertices < 0) | (vertices >= self.topology.vertex_count)]
            if len(wrong):
                raise WorldError(f"{self.name}: the {role} {wrong[0]} is not a vertex")
        if min(self.sizes) < 0:
            raise WorldError(f"{self.name}: numbers of worlds must not be negative, got {self.sizes}")

    @classmethod
    def of(
        cls,
        graph: ExplicitGraph,
        valid: Any,
        starts: int | Sequence[int],
        goals: int | Sequence[int],
        *,
        name: str = "edge worlds",
        sizes: tuple[int, int] = DEFAULT_SIZES,
    ) -> EdgeWorlds:
        """Create worlds from a table of results.

        Parameters
        ----------
        graph
            The vertices and edges.
        valid
            Array of shape (worlds, edges), true where an edge is valid.
        starts, goals
            A vertex, or one for each world.
        name
            The name in tables and messages.
        sizes
            Number of training and of validation worlds.

        Returns
        -------
        EdgeWorlds
            The worlds.

        Raises
        ------
        WorldError
            If the arguments do not fit together.
        """
        table = np.asarray(valid, bool)
        if table.ndim != 2 or table.shape[1] != graph.edge_count:
            raise WorldError(f"{name}: valid has the shape {table.shape}, not (worlds, {graph.edge_count})")
        ends = [np.broadcast_to(np.asarray(each, np.int64), len(table)).copy() for each in (starts, goals)]
        return cls(graph, np.packbits(table, axis=1), ends[0], ends[1], name, sizes)

    def __len__(self) -> int:
        return len(self.packed)

    def valid(self, world: int) -> NDArray[np.bool_]:
        """Return whether each edge is valid in a world."""
        return np.unpackbits(self.packed[world], count=self.topology.edge_count).view(np.bool_)

    def problem(self, world: int, ends: tuple[int, int] | None = None) -> Problem:
        """Return the problem in a world.

        Parameters
        ----------
        world
            Number of the world.
        ends
            Another start and goal.

        Returns
        -------
        Problem
            A problem on an `ExplicitGraph`, which shares all arrays but the results with those of other worlds.
        """
        start, goal = ends or (int(self.starts[world]), int(self.goals[world]))
        return Problem(self.topology.with_results(self.valid(world)), start, goal, name=f"{self.name}/{world}")

    def random_ends(self, world: int, rng: np.random.Generator) -> tuple[int, int]:
        """Draw a goal, and a start from which it can be reached in a world, in the farther half of such vertices.

        The start and goal of the world if some draws find none.
        """
        for _ in range(_MOST_DRAWS):
            goal = int(rng.integers(self.topology.vertex_count))
            costs = cost_to_go(self.problem(world, (goal, goal)))
            costs[~np.isfinite(costs)] = -1.0
            far = np.flatnonzero(costs > 0.5 * costs.max())
            if len(far):
                return int(rng.choice(far)), goal
        return int(self.starts[world]), int(self.goals[world])

    @cached_property
    def _is_first(self) -> NDArray[np.bool_]:
        """Whether no earlier world has the same results, start and goal."""
        rows = np.column_stack([self.packed, self.starts.view(np.uint8).reshape(len(self), -1)])
        rows = np.column_stack([rows, self.goals.view(np.uint8).reshape(len(self), -1)])
        first = np.zeros(len(self), bool)
        first[np.unique(rows, axis=0, return_index=True)[1]] = True
        return first

    def split(self, name: str) -> tuple[list[int], int]:
        """Return the worlds of a split, and the number of those left out because they equal an earlier world.

        Parameters
        ----------
        name
            `train`, `validation`, `test` or `all`.

        Returns
        -------
        worlds, repeated
            Numbers of worlds in ascending order, and how many were left out. In `train` all are kept.

        Raises
        ------
        WorldError
            If there is no such split, or no world in it.
        """
        train, validation = self.sizes
        bounds = {
            "train": (0, train),
            "validation": (train, train + validation),
            "test": (train + validation, len(self)),
            "all": (0, len(self)),
        }
        if name not in bounds:
            raise WorldError(f"{self.name}: no split {name!r}; there are {', '.join(bounds)}")
        worlds = range(len(self))[slice(*bounds[name])]
        kept = [world for world in worlds if name == "train" or self._is_first[world]]
        if not kept:
            raise WorldError(f"{self.name}: no world in the split {name!r}; there are {len(self)} in all")
        return kept, len(worlds) - len(kept)


_MOST_DRAWS = 100
_ALWAYS_READ, _VERTICES_PER_EDGE = 1_000_000, 100
"""Limits of the numbers of vertices, edges and worlds in a file, which take little room in it but much in memory."""


def read_edge_worlds(path: FilePath) -> EdgeWorlds:
    """Read a roadmap with the results of its edges in many worlds.

    Parameters
    ----------
    path
        An `.npz` file with `vertex_count`, `sources`, `targets`, `lengths`, `undirected`, `valid` (packed bits, a row
        for each world), `start`, `goal` (a vertex, or one for each world), and optionally `coordinates` and `sizes`
        (number of training and of validation worlds; 600 and 200 by default).

    Returns
    -------
    EdgeWorlds
        The worlds.

    Raises
    ------
    WorldError
        If the file cannot be read or its arrays do not fit together.
    """
    return edge_worlds_of(ArrayFile(path, error=WorldError))


def is_edge_worlds(file: ArrayFile) -> bool:
    """Return whether the arrays of an `.npz` file are those of edge worlds."""
    return "sources" in file and "targets" in file and "valid" in file


def _check_declared(file: ArrayFile) -> None:
    """Raise WorldError if an array is missing or not of numbers, or there are more edges or worlds than are read.

    An edge takes a few bytes in a file that may be compressed a thousandfold, and two hundred in a graph.
    """
    most = _ALWAYS_READ + file.size
    for name in _REQUIRED:
        if name not in file:
            raise WorldError(f"{file.path}: there is no array {name}")
        declared = file.declared(name)
        if not declared.holds_numbers:
            raise WorldError(f"{file.path}: {name} holds {declared.kind}, not numbers")
        if max(declared.shape, default=1) > most:
            raise WorldError(f"{file.path}: {name} has the shape {declared.shape}, and at most {most} rows are read")


def edge_worlds_of(file: ArrayFile) -> EdgeWorlds:
    """Create worlds from the arrays of a file."""
    _check_declared(file)
    path, arrays = file.path, file.read(_REQUIRED + _OPTIONAL)
    columns = [arrays[name].astype(np.float64) for name in ("sources", "targets", "lengths")]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        shapes = ", ".join(str(column.shape) for column in columns)
        raise WorldError(f"{path}: sources, targets and lengths must be lists of one length, got {shapes}")
    places = arrays.get("coordinates")
    try:
        count = int(arrays["vertex_count"])
        if count > _ALWAYS_READ + _VERTICES_PER_EDGE * len(columns[0]):
            raise WorldError(f"{count} vertices, and only {len(columns[0])} edges")
        graph = ExplicitGraph.from_edges(
            count,
            np.column_stack(columns),
            undirected=bool(arrays["undirected"]),
            coordinates=None if places is None or places.shape[1:] == (0,) else places,
        )
        train, validation = (int(size) for size in arrays.get("sizes", DEFAULT_SIZES))
        worlds = len(np.atleast_2d(arrays["valid"]))
        starts, goals = (np.broadcast_to(arrays[role].astype(np.int64), worlds).copy() for role in ("start", "goal"))
        return EdgeWorlds(graph, arrays["valid"], starts, goals, Path(path).stem, (train, validation))
    except (GraphError, WorldError, TypeError, ValueError, OverflowError) as error:
        raise WorldError(f"{path}: {error}") from error


def write_edge_worlds(worlds: EdgeWorlds, path: FilePath) -> None:
    """Write worlds to a file that `read_edge_worlds` reads.

    Parameters
    ----------
    worlds
        The worlds.
    path
        The `.npz` file, which is replaced.
    """
    graph = worlds.topology
    edges = graph.edges()
    write_arrays(
        path,
        {
            "vertex_count": graph.vertex_count,
            "sources": edges[:, 0].astype(np.int32),
            "targets": edges[:, 1].astype(np.int32),
            "lengths": edges[:, 2],
            "undirected": graph.undirected,
            "valid": worlds.packed,
            "start": worlds.starts,
            "goal": worlds.goals,
            "coordinates": graph.rows.coordinates,
            "sizes": np.array(worlds.sizes),
        },
    )
