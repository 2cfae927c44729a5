"""Grids where a check of an edge takes as long as one is told: the compiled engine waits inside Eval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter

from numba import njit
from numba.extending import overload

from sailplan.graphs import GridGraph, Problem
from sailplan.kernels import edges
from sailplan.kernels.arrays import GridArrays
from sailplan.kernels.best_first import advance
from sailplan.kernels.clock import cycles
from sailplan.kernels.compile import inlined


class WaitingArrays(GridArrays):
    """A grid, and at the end of the tuple the cycles that a check of an edge takes.

    A kind of GridArrays, so that what asks for a grid is content; the compiled engine goes by the class itself.
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


def write_no_cache() -> None:
    """Keep kernels that wait out of the cache on disk: other programs would find there a record unknown to them."""
    advance._cache.save_overload = lambda *_: None


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
def plain(graph):
    """The grid alone."""
    return GridArrays(
        graph.blocked, graph.width, graph.height, graph.directions, graph.corner_cutting, graph.diagonal_cost
    )


@inlined
def wait_for(count):
    began = cycles()
    while cycles() - began < count:
        pass


def _when_waiting(graph, body):
    return body if getattr(graph, "instance_class", None) is WaitingArrays else None


@overload(edges.locate)
def _locate(graph, vertex):
    return _when_waiting(graph, lambda graph, vertex: edges.locate(plain(graph), vertex))


@overload(edges.slot_count)
def _slot_count(graph, place):
    return _when_waiting(graph, lambda graph, place: edges.slot_count(plain(graph), place))


@overload(edges.successor)
def _successor(graph, place, slot):
    return _when_waiting(graph, lambda graph, place, slot: edges.successor(plain(graph), place, slot))


@overload(edges.edge_cost)
def _edge_cost(graph, place, slot):
    return _when_waiting(graph, lambda graph, place, slot: edges.edge_cost(plain(graph), place, slot))


@overload(edges.verdict)
def _verdict(graph, place, slot, target):
    def verdict(graph, place, slot, target):
        wait_for(graph.wait)
        return edges.verdict(plain(graph), place, slot, target)

    return _when_waiting(graph, verdict)


@overload(edges.distance)
def _distance(graph, kind, vertex, other):
    return _when_waiting(graph, lambda graph, kind, vertex, other: edges.distance(plain(graph), kind, vertex, other))


@overload(edges.position)
def _position(graph, vertex):
    return _when_waiting(graph, lambda graph, vertex: edges.position(plain(graph), vertex))
