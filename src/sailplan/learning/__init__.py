"""Training of policies: algorithms, their settings, rounds and run folders."""

from sailplan.learning.algorithms.behaviour_cloning import CLONING, CloningSettings, train_behaviour_cloning
from sailplan.learning.algorithms.belief_settings import BELIEF, BeliefSettings
from sailplan.learning.algorithms.belief_training import train_belief
from sailplan.learning.algorithms.catalogue import ALGORITHMS, Algorithm
from sailplan.learning.algorithms.cross_entropy import CROSS_ENTROPY, CrossEntropySettings, train_cross_entropy
from sailplan.learning.algorithms.planner.settings import DEFAULT, PlannerSettings
from sailplan.learning.algorithms.q_learning import Q_LEARNING, QLearningSettings, train_q_learning
from sailplan.learning.algorithms.sail import PAPER, SailSettings, train_sail
from sailplan.learning.regressors import DenseRegressor, Examples, MakeRegressor, Regressor
from sailplan.learning.rounds import Keeper, Learner, Progress, Round, Training
from sailplan.learning.run_folder import Plan, RunFolder, read_metrics, read_plan
from sailplan.learning.settings import NetworkSettings, TrainingSettings
from sailplan.learning.train import TrainedPolicy, run_training, train

__all__ = [
    "ALGORITHMS",
    "BELIEF",
    "CLONING",
    "CROSS_ENTROPY",
    "DEFAULT",
    "PAPER",
    "Q_LEARNING",
    "Algorithm",
    "BeliefSettings",
    "CloningSettings",
    "CrossEntropySettings",
    "DenseRegressor",
    "Examples",
    "Keeper",
    "Learner",
    "MakeRegressor",
    "NetworkSettings",
    "Plan",
    "PlannerSettings",
    "Progress",
    "QLearningSettings",
    "Regressor",
    "Round",
    "RunFolder",
    "SailSettings",
    "TrainedPolicy",
    "Training",
    "TrainingSettings",
    "read_metrics",
    "read_plan",
    "run_training",
    "train",
    "train_behaviour_cloning",
    "train_belief",
    "train_cross_entropy",
    "train_q_learning",
    "train_sail",
]
