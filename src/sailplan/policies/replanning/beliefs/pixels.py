"""Grids of any size as a fixed number of pixels, and stored worlds in this form."""

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
from sailplan.errors import ModelError, PolicyError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.belief import Tensors
from sailplan.policies.replanning.beliefs.kernel.pixels import add_doubts, blend, largest_surprise, pool_known, spread

Floats = NDArray[np.float32]
PIXELS = 67
"""Number of pixels of a grid in each direction: 3 x 3 cells each on the maps of the paper."""
LEVELS = 3
"""Stored shares of blocked cells are multiples of 1 / LEVELS."""
AREAS = 5
"""Number of areas in each direction in which stored worlds are weighed separately."""
_LEAST_WEIGHT = 1e-3
_NO_WORLD = 1e30
"""The doubt in a world that is left out; infinity times a share of 0 would be NaN."""
_MOST_STORED = 100_000


@dataclass(frozen=True)
class PixelView:
    """The pixels of a grid, and how cells and pixels correspond.

    All grids have the same number of pixels, so that what is learned on maps of one size applies to any other, and the
    time that a network needs does not depend on the size. A grid of fewer cells than pixels has cells in several
    pixels.
    """

    width: int
    """Width of the grid in cells."""
    height: int
    """Height of the grid in cells."""

    @classmethod
    def of(cls, problem: Problem) -> PixelView:
        """Return the view of a problem on a grid."""
        graph = problem.graph
        assert isinstance(graph, GridGraph)
        return cls(graph.world.width, graph.world.height)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.width * self.height

    def known(self, status: NDArray[np.uint8]) -> Floats:
        """Return what is known of each pixel, shape (3, PIXELS, PIXELS): any blocked cell, shares blocked and free."""
        known = np.empty((3, PIXELS, PIXELS), np.float32)
        pool_known(status, self.width, self.height, known)
        return known

    def spread(self, values: FloatArray, status: NDArray[np.uint8]) -> FloatArray:
        """Return the value of its pixel for each unseen cell, and 1 for all others."""
        multipliers = np.empty(self.cells)
        spread(values, status, self.width, self.height, multipliers)
        return multipliers

    def surprise(self, status: NDArray[np.uint8], seen: NDArray[np.bool_], expected: Floats) -> float:
        """Return how much a cell that has become known differs from what was expected, and mark it as seen."""
        return float(largest_surprise(status, seen, expected, self.width, self.height))

    def positions(self, problem: Problem) -> Floats:
        """Return the position of each pixel in the map, and relative to goal and start; shape (6, PIXELS, PIXELS)."""
        graph = problem.graph
        assert isinstance(graph, GridGraph)
        x, y = np.meshgrid(*2 * [(np.arange(PIXELS, dtype=np.float32) + 0.5) / PIXELS - 0.5])
        parts = [x, y]
        for vertex in (problem.goal, problem.start):
            column, row = graph.cell(vertex)
            parts += [x - (column + 0.5) / self.width + 0.5, y - (row + 0.5) / self.height + 0.5]
        return np.stack(parts).astype(np.float32)


@dataclass(frozen=True)
class PixelFrame:
    """Start and goal of problems, relative to the size of the map."""

    start: tuple[float, float]
    """The centre of the start cell: x and y, from 0 to 1."""
    goal: tuple[float, float]
    """The centre of the goal cell."""

    @classmethod
    def of(cls, problem: Problem) -> PixelFrame:
        """Return the frame of a problem on a grid."""
        view, graph = PixelView.of(problem), problem.graph
        assert isinstance(graph, GridGraph)
        cells = graph.cell(problem.start), graph.cell(problem.goal)
        start, goal = (((x + 0.5) / view.width, (y + 0.5) / view.height) for x, y in cells)
        return cls(start, goal)

    @classmethod
    def shared(cls, problems: Sequence[Problem]) -> PixelFrame | None:
        """Return the frame that fits all problems; None if there is none."""
        frame = cls.of(problems[0])
        return frame if all(fits(frame, problem) for problem in problems) else None

    @classmethod
    def build(cls, numbers: Sequence[Any] | None) -> PixelFrame | None:
        """Create a frame from the four numbers in a model file; None if there are none."""
        if numbers is None:
            return None
        x, y, goal_x, goal_y = (float(number) for number in numbers)
        return cls((x, y), (goal_x, goal_y))


def fits(frame: PixelFrame | None, problem: Problem) -> bool:
    """Return whether start and goal of a problem are within two pixels of those of a frame."""
    if frame is None:
        return False
    other = PixelFrame.of(problem)
    pairs = zip((*frame.start, *frame.goal), (*other.start, *other.goal), strict=True)
    return all(abs(one - two) <= 2.0 / PIXELS for one, two in pairs)


@dataclass(frozen=True)
class Recall:
    """The weights of stored worlds: exp(-doubt), where what differs from the known cells adds to the doubt.

    Raises
    ------
    PolicyError
        If a field is out of its range.
    """

    of_blocked: float = 18.0
    """Doubt for a pixel that is known to be blocked and free in the world."""
    of_free: float = 6.0
    """Doubt for a pixel that is known to be free and blocked in the world."""
    reach: float = 25.0
    """The distance in pixels at which the doubt has decreased to 1/e in the weights of an area."""
    local: float = 0.5
    """The share of the weights of an area, beside the weights by all that is known."""
    prior: float = 0.02
    """The share of the prior, in which all worlds have the same weight."""

    def __post_init__(self) -> None:
        positive = all(isfinite(one) and one > 0.0 for one in (self.of_blocked, self.of_free, self.reach))
        if not positive or not 0.0 <= self.local <= 1.0 or not 0.0 <= self.prior <= 1.0:
            raise PolicyError(f"doubts and their reach must be positive, and shares between 0 and 1, got {self}")


