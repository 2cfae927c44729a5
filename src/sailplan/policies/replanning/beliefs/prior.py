"""The prior: the frequency with which each cell was blocked in training; frames and penalties of beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any, Protocol

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import as_kernel_array
from sailplan.errors import ModelError, PolicyError, TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell, World
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh, Tensors, saveable, set_floats

MOST_CELLS = 1 << 28
"""Largest number of cells of a frame in a model file."""


@dataclass(frozen=True)
class Frame:
    """The size, start and goal of the problems that a belief supports.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> Frame.of(draw_problem("S..G"))
    Frame(width=4, height=1, start=(0, 0), goal=(3, 0))
    """

    width: int
    """Width of the grid in cells."""
    height: int
    """Height of the grid in cells."""
    start: Cell
    """The start cell (x, y)."""
    goal: Cell
    """The goal cell (x, y)."""

    @classmethod
    def of(cls, problem: Problem) -> Frame | None:
        """Return the frame of a problem; None if it is not on a grid."""
        graph = problem.graph
        if not isinstance(graph, GridGraph):
            return None
        return cls(graph.world.width, graph.world.height, graph.cell(problem.start), graph.cell(problem.goal))

    @classmethod
    def shared(cls, problems: Iterable[Problem]) -> Frame:
        """Return the common frame of problems; raises TrainingError if their frames differ or are not grids."""
        frames = {cls.of(problem) for problem in problems}
        frame = frames.pop() if len(frames) == 1 else None
        if frame is None:
            raise TrainingError("a belief is trained on grids of one size with one start and goal")
        return frame

    @classmethod
    def build(cls, facts: Mapping[str, Any]) -> Frame:
        """Create a frame from the facts in a model file."""
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
        """Return why a problem does not have this frame; an empty string if it does."""
        other = Frame.of(problem)
        if other == self:
            return ""
        return f"it supports {self}, and this is {other or 'no grid'}"

    def __str__(self) -> str:
        return f"{self.width} x {self.height} from {self.start} to {self.goal}"


@dataclass(frozen=True)
class Penalty:
    """The multiplier 1 + prior_weight q - surprise log(1 - certainty p^sharpness).

    q is the frequency with which the cell was blocked in training, p the probability that it is blocked given what the
    search has seen. The term of q does not change during a search: it favours paths that are often free. The term of p
    is the surprise if the cell is free: close to 0 if the belief is uncertain, and large enough to exclude the cell
    from paths if it is almost certainly blocked.

    Raises
    ------
    PolicyError
        If a weight is negative or infinite, or the certainty is not below 1.

    Examples
    --------
    >>> Penalty(surprise=1.0).multipliers(np.zeros(3), np.array([0.0, 0.5, 1.0])).round(2)
    array([1.  , 1.69, 7.91])
    """

    prior_weight: float = 0.0
    """Weight of the frequency in training."""
    surprise: float = 0.0
    """Weight of the surprise."""
    certainty: float = 0.999
    """Upper limit of probabilities, below 1."""
    sharpness: float = 1.0
    """Exponent of the probability: the larger, the less uncertain predictions count."""

    def __post_init__(self) -> None:
        weights = (self.prior_weight, self.surprise, self.sharpness)
        sound = all(isfinite(weight) and weight >= 0.0 for weight in weights)
        if not sound or not 0.0 <= self.certainty < 1.0:
            raise PolicyError(f"a penalty needs weights that are not negative and a certainty below 1, got {self}")
        set_floats(self, *asdict(self))

    def multipliers(self, frequencies: FloatArray, probabilities: FloatArray) -> FloatArray:
        """Return the multiplier of each cell."""
        multipliers: FloatArray = 1.0 + self.prior_weight * frequencies
        multipliers -= self.surprise * np.log1p(-self.certainty * probabilities**self.sharpness)
        return multipliers

    def describe(self) -> dict[str, float]:
        """Return the facts for a model file."""
        return {key: getattr(self, name) for key, name in _PENALTY_KEYS.items()}

    @classmethod
    def build(cls, facts: Mapping[str, Any]) -> Penalty:
        """Create a penalty from what `describe` returned."""
        if unknown := set(facts) - set(_PENALTY_KEYS):
            raise ModelError(f"a penalty with {', '.join(sorted(unknown))}")
        return cls(**{_PENALTY_KEYS[key]: float(value) for key, value in facts.items()})


_PENALTY_KEYS = {"steady": "prior_weight", "surprise": "surprise", "certainty": "certainty", "sureness": "sharpness"}
"""The names of the fields of a penalty in model files."""


@saveable("prior")
@dataclass(frozen=True)
class Prior:
    """Multipliers from the frequency with which a cell was blocked in training; they do not change during a search.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S..G")
    >>> belief = Prior(Frame.of(problem), np.array([0.0, 0.5, 0.0, 0.0]), Penalty(prior_weight=2.0))
    >>> belief.multipliers(problem)
    array([1., 2., 1., 1.])
    """

    frame: Frame
    """The problems that the belief supports."""
    frequencies: FloatArray = field(repr=False, compare=False)
    """The frequency with which each vertex was blocked in training."""
    penalty: Penalty
    """The multipliers as a function of frequencies."""
    name: str = "prior"
    """The name of the belief in notes."""
    refresh: Refresh = NEVER
    """When the belief is updated: never."""

    def __post_init__(self) -> None:
        frequencies = np.asarray(self.frequencies)
        if frequencies.shape != (self.frame.cells,) or frequencies.dtype.kind not in "biuf":
            what = f"{frequencies.dtype} of shape {frequencies.shape}"
            raise PolicyError(f"a prior needs a frequency for each of {self.frame.cells} cells, got {what}")
        if not ((frequencies >= 0) & (frequencies <= 1)).all():
            raise PolicyError("a frequency is not between 0 and 1")
        object.__setattr__(self, "frequencies", as_kernel_array(frequencies, np.float64))

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers of the frequencies, which are read-only."""
        return read_only(self._multipliers)

    @cached_property
    def _multipliers(self) -> FloatArray:
        return self.penalty.multipliers(self.frequencies, self.frequencies)

    def follow(self, problem: Problem) -> None:
        """Return None: the multipliers do not change."""

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        return describe_shared(self), {"frequencies": np.ascontiguousarray(self.frequencies)}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> Prior:
        """Create a belief from what `describe` returned."""
        frame = Frame.build(facts["frame"])
        return cls(frame, read_frequencies(tensors, frame), Penalty.build(facts["charging"]), str(facts["name"]))


