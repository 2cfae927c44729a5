"""Errors that the caller can fix; the command line prints each as one line and exits with code 2."""

LONGEST_MESSAGE = 1000
"""Messages quote names and numbers of files, which may be of any length; the middle of a longer message is left out."""


class SailplanError(ValueError):
    """Base class: some input cannot be used; the message states which input and why."""

    def __init__(self, message: str = "") -> None:
        if len(message) > LONGEST_MESSAGE:
            half = LONGEST_MESSAGE // 2
            message = f"{message[: half - 5]} ... {message[-half:]}"
        super().__init__(message)


class WorldError(SailplanError):
    """A file or an array does not contain a world."""


class SizeError(WorldError):
    """A world has more cells than the caller allows."""


class GraphError(SailplanError):
    """A graph breaks its contract: a bad cost, an unknown vertex, a callback that failed."""


class ProblemError(SailplanError):
    """A start or goal is blocked, outside the graph or of the wrong type."""


class RobotError(SailplanError):
    """A robot model, a scene or a configuration cannot be used."""


class EngineError(SailplanError):
    """The requested engine cannot run this search."""


class PolicyError(SailplanError):
    """A policy is unknown or breaks its contract."""


class FeatureError(SailplanError):
    """Features are unknown or cannot be computed on the graph."""


class ModelError(SailplanError):
    """A model file is damaged, of another program or made for another feature set."""


class TrainingError(SailplanError):
    """Training cannot use the given settings, worlds or run folder."""


class EpisodeError(SailplanError):
    """An environment cannot be created with the given settings, or a step is not possible."""


class ClusterError(SailplanError):
    """A cluster cannot be used: no scheduler, no worker, other versions, or lost on the way."""
