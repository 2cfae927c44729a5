"""Whether two searches did the same, to the last bit."""

from __future__ import annotations

import numpy as np

from sailplan.core import SearchResult, SearchState
from sailplan.core.kernel.arrays import CLOSED, OPEN


def assert_same_result(one: SearchResult, other: SearchResult) -> None:
    assert one.trace.expanded.tolist() == other.trace.expanded.tolist()
    assert one.trace.evaluated.tolist() == other.trace.evaluated.tolist()
    assert (one.outcome, one.path, one.cost) == (other.outcome, other.path, other.cost)
    assert (one.expansions, one.edge_evaluations) == (other.expansions, other.edge_evaluations)
    assert (one.policy_evaluations, one.non_finite_scores) == (other.policy_evaluations, other.non_finite_scores)


def assert_same_state(one: SearchState, other: SearchState) -> None:
    assert one.expanded.tolist() == other.expanded.tolist()
    assert one.evaluated.tolist() == other.evaluated.tolist()
    assert one.invalid.tolist() == other.invalid.tolist()
    assert one.invalid_edges.tolist() == other.invalid_edges.tolist()
    room = min(len(one.status), len(other.status))
    assert np.array_equal(one.status[:room], other.status[:room])
    assert not one.status[room:].any()
    assert not other.status[room:].any()
    seen = np.flatnonzero((one.status == OPEN) | (one.status == CLOSED))
    for name in ("cost", "parent", "depth"):
        assert getattr(one, name)[seen].tolist() == getattr(other, name)[seen].tolist(), name
