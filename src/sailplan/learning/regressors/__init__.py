"""Regressors, which learn scores from examples."""

from sailplan.learning.regressors.regressor import (
    NO_TORCH,
    DenseRegressor,
    Differences,
    Examples,
    MakeRegressor,
    Regressor,
    ScaledModel,
    fit_model,
    make_network,
    network_maker,
)

__all__ = [
    "NO_TORCH",
    "DenseRegressor",
    "Differences",
    "Examples",
    "MakeRegressor",
    "Regressor",
    "ScaledModel",
    "fit_model",
    "make_network",
    "network_maker",
]