def read_only(multipliers: FloatArray) -> FloatArray:
    """Return multipliers that are shared by all searches of a belief; distances are then computed only once."""
    # Not when they are computed: a copy that was sent to another process is writeable.
    multipliers.flags.writeable = False
    return multipliers


def blocked_frequencies(worlds: Sequence[World]) -> FloatArray:
    """Return the frequency with which each cell is blocked."""
    frequencies: FloatArray = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    return frequencies


class FramedBelief(Protocol):
    """A belief that supports one frame."""

    @property
    def name(self) -> str:
        """The name of the belief in notes."""

    @property
    def frame(self) -> Frame:
        """The problems that the belief supports."""

    @property
    def penalty(self) -> Penalty:
        """The multipliers as a function of probabilities."""


def describe_shared(belief: FramedBelief) -> dict[str, Any]:
    """Return the facts that all beliefs of one frame have."""
    return {"name": belief.name, "frame": asdict(belief.frame), "charging": belief.penalty.describe()}


def read_frequencies(tensors: Tensors, frame: Frame) -> FloatArray:
    """Return the frequencies in a model file; raises ModelError if they are not valid."""
    frequencies = tensors["frequencies"]
    if frequencies.shape != (frame.cells,) or frequencies.dtype != np.float64:
        raise ModelError(f"frequencies of shape {frequencies.shape} and type {frequencies.dtype}")
    if not ((frequencies >= 0.0) & (frequencies <= 1.0)).all():
        raise ModelError("a frequency is not between 0 and 1")
    return frequencies
