"""The posterior: stored worlds, weighted by their agreement with the known cells of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.archives import pack_bits, unpack_bits
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState, as_kernel_array
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable, set_floats
from sailplan.policies.replanning.beliefs.kernel.cells import add_disagreement, blend, mix, weigh
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, describe_shared, read_only

_LEAST_WEIGHT = 1e-3
"""Worlds with a smaller weight than this, relative to the best one, are ignored."""
_LEAST_SURPRISE = 0.3
"""If no known cell differs more than this from its probability, the belief is not updated."""
_LEAST_CHANGE = 0.05
"""If no probability has changed by more than this, the multipliers are unmodified."""
_LEAST_STEP = 0.2
"""Relative changes of a multiplier up to this are ignored, because repairing distances is expensive."""
BLOCK_SIDE = 20
"""Side length in cells of the blocks in which worlds are weighted; larger on large grids."""
MOST_BLOCKS_ACROSS = 16
"""Largest number of blocks in a row."""
OFTEN = Refresh(expansions=10, invalid=4)
_MOST_WORLDS = 100_000
_MOST_REMEMBERED = 1 << 32
"""Largest number of cells of all worlds in a model file; in memory each takes two bytes."""

Cells = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Memory:
    """The stored worlds of a belief, all of one size; of a roadmap, its edges take the place of cells.

    Raises
    ------
    PolicyError
        If there is no world, the worlds have different sizes, or a number is neither 0 nor 1.

    Examples
    --------
    >>> from sailplan.testing import draw_world
    >>> Memory.of([draw_world(".#"), draw_world("..")]).frequencies
    array([0. , 0.5])
    """

    by_world: Cells = field(repr=False)
    """Shape (worlds, cells): 1 if a cell is blocked, or an edge invalid."""

    def __post_init__(self) -> None:
        cells = np.asarray(self.by_world)
        if cells.ndim != 2 or not cells.size or cells.dtype.kind not in "biu":
            raise PolicyError(f"stored worlds need a row of 0 and 1 each, got {cells.dtype} of shape {cells.shape}")
        if not 0 <= cells.min() <= cells.max() <= 1:
            raise PolicyError("stored worlds need a row of 0 and 1 each, got other numbers")
        object.__setattr__(self, "by_world", as_kernel_array(cells, np.uint8))

    @classmethod
    def of(cls, worlds: Sequence[World]) -> Memory:
        """Store worlds."""
        if len({world.blocked.shape for world in worlds}) > 1:
            raise PolicyError("stored worlds must have one size")
        return cls(np.array([world.blocked.reshape(-1) for world in worlds], np.uint8))

    @cached_property
    def by_cell(self) -> Cells:
        """The transpose of `by_world`, in contiguous memory."""
        return np.ascontiguousarray(self.by_world.T)

    @cached_property
    def bits_by_cell(self) -> Cells:
        """The same as packed bits: bit b of byte k in a row is that of world 8 k + b."""
        return np.ascontiguousarray(np.packbits(self.by_world, axis=0, bitorder="little").T)

    @cached_property
    def frequencies(self) -> FloatArray:
        """The frequency with which each cell is blocked."""
        frequencies: FloatArray = self.by_world.mean(axis=0)
        return frequencies

    def packed(self) -> Cells:
        """Return the worlds as compressed bytes, with eight cells per byte before compression."""
        return pack_bits(self.by_world)

    @classmethod
    def unpacked(cls, packed: Cells, worlds: int, cells: int) -> Memory:
        """Read the bytes that `packed` returned; raises ModelError if they are not valid."""
        if worlds < 1:
            raise ModelError(f"{worlds} worlds")
        try:
            return cls(unpack_bits(packed, worlds * cells).reshape(worlds, cells))
        except ValueError as error:
            raise ModelError(f"damaged worlds ({error})") from error


@dataclass(frozen=True)
class Agreement:
    """The weights of worlds: exp(-doubt), where every cell that differs from the known one adds to the doubt.

    Raises
    ------
    PolicyError
        If a field is out of its range.
    """

    of_blocked: float = 0.6
    """Doubt for a cell that is known to be blocked and free in the world."""
    of_free: float = 0.5
    """Doubt for a cell that is known to be free and blocked in the world."""
    reach: float = 1000.0
    """The distance in cells at which the doubt has decreased to 1/e."""
    most: int = 10
    """Largest number of worlds with a weight: those that agree best."""
    prior: float = 0.0
    """The share of the prior, in which all worlds have the same weight."""

    def __post_init__(self) -> None:
        doubts = self.of_blocked >= 0.0 and self.of_free >= 0.0 and isfinite(self.of_blocked + self.of_free)
        worlds = isinstance(self.most, int) and self.most >= 1
        if not (doubts and worlds and self.reach > 0.0 and 0.0 <= self.prior <= 1.0):
            raise PolicyError(f"an agreement needs doubts, a reach, worlds and a share of the prior, got {self}")
        set_floats(self, "of_blocked", "of_free", "reach", "prior")


@saveable("conditional")
@dataclass(frozen=True)
class Posterior:
    """Multipliers from the frequency with which a cell is blocked in stored worlds that agree with the known cells.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.policies import ReplanningPolicy
    >>> from sailplan.testing import draw_problem, draw_world
    >>> problem = draw_problem("S#.G ....")
    >>> memory = Memory.of([draw_world("S#.G ...."), draw_world("S.#G ....")])
    >>> belief = Posterior(Frame.of(problem), memory, Penalty(surprise=3.0))
    >>> search(problem, ReplanningPolicy(belief)).found
    True
    """

    frame: Frame
    """The problems that the belief supports."""
    memory: Memory
    """The stored worlds."""
    penalty: Penalty
    """The multipliers as a function of probabilities."""
    agreement: Agreement = field(default_factory=Agreement)
    """The weights of worlds."""
    name: str = "posterior"
    """The name of the belief in notes."""
    refresh: Refresh = OFTEN
    """When the belief is updated during a search."""

    def __post_init__(self) -> None:
        if self.memory.by_world.shape[1] != self.frame.cells:
            cells = self.memory.by_world.shape[1]
            raise PolicyError(f"stored worlds of {cells} cells for {self.frame}")

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers of the prior, which are read-only."""
        return read_only(self._prior_multipliers)

    @cached_property
    def _prior_multipliers(self) -> FloatArray:
        return self.penalty.multipliers(self.memory.frequencies, self.memory.frequencies)

    def follow(self, problem: Problem) -> PosteriorFollower:
        """Return the state of the belief for one search."""
        return PosteriorFollower(self, problem)

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks in which worlds are weighted."""
        return Blocks(self.frame.width, self.frame.height)

    @cached_property
    def block_of(self) -> NDArray[np.int64]:
        """The block of each cell."""
        return self.blocks.of(np.arange(self.frame.cells))

    @cached_property
    def occupied_blocks(self) -> NDArray[np.int64]:
        """The blocks of which a cell is blocked in a stored world; worlds are weighted only there."""
        return np.flatnonzero(self._occupied.any(axis=0))

    @cached_property
    def occupied(self) -> NDArray[np.bool_]:
        """Whether a cell of each of these blocks (column) is blocked in each stored world (row)."""
        return np.ascontiguousarray(self._occupied[:, self.occupied_blocks])

    @cached_property
    def carried(self) -> FloatArray:
        """The share of the doubt in each block (column) that counts in each of these blocks (row)."""
        return self.blocks.carried(self.agreement.reach)[self.occupied_blocks]

    @cached_property
    def _occupied(self) -> NDArray[np.bool_]:
        side, worlds = self.blocks.side, self.memory.by_world.reshape(-1, self.frame.height, self.frame.width)
        rows = np.maximum.reduceat(worlds, np.arange(0, self.frame.height, side), axis=1)
        blocks = np.maximum.reduceat(rows, np.arange(0, self.frame.width, side), axis=2)
        return blocks.reshape(len(worlds), -1) > 0

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        facts = {
            **describe_shared(self),
            "agreement": asdict(self.agreement),
            "refresh": list(self.refresh),
            "worlds": len(self.memory.by_world),
        }
        return facts, {"worlds": self.memory.packed()}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> Posterior:
        """Create a belief from what `describe` returned."""
        frame, worlds, packed = Frame.build(facts["frame"]), int(facts["worlds"]), tensors["worlds"]
        if not 0 < worlds <= _MOST_WORLDS or worlds * frame.cells > _MOST_REMEMBERED or packed.dtype != np.uint8:
            raise ModelError(f"{worlds} worlds of type {packed.dtype}")
        memory = Memory.unpacked(packed, worlds, frame.cells)
        agreement = Agreement(**facts["agreement"])
        penalty, refresh = Penalty.build(facts["charging"]), Refresh.build(facts["refresh"])
        return cls(frame, memory, penalty, agreement, str(facts["name"]), refresh)


class PosteriorFollower:
    """The doubt in each world during one search, per block, because known cells say little about distant ones."""

    def __init__(self, belief: Posterior, problem: Problem) -> None:
        frame, blocks, worlds = belief.frame, belief.blocks.count, len(belief.memory.by_world)
        self._belief = belief
        self._known = np.zeros(frame.cells, np.bool_)
        self._doubts = np.zeros((len(belief.occupied_blocks), worlds))
        self._totals, self._touched = np.zeros((blocks, worlds)), np.zeros(blocks, np.bool_)
        self._worlds = belief.memory.by_world.reshape(-1, frame.height, frame.width)
        self._probabilities = belief.memory.frequencies
        self.multipliers = belief.multipliers(problem)
        self._blend = np.empty((frame.height, frame.width))

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if they have hardly changed."""
        if self._compare(state) <= _LEAST_SURPRISE:
            return None
        self._carry()
        belief = self._belief
        chosen, weights = self._weigh()
        blend(self._worlds, belief.occupied_blocks, belief.occupied, chosen, weights, belief.blocks.side, self._blend)
        probabilities, frequencies = np.empty(len(self._known)), belief.memory.frequencies
        if not mix(
            self._blend.reshape(-1),
            frequencies,
            belief.agreement.prior,
            self._probabilities,
            _LEAST_CHANGE,
            probabilities,
        ):
            return None
        # The others keep their multipliers; logarithms and powers take long.
        cells = np.flatnonzero(probabilities != self._probabilities)
        self._probabilities = probabilities
        multipliers, before = belief.penalty.multipliers(frequencies[cells], probabilities[cells]), self.multipliers
        changed = np.abs(multipliers - before[cells]) > _LEAST_STEP * before[cells]
        self.multipliers = before.copy()
        self.multipliers[cells[changed]] = multipliers[changed]
        return self.multipliers

    def _compare(self, state: SearchState) -> float:
        """Add the doubt of the cells that have become known since the last update; return the largest surprise."""
        belief = self._belief
        surprise: float = add_disagreement(
            state.status,
            self._known,
            self._probabilities,
            belief.memory.by_cell,
            belief.block_of,
            belief.agreement.of_blocked,
            belief.agreement.of_free,
            self._totals,
            self._touched,
        )
        return surprise

    def _carry(self) -> None:
        """Add the doubts since the last surprise to those in all blocks."""
        touched = np.flatnonzero(self._touched)
        self._doubts += self._belief.carried[:, touched] @ self._totals[touched]
        self._totals[touched], self._touched[touched] = 0.0, False

    def _weigh(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Return the worlds with the largest weights, and the weights, in each block."""
        blocks, worlds = self._doubts.shape
        most = min(self._belief.agreement.most, worlds)
        chosen, weights = np.empty((blocks, most), np.int64), np.empty((blocks, most))
        weigh(self._doubts, _LEAST_WEIGHT, chosen, weights)
        return chosen, weights


@dataclass(frozen=True)
class Blocks:
    """The division of a grid into square blocks, numbered row by row; their number is limited."""

    width: int
    """Width of the grid in cells."""
    height: int
    """Height of the grid in cells."""

    @property
    def side(self) -> int:
        """Side length of a block in cells."""
        return max(BLOCK_SIDE, -(-max(self.width, self.height) // MOST_BLOCKS_ACROSS))

    @property
    def across(self) -> int:
        """Number of blocks in a row."""
        return -(-self.width // self.side)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self.across * -(-self.height // self.side)

    def of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the block of each cell."""
        y, x = np.divmod(cells, self.width)
        blocks: NDArray[np.int64] = y // self.side * self.across + x // self.side
        return blocks

    def carried(self, reach: float) -> FloatArray:
        """Return the share of the doubt in each block (column) that counts in each block (row), by their distance."""
        y, x = np.divmod(np.arange(self.count), self.across)
        distances = self.side * np.hypot(x[:, None] - x, y[:, None] - y)
        shares: FloatArray = np.exp(-distances / reach)
        return shares
