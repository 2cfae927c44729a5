"""Settings of a training: frozen dataclasses with a sentence per field.

They make the options of the command line and are saved as JSON beside the result. The settings of an algorithm are in
its own module and extend the classes below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

from sailplan.errors import TrainingError
from sailplan.files import fault_line
from sailplan.policies.features import feature_set
from sailplan.policies.learned.policy import RESCORE_CODES, LearnedPolicy

OPTIMISERS = ("rmsprop", "adam")
LARGEST_SETTING = 2**31 - 1
"""Largest number that a setting can be: it sizes arrays and sequences."""
RESULTS = ("best", "mixture")
Objective = Literal["expansions", "evaluations"]
"""What a training minimises: vertices expanded, or edges evaluated."""


def setting(default: Any, sentence: str) -> Any:
    """A dataclass field with the sentence that explains it."""
    return field(default=default, metadata={"help": sentence})


@dataclass(frozen=True)
class NetworkSettings:
    """The regressor."""

    hidden: tuple[int, ...] = setting((100, 50), "Units of each hidden layer.")
    optimiser: str = setting("rmsprop", "rmsprop or adam.")
    learning_rate: float = setting(0.01, "Step size of the optimiser.")
    decay: bool = setting(False, "Decay the step size to zero over each round.")
    batch_size: int = setting(64, "Examples in a step of the optimiser.")
    epochs: int = setting(5, "Passes over the examples in each round.")
    averaging: float = setting(0.999, "Decay of the running average of the weights, which is what is kept; 0: none.")

    def __post_init__(self) -> None:
        _check_types(self)
        check_hidden(self.hidden)
        check(self.optimiser in OPTIMISERS, "optimiser", self.optimiser, " or ".join(OPTIMISERS))
        check(0 < self.learning_rate < 1, "learning_rate", self.learning_rate, "between 0 and 1")
        check(self.batch_size > 0, "batch_size", self.batch_size, "positive")
        check(self.epochs > 0, "epochs", self.epochs, "positive")
        check(0 <= self.averaging < 1, "averaging", self.averaging, "at least 0 and below 1")


@dataclass(frozen=True)
class TrainingSettings(ABC):
    """Settings of every training."""

    rounds: int = setting(15, "Rounds of rolling out and learning (N).")
    training_worlds: int = setting(200, "Worlds to train on.")
    validation_worlds: int = setting(70, "Worlds on which the rounds are compared.")
    max_expansions: int = setting(1100, "Longest roll-out (T).")
    validation_expansions: int = setting(20_000, "Longest search on a validation world.")
    result: str = setting(
        "best", "best: the best round on the validation worlds; mixture: all rounds, drawn by problem."
    )

    def __post_init__(self) -> None:
        _check_types(self)
        for name in ("rounds", "training_worlds", "validation_worlds", "max_expansions", "validation_expansions"):
            check(getattr(self, name) > 0, name, getattr(self, name), "positive")
        check(self.result in RESULTS, "result", self.result, " or ".join(RESULTS))

    collects: ClassVar[type[Any]]
    """What a round collects: a dataclass of arrays."""

    @property
    def minimised(self) -> Objective:
        """What the rounds are compared by, and what limits searches."""
        return "expansions"

    @abstractmethod
    def row_width(self) -> int:
        """Number of columns of the examples that a round collects."""

    def example_width(self, policy: Any) -> int:
        """Number of columns of the examples of the round that made a policy."""
        return self.row_width()

    @abstractmethod
    def could_make(self, policy: object) -> bool:
        """Whether a round with these settings could have made such a policy."""

    def changed(self, **changes: Any) -> Self:
        """A copy with other values.

        Parameters
        ----------
        **changes
            Values by name; settings of the network go by their own names too.

        Raises
        ------
        TrainingError
            If a name or a value is not one of this algorithm.

        Examples
        --------
        >>> from sailplan.learning import PAPER
        >>> shorter = PAPER.changed(rounds=2, epochs=1)
        >>> shorter.rounds, shorter.network.epochs
        (2, 1)
        """
        known = {one.name for one in fields(self)}
        inner = {name: value for name, value in changes.items() if name not in known}
        own = {name: value for name, value in changes.items() if name in known}
        network: NetworkSettings | None = getattr(self, "network", None)
        unknown = sorted(inner.keys() - {one.name for one in fields(NetworkSettings) if network})
        if unknown:
            raise TrainingError(f"{', '.join(unknown)}: not a setting of this algorithm")
        if inner and network:
            own["network"] = replace(network, **inner)
        return replace(self, **own)

    def as_json(self) -> dict[str, Any]:
        """The settings as an object for a JSON file."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """Read what `as_json` returned; raises TrainingError if it is something else."""
        try:
            own: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
            }
            if "network" in own:
                inner = {**own["network"], "hidden": tuple(own["network"]["hidden"])}
                _check_complete(NetworkSettings, inner)
                own["network"] = NetworkSettings(**inner)
            _check_complete(cls, own)
            return cls(**own)
        except (AttributeError, KeyError, TypeError) as error:
            raise TrainingError(f"not the settings of a training ({fault_line(error)})") from error


@dataclass(frozen=True)
class ScoreSettings(TrainingSettings):
    """Settings of every training of a score."""

    features: str = setting("paper17", "Features of the policy: paper17, relative, patch or (sail, sl) roadmap.")
    rescore: str = setting("frozen", "When a score is computed: frozen, touched, lazy or full.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.rescore in RESCORE_CODES, "rescore", self.rescore, " or ".join(RESCORE_CODES))
        self.check_features()

    def check_features(self) -> None:
        """Raise FeatureError if there are no such features."""
        check(self.features != "walls", "features", self.features, "other features: `walls` is a policy by itself")
        feature_set(self.features)

    def row_width(self) -> int:
        """One column for each column of the features."""
        return len(feature_set(self.features).columns)

    def could_make(self, policy: object) -> bool:
        """Whether the policy is a score of these features."""
        return isinstance(policy, LearnedPolicy) and policy.features.name == self.features


def check(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise TrainingError if a setting is not what is expected."""
    if not holds:
        raise TrainingError(f"{name} must be {expected}, got {value!r}")


def check_hidden(hidden: tuple[int, ...]) -> None:
    """Raise TrainingError if these are not sizes of hidden layers."""
    sensible = all(type(width) is int and 0 < width <= 10_000 for width in hidden)
    check(sensible and 0 < len(hidden) <= 10, "hidden", hidden, "one to ten whole numbers up to 10000")


def check_roll_outs(worlds_per_round: int, samples_per_world: int) -> None:
    """Raise TrainingError if these are not numbers of worlds and samples."""
    check(worlds_per_round > 0, "worlds_per_round", worlds_per_round, "positive")
    check(samples_per_world >= 0, "samples_per_world", samples_per_world, "0 or more")


def _check_complete(kind: type[NetworkSettings | TrainingSettings], values: dict[str, Any]) -> None:
    missing = {one.name for one in fields(kind)} - values.keys()
    if missing:
        raise KeyError(", ".join(sorted(missing)))


def _check_types(settings: NetworkSettings | TrainingSettings) -> None:
    """Check the type of each value: settings files are also written by hand."""
    for one in fields(settings):
        value = getattr(settings, one.name)
        expected = float | int if one.type == "float" else type(one.default)
        fits = isinstance(value, expected) and isinstance(value, bool) == (one.type == "bool")
        check(fits or one.name == "network", one.name, value, f"a value of type {one.type}")
        if isinstance(value, int) and abs(value) > LARGEST_SETTING:
            raise TrainingError(f"{one.name} must be a number of at most {LARGEST_SETTING}")
