"""Regressors, which learn scores from examples."""

from sailplan.learning.regressors.regressor import (
    DenseRegressor,
    Differences,
    Examples,
    MakeRegressor,
    Regressor,
    ScaledModel,
    fit_model,
    network_maker,
)

__all__ = [
    "DenseRegressor",
    "Differences",
    "Examples",
    "MakeRegressor",
    "Regressor",
    "ScaledModel",
    "fit_model",
    "network_maker",
]
