"""Records of arrays that are shared by Python and the kernels, and the codes in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, INVALID = 0, 1, 2, 3
"""Status of a vertex."""

VALID_EDGE, INVALID_EDGE, INVALID_TARGET = 0, 1, 2
"""Results of evaluating an edge."""

RUNNING, GOAL_GENERATED, GOAL_EXPANDED, FRONTIER_EMPTY, QUEUE_FULL, EDGE_LOG_FULL, POLICY_FULL, POLICY_DUE = range(8)
"""Why the search kernel returned."""

EXPANSIONS, EDGE_EVALUATIONS, POLICY_EVALUATIONS, NON_FINITE_SCORES, INVALID_VERTICES, INVALID_EDGES = range(6)
"""Indices of `StateArrays.counts`."""
COUNTS = 6

SELECT, EXPAND, EVALUATE = range(3)
"""Indices of `StateArrays.cycles`."""
PHASES = 3

NEAR, FAR, LIMIT, SPAN = range(4)
"""Indices of a row of `QueueArrays.levels`."""

ENTERED, CHEAPER, TOUCHED = range(3)
"""Effect of an expansion on an open vertex: it entered the open list, its path became cheaper, or neither."""

NO_VERTEX = -1
NO_ROOM = -2
"""Returned instead of a vertex if arrays of the policy are full; the engine enlarges them and calls again."""
NONE = -1
"""No entry."""


class StateArrays(NamedTuple):
    """Everything a search has uncovered; the entries of a vertex are undefined while it is UNSEEN."""

    status: NDArray[np.uint8]
    """UNSEEN, OPEN, CLOSED or INVALID for each vertex."""
    cost: NDArray[np.float64]
    """Cost of the best path found from the start (g)."""
    parent: NDArray[np.int32]
    """The predecessor on that path; NO_VERTEX at the start."""
    depth: NDArray[np.int32]
    """Number of edges on that path."""
    expanded: NDArray[np.int32]
    """Vertices in the order of their expansion (C)."""
    invalid: NDArray[np.int32]
    """Invalid vertices, in the order of discovery."""
    invalid_edges: NDArray[np.int32]
    """Edges (source, target) that are invalid although the target may not be, in the order of discovery."""
    counts: NDArray[np.int64]
    cycles: NDArray[np.int64]


class QueueArrays(NamedTuple):
    """Priority queues over the same vertices, one per row; see `heap.py`."""

    ranks: NDArray[np.int64]
    tags: NDArray[np.int64]
    levels: NDArray[np.int64]
    """Shape (queues, 4): NEAR, FAR, LIMIT and SPAN of each queue."""
    issued: NDArray[np.int64]
    """The last insertion number, in a single entry."""


class SingleQueueArrays(QueueArrays):
    """A single queue; a separate class, so that kernels are compiled without loops over queues."""


class SearchArrays(NamedTuple):
    """The arrays of one search, shared by the loop, the graph and the policy."""

    graph: Any
    """The arrays of the graph; their class selects the implementations of `edges.py`."""
    state: StateArrays
    queue: QueueArrays
    """The queues of the policy."""
    obstacles: Any
    """The index of invalid vertices; its class selects the implementations of `obstacles.py`."""
    start: int
    goal: int
    targets: NDArray[np.uint32]
    costs: NDArray[np.float64]
    changes: NDArray[np.uint8]
    """`targets`, `costs` and `changes` are scratch arrays for the successors of one vertex."""
