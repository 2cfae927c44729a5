"""The records of arrays that pass between Python and the kernels, and the codes they hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, INVALID = 0, 1, 2, 3
"""What a search knows of a vertex."""

VALID_EDGE, INVALID_EDGE, INVALID_TARGET = 0, 1, 2
"""What the evaluation of an edge can say."""

RUNNING, GOAL_GENERATED, GOAL_EXPANDED, FRONTIER_EMPTY, QUEUE_FULL, EDGE_LOG_FULL, POLICY_FULL, POLICY_DUE = range(8)
"""Why the search kernel returned."""

EXPANSIONS, EDGE_EVALUATIONS, POLICY_EVALUATIONS, NON_FINITE_SCORES, INVALID_VERTICES, INVALID_EDGES = range(6)
"""Places in `StateArrays.counts`."""
COUNTS = 6

SELECT, EXPAND, EVALUATE = range(3)
"""Places in `StateArrays.cycles`."""
PHASES = 3

NEAR, FAR, LIMIT, SPAN = range(4)
"""Places in a row of `QueueArrays.levels`."""

ENTERED, CHEAPER, TOUCHED = range(3)
"""What an expansion did to an open vertex: let it in, found a cheaper path to it, or neither."""

NO_VERTEX = -1
NO_ROOM = -2
"""Instead of a vertex: arrays of the policy are full; the engine has them enlarged and asks again."""
NONE = -1
"""No entry of a list."""


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
    """The same with one queue: a class of its own, so that kernels are compiled without loops over queues."""


class SearchArrays(NamedTuple):
    """One search: everything that the loop, the graph and the policy share."""

    graph: Any
    """The arrays of the graph, whose class picks the bodies of `edges.py`."""
    state: StateArrays
    queue: QueueArrays
    """The open list, as far as the policy keeps it in queues."""
    obstacles: Any
    """What is kept of invalid vertices, whose class picks the bodies of `obstacles.py`."""
    start: int
    goal: int
    targets: NDArray[np.uint32]
    costs: NDArray[np.float64]
    changes: NDArray[np.uint8]
    """Scratch for the successors of one vertex; so are the two before."""
