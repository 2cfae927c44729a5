"""Multi-heuristic search."""

from __future__ import annotations

from sailplan.policies.best_first import BestFirst
from sailplan.policies.heuristics import Key


def mha_star() -> BestFirst:
    """MHA* as the paper simplifies it: turns between h_EUC, h_MAN and d_OBS, the distance to known obstacles."""
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("obstacle")))
