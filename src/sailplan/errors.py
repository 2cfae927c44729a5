"""The errors that are the caller's to mend; the command line prints each as one line and exits with 2."""


class SailplanError(ValueError):
    """Something given to the library cannot be used; the message says what and where."""


class WorldError(SailplanError):
    """A file or an array that does not hold a world."""


class GraphError(SailplanError):
    """A graph that breaks its contract: a bad cost, an unknown vertex, a callback that failed."""


class ProblemError(SailplanError):
    """A start or goal that cannot be planned from or to."""


class EngineError(SailplanError):
    """An engine was asked for that cannot run this search."""


class PolicyError(SailplanError):
    """A policy that is unknown or breaks its contract."""


class FeatureError(SailplanError):
    """Features that are unknown or do not fit the graph."""


class ModelError(SailplanError):
    """A model file that is damaged, foreign or of another feature set."""


class TrainingError(SailplanError):
    """Something that cannot be learned from: settings, worlds or a run folder."""


class EpisodeError(SailplanError):
    """An environment that cannot be made as asked, or a step that it cannot take."""


class BeliefWarning(UserWarning):
    """A belief knows nothing of a problem, and charges nothing for what is unseen."""

    def __init__(self, problem: str, belief: str, reason: str) -> None:
        super().__init__(problem, belief, reason)
        self.problem, self.belief, self.reason = problem, belief, reason

    def __str__(self) -> str:
        return f"{self.problem}: {self.belief} charges nothing for the unseen here: {self.reason}"
