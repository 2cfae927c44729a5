"""Checkers and tiny worlds, for your tests and ours."""

from sailplan.testing.checks import check_graph, check_policy, check_result
from sailplan.testing.tiny_worlds import draw_problem, draw_world, random_problem

__all__ = ["check_graph", "check_policy", "check_result", "draw_problem", "draw_world", "random_problem"]
