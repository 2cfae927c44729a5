"""The prior given what has been seen: remembered worlds, weighted by how well they agree with what is known."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.kernel import add_disagreement, blend
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, describe_shared

_LEAST_WEIGHT = 1e-3
"""A world that weighs less than this beside the best is left out."""
_LEAST_SURPRISE = 0.3
"""Where all that has been seen since was about what was believed, the belief stays as it is."""
_LEAST_CHANGE = 0.05
"""The belief counts as unchanged where no probability has moved by more."""
_LEAST_STEP = 0.2
"""A multiplier is kept where it would change by less than this share: repairing distances is expensive."""
BLOCK_SIDE = 20
"""Cells on a side of the blocks in which worlds are weighted, unless there would be more than the most across."""
MOST_BLOCKS_ACROSS = 16
OFTEN = Refresh(expansions=10, invalid=4)
_MOST_WORLDS = 100_000
_MOST_REMEMBERED = 1 << 32
"""Cells of all worlds together in a model file: what is remembered takes as many bytes, twice."""

Cells = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Memory:
    """Worlds of one size, each a row: 1 where a cell is blocked."""

    by_world: Cells = field(repr=False)

    @classmethod
    def of(cls, worlds: Sequence[World]) -> Memory:
        """Remember worlds."""
        return cls(np.array([world.blocked.reshape(-1) for world in worlds], np.uint8))

    @cached_property
    def by_cell(self) -> Cells:
        """The same with a row for each cell."""
        return np.ascontiguousarray(self.by_world.T)

    @cached_property
    def frequencies(self) -> FloatArray:
        """How often each cell is blocked."""
        frequencies: FloatArray = self.by_world.mean(axis=0)
        return frequencies

    def packed(self) -> Cells:
        """As bytes for a file: eight cells a byte, compressed; worlds of a family have much in common."""
        return np.frombuffer(zlib.compress(np.packbits(self.by_world).tobytes(), 9), np.uint8)

    @classmethod
    def unpacked(cls, packed: Cells, worlds: int, cells: int) -> Memory:
        """Read what `packed` made; raises ModelError where it is something else."""
        size = -(-worlds * cells // 8)
        try:
            # No more than is needed: a few bytes can hold a flood.
            reader = zlib.decompressobj()
            contents = reader.decompress(packed.tobytes(), size + 1)
        except zlib.error as error:
            raise ModelError(f"damaged worlds ({error})") from error
        if worlds < 1 or len(contents) != size:
            raise ModelError(f"{len(contents)} bytes of worlds where {size} are needed")
        return cls(np.unpackbits(np.frombuffer(contents, np.uint8), count=worlds * cells).reshape(worlds, cells))


@dataclass(frozen=True)
class Agreement:
    """How worlds are weighted: by exp(-doubt), where every cell that is otherwise than known adds to the doubt."""

    of_blocked: float = 0.6
    """Doubt for a cell that is known to be blocked and free in the world."""
    of_free: float = 0.5
    """Doubt for a cell that is known to be free and blocked in the world."""
    reach: float = 1000.0
    """How many cells away doubt has fallen to a third."""
    most: int = 10
    """So many worlds are believed in at most, those that agree best."""
    prior: float = 0.0
    """Share of the prior, which weights all worlds alike, beside them."""

    def __post_init__(self) -> None:
        doubts = self.of_blocked >= 0.0 and self.of_free >= 0.0 and isfinite(self.of_blocked + self.of_free)
        worlds = isinstance(self.most, int) and self.most >= 1
        if not (doubts and worlds and self.reach > 0.0 and 0.0 <= self.prior <= 1.0):
            raise PolicyError(f"an agreement needs doubts, a reach, worlds and a share of the prior, got {self}")


@saveable("conditional")
@dataclass(frozen=True)
class Posterior:
    """Multipliers by how often a cell is blocked in the worlds that agree with what the search knows."""

    frame: Frame
    memory: Memory
    penalty: Penalty
    agreement: Agreement = field(default_factory=Agreement)
    name: str = "posterior"
    refresh: Refresh = OFTEN

    def why_unsupported(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Those of the prior."""
        return self.penalty.multipliers(self.memory.frequencies, self.memory.frequencies)

    def follow(self, problem: Problem) -> PosteriorFollower:
        """Compare the worlds with what one search comes to know."""
        return PosteriorFollower(self)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """The facts and tensors for a model file."""
        facts = {
            **describe_shared(self),
            "agreement": asdict(self.agreement),
            "refresh": list(self.refresh),
            "worlds": len(self.memory.by_world),
        }
        return facts, {"worlds": self.memory.packed()}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> Posterior:
        """Make a belief of what `describe` returned."""
        frame, worlds, packed = Frame.build(facts["frame"]), int(facts["worlds"]), tensors["worlds"]
        if not 0 < worlds <= _MOST_WORLDS or worlds * frame.cells > _MOST_REMEMBERED or packed.dtype != np.uint8:
            raise ModelError(f"{worlds} worlds of type {packed.dtype}")
        memory = Memory.unpacked(packed, worlds, frame.cells)
        agreement = Agreement(**facts["agreement"])
        penalty, refresh = Penalty.build(facts["charging"]), Refresh.build(facts["refresh"])
        return cls(frame, memory, penalty, agreement, str(facts["name"]), refresh)


