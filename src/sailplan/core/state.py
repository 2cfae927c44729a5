"""The state of a search: everything it has uncovered; the queues of its open list; and the memory of such arrays."""

from __future__ import annotations

import math
import mmap
import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sailplan.core.kernel import arrays
from sailplan.core.kernel.arrays import FAR, FIRST_TIE, NEAR, TIES, QueueArrays, SingleQueueArrays, StateArrays
from sailplan.core.kernel.heap import FIRST_SPAN, LARGEST
from sailplan.core.kernel.loop import trace_back
from sailplan.errors import SailplanError

IntArray = NDArray[np.int32]
Shape = int | tuple[int, ...]

MANY = 1 << 22
"""Number of vertices or edges from which huge pages are avoided; smaller graphs are searched faster with them.

numpy asks the system for huge pages for large arrays. A search that goes through a large map would then clear two
megabytes whenever it comes to a new place in an array: it would need several times the memory, and would stand still
for up to a tenth of a second, which breaks time limits."""


def sparse_zeros(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    """Return zeros for every vertex or edge of a graph, whose memory is used where the search touches it."""
    return _mapped(shape, dtype) if _is_large(shape) else np.zeros(shape, dtype)


def sparse_empty(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    """Return the same with any contents."""
    return _mapped(shape, dtype) if _is_large(shape) else np.empty(shape, dtype)


def _is_large(shape: Shape) -> bool:
    return (shape if isinstance(shape, int) else max(shape)) >= MANY


def _mapped(shape: Shape, dtype: DTypeLike) -> NDArray[Any]:
    size = (shape if isinstance(shape, int) else math.prod(shape)) * np.dtype(dtype).itemsize
    if sys.platform == "win32":
        memory = mmap.mmap(-1, size)
    else:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, dtype).reshape(shape)


def as_kernel_array(values: Any, kind: Any) -> NDArray[Any]:
    """Return an array with the one type, order and flags for which kernels are compiled; a copy only if it must be.

    Numba compiles a kernel again for arrays that are read-only, not contiguous or of another type.
    """
    return np.require(values, kind, ["C", "A", "W", "E"])


def allocate_state(vertices: int) -> StateArrays:
    """Allocate arrays for `vertices` vertices, all UNSEEN; memory is touched only when vertices are discovered."""
    # In one block, which the allocator keeps for the next search; several large blocks would be returned to the
    # system, and every search would wait for new pages.
    block = sparse_empty((6, vertices), np.int32)
    return StateArrays(
        status=sparse_zeros(vertices, np.uint8),
        cost=block[:2].reshape(-1).view(np.float64),
        parent=block[2],
        depth=block[3],
        expanded=block[4],
        invalid=block[5],
        invalid_edges=np.empty((1024, 2), np.int32),
        counts=np.zeros(arrays.COUNTS, np.int64),
        cycles=np.zeros(arrays.PHASES, np.int64),
    )


def allocate_queues(queues: int, room: int) -> QueueArrays:
    """Allocate empty queues with room for `room` entries each; memory is touched only when they fill."""
    arrays = SingleQueueArrays if queues == 1 else QueueArrays
    return arrays(
        ranks=np.empty((queues, room), np.int64),
        tags=np.empty((queues, room), np.int64),
        ties=np.empty((queues, room), np.int64),
        levels=np.array([[0, 0, -LARGEST, FIRST_SPAN, 0, 0, -LARGEST]] * queues, np.int64),
        issued=np.zeros(1, np.int64),
    )


def enlarge_queues(queue: QueueArrays) -> QueueArrays:
    """Return the same queues with twice the room."""
    room = queue.ranks.shape[1]
    larger = allocate_queues(len(queue.levels), 2 * room)
    for row, levels in enumerate(queue.levels.tolist()):
        near, far, first, after = levels[NEAR], levels[FAR], levels[FIRST_TIE], levels[FIRST_TIE] + levels[TIES]
        for old, new in ((queue.ranks[row], larger.ranks[row]), (queue.tags[row], larger.tags[row])):
            new[:near] = old[:near]
            new[2 * room - far :] = old[room - far :]
        larger.ties[row, first:after] = queue.ties[row, first:after]
    return larger._replace(levels=queue.levels, issued=queue.issued)


def with_room(queue: QueueArrays, count: int) -> QueueArrays:
    """Return the queues, enlarged if there is no room for `count` more entries."""
    while 2 * (queue.levels[:, [NEAR, FAR, TIES]].sum(axis=1).max() + count) > queue.ranks.shape[1]:
        queue = enlarge_queues(queue)
    return queue


class SearchState:
    """The information that a policy may use: open and closed list, invalid vertices and edges, costs, depths, parents.

    The cost, parent and depth of a vertex are undefined while it is UNSEEN. Only an engine modifies the state.

    Examples
    --------
    >>> from sailplan import load_policy, replay, search
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S.#G")
    >>> state = replay(problem, search(problem, load_policy("dijkstra")).trace)
    >>> state.expanded.tolist(), state.invalid.tolist(), state.path_to(1)
    ([0, 1], [2], [0, 1])
    """

    def __init__(self, vertices: int) -> None:
        self.arrays = allocate_state(vertices)

    def begin(self, start: int) -> None:
        """Add the start to the open list."""
        self.arrays.status[start] = arrays.OPEN
        self.arrays.cost[start] = 0.0
        self.arrays.parent[start] = arrays.NO_VERTEX
        self.arrays.depth[start] = 0

    @property
    def status(self) -> NDArray[np.uint8]:
        """UNSEEN, OPEN, CLOSED or INVALID for each vertex (see `sailplan.core.kernel`)."""
        return self.arrays.status

    @property
    def cost(self) -> NDArray[np.float64]:
        """Cost of the best path found from the start to each vertex (g)."""
        return self.arrays.cost

    @property
    def parent(self) -> IntArray:
        """The predecessor of each vertex on the best path; NO_VERTEX at the start."""
        return self.arrays.parent

    @property
    def depth(self) -> IntArray:
        """Number of edges on the best path to each vertex."""
        return self.arrays.depth

    def is_open(self, vertex: int) -> bool:
        """Return whether a vertex is in the open list."""
        return bool(self.arrays.status[vertex] == arrays.OPEN)

    @property
    def frontier(self) -> NDArray[np.int64]:
        """The open vertices (O), in ascending order."""
        return np.flatnonzero(self.arrays.status == arrays.OPEN)

    @property
    def expanded(self) -> IntArray:
        """The closed vertices (C), in the order of their expansion."""
        return self.arrays.expanded[: self.expansions]

    @property
    def invalid(self) -> IntArray:
        """The vertices known to be invalid (I), in the order of discovery."""
        return self.arrays.invalid[: self.arrays.counts[arrays.INVALID_VERTICES]]

    @property
    def invalid_edges(self) -> IntArray:
        """The edges (source, target) known to be invalid although the target may not be, in the order of discovery."""
        return self.arrays.invalid_edges[: self.arrays.counts[arrays.INVALID_EDGES]]

    @property
    def expansions(self) -> int:
        """Number of vertices expanded."""
        return self.arrays.counts.item(arrays.EXPANSIONS)

    @property
    def evaluated(self) -> IntArray:
        """The edges that the policy requested, as rows (source, target, EdgeStatus), in the order of evaluation."""
        return self.arrays.evaluated[: self.arrays.counts[arrays.EVALUATED]]

    @property
    def valid_edges(self) -> IntArray:
        """The requested edges (source, target) known to be valid, in the order of evaluation."""
        edges = self.evaluated
        return edges[np.isin(edges[:, 2], (arrays.VALID_EDGE, arrays.VALID_TARGET)), :2]

    def track_edges(self, edges: int) -> None:
        """Allocate the results of single edges, of which the graph has `edges`, for a policy that requests edges."""
        self.arrays = self.arrays._replace(
            evaluated=np.empty((1024, 3), np.int32),
            edge_status=sparse_zeros(edges, np.uint8),
            valid_target=sparse_zeros(len(self.arrays.status), np.bool_),
        )

    def count_scores(self, scores: int, non_finite: int = 0) -> None:
        """Count scores that a frontier has computed, and those among them that were not finite."""
        self.arrays.counts.data[arrays.POLICY_EVALUATIONS] += scores
        if non_finite:
            self.arrays.counts[arrays.NON_FINITE_SCORES] += non_finite

    def path_to(self, vertex: int) -> list[int]:
        """Return the best path found from the start to a vertex.

        Parameters
        ----------
        vertex
            An open or closed vertex.

        Returns
        -------
        list of int
            The vertices of the path.

        Raises
        ------
        SailplanError
            If no path to the vertex has been found.
        """
        if self.status[vertex] not in (arrays.OPEN, arrays.CLOSED):
            raise SailplanError(f"no path to vertex {vertex} has been found")
        path = np.empty(int(self.depth[vertex]) + 1, np.int32)
        trace_back(self.parent, vertex, path)
        vertices: list[int] = path.tolist()
        return vertices

    def make_room(self, vertices: int) -> None:
        """Enlarge the arrays if they have fewer than `vertices` entries."""
        room = len(self.arrays.status)
        if vertices > room:
            larger = allocate_state(max(vertices, 2 * room))
            for field in ("status", "cost", "parent", "depth", "expanded", "invalid"):
                getattr(larger, field)[:room] = getattr(self.arrays, field)
            kept = ("invalid_edges", "counts", "cycles", "evaluated", "edge_status")
            self.arrays = larger._replace(**{field: getattr(self.arrays, field) for field in kept})

    def forbid(self, vertices: list[int], edges: list[tuple[int, int]], *, both_ways: bool = False) -> None:
        """Record invalid vertices and edges, in both directions if edges are undirected."""
        if both_ways:
            edges = [ends for source, target in edges for ends in ((source, target), (target, source))]
        self.make_room_for_edges(len(edges))
        # For a few numbers, writing through memory views is faster than array assignment.
        counts, status = self.arrays.counts.data, self.arrays.status.data
        invalid, log = self.arrays.invalid.data, self.arrays.invalid_edges.data
        for vertex in vertices:
            status[vertex] = arrays.INVALID
            invalid[counts[arrays.INVALID_VERTICES]] = vertex
            counts[arrays.INVALID_VERTICES] += 1
        for source, target in edges:
            log[counts[arrays.INVALID_EDGES], 0] = source
            log[counts[arrays.INVALID_EDGES], 1] = target
            counts[arrays.INVALID_EDGES] += 1

    def make_room_for_edges(self, count: int) -> None:
        """Enlarge the logs of edges if they have no room for `count` more."""
        for name, used in (("invalid_edges", arrays.INVALID_EDGES), ("evaluated", arrays.EVALUATED)):
            log, entries = getattr(self.arrays, name), int(self.arrays.counts[used])
            if 0 < len(log) < entries + count:
                larger = np.empty((max(2 * len(log), entries + count), log.shape[1]), np.int32)
                larger[:entries] = log[:entries]
                self.arrays = self.arrays._replace(**{name: larger})
