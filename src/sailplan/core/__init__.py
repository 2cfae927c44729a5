"""The search loop, its two engines, the protocols of graphs and policies, and what a search returns."""

from sailplan.core.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph
from sailplan.core.limits import Limits, Outcome, StopRule
from sailplan.core.policy import CompiledForm, Discovery, Frontier, Note, Policy
from sailplan.core.problem import Problem
from sailplan.core.result import SearchResult, Timing
from sailplan.core.search import Search, open_search, replay, search
from sailplan.core.state import SearchState
from sailplan.core.trace import Trace

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
