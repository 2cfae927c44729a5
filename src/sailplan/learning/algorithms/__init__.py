"""One module per algorithm: its settings, its presets, its learner and its `train_*` function."""

from sailplan.learning.algorithms.catalogue import ALGORITHMS, Algorithm, AlgorithmName, Preset

__all__ = ["ALGORITHMS", "Algorithm", "AlgorithmName", "Preset"]
