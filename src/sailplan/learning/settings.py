"""Every setting of a training, with a sentence for each; they make the command line and are saved beside the result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from sailplan.errors import TrainingError
from sailplan.files import fault_line
from sailplan.policies.features import feature_set
from sailplan.policies.learned.policy import RESCORE_CODES, LearnedPolicy

OPTIMISERS = ("rmsprop", "adam")
TARGETS = ("cost_to_go", "detour")
RESULTS = ("best", "mixture")


def setting(default: Any, sentence: str) -> Any:
    """A field with the sentence that explains it."""
    return field(default=default, metadata={"help": sentence})


@dataclass(frozen=True)
class NetworkSettings:
    """The regressor."""

    hidden: tuple[int, ...] = setting((100, 50), "Units of each hidden layer.")
    optimiser: str = setting("rmsprop", "rmsprop or adam.")
    learning_rate: float = setting(0.01, "Step size of the optimiser.")
    decay: bool = setting(False, "Let the step size fall to zero over each round.")
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
    """What every training has."""

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

    @abstractmethod
    def row_width(self) -> int:
        """How many numbers each example has that a round collects."""

    @abstractmethod
    def could_make(self, policy: object) -> bool:
        """Whether a round with these settings could have made such a policy."""

    def changed(self, **changes: Any) -> Self:
        """The same with other values; those of the network go by their own names too."""
        known = {one.name for one in fields(self)}
        inner = {name: value for name, value in changes.items() if name not in known}
        own = {name: value for name, value in changes.items() if name in known}
        network: NetworkSettings | None = getattr(self, "network", None)
        strange = sorted(inner.keys() - {one.name for one in fields(NetworkSettings) if network})
        if strange:
            raise TrainingError(f"{', '.join(strange)}: not a setting of this algorithm")
        if inner and network:
            own["network"] = replace(network, **inner)
        return replace(self, **own)

    def as_json(self) -> dict[str, Any]:
        """As an object for a settings file."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Any) -> Self:
        """Read what `as_json` gave; raises TrainingError where it is something else."""
        try:
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
            }
            if "network" in values:
                inner = {**values["network"], "hidden": tuple(values["network"]["hidden"])}
                _check_complete(NetworkSettings, inner)
                values["network"] = NetworkSettings(**inner)
            _check_complete(cls, values)
            return cls(**values)
        except (AttributeError, KeyError, TypeError) as error:
            raise TrainingError(f"not the settings of a training ({fault_line(error)})") from error


@dataclass(frozen=True)
class ScoreSettings(TrainingSettings):
    """What every training of a score has."""

    features: str = setting("paper17", "What the policy looks at: paper17, relative, walls or patch.")
    rescore: str = setting("frozen", "When a score is computed: frozen, touched, lazy or full.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.rescore in RESCORE_CODES, "rescore", self.rescore, " or ".join(RESCORE_CODES))
        feature_set(self.features)

    def row_width(self) -> int:
        """One for each column of the features."""
        return len(feature_set(self.features).columns)

    def could_make(self, policy: object) -> bool:
        """A score of these features."""
        return isinstance(policy, LearnedPolicy) and policy.features.name == self.features


@dataclass(frozen=True)
class SailSettings(ScoreSettings):
    """SaIL (the paper's Algorithm 3)."""

    worlds_per_round: int = setting(200, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(50, "Random steps of each roll-out that give an example (k); 0: every step.")
    oracle_probability: float = setting(0.7, "Base β of the share of steps that the oracle selects, β^(round - 1).")
    target: str = setting(
        "cost_to_go", "What is regressed: cost_to_go, or detour (what it exceeds the first guess by)."
    )
    trust: tuple[float, ...] = setting(
        (1.0,), "Weights of what is learned beside the first guess, of which the best on validation is kept."
    )
    network: NetworkSettings = field(default_factory=NetworkSettings)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_roll_outs(self)
        check(0 <= self.oracle_probability <= 1, "oracle_probability", self.oracle_probability, "between 0 and 1")
        check(self.target in TARGETS, "target", self.target, " or ".join(TARGETS))
        sensible = bool(self.trust) and all(0 <= weight <= 1000 for weight in self.trust)
        check(sensible, "trust", self.trust, "one or more numbers from 0 to 1000")


@dataclass(frozen=True)
class CloningSettings(SailSettings):
    """Supervised learning (the paper's SL): SaIL with a single round."""

    rounds: int = setting(1, "Rounds of rolling out and learning (N).")

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.rounds == 1, "rounds", self.rounds, "1 in supervised learning")


@dataclass(frozen=True)
class QLearningSettings(ScoreSettings):
    """Episodic Q-learning (the paper's baseline)."""

    worlds_per_round: int = setting(200, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(100, "Random steps of each roll-out that give an example (k); 0: every step.")
    exploration: float = setting(0.9, "Base ε of the share of random steps, ε^round.")
    network: NetworkSettings = field(default_factory=NetworkSettings)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_roll_outs(self)
        check(0 <= self.exploration <= 1, "exploration", self.exploration, "between 0 and 1")
        check(self.rescore == "frozen", "rescore", self.rescore, "frozen in Q-learning")
        whole = feature_set(self.features).patch_columns == 0
        check(whole, "features", self.features, "a set without a patch in Q-learning, which goes on from dense layers")


def check(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise TrainingError where a setting is not what is expected."""
    if not holds:
        raise TrainingError(f"{name} must be {expected}, got {value!r}")


def _check_complete(kind: type[NetworkSettings | TrainingSettings], values: dict[str, Any]) -> None:
    missing = {one.name for one in fields(kind)} - values.keys()
    if missing:
        raise KeyError(", ".join(sorted(missing)))


def check_hidden(hidden: tuple[int, ...]) -> None:
    """Raise TrainingError where these are no hidden layers."""
    sensible = all(type(width) is int and 0 < width <= 10_000 for width in hidden)
    check(sensible and 0 < len(hidden) <= 10, "hidden", hidden, "one to ten whole numbers up to 10000")


def _check_roll_outs(settings: SailSettings | QLearningSettings) -> None:
    check(settings.worlds_per_round > 0, "worlds_per_round", settings.worlds_per_round, "positive")
    check(settings.samples_per_world >= 0, "samples_per_world", settings.samples_per_world, "0 or more")


def _check_types(settings: NetworkSettings | TrainingSettings) -> None:
    """See to it that a number is where a number belongs: settings files are written by hand, too."""
    for one in fields(settings):
        value = getattr(settings, one.name)
        expected = float | int if one.type == "float" else type(one.default)
        fits = isinstance(value, expected) and isinstance(value, bool) == (one.type == "bool")
        check(fits or one.name == "network", one.name, value, f"a value of type {one.type}")


PAPER = SailSettings(target="detour")
"""What the paper says. What it leaves open was chosen on training maps: passes, averaging, and that the network gives
the excess of the cost-to-go over the straight-line distance, to which the score adds that distance again."""
DEFAULT = SailSettings(
    rounds=6,
    features="walls",
    rescore="lazy",
    target="detour",
    trust=(1.0, 0.3, 0.1, 0.0),
    network=NetworkSettings(optimiser="adam", learning_rate=0.002, decay=True, batch_size=128, epochs=8, averaging=0.0),
)
"""What does best: a first guess that goes round the walls seen so far, and what is learned beside it where it helps."""
