"""Records of arrays that are shared by Python and the kernels, and the codes in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, INVALID = 0, 1, 2, 3
"""Status of a vertex."""

VALID_EDGE, INVALID_EDGE, INVALID_TARGET, VALID_TARGET = range(4)
"""Results of evaluating an edge."""
NOT_EVALUATED = 4
"""The result in the arrays of a graph that is evaluated in Python, until it is known."""

(
    RUNNING,
    GOAL_GENERATED,
    GOAL_EXPANDED,
    PATH_CONFIRMED,
    FRONTIER_EMPTY,
    EVALUATIONS_SPENT,
    QUEUE_FULL,
    EDGE_LOG_FULL,
    POLICY_FULL,
    POLICY_DUE,
    ANSWERS_DUE,
    PAUSED,
) = range(12)
"""Why the search kernel returned."""

EXPANSIONS, EDGE_EVALUATIONS, POLICY_EVALUATIONS, NON_FINITE_SCORES, INVALID_VERTICES, INVALID_EDGES = range(6)
"""Indices of `StateArrays.counts`: what has been counted so far."""
EVALUATED, PENDING, REQUESTED, ANSWERED, CHANGED, WORK = range(6, 12)
"""More indices of `StateArrays.counts`: PENDING is one plus a vertex that was selected but not expanded, as a limit
was reached or its edges are evaluated in Python; in a search by edges, one plus the vertex whose expansion was
requested. REQUESTED and ANSWERED are the numbers of edges of the current request; CHANGED is the number of vertices
whose path its answers have changed so far; WORK is the number of vertices that the policy may process, in repairs or in
the search for a candidate, before the kernel returns."""
COUNTS = 12
MOST_WORK = 1 << 12
"""The largest value of WORK, which takes about a millisecond; less in a search with a time limit."""

SELECT, EXPAND, EVALUATE = range(3)
"""Indices of `StateArrays.cycles`."""
PHASES = 3

NEAR, FAR, LIMIT, SPAN, TIES, FIRST_TIE, TIE_RANK = range(7)
"""Indices of a row of `QueueArrays.levels`."""

ENTERED, CHEAPER, TOUCHED = range(3)
"""Effect of an expansion on an open vertex: it entered the open list, its path became cheaper, or neither."""

NO_VERTEX = -1
"""Returned instead of a vertex if there is none."""
NO_ROOM = -2
"""Returned instead of a vertex if arrays of the policy are full; the engine enlarges them and calls again."""
NO_TIME = -3
"""Returned instead of a vertex if the policy needs more time; the engine checks the time limit and calls again."""
NO_QUEUE = -4
"""Returned instead of a number of edges if the queues of the policy are full; the engine enlarges them."""
CONFIRMED = -5
"""Returned instead of a number of edges if the policy accepts the path to the goal."""
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
    evaluated: NDArray[np.int32] = np.empty((0, 3), np.int32)
    """Rows (source, target, result): the edges that a policy requested, in the order of evaluation."""
    edge_status: NDArray[np.uint8] = np.empty(0, np.uint8)
    """One plus the result of each edge by its number, if the policy requests edges; 0 until it is known, so that memory
    is touched only where edges are evaluated."""
    valid_target: NDArray[np.bool_] = np.empty(0, np.bool_)
    """Whether every edge into each vertex is known to be valid, if the policy requests edges."""


class QueueArrays(NamedTuple):
    """Priority queues over the same vertices, one per row; see `heap.py`."""

    ranks: NDArray[np.int64]
    tags: NDArray[np.int64]
    ties: NDArray[np.int64]
    """The tags of near entries that have the rank TIE_RANK, from FIRST_TIE on."""
    levels: NDArray[np.int64]
    """Shape (queues, 7): NEAR, FAR and TIES are the numbers of entries in the parts of each queue; LIMIT and SPAN."""
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
    slots: NDArray[np.int64]
    costs: NDArray[np.float64]
    changes: NDArray[np.uint8]
    """`targets`, `slots`, `costs` and `changes` are scratch arrays for the successors of one vertex."""
    requested: NDArray[np.int64]
    """Rows (source, slot): the edges that the policy requests."""
    backward: Any = 0
    """The arrays of the graph with reversed edges, if the policy requests edges, as all that follow."""
    changed: NDArray[np.int32] = np.empty(0, np.int32)
    """The vertices whose path the answers to the current request have changed."""
    waiting: NDArray[np.int32] = np.empty(0, np.int32)
    """Scratch, a ring: the changed vertices whose successors may have a cheaper path too."""
    marks: NDArray[np.uint8] = np.empty(0, np.uint8)
    """Scratch: whether each vertex is in `changed` or in `waiting`."""
