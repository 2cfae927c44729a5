"""Learning: how a policy is trained."""

from sailplan.learning.behaviour_cloning import CLONING, train_behaviour_cloning
from sailplan.learning.cross_entropy import CROSS_ENTROPY, train_cross_entropy
from sailplan.learning.examples import Examples
from sailplan.learning.q_learning import Q_LEARNING, train_q_learning
from sailplan.learning.regressors import Regressor
from sailplan.learning.rounds import Progress, Round
from sailplan.learning.sail import train_sail
from sailplan.learning.settings import (
    DEFAULT,
    PAPER,
    NetworkSettings,
    QLearningSettings,
    SailSettings,
)
from sailplan.learning.vector_settings import CrossEntropySettings

__all__ = [
    "CLONING",
    "CROSS_ENTROPY",
    "DEFAULT",
    "PAPER",
    "Q_LEARNING",
    "CrossEntropySettings",
    "Examples",
    "NetworkSettings",
    "Progress",
    "QLearningSettings",
    "Regressor",
    "Round",
    "SailSettings",
    "train_behaviour_cloning",
    "train_cross_entropy",
    "train_q_learning",
    "train_sail",
]
