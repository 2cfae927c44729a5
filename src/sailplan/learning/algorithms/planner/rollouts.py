"""What a round collects: traces of roll-outs on reduced problems, and the steps whose states are learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, open_search
from sailplan.core.graph import Problem
from sailplan.core.replay import ScriptedPolicy
from sailplan.core.result import Trace
from sailplan.datasets.scenario import random_cells
from sailplan.graphs import grid_problem
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell, World
from sailplan.policies.replanning.beliefs.pixels import PIXELS, blocked_shares, world_of

Integers = NDArray[np.int64]
_BLOCKED_SHARE = 0.5
"""A pixel is blocked if at least this share of its cells is."""


class RollOut(NamedTuple):
    """A search on a training world, and the steps of it that are learned from."""

    world: int
    """Index of the training problem."""
    trace: Trace
    steps: Integers
    """In ascending order: numbers of expansions, or of evaluations if the trace has edges."""

    def states(self, problem: Problem) -> Iterator[NDArray[np.uint8]]:
        """The status of all vertices at each step."""
        session, by_edges = open_search(problem, ScriptedPolicy(self.trace)), len(self.trace.evaluated) > 0
        for step in self.steps.tolist():
            session.advance(Limits(evaluations=step) if by_edges else Limits(expansions=step))
            yield session.state.status.copy()


@dataclass(frozen=True, eq=False)
class RollOuts:
    """The roll-outs of a round, as flat arrays."""

    worlds: Integers
    """Shape (roll-outs,): the index of the training problem."""
    ends: Integers
    """Shape (roll-outs, 2): start and goal."""
    steps: Integers
    """Shape (roll-outs, steps): the steps that are learned from."""
    counts: Integers
    """Shape (roll-outs, 2): the numbers of vertices expanded and of edges requested."""
    expanded: Integers
    """The vertices of all traces, one after the other."""
    evaluated: Integers
    """Shape (edges, 2): the edges of all traces."""

    def __len__(self) -> int:
        return self.steps.size

    @classmethod
    def of(cls, rolled: Sequence[RollOut], width: int) -> RollOuts:
        """Flatten roll-outs with this number of steps each."""
        traces = [one.trace for one in rolled]
        return cls(
            worlds=np.array([one.world for one in rolled], np.int64),
            ends=np.array([(trace.start, trace.goal) for trace in traces], np.int64).reshape(-1, 2),
            steps=np.array([one.steps for one in rolled], np.int64).reshape(-1, width),
            counts=np.array([(len(trace.expanded), len(trace.evaluated)) for trace in traces], np.int64).reshape(-1, 2),
            expanded=np.concatenate([np.empty(0, np.int64), *(trace.expanded for trace in traces)]),
            evaluated=np.concatenate([np.empty((0, 2), np.int64), *(trace.evaluated for trace in traces)]),
        )

    @classmethod
    def read(cls, arrays: dict[str, NDArray[Any]], width: int) -> RollOuts:
        """Check what was read from a file; raises ValueError if it is not what `of` returned."""
        made = cls(**arrays)
        count, (vertices, edges) = len(made.worlds), made.counts.reshape(-1, 2).sum(axis=0).tolist()
        shapes = {
            "worlds": (count,),
            "ends": (count, 2),
            "steps": (count, width),
            "counts": (count, 2),
            "expanded": (vertices,),
            "evaluated": (edges, 2),
        }
        for name, shape in shapes.items():
            array = arrays[name]
            if array.shape != shape or array.dtype != np.int64 or (array < 0).any():
                raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}")
        return made

    def __iter__(self) -> Iterator[RollOut]:
        vertices, edges = np.cumsum(self.counts, axis=0).T
        for index, (start, goal) in enumerate(self.ends.tolist()):
            expanded = self.expanded[vertices[index] - self.counts[index, 0] : vertices[index]]
            evaluated = self.evaluated[edges[index] - self.counts[index, 1] : edges[index]]
            trace = Trace(start, goal, expanded.astype(np.int32), evaluated.astype(np.int32))
            yield RollOut(int(self.worlds[index]), trace, self.steps[index])


def reduced(problem: Problem) -> Problem:
    """Return the problem with a cell for each pixel; a problem with no more cells than pixels is returned unmodified.

    A search on it takes a tenth of the time. Start and goal are free. There may be no path although there is one in the
    original problem, and the reverse. Costs of terrain are left out.
    """
    graph, world = problem.graph, world_of(problem)
    assert isinstance(graph, GridGraph)
    if max(world.width, world.height) <= PIXELS:
        return problem
    blocked = blocked_shares(world) >= _BLOCKED_SHARE
    start, goal = (_pixel(graph.cell(vertex), world) for vertex in (problem.start, problem.goal))
    for x, y in (start, goal):
        blocked[y, x] = False
    return grid_problem(World(blocked), start, goal, graph.moves)


def between_random_cells(problem: Problem, rng: np.random.Generator) -> Problem:
    """Return the same problem with a random start and a random goal."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    start, goal = (graph.vertex(cell) for cell in random_cells(graph.world, rng))
    return replace(problem, start=start, goal=goal)


def _pixel(cell: Cell, world: World) -> Cell:
    x, y = cell
    return (2 * x + 1) * PIXELS // (2 * world.width), (2 * y + 1) * PIXELS // (2 * world.height)
