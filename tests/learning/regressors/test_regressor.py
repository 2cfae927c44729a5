from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from sailplan.core import search
from sailplan.errors import TrainingError
from sailplan.learning import Examples, NetworkSettings, train_sail
from sailplan.learning.regressors import ScaledModel, fit_model, network_maker
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.features.absolute import COST, EUCLIDEAN
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from tests.learning.tiny import TINY, tiny_problems

FEATURES = feature_set("relative")
NETWORK = NetworkSettings(hidden=(20,), epochs=30, batch_size=16)


class Remembering:
    """Predicts the values that it was given, and keeps both."""

    def fit(self, rows: np.ndarray, values: np.ndarray) -> None:
        self.rows, self.values = rows, values

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.values[: len(rows)]


def _examples(count: int = 60, seed: int = 0) -> Examples:
    rng = np.random.default_rng(seed)
    rows = rng.normal(5.0, 3.0, (count, len(FEATURES.columns)))
    rows[:, 3] = 1.5
    guess = rows[:, FEATURES.columns.index("relative_h_euc")]
    return Examples(rows, guess + 100.0 + 7.0 * np.abs(rows[:, 0]))


def test_columns_and_values_are_scaled_before_they_are_fitted() -> None:
    examples, regressor = _examples(), Remembering()
    model, loss = fit_model(regressor, examples, FEATURES, "cost_to_go")
    changing = np.arange(len(FEATURES.columns)) != 3
    assert regressor.rows.mean(axis=0) == pytest.approx(np.zeros(len(FEATURES.columns)), abs=1e-12)
    assert regressor.rows.std(axis=0)[changing] == pytest.approx(np.ones(changing.sum()))
    assert (regressor.values.mean(), regressor.values.std()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))
    assert loss == 0.0
    assert model.predict(examples.rows) == pytest.approx(examples.labels)


def test_the_detour_is_what_exceeds_the_first_guess() -> None:
    examples, regressor = _examples(), Remembering()
    model, _ = fit_model(regressor, examples, FEATURES, "detour")
    detour = 100.0 + 7.0 * np.abs(examples.rows[:, 0])
    assert isinstance(model, ScaledModel)
    assert regressor.values * model.unit + model.offset == pytest.approx(detour)
    assert model.predict(examples.rows) == pytest.approx(examples.labels)
    assert model.linear.sum() == 1.0


def test_the_guess_of_the_walls_has_two_terms() -> None:
    walls = feature_set("walls")
    rows = np.random.default_rng(0).normal(size=(20, len(walls.columns)))
    model, _ = fit_model(Remembering(), Examples(rows, rows[:, 0]), walls, "detour")
    weights = dict(zip(walls.columns, model.linear.tolist(), strict=True))
    assert {name: weight for name, weight in weights.items() if weight} == dict(walls.estimate)
    assert len(walls.estimate) == 2


def test_without_a_first_guess_there_is_no_detour() -> None:
    features = FeatureSet((COST, EUCLIDEAN), "mine")
    with pytest.raises(TrainingError, match=r"^mine: the features have no initial estimate"):
        fit_model(Remembering(), Examples(np.zeros((3, 2)), np.zeros(3)), features, "detour")


def test_labels_that_are_all_alike() -> None:
    examples = Examples(np.random.default_rng(0).normal(size=(10, len(FEATURES.columns))), np.full(10, 3.0))
    model, loss = fit_model(LinearRegression(), examples, FEATURES, "cost_to_go")
    assert model.predict(examples.rows) == pytest.approx(np.full(10, 3.0))
    assert loss == pytest.approx(0.0)


@pytest.mark.parametrize("target", ["cost_to_go", "detour"])
def test_a_network_becomes_a_dense_one_that_predicts_the_labels(target: str) -> None:
    examples = _examples(400)
    regressor = network_maker(NETWORK, FEATURES)(3)
    model, loss = fit_model(regressor, examples, FEATURES, target)
    assert isinstance(model, DenseNetwork)
    assert 0.0 < loss < 0.1
    slow = ScaledModel(regressor, model.scaling, model.linear, model.unit, model.offset)
    assert model.predict(examples.rows) == pytest.approx(slow.predict(examples.rows), abs=1e-2)
    error = np.mean((model.predict(examples.rows) - examples.labels) ** 2)
    assert error == pytest.approx(loss * model.unit**2, rel=1e-3)


def test_a_scaled_model_predicts_in_the_unit_of_the_labels() -> None:
    regressor = Remembering()
    regressor.values = np.array([[1.0], [2.0]])
    model = ScaledModel(regressor, Scaling.none(2), np.array([0.0, 10.0]), unit=3.0, offset=0.5)
    assert model.predict(np.array([[9.0, 1.0], [9.0, 2.0]])).tolist() == [13.5, 26.5]


def test_the_network_of_a_patch_has_a_convolution() -> None:
    for name, patch_columns in (("relative", 0), ("patch", 121)):
        features = feature_set(name)
        rows = np.random.default_rng(0).normal(size=(20, len(features.columns)))
        network = network_maker(NETWORK, features)(0)
        network.fit(rows, rows[:, 0])
        width = network.dense_layers()[0][0].shape[1]
        assert (width > 20) == bool(patch_columns)


@pytest.mark.parametrize("make", [LinearRegression, DecisionTreeRegressor])
def test_a_regressor_of_scikit_learn_is_a_policy(make: type) -> None:
    problems = tiny_problems()
    policy = train_sail(
        problems[:4], problems[4:], TINY.changed(rounds=2), seed=0, make_regressor=lambda seed: make()
    ).policy
    assert isinstance(policy, LearnedPolicy)
    assert isinstance(policy.model, ScaledModel)
    for problem in problems:
        result = search(problem, policy)
        assert result.found
        assert result.engine == "reference"


def test_the_seed_of_each_round_goes_to_the_regressor() -> None:
    problems, seeds = tiny_problems(), []

    def make(seed: int) -> LinearRegression:
        seeds.append(seed)
        return LinearRegression()

    for seed in (0, 0, 1):
        train_sail(problems[:4], problems[4:], TINY.changed(rounds=2), seed=seed, make_regressor=make)
    assert seeds[:2] == seeds[2:4]
    assert len(set(seeds)) == 4


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sailplan.learning.regressors.torch_network", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TrainingError, match=r"^training a network needs torch: pip install '.\[train\]'"):
        network_maker(NETWORK, FEATURES)
    problems = tiny_problems()
    with pytest.raises(TrainingError, match=r"pip install"):
        train_sail(problems[:4], problems[4:], TINY, seed=0)
    one = TINY.changed(rounds=1)
    assert train_sail(problems[:4], problems[4:], one, seed=0, make_regressor=lambda seed: LinearRegression())


def test_learning_is_imported_without_torch() -> None:
    code = "import sailplan.learning, sailplan.learning.run_folder, sys; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
