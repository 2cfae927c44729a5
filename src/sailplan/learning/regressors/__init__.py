"""Regressors: what learns scores from examples."""

from sailplan.learning.regressors.regressor import (
    DenseRegressor,
    Differences,
    MakeRegressor,
    Regressor,
    ScaledModel,
    fit_model,
    network_maker,
)

__all__ = ["DenseRegressor", "Differences", "MakeRegressor", "Regressor", "ScaledModel", "fit_model", "network_maker"]
