"""A belief whose cost multipliers were learned through the planner, for grids of any size, start and goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import UNSEEN
from sailplan.core.state import SearchState
from sailplan.errors import ModelError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.kernel.pixels import penalise, spread
from sailplan.policies.replanning.beliefs.mixture import PixelMixture, Recall, Recollection
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame, world_of
from sailplan.policies.replanning.beliefs.prior import Penalty

OFTEN = Refresh(expansions=10, invalid=4)
_LEAST_CHANGE = 0.1
"""If no weight of a component has changed by more than this, the multipliers are unmodified."""
_LEAST_STEP = 0.2
"""Relative changes of a multiplier up to this are ignored, because repairing distances is expensive."""
_MOST_EXTRA = 900.0
_NO_EXTRA = np.zeros((PIXELS, PIXELS))


@saveable("mixture")
@dataclass(frozen=True, eq=False)
class LearnedMultipliers:
    """Cost multipliers from a mixture of typical worlds, and from a learned map of extra costs.

    What the search has seen weighs the components of the mixture; they give the probability that an unseen cell is
    blocked, and the penalty a multiplier. Where start and goal are those of the training, an extra cost is added, which
    leads the search around places that rarely belong to a good path although they are free.
    """

    mixture: PixelMixture = field(repr=False)
    """The typical worlds."""
    recall: Recall = field(default_factory=Recall)
    """How what the search has seen weighs them."""
    penalty: Penalty = field(default_factory=lambda: Penalty(0.4, 10.0, 0.997, 3.0))
    """The multipliers as a function of the frequency in training and of the probability of being blocked."""
    frame: PixelFrame | None = None
    """Start and goal in training, if all problems had the same; extra costs count only there."""
    offsets: Floats | None = field(default=None, repr=False)
    """Shape (PIXELS, PIXELS): the extra cost is the softplus of these; None if there is none."""
    name: str = "learned"
    """The name of the belief in notes."""
    refresh: Refresh = OFTEN
    """When the belief is updated during a search."""

    def __post_init__(self) -> None:
        offsets = self.offsets
        if offsets is None:
            return
        if offsets.shape != (PIXELS, PIXELS) or offsets.dtype != np.float32 or not np.isfinite(offsets).all():
            raise ModelError(f"offsets of shape {offsets.shape} and type {offsets.dtype}, or not finite")

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return "" if isinstance(problem.graph, GridGraph) else "it supports grids, and this is another graph"

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers if nothing is known."""
        return self.follow(problem).multipliers

    def follow(self, problem: Problem) -> LearnedFollower:
        """Return the state of the belief for one search."""
        return LearnedFollower(self, problem)

    def extra(self, problem: Problem) -> FloatArray:
        """Return the extra cost of each pixel."""
        return self._extra if self.frame is not None and self.frame.fits(problem) else _NO_EXTRA

    @cached_property
    def _extra(self) -> FloatArray:
        if self.offsets is None:
            return _NO_EXTRA
        extra: FloatArray = np.logaddexp(0.0, np.minimum(self.offsets, _MOST_EXTRA).astype(np.float64))
        return extra

    def predict(self, blocked: FloatArray, extra: FloatArray) -> FloatArray:
        """Return the multiplier of each pixel from the probabilities that its cells are blocked and its extra cost."""
        penalty, multipliers = self.penalty, np.empty((PIXELS, PIXELS))
        weights = penalty.prior_weight, penalty.surprise, penalty.certainty, penalty.sharpness
        penalise(blocked, self.mixture.frequencies, extra, *weights, multipliers)
        return multipliers

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        facts = {
            "name": self.name,
            "frame": None if self.frame is None else [*self.frame.start, *self.frame.goal],
            "recall": asdict(self.recall),
            "charging": self.penalty.describe(),
            "refresh": list(self.refresh),
        }
        return facts, {**self.mixture.describe(), **({} if self.offsets is None else {"offsets": self.offsets})}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> LearnedMultipliers:
        """Create a belief from what `describe` returned."""
        return cls(
            PixelMixture.build(tensors),
            Recall.build(facts["recall"]),
            Penalty.build(facts["charging"]),
            PixelFrame.build(facts["frame"]),
            tensors.get("offsets"),
            str(facts["name"]),
            Refresh.build(facts["refresh"]),
        )


class LearnedFollower:
    """The belief in one search."""

    def __init__(self, belief: LearnedMultipliers, problem: Problem) -> None:
        world = world_of(problem)
        self._belief, self._size = belief, (world.width, world.height)
        self._extra = belief.extra(problem)
        self._recollection = Recollection(belief.mixture, belief.recall, *self._size)
        cells = world.width * world.height
        # A multiplier of 0 differs from every prediction, so that all of them are set.
        self.multipliers = self._spread(np.full(cells, UNSEEN, np.uint8), np.zeros(cells))

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if the components are as likely as before."""
        status = state.status[: len(self.multipliers)]
        if self._recollection.observe(status) <= _LEAST_CHANGE:
            return None
        self._recollection.apply()
        self.multipliers = self._spread(status, self.multipliers.copy())
        return self.multipliers

    def _spread(self, status: NDArray[np.uint8], multipliers: FloatArray) -> FloatArray:
        """Set the multipliers of unseen cells to those of their pixels."""
        values = self._belief.predict(self._recollection.blocked(), self._extra)
        spread(values, status, *self._size, _LEAST_STEP, multipliers)
        return multipliers