class PosteriorFollower:
    """The doubt in each world, in one search and block by block: what is seen here says little of what is far away."""

    def __init__(self, belief: Posterior) -> None:
        frame, agreement = belief.frame, belief.agreement
        self._belief = belief
        self._blocks = Blocks(frame.width, frame.height)
        self._carried = self._blocks.carried(agreement.reach)
        self._known = np.zeros(frame.width * frame.height, np.bool_)
        self._doubts = np.zeros((self._blocks.count, len(belief.memory.by_world)))
        self._worlds = belief.memory.by_world.reshape(-1, frame.height, frame.width)
        self._probabilities = belief.memory.frequencies
        self._multipliers = belief.penalty.multipliers(self._probabilities, self._probabilities)
        self._blend = np.empty((frame.height, frame.width))

    def update(self, state: SearchState) -> FloatArray | None:
        """The multipliers by what is known now; None where they are about as before."""
        if self._compare(state) <= _LEAST_SURPRISE:
            return None
        chosen, weights = self._weigh()
        blend(self._worlds, chosen, weights, self._blocks.side, self._blend)
        share = self._belief.agreement.prior
        probabilities = (1.0 - share) * self._blend.reshape(-1) + share * self._belief.memory.frequencies
        if np.abs(probabilities - self._probabilities).max() <= _LEAST_CHANGE:
            return None
        self._probabilities = probabilities
        multipliers = self._belief.penalty.multipliers(self._belief.memory.frequencies, probabilities)
        about_as_before = np.abs(multipliers - self._multipliers) <= _LEAST_STEP * self._multipliers
        self._multipliers = np.where(about_as_before, self._multipliers, multipliers)
        return self._multipliers

    def _compare(self, state: SearchState) -> float:
        """Let the cells that have become known since the last look add to the doubt; return the largest surprise."""
        status = state.status[: len(self._known)]
        cells = np.flatnonzero((status != UNSEEN) & ~self._known)
        self._known[cells] = True
        touched, rows = np.unique(self._blocks.of(cells), return_inverse=True)
        added = np.zeros((len(touched), self._doubts.shape[1]))
        agreement, by_cell = self._belief.agreement, self._belief.memory.by_cell
        blocked = status[cells] == INVALID
        add_disagreement(by_cell, cells, blocked, rows, agreement.of_blocked, agreement.of_free, added)
        self._doubts += self._carried[:, touched] @ added
        return float(np.abs(blocked - self._probabilities[cells]).max(initial=0.0))

    def _weigh(self) -> tuple[NDArray[np.int64], FloatArray]:
        """The worlds to believe in, and their shares, in each block."""
        most = min(self._belief.agreement.most, self._doubts.shape[1])
        chosen = np.argpartition(self._doubts, most - 1, axis=1)[:, :most]
        doubts = np.take_along_axis(self._doubts, chosen, axis=1)
        weights = np.exp(doubts.min(axis=1, keepdims=True) - doubts)
        weights[weights < _LEAST_WEIGHT] = 0.0
        return chosen, weights / weights.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Blocks:
    """A grid in blocks, row by row; on large grids they are larger, so that there are never many."""

    width: int
    height: int

    @property
    def side(self) -> int:
        """Cells on a side."""
        return max(BLOCK_SIDE, -(-max(self.width, self.height) // MOST_BLOCKS_ACROSS))

    @property
    def across(self) -> int:
        """Blocks in a row."""
        return -(-self.width // self.side)

    @property
    def count(self) -> int:
        """Blocks in all."""
        return self.across * -(-self.height // self.side)

    def of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """The block of each cell."""
        y, x = np.divmod(cells, self.width)
        blocks: NDArray[np.int64] = y // self.side * self.across + x // self.side
        return blocks

    def carried(self, reach: float) -> FloatArray:
        """The share of the doubt in each block (column) that counts in each block (row): it falls with the distance."""
        y, x = np.divmod(np.arange(self.count), self.across)
        distances = self.side * np.hypot(x[:, None] - x, y[:, None] - y)
        shares: FloatArray = np.exp(-distances / reach)
        return shares
