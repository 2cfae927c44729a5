"""The belief that knows how often each cell was blocked in training, the frame it knows, and what it multiplies by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, Protocol

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.errors import ModelError, PolicyError, TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell, World
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh, Tensors, saveable

MOST_CELLS = 1 << 28
"""Of a frame in a model file."""


@dataclass(frozen=True)
class Frame:
    """What all problems have in common that one prior speaks of."""

    width: int
    height: int
    start: Cell
    goal: Cell

    @classmethod
    def of(cls, problem: Problem) -> Frame | None:
        """The frame of a problem; None where it is not on a grid."""
        graph = problem.graph
        if not isinstance(graph, GridGraph):
            return None
        return cls(graph.world.width, graph.world.height, graph.cell(problem.start), graph.cell(problem.goal))

    @classmethod
    def shared(cls, problems: Iterable[Problem]) -> Frame:
        """The one frame of all these problems; raises TrainingError where they have several or none."""
        frames = {cls.of(problem) for problem in problems}
        frame = frames.pop() if len(frames) == 1 else None
        if frame is None:
            raise TrainingError("a belief is trained on grids of one size with one start and goal")
        return frame

    @classmethod
    def build(cls, facts: Mapping[str, Any]) -> Frame:
        """Make a frame of the facts in a model file."""
        (x, y), (goal_x, goal_y) = facts["start"], facts["goal"]
        frame = cls(int(facts["width"]), int(facts["height"]), (int(x), int(y)), (int(goal_x), int(goal_y)))
        if min(frame.width, frame.height) < 1 or frame.cells > MOST_CELLS:
            raise ModelError(f"a frame of {frame.width} x {frame.height}")
        return frame

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.width * self.height

    def why_unsupported(self, problem: Problem) -> str:
        """Why a problem is not in this frame; empty where it is."""
        other = Frame.of(problem)
        if other == self:
            return ""
        return f"it knows {self}, and this is {other or 'no grid'}"

    def __str__(self) -> str:
        return f"{self.width} x {self.height} from {self.start} to {self.goal}"


@dataclass(frozen=True)
class Penalty:
    """The multiplier 1 + prior_weight q - surprise log(1 - certainty p^sharpness).

    q is how often the cell was blocked in the training, p how likely it is to be blocked by what the search has seen.
    The first part does not change during a search: it makes the search set out on a way that is often free, and keep
    to it. The second is the surprise that a free cell would be: next to nothing where the belief is not sure, and so
    much where the cell is as good as known to be blocked that no path leads through it.
    """

    prior_weight: float = 0.0
    surprise: float = 0.0
    certainty: float = 0.999
    """Below 1: the most that a belief is trusted."""
    sharpness: float = 1.0
    """The larger, the surer a belief must be to count."""

    def __post_init__(self) -> None:
        weights = (self.prior_weight, self.surprise, self.sharpness)
        sound = all(isfinite(weight) and weight >= 0.0 for weight in weights)
        if not sound or not 0.0 <= self.certainty < 1.0:
            raise PolicyError(f"a penalty needs weights that are not negative and a certainty below 1, got {self}")

    def multipliers(self, frequencies: FloatArray, probabilities: FloatArray) -> FloatArray:
        """The multiplier of each cell."""
        multipliers: FloatArray = 1.0 + self.prior_weight * frequencies
        multipliers -= self.surprise * np.log1p(-self.certainty * probabilities**self.sharpness)
        return multipliers

    def describe(self) -> dict[str, float]:
        """The facts for a model file."""
        return {key: getattr(self, name) for key, name in _PENALTY_KEYS.items()}

    @classmethod
    def build(cls, facts: Mapping[str, Any]) -> Penalty:
        """Make a penalty of what `describe` returned."""
        if unknown := set(facts) - set(_PENALTY_KEYS):
            raise ModelError(f"a penalty with {', '.join(sorted(unknown))}")
        return cls(**{_PENALTY_KEYS[key]: float(value) for key, value in facts.items()})


_PENALTY_KEYS = {"steady": "prior_weight", "surprise": "surprise", "certainty": "certainty", "sureness": "sharpness"}
"""How model files name the fields of a penalty."""


@saveable("prior")
@dataclass(frozen=True)
class Prior:
    """Multipliers by how often a cell was blocked, whatever the search has seen."""

    frame: Frame
    frequencies: FloatArray = field(repr=False, compare=False)
    """Of each vertex."""
    penalty: Penalty
    name: str = "prior"
    refresh: Refresh = NEVER

    def why_unsupported(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Those of the frequencies."""
        return self.penalty.multipliers(self.frequencies, self.frequencies)

    def follow(self, problem: Problem) -> None:
        """Nothing changes."""

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """The facts and tensors for a model file."""
        return describe_shared(self), {"frequencies": np.ascontiguousarray(self.frequencies)}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> Prior:
        """Make a belief of what `describe` returned."""
        frame = Frame.build(facts["frame"])
        return cls(frame, read_frequencies(tensors, frame), Penalty.build(facts["charging"]), str(facts["name"]))


def blocked_frequencies(worlds: Sequence[World]) -> FloatArray:
    """How often each cell is blocked."""
    frequencies: FloatArray = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    return frequencies


class FramedBelief(Protocol):
    """A belief that knows one frame."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def frame(self) -> Frame:
        """The frame it knows."""

    @property
    def penalty(self) -> Penalty:
        """How probabilities become multipliers."""


def describe_shared(belief: FramedBelief) -> dict[str, Any]:
    """The facts that beliefs of one frame have in common."""
    return {"name": belief.name, "frame": asdict(belief.frame), "charging": belief.penalty.describe()}


def read_frequencies(tensors: Tensors, frame: Frame) -> FloatArray:
    """The frequencies in a model file, checked."""
    frequencies = tensors["frequencies"]
    if frequencies.shape != (frame.cells,) or frequencies.dtype != np.float64:
        raise ModelError(f"frequencies of shape {frequencies.shape} and type {frequencies.dtype}")
    if not ((frequencies >= 0.0) & (frequencies <= 1.0)).all():
        raise ModelError("a frequency is not between 0 and 1")
    return frequencies
