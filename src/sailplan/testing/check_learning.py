"""Checkers of the contracts of features and regressors."""

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
    """Check the contract of a feature or a feature set during searches.

    The columns must have distinct names. There must be one finite value per vertex and column, which does not depend
    on the other vertices of the call or on cells that the search has not uncovered.

    Parameters
    ----------
    features
        The feature, or a `FeatureSet`.
    problems
        Problems to search; small random grids by default.

    Raises
    ------
    AssertionError
        If the contract is broken; the message states how.

    Examples
    --------
    >>> from sailplan.policies import feature_set
    >>> from sailplan.testing import draw_problem
    >>> check_features(feature_set("relative"), [draw_problem("S.#.G")])
    """
    assert len(set(features.columns)) == len(features.columns) > 0, "columns must be named, each by a different name"
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
            assert np.isfinite(rows).all(), f"{problem.name}: a value is not finite"
            again = np.vstack([features(problem, session.state, [vertex]) for vertex in vertices])
            assert np.array_equal(rows, again), f"{problem.name}: other values for one vertex at a time"
            if isinstance(problem.graph, GridGraph):
                hidden = with_other_hidden_cells(problem, session.state.expanded.tolist(), rng)
                altered = features(hidden, session.state, vertices)
                assert np.array_equal(rows, altered), f"{problem.name}: it reads cells that the search has not seen"


def check_regressor(regressor: Any) -> None:
    """Check that a regressor can be fitted to a linear function, and then to another one.

    Parameters
    ----------
    regressor
        An object with `fit(rows, values)` and `predict(rows)`.

    Raises
    ------
    AssertionError
        If a prediction is missing or not finite, or more than half of the variance remains after a fit.

    Examples
    --------
    >>> class LeastSquares:
    ...     def fit(self, rows, values):
    ...         self.weights = np.linalg.lstsq(rows, values, rcond=None)[0]
    ...
    ...     def predict(self, rows):
    ...         return rows @ self.weights
    >>> check_regressor(LeastSquares())
    """
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 3))
    for weights in ([1.0, -2.0, 0.5], [-1.0, 0.0, 2.0]):
        values = rows @ np.array(weights)
        regressor.fit(rows, values)
        predicted = np.asarray(regressor.predict(rows)).reshape(-1)
        assert predicted.shape == values.shape, f"{predicted.shape} predictions for {len(values)} rows"
        assert np.isfinite(predicted).all(), "a prediction is not finite"
        left = np.mean((predicted - values) ** 2) / np.var(values)
        assert left < 0.5, f"{left:.0%} of the variance of a linear function remains after the fit"
