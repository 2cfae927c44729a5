"""Checkers of features and regressors, for your own; each raises AssertionError and says what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sailplan.core import Limits, open_search
from sailplan.core.graph import Problem
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features import Feature
from sailplan.policies.keyed.policy import greedy
from sailplan.testing.checks import with_other_hidden_cells
from sailplan.testing.tiny_worlds import random_problem


def check_features(features: Feature, problems: Sequence[Problem] | None = None) -> None:
    """Check the contract of a feature or a set of them in searches on these problems, or on small random grids.

    Columns have distinct names; there is a finite number for each vertex and column, the same each time and whether
    vertices are asked for alone or together; nothing that the search has not uncovered changes it.
    """
    assert len(set(features.columns)) == len(features.columns) > 0, "columns must be named, each by a name of its own"
    rng = np.random.default_rng(0)
    for problem in problems or [random_problem(rng) for _ in range(10)]:
        for expansions in (0, 1, 5, 50):
            session = open_search(problem, greedy("euclidean"))
            session.run(Limits(expansions=expansions))
            vertices = session.state.frontier.tolist()
            if not vertices:
                continue
            rows = np.asarray(features(problem, session.state, vertices))
            expected = len(vertices), len(features.columns)
            assert rows.shape == expected, f"{problem.name}: shape {rows.shape}, expected {expected}"
            assert np.isfinite(rows).all(), f"{problem.name}: a number is not finite"
            again = np.vstack([features(problem, session.state, [vertex]) for vertex in vertices])
            assert np.array_equal(rows, again), f"{problem.name}: other numbers when asked for one vertex at a time"
            if isinstance(problem.graph, GridGraph):
                hidden = with_other_hidden_cells(problem, session.state.expanded.tolist(), rng)
                told = features(hidden, session.state, vertices)
                assert np.array_equal(rows, told), f"{problem.name}: it looks at cells that the search has not seen"


def check_regressor(regressor: Any) -> None:
    """Check that a regressor learns a straight line, and another, and gives a number for each row."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 3))
    for weights in ([1.0, -2.0, 0.5], [-1.0, 0.0, 2.0]):
        values = rows @ np.array(weights)
        regressor.fit(rows, values)
        predicted = np.asarray(regressor.predict(rows)).reshape(-1)
        assert predicted.shape == values.shape, f"{predicted.shape} predictions for {len(values)} rows"
        assert np.isfinite(predicted).all(), "a prediction is not finite"
        left = np.mean((predicted - values) ** 2) / np.var(values)
        assert left < 0.5, f"{left:.0%} of a straight line's variance is left after fitting it"