@dataclass(frozen=True, eq=False)
class PixelMemory:
    """Stored worlds as pixels.

    Examples
    --------
    >>> from sailplan.testing import draw_world
    >>> memory = PixelMemory.of([draw_world(".#"), draw_world("..")])
    >>> memory.frequencies.shape, float(memory.frequencies.max())
    ((67, 67), 0.5)
    """

    levels: NDArray[np.uint8] = field(repr=False)
    """Shape (worlds, PIXELS, PIXELS): the share of blocked cells, times LEVELS."""
    recall: Recall = field(default_factory=Recall)
    """The weights of worlds."""

    @classmethod
    def of(cls, worlds: Sequence[World], recall: Recall | None = None) -> PixelMemory:
        """Store worlds of any sizes."""
        shares = []
        for world in worlds:
            status = np.where(world.blocked, INVALID, UNSEEN).astype(np.uint8).reshape(-1)
            shares.append(PixelView(world.width, world.height).known(status)[1])
        return cls(np.rint(LEVELS * np.stack(shares)).astype(np.uint8), recall or Recall())

    def __len__(self) -> int:
        return len(self.levels)

    @cached_property
    def by_pixel(self) -> NDArray[np.uint8]:
        """The same with shape (PIXELS, PIXELS, worlds), in contiguous memory."""
        return np.ascontiguousarray(np.moveaxis(self.levels, 0, -1))

    @cached_property
    def frequencies(self) -> Floats:
        """The mean share of blocked cells of each pixel."""
        return np.asarray(self.levels.mean(axis=0) / LEVELS, np.float32)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The first row or column of each area, and PIXELS."""
        return np.arange(AREAS + 1) * PIXELS // AREAS

    @cached_property
    def carried(self) -> Floats:
        """The share of the doubt in each area (column) that counts in each area (row), by their distance."""
        y, x = np.divmod(np.arange(AREAS**2), AREAS)
        distances = PIXELS / AREAS * np.hypot(x[:, None] - x, y[:, None] - y)
        return np.asarray(np.exp(-distances / self.recall.reach), np.float32)

    def expected(self, shares: Floats) -> Floats:
        """Return the share of blocked cells of each pixel by both kinds of weights (`Recollection`) and the prior."""
        recall = self.recall
        mixed = (1.0 - recall.local) * shares[0] + recall.local * shares[1]
        return np.asarray((1.0 - recall.prior) * mixed + recall.prior * self.frequencies, np.float32)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        four = np.pad(self.levels.reshape(-1), (0, -self.levels.size % 4)).reshape(-1, 4)
        packed = (four << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1, dtype=np.uint8)
        tensors = {"worlds": np.frombuffer(zlib.compress(packed.tobytes(), 9), np.uint8)}
        return {"worlds": len(self), "pixels": PIXELS, "recall": asdict(self.recall)}, tensors

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> PixelMemory:
        """Create a memory from what `describe` returned; raises ModelError if it is damaged."""
        count, packed = int(facts["worlds"]), tensors["worlds"]
        if facts["pixels"] != PIXELS or not 0 < count <= _MOST_STORED or packed.dtype != np.uint8:
            raise ModelError(f"{count} worlds of {facts['pixels']} pixels, type {packed.dtype}")
        cells = count * PIXELS**2
        size = -(-cells // 4)
        try:
            # Limited to the expected size: a few bytes can expand to gigabytes.
            contents = zlib.decompressobj().decompress(packed.tobytes(), size + 1)
        except zlib.error as error:
            raise ModelError(f"damaged worlds ({error})") from error
        if len(contents) != size:
            raise ModelError(f"{len(contents)} bytes of worlds where {size} are needed")
        four = np.frombuffer(contents, np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)
        levels = np.asarray(four.reshape(-1)[:cells] & 3, np.uint8)
        return cls(levels.reshape(count, PIXELS, PIXELS), Recall(**facts["recall"]))


class Recollection:
    """The doubt in each stored world during one search."""

    def __init__(self, memory: PixelMemory, left_out: int | None = None) -> None:
        self._memory = memory
        self._doubts = np.zeros((AREAS**2, len(memory)), np.float32)
        self._known = np.zeros((3, PIXELS, PIXELS), np.float32)
        if left_out is not None and len(memory) > 1:
            self._doubts[:, left_out] = _NO_WORLD

    def update(self, known: Floats) -> None:
        """Compare the worlds with what has become known."""
        memory, recall = self._memory, self._memory.recall
        doubts = recall.of_blocked, recall.of_free
        add_doubts(memory.by_pixel, LEVELS, known, self._known, memory.edges, *doubts, self._doubts)

    def shares(self) -> Floats:
        """Return the expected share of blocked cells of each pixel, shape (2, PIXELS, PIXELS).

        First with weights of worlds by all that is known, then with weights by what is known around each area.
        """
        memory, shares = self._memory, np.empty((2, PIXELS, PIXELS), np.float32)
        everywhere = self._doubts.sum(axis=0, keepdims=True)
        blend(memory.levels, LEVELS, everywhere, np.array([0, PIXELS]), _LEAST_WEIGHT, shares[0])
        blend(memory.levels, LEVELS, memory.carried @ self._doubts, memory.edges, _LEAST_WEIGHT, shares[1])
        return shares
