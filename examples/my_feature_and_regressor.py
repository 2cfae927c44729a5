"""Train a policy with a feature and a regressor of your own; the reference engine runs it."""

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


class OpenVertices:
    """The number of open vertices: a feature of the search as a whole."""

    columns = ("open_vertices",)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> NDArray[np.float64]:
        """Return the same number for every vertex, shape (vertices, columns)."""
        return np.full((len(vertices), 1), float(len(state.frontier)))


class LeastSquares:
    """Linear least squares."""

    def fit(self, rows: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Fit the weights to the examples."""
        self.weights = np.linalg.lstsq(np.hstack([rows, np.ones((len(rows), 1))]), values, rcond=None)[0]

    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the predicted value of each row."""
        return np.asarray(rows @ self.weights[:-1] + self.weights[-1])


def main() -> None:
    """Check both against their contracts, train on a few small worlds, and search."""
    # The regressor learns the excess of the cost-to-go over an initial estimate, the straight-line distance.
    features = FeatureSet((*feature_set("paper17").features, OpenVertices()), name="mine", estimate=(("h_euc", 1.0),))
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


if __name__ == "__main__":
    main()
