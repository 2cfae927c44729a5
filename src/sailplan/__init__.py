"""Learn which vertex a search should expand next, and find paths with as few expansions as possible.

Names are loaded when they are first used, so that `import sailplan` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sailplan.errors import SailplanError
    from sailplan.graphs import (
        CallbackGraph,
        EdgeStatus,
        ExplicitGraph,
        Graph,
        GridGraph,
        Moves,
        Problem,
        from_networkx,
        grid_problem,
    )
    from sailplan.oracle import cost_to_go
    from sailplan.policies import BestFirst, OraclePolicy, a_star, dijkstra, greedy, make_policy, weighted_a_star
    from sailplan.search import (
        Limits,
        Outcome,
        Policy,
        SearchResult,
        SearchState,
        StopRule,
        Trace,
        open_search,
        replay,
        search,
    )
    from sailplan.worlds import World, WorldDataset, read_world, write_world

__version__ = "0.1.0"

_HOMES = {
    "sailplan.errors": ["SailplanError"],
    "sailplan.graphs": [
        "CallbackGraph",
        "EdgeStatus",
        "ExplicitGraph",
        "Graph",
        "GridGraph",
        "Moves",
        "Problem",
        "from_networkx",
        "grid_problem",
    ],
    "sailplan.oracle": ["cost_to_go"],
    "sailplan.policies": [
        "BestFirst",
        "OraclePolicy",
        "a_star",
        "dijkstra",
        "greedy",
        "make_policy",
        "weighted_a_star",
    ],
    "sailplan.search": [
        "Limits",
        "Outcome",
        "Policy",
        "SearchResult",
        "SearchState",
        "StopRule",
        "Trace",
        "open_search",
        "replay",
        "search",
    ],
    "sailplan.worlds": ["World", "WorldDataset", "read_world", "write_world"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'sailplan' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
