"""The compiled search loop and its parts: functions of arrays that use numpy and numba only.

Your own graphs and policies register implementations of the functions that are declared here; see
`examples/hexagons.py`.
"""

from sailplan.core.kernel.arrays import (
    CHEAPER,
    CLOSED,
    ENTERED,
    EXPANSIONS,
    INVALID,
    INVALID_EDGE,
    INVALID_TARGET,
    NO_VERTEX,
    OPEN,
    TOUCHED,
    UNSEEN,
    VALID_EDGE,
    SearchArrays,
    StateArrays,
)
from sailplan.core.kernel.compile import dispatched, inlined, kernel, piece
from sailplan.core.kernel.edges import (
    combine,
    distance,
    edge_cost,
    locate,
    lower_bound,
    position,
    slot_count,
    successor,
    verdict,
)
from sailplan.core.kernel.heap import offer, pop
from sailplan.core.kernel.policy import choose, counted, keys_alone, on_open

__all__ = [
    "CHEAPER",
    "CLOSED",
    "ENTERED",
    "EXPANSIONS",
    "INVALID",
    "INVALID_EDGE",
    "INVALID_TARGET",
    "NO_VERTEX",
    "OPEN",
    "TOUCHED",
    "UNSEEN",
    "VALID_EDGE",
    "SearchArrays",
    "StateArrays",
    "choose",
    "combine",
    "counted",
    "dispatched",
    "distance",
    "edge_cost",
    "inlined",
    "kernel",
    "keys_alone",
    "locate",
    "lower_bound",
    "offer",
    "on_open",
    "piece",
    "pop",
    "position",
    "slot_count",
    "successor",
    "verdict",
]
