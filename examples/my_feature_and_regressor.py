"""A feature of your own and a regressor of your own, anything with fit and predict; the reference engine runs them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.core import SearchState, search
from sailplan.datasets import GeneratedWorlds
from sailplan.graphs import Problem, grid_problem
from sailplan.learning import PAPER, train_sail
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.testing import check_features, check_regressor


class OpenNeighbours:
    """How many vertices are open: a feature of the search as a whole."""

    columns = ("open_vertices",)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> NDArray[np.float64]:
        """The same number for every vertex."""
        return np.full((len(vertices), 1), float(len(state.frontier)))


class LeastSquares:
    """A straight line through the examples."""

    def fit(self, rows: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Solve for the weights."""
        self.weights = np.linalg.lstsq(np.hstack([rows, np.ones((len(rows), 1))]), values, rcond=None)[0]

    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Apply them."""
        return np.asarray(rows @ self.weights[:-1] + self.weights[-1])


# What is learned is the excess of the cost-to-go over an initial estimate, the straight-line distance.
features = FeatureSet((*feature_set("paper17").features, OpenNeighbours()), name="mine", estimate=(("h_euc", 1.0),))
check_features(features)
check_regressor(LeastSquares())

problems = [grid_problem(world) for world in GeneratedWorlds("forest", size=9, seed=1, width=31, height=31)]
training = train_sail(
    train=problems[:6],
    validation=problems[6:8],
    settings=PAPER.changed(rounds=2, samples_per_world=10),
    seed=0,
    features=features,
    make_regressor=lambda seed: LeastSquares(),
)
result = search(problems[8], training.policy)
print(f"{result.outcome}: {result.expansions} expansions with the {result.engine} engine")
