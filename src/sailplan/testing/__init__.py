"""Checkers of the contracts of graphs, policies, features and regressors, and tiny worlds for tests."""

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
