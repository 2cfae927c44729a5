"""The search loop, its two engines, and what they return."""

from sailplan.core.limits import Limits, Outcome, StopRule
from sailplan.core.policy import CompiledPolicy, Discovery, Frontier, Policy
from sailplan.core.result import Note, SearchResult, Timing
from sailplan.core.search import Search, open_search, replay, search
from sailplan.core.state import SearchState
from sailplan.core.trace import Trace

__all__ = [
    "CompiledPolicy",
    "Discovery",
    "Frontier",
    "Limits",
    "Note",
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
