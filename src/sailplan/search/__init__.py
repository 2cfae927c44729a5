"""The search loop, its two engines, and what they return."""

from sailplan.search.limits import Limits, Outcome, StopRule
from sailplan.search.policy import CompiledPolicy, Discovery, Frontier, Policy
from sailplan.search.recorder import Trace
from sailplan.search.result import SearchResult, Timing
from sailplan.search.run import Search, open_search, replay, search
from sailplan.search.state import SearchState

__all__ = [
    "CompiledPolicy",
    "Discovery",
    "Frontier",
    "Limits",
    "Outcome",
    "Policy",
    "Search",
    "SearchResult",
    "SearchState",
    "StopRule",
    "Timing",
    "Trace",
    "open_search",
    "replay",
    "search",
]
