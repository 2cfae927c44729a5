"""Checkers and tiny worlds, for your tests and ours."""

from sailplan.testing.check_learning import check_features, check_regressor
from sailplan.testing.checks import check_graph, check_policy, check_result
from sailplan.testing.tiny_worlds import draw_problem, draw_world, random_problem

__all__ = [
    "check_features",
    "check_graph",
    "check_policy",
    "check_regressor",
    "check_result",
    "draw_problem",
    "draw_world",
    "random_problem",
]
