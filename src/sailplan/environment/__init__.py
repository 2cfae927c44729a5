"""The Gymnasium environment `sailplan/GraphSearch-v0`, and policies that use trained agents."""

from gymnasium import register

from sailplan.environment.agent_policy import AgentPolicy
from sailplan.environment.attractors import Attractors, solution_paths
from sailplan.environment.graph_search import GraphSearch
from sailplan.environment.view import EDGE_COLUMNS, EdgeView, Top, View

__all__ = [
    "EDGE_COLUMNS",
    "AgentPolicy",
    "Attractors",
    "EdgeView",
    "GraphSearch",
    "Top",
    "View",
    "solution_paths",
]

register("sailplan/GraphSearch-v0", entry_point="sailplan.environment.graph_search:GraphSearch")
