"""The search loop, its two engines, the protocols of graphs and policies, limits and results."""

from sailplan.core.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph, Problem
from sailplan.core.policy import CompiledForm, Discovery, Frontier, Policy
from sailplan.core.result import Limits, Note, Outcome, SearchResult, StopRule, Timing, Trace
from sailplan.core.search import Search, open_search, replay, search
from sailplan.core.state import SearchState

__all__ = [
    "CompiledForm",
    "CompiledGraph",
    "Discovery",
    "EdgeStatus",
    "FiniteGraph",
    "Frontier",
    "Graph",
    "Limits",
    "Note",
    "Outcome",
    "Policy",
    "Problem",
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
