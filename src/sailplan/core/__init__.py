"""The search loop, its two engines, the protocols of graphs and policies, limits and results."""

from sailplan.core.anytime import Solution, improve
from sailplan.core.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph, Problem
from sailplan.core.policy import CompiledForm, Discovery, EdgeRequest, Frontier, PathConfirmed, Policy
from sailplan.core.replay import replay
from sailplan.core.result import Limits, Note, Outcome, SearchResult, StopRule, Timing, Trace
from sailplan.core.search import Search, open_search, search
from sailplan.core.state import SearchState

__all__ = [
    "CompiledForm",
    "CompiledGraph",
    "Discovery",
    "EdgeRequest",
    "EdgeStatus",
    "FiniteGraph",
    "Frontier",
    "Graph",
    "Limits",
    "Note",
    "Outcome",
    "PathConfirmed",
    "Policy",
    "Problem",
    "Search",
    "SearchResult",
    "SearchState",
    "Solution",
    "StopRule",
    "Timing",
    "Trace",
    "improve",
    "open_search",
    "replay",
    "search",
]
