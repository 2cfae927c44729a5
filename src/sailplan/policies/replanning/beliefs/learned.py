"""A belief whose cost multipliers were learned through the planner, for grids of any size, start and goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.result import parts_of
from sailplan.core.state import SearchState
from sailplan.errors import ModelError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.kernel.pixels import penalise, spread
from sailplan.policies.replanning.beliefs.mixture import LEVELS, PixelMixture, Recall, Recollection
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame, world_of
from sailplan.policies.replanning.beliefs.prior import Penalty

OFTEN = Refresh(expansions=10, invalid=4)
_LEAST_CHANGE = 0.1
"""If no weight of a component has changed by more than this, the multipliers are unmodified."""
_LEAST_STEP = 0.2
"""Relative changes of a multiplier up to this are ignored, because repairing distances is expensive."""
MOST_REGRET = 0.6
"""The largest regret that is stored, in sides of the map."""
_MOST_EXTRA = 900.0
_NO_EXTRA = np.zeros((PIXELS, PIXELS))


class Elsewhere(NamedTuple):
    """What a belief uses if start or goal are not those of the training."""

    recall: Recall
    penalty: Penalty


class Terms(NamedTuple):
    """What a belief uses in one problem."""

    recall: Recall
    penalty: Penalty
    extra: FloatArray
    """The extra cost of each pixel, whatever is known."""
    regret_weight: float
    """The extra cost of a regret of one side of the map."""


@saveable("mixture")
@dataclass(frozen=True, eq=False)
class LearnedMultipliers:
    """Cost multipliers from a mixture of typical worlds, the regrets of the oracle in them, and a map of extra costs.

    What the search has seen weighs the components of the mixture; they give the probability that an unseen cell is
    blocked, and the penalty a multiplier. Where start and goal are those of the training, extra costs are added, which
    lead the search around places that rarely belong to a good path although they are free: the expected regret of
    passing through a cell, given what is known, and a map that does not depend on it.
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
    regrets: NDArray[np.uint8] | None = field(default=None, repr=False)
    """Shape (components, PIXELS, PIXELS): by how much the shortest path through a pixel is longer than the shortest
    path, on the mean over the worlds of a component, in units of MOST_REGRET / LEVELS; None if they are not used."""
    regret_weight: float = 4.0
    """The extra cost of a regret of one side of the map."""
    elsewhere: Elsewhere | None = None
    """Recall and penalty if start or goal are not those of the frame; None if they are the same."""
    name: str = "learned"
    """The name of the belief in notes."""
    refresh: Refresh = OFTEN
    """When the belief is updated during a search."""

    def __post_init__(self) -> None:
        offsets, regrets = self.offsets, self.regrets
        if offsets is not None and not (
            offsets.shape == (PIXELS, PIXELS) and offsets.dtype == np.float32 and np.isfinite(offsets).all()
        ):
            raise ModelError(f"offsets of shape {offsets.shape} and type {offsets.dtype}, or not finite")
        if regrets is not None and (regrets.shape != self.mixture.levels.shape or regrets.dtype != np.uint8):
            raise ModelError(f"regrets of shape {regrets.shape} and type {regrets.dtype}")
        if not 0.0 <= self.regret_weight < np.inf:
            raise ModelError(f"a weight of regrets of {self.regret_weight}")

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return "" if isinstance(problem.graph, GridGraph) else "it supports grids, and this is another graph"

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers if nothing is known."""
        return self.follow(problem).multipliers

    def follow(self, problem: Problem) -> LearnedFollower:
        """Return the state of the belief for one search."""
        return LearnedFollower(self, problem)

    def terms(self, problem: Problem) -> Terms:
        """Return what is used in a problem: extra costs only between the start and the goal of the training."""
        if self.frame is not None and self.frame.fits(problem):
            weight = 0.0 if self.regrets is None else self.regret_weight
            return Terms(self.recall, self.penalty, self._extra, weight)
        return Terms(*(self.elsewhere or (self.recall, self.penalty)), _NO_EXTRA, 0.0)

    @cached_property
    def _extra(self) -> FloatArray:
        if self.offsets is None:
            return _NO_EXTRA
        extra: FloatArray = np.logaddexp(0.0, np.minimum(self.offsets, _MOST_EXTRA).astype(np.float64))
        return extra

    @cached_property
    def _regrets(self) -> Floats:
        assert self.regrets is not None
        return np.asarray(MOST_REGRET / LEVELS * self.regrets, np.float32)

    def regret(self, terms: Terms, recollection: Recollection) -> FloatArray:
        """Return the expected regret of each pixel in sides of the map; 0 if it has no weight."""
        return recollection.mean_of(self._regrets) if terms.regret_weight else _NO_EXTRA

    def predict(self, terms: Terms, blocked: FloatArray, regret: FloatArray) -> FloatArray:
        """Return the multiplier of each pixel from the probability that its cells are blocked and its regret."""
        penalty, multipliers = terms.penalty, np.empty((PIXELS, PIXELS))
        weights = penalty.prior_weight, penalty.surprise, penalty.certainty, penalty.sharpness
        extra = terms.extra + terms.regret_weight * regret
        penalise(blocked, self.mixture.frequencies, extra, *weights, multipliers)
        return multipliers

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        facts = {
            "name": self.name,
            "frame": None if self.frame is None else [*self.frame.start, *self.frame.goal],
            "recall": asdict(self.recall),
            "charging": self.penalty.describe(),
            "regret_weight": self.regret_weight,
            "elsewhere": None,
            "plain": self.mixture.plain,
            "refresh": list(self.refresh),
        }
        if self.elsewhere is not None:
            recall, penalty = self.elsewhere
            facts["elsewhere"] = {"recall": asdict(recall), "charging": penalty.describe()}
        maps = {"offsets": self.offsets, "regrets": self.regrets}
        return facts, {**self.mixture.describe(), **{name: one for name, one in maps.items() if one is not None}}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> LearnedMultipliers:
        """Create a belief from what `describe` returned."""
        other = facts["elsewhere"]
        return cls(
            mixture=PixelMixture.build(tensors, int(facts["plain"])),
            recall=Recall.build(facts["recall"]),
            penalty=Penalty.build(facts["charging"]),
            frame=PixelFrame.build(facts["frame"]),
            offsets=tensors.get("offsets"),
            regrets=tensors.get("regrets"),
            regret_weight=float(facts["regret_weight"]),
            elsewhere=other and Elsewhere(Recall.build(other["recall"]), Penalty.build(other["charging"])),
            name=str(facts["name"]),
            refresh=Refresh.build(facts["refresh"]),
        )


class LearnedFollower:
    """The belief in one search."""

    def __init__(self, belief: LearnedMultipliers, problem: Problem) -> None:
        world = world_of(problem)
        self._belief, self._size = belief, (world.width, world.height)
        self._terms = belief.terms(problem)
        self._recollection = Recollection(belief.mixture, self._terms.recall, *self._size)
        cells = world.width * world.height
        # UNSEEN is 0, so that nothing has to be written for it. A multiplier of 0 differs from every prediction, so
        # that all of them are set.
        self.multipliers = self._spread(np.zeros(cells, np.uint8), np.zeros(cells), timed=True)

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if the components are as likely as before."""
        status = state.status[: len(self.multipliers)]
        if self._recollection.observe(status) <= _LEAST_CHANGE:
            return None
        self._recollection.apply()
        self.multipliers = self._spread(status, self.multipliers.copy())
        return self.multipliers

    def _spread(self, status: NDArray[np.uint8], multipliers: FloatArray, *, timed: bool = False) -> FloatArray:
        """Set the multipliers of unseen cells to those of their pixels; if `timed`, raises OutOfTime at the limit."""
        belief, terms, recollection = self._belief, self._terms, self._recollection
        values = belief.predict(terms, recollection.blocked(), belief.regret(terms, recollection))
        width, height = self._size
        for cells in parts_of(width * height, timed=timed):
            rows = -(-cells.start // width), -(-cells.stop // width)
            spread(values, status, width, height, *rows, _LEAST_STEP, multipliers)
        return multipliers
