"""Learning: how a policy is trained."""

from sailplan.learning.behaviour_cloning import CLONING, train_behaviour_cloning
from sailplan.learning.examples import Examples
from sailplan.learning.regressors import Regressor
from sailplan.learning.rounds import Progress, Round
from sailplan.learning.sail import train_sail
from sailplan.learning.settings import DEFAULT, PAPER, NetworkSettings, SailSettings

__all__ = [
    "CLONING",
    "DEFAULT",
    "PAPER",
    "Examples",
    "NetworkSettings",
    "Progress",
    "Regressor",
    "Round",
    "SailSettings",
    "train_behaviour_cloning",
    "train_sail",
]
