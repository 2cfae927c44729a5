"""Multi-heuristic search."""

from __future__ import annotations

from sailplan.policies.keyed.best_first import BestFirst
from sailplan.policies.keyed.heuristics import Key


def mha_star() -> BestFirst:
    """MHA* as the paper simplifies it: turns between h_EUC, h_MAN and d_OBS, the farthest from known obstacles first.

    The paper does not say which way d_OBS goes; this way the published numbers come out.
    """
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("clearance")))


def mha_star_near() -> BestFirst:
    """The same with the closest to known obstacles first, which follows walls and does far better."""
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("obstacle")))
