"""Lazy search with an edge posterior in the loop: which edges of the candidate path are evaluated next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CONFIRMED, INVALID_EDGES, INVALID_VERTICES, NO_VERTEX, NOT_EVALUATED
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import is_valid, locate, successor
from sailplan.core.kernel.loop import evaluate_edges, known_status, step
from sailplan.core.kernel.policy import is_due, on_edges, on_open, request
from sailplan.policies.lazy.kernel.candidate import (
    CRITICAL,
    EDGES,
    EFFORT,
    NO_CANDIDATE,
    READ,
    ROOT,
    SEARCHING,
    TURN,
    UNKNOWN_DISTANCE,
    find_candidate,
    lay_candidate,
)
from sailplan.policies.lazy.kernel.critical import find_shares
from sailplan.policies.lazy.kernel.selection import ALTERNATE, position_in_order
from sailplan.policies.replanning.beliefs.kernel.edge_network import EdgeNetworkArrays
from sailplan.policies.replanning.beliefs.kernel.edges import EdgeMemoryArrays, learn_edge, probability_invalid

_LEAST_SHARE = 1e-9
_LITTLE_EFFORT = 256
"""The difference of vertices settled that is worth changing the end."""


class RememberedArrays(NamedTuple):
    """A lazy search with an edge posterior."""

    memory: EdgeMemoryArrays | EdgeNetworkArrays
    earlier: NDArray[np.uint8]
    """The result of each edge in earlier searches in the same world; NOT_EVALUATED if there is none."""
    scale: float
    """Lengths are whole numbers: the cost of an edge times this, at least 1."""
    surprise: float
    """The penalty of an edge for each unit of surprise, in the same unit."""
    bound: NDArray[np.float64]
    """The largest cost of an edge in lengths, in a single entry."""
    haste: NDArray[np.float64]
    """The weight of `ahead`, in a single entry; 1 if there is a bound."""
    ahead: NDArray[np.int64]
    """Shape (1 or 2, vertices): a lower bound of the distance of each vertex to the goal, which is consistent; NO_WAY
    if there is no path. If edges are undirected, the second row is the same for the start."""
    selector: int
    batch: int
    """Largest number of edges in a request."""
    sharing: float
    detour: float
    """See `EdgeWeights`; the latter in the unit of lengths."""
    travelled: NDArray[np.int64]
    """Scratch, like all fields below: the length of the path to each vertex."""
    phases: NDArray[np.int64]
    """Twice the number of the search in which each vertex was reached, and one more if it was settled."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]
    """The vertex and the slot by which each vertex was reached."""
    settled: NDArray[np.int32]
    """The vertices in the order in which they were settled."""
    candidate: NDArray[np.int32]
    """The vertices of the candidate, without the goal, and in the second row the slots of its edges."""
    unknown: NDArray[np.int32]
    """The edges of the candidate whose results are not known."""
    shares: NDArray[np.float64]
    """For CRITICAL: the share of almost shortest paths that contain each edge."""
    forward: NDArray[np.float64]
    onward: NDArray[np.float64]
    """For CRITICAL: the weights of the paths to and from each vertex."""
    known: NDArray[np.int64]
    """Counters; see EDGES, RUN, ..."""


step.register(RememberedArrays)(evaluate_edges)


@is_due.register(RememberedArrays)
def _is_due(search, policy):
    """Return whether the distances to the other end must be computed."""
    return policy.ahead[policy.known[ROOT], 0] == UNKNOWN_DISTANCE


@on_open.register(RememberedArrays)
def _on_open(search, policy, row, vertex, change):
    # The loop tells by the number that the start was added.
    search.queue.issued[0] += 1


@on_edges.register(RememberedArrays)
def _on_edges(search, policy, count):
    policy.known[TURN] += 1
    for index in range(count):
        source, slot = search.requested[index, 0], search.requested[index, 1]
        place = locate(search.graph, source)
        status = known_status(search, source, place, slot, successor(search.graph, place, slot))
        edge = search.graph.given[place[0] + slot]
        if not is_valid(status):
            _select_root(policy, source)
        if policy.earlier[edge] == NOT_EVALUATED:
            learn_edge(policy.memory, edge, not is_valid(status))


@inlined
def _select_root(policy, source):
    """Search from the end of the candidate that is closer to an invalid edge of it.

    What has changed is met at once, and the rest of the path costs what it did: few vertices have to be settled. If
    searches from the other end have settled much fewer, they go on from there.
    """
    known = policy.known
    for index in range(known[EDGES]):
        if policy.candidate[0, index] == source:
            root = min(2 * index // known[EDGES], len(policy.ahead) - 1)
            if len(policy.ahead) > 1 and known[EFFORT + root] > 4 * known[EFFORT + 1 - root] + _LITTLE_EFFORT:
                root = 1 - root
            known[ROOT] = root


@request.register(RememberedArrays)
def _request(search, policy):
    known, counts = policy.known, search.state.counts
    news = counts[INVALID_EDGES] + counts[INVALID_VERTICES]
    if known[EDGES] == NO_CANDIDATE or known[READ] != news:
        if known[READ] != news:
            known[SEARCHING] = 0
        known[EDGES], known[READ] = NO_CANDIDATE, news
        code = find_candidate(search, policy)
        if code != 0:
            return 0 if code == NO_VERTEX else code
        if policy.selector == CRITICAL:
            code = find_shares(search, policy)
            if code != 0:
                return code
        known[SEARCHING] = 0
        lay_candidate(search, policy)
    return _pick(search, policy)


@piece
def _pick(search, policy):
    """Request edges of the candidate; CONFIRMED if all of them are known to be valid."""
    known, unknown, found = policy.known, policy.unknown, 0
    for index in range(known[EDGES]):
        source, slot = np.int64(policy.candidate[0, index]), np.int64(policy.candidate[1, index])
        place = locate(search.graph, source)
        status = known_status(search, source, place, slot, np.int64(successor(search.graph, place, slot)))
        if not is_valid(status):
            unknown[found] = index
            found += 1
    if found == 0:
        return CONFIRMED
    count = min(found, policy.batch)
    for index in range(count):
        chosen = unknown[_position(search, policy, index, found)]
        search.requested[index, 0] = policy.candidate[0, chosen]
        search.requested[index, 1] = policy.candidate[1, chosen]
    return count


@inlined
def _position(search, policy, index, found):
    """Return the position among the `found` unknown edges of the candidate of the edge that is requested next."""
    if policy.selector <= ALTERNATE:
        return position_in_order(policy.selector, policy.known[TURN], index, found)
    return _most_doubtful(search, policy, index, found)


@piece
def _most_doubtful(search, policy, index, found):
    """Move the best edge from the rest of the list to position `index`; the first one if there are several."""
    unknown, best, largest = policy.unknown, index, -1.0
    for position in range(index, found):
        source, slot = policy.candidate[0, unknown[position]], policy.candidate[1, unknown[position]]
        edge = search.graph.given[search.graph.first[source] + slot]
        score = probability_invalid(policy.memory, edge)
        if policy.selector == CRITICAL:
            score *= (policy.shares[edge] + _LEAST_SHARE) ** policy.sharing
        if score > largest:
            best, largest = position, score
    chosen = unknown[best]
    for position in range(best, index, -1):
        unknown[position] = unknown[position - 1]
    unknown[index] = chosen
    return index
