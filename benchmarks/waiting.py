"""Grids where a check of an edge takes as long as one is told: the compiled engine waits inside Eval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter

from numba import njit

from sailplan.core.kernel.clock import cycles
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import verdict
from sailplan.graphs import GridGraph, Problem
from sailplan.graphs.grid.kernel.edges import GridArrays


class WaitingArrays(GridArrays):
    """A grid, and at the end of the tuple the cycles that the evaluation of an edge takes.

    A subclass of GridArrays, so that it has the bodies of the grid except where it registers its own.
    """

    _fields = (*GridArrays._fields, "wait")

    @classmethod
    def of(cls, grid: GridArrays, wait: int) -> WaitingArrays:
        return tuple.__new__(cls, (*grid, wait))


@dataclass(frozen=True, eq=False)
class WaitingGrid(GridGraph):
    """A grid of which each check takes some microseconds; nothing else does."""

    microseconds: float = 0.0

    def arrays(self) -> WaitingArrays:
        return WaitingArrays.of(super().arrays(), round(self.microseconds * cycles_in_a_microsecond()))


def waiting(problem: Problem, microseconds: float) -> Problem:
    """The same problem on a grid that takes its time."""
    grid = problem.graph
    assert isinstance(grid, GridGraph)
    return Problem(WaitingGrid(grid.world, grid.moves, microseconds), problem.start, problem.goal, name=problem.name)


@cache
def cycles_in_a_microsecond() -> float:
    """How fast the counter counts."""
    read_counter()  # compiled now, where no clock runs
    began, first = perf_counter(), read_counter()
    while perf_counter() - began < 0.2:
        pass
    rate = (read_counter() - first) / (perf_counter() - began) / 1e6
    if rate <= 0:
        raise SystemExit("a program may not read the cycle counter of this processor, so that nothing can wait by it")
    return float(rate)


@njit
def read_counter():
    return cycles()


@inlined
def wait_for(count):
    began = cycles()
    while cycles() - began < count:
        pass


@verdict.register(WaitingArrays)
def _verdict(graph, place, slot, target):
    wait_for(graph.wait)
    return verdict(plain(graph), place, slot, target)


@inlined
def plain(graph):
    """The grid alone."""
    return GridArrays(
        graph.blocked, graph.width, graph.height, graph.directions, graph.corner_cutting, graph.diagonal_cost
    )
