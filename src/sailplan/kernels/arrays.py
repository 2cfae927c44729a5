"""The records of arrays that cross the border between Python and the kernels, and the codes they hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, INVALID = 0, 1, 2, 3
"""What a search knows of a vertex."""

VALID_EDGE, INVALID_EDGE, INVALID_TARGET = 0, 1, 2
"""What an edge check can say."""

RUNNING, GOAL_GENERATED, GOAL_EXPANDED, FRONTIER_EMPTY, QUEUE_FULL, EDGE_LOG_FULL, REPAIR_FULL, BELIEF_DUE = range(8)
"""Why the search kernel came back."""

EXPANSIONS, EDGE_EVALUATIONS, POLICY_EVALUATIONS, NON_FINITE_SCORES, INVALID_VERTICES, INVALID_EDGES = range(6)
"""Places in `StateArrays.counts`."""
COUNTS = 6

SELECT, EXPAND, EVALUATE = range(3)
"""Places in `StateArrays.cycles`."""
PHASES = 3

NEAR, FAR, LIMIT, SPAN = range(4)
"""Places in a row of `QueueArrays.levels`."""

ZERO, EUCLIDEAN, MANHATTAN, OCTILE, OBSTACLE, CLEARANCE, TABLE = range(7)
"""What `KeyArrays.heuristic` may name."""

ENTERED, CHEAPER, TOUCHED = range(3)
"""What an expansion did to an open vertex: let it in, found a cheaper path to it, or neither."""

FROZEN, ON_TOUCH, LAZY, FULL = range(4)
"""When a learned score is computed; see `LearnedArrays.rescore`."""

NO_VERTEX = -1
NO_ROOM = -2
"""Instead of a vertex: a queue is full, ask again."""
NONE = -1
"""No entry of a list."""


class GridArrays(NamedTuple):
    """A grid whose edges are implied by its cells; vertex = y * width + x."""

    blocked: NDArray[np.bool_]
    """Shape (height * width,)."""
    width: int
    height: int
    directions: int
    """4 or 8."""
    corner_cutting: bool
    diagonal_cost: float
    """2, the cost of the two straight moves, where there are no diagonal ones."""


class CsrArrays(NamedTuple):
    """A graph as compressed sparse rows: the edges of vertex v are first[v] .. first[v + 1] - 1."""

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    costs: NDArray[np.float64]
    verdicts: NDArray[np.uint8]
    """What a check of each edge says."""
    coordinates: NDArray[np.float64]
    """Shape (vertices, dimensions)."""


class StateArrays(NamedTuple):
    """Everything a search has uncovered; a vertex's entries mean nothing while it is UNSEEN."""

    status: NDArray[np.uint8]
    """UNSEEN, OPEN, CLOSED or INVALID for each vertex."""
    cost: NDArray[np.float64]
    """Cost of the best path found from the start (g)."""
    parent: NDArray[np.int32]
    """The vertex before it on that path; NO_VERTEX at the start."""
    depth: NDArray[np.int32]
    """Number of edges on that path."""
    expanded: NDArray[np.int32]
    """Vertices in the order of their expansion (C)."""
    invalid: NDArray[np.int32]
    """Vertices found invalid, in the order of discovery."""
    invalid_edges: NDArray[np.int32]
    """Edges (source, target) found invalid although the target may not be, in the order of discovery."""
    counts: NDArray[np.int64]
    cycles: NDArray[np.int64]


class QueueArrays(NamedTuple):
    """Priority queues over the same vertices, one a row; see `heap.py`."""

    ranks: NDArray[np.int64]
    tags: NDArray[np.int64]
    levels: NDArray[np.int64]
    """Shape (queues, 4): NEAR, FAR, LIMIT and SPAN of each queue."""
    issued: NDArray[np.int64]
    """The insertion number last given out, in a single entry."""


class SingleQueueArrays(QueueArrays):
    """The same where there is only one, a kind of its own so that kernels are compiled without loops over queues."""


class NoObstacles(NamedTuple):
    """Nothing is kept about invalid vertices: no policy of this search asks where they are."""

    unused: int = 0


class ListedObstacles(NamedTuple):
    """Invalid vertices anywhere in space, looked through one by one."""

    unused: int = 0


class GridObstacles(NamedTuple):
    """Invalid cells by place, so that the closest is found without a look at all of them; see `obstacles.py`.

    A cell goes by its number in the order of discovery.
    """

    cells: NDArray[np.int32]
    """Shape (vertices, 2): the x and y of each."""
    heads: NDArray[np.int32]
    """Shape (bucket rows, bucket columns): the last one discovered in each bucket, or NONE."""
    links: NDArray[np.int32]
    """The one discovered before it in the same bucket, or NONE."""
    columns: NDArray[np.int32]
    """The first one discovered in each column, or NONE."""
    rows: NDArray[np.int32]
    """The first one discovered in each row, or NONE."""
    roots: NDArray[np.int32]
    """A step from each invalid cell towards the one that stands for its wall, NONE for other cells; see `walls.py`.
    Empty where no policy asks for walls, and so are the next two."""
    sizes: NDArray[np.int32]
    """How many cells the wall has, at the cell that stands for it."""
    extremes: NDArray[np.int32]
    """Shape (vertices, 8), at the cell that stands for a wall: its farthest cells in eight directions."""
