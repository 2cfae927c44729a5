"""Plan on a graph of your own: two Python functions over any hashable states.

A tethered winch lifts a load: the state is (height, rope), and some combinations are unsafe.
"""

from __future__ import annotations

from collections.abc import Iterator

from sailplan.core import Limits, search
from sailplan.graphs import CallbackGraph, EdgeStatus
from sailplan.policies import a_star

State = tuple[int, int]


def moves(state: State) -> Iterator[tuple[State, float]]:
    """Where one can go from a state, and at what cost; cheap, checks nothing."""
    height, rope = state
    for up, out in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        yield (height + up, rope + out), 1.0


def is_safe(state: State, target: State) -> EdgeStatus:
    """The dear check of one move; here the target itself can be at fault."""
    height, rope = target
    inside = 0 <= height <= 12 and 0 <= rope <= 12
    return EdgeStatus.VALID if inside and abs(height - rope) != 3 else EdgeStatus.INVALID_TARGET


def main() -> None:
    """Find the shortest safe way up."""
    graph = CallbackGraph(moves, is_safe)
    problem = graph.problem(start=(0, 0), goal=(12, 11))
    result = search(problem, a_star("manhattan"), Limits(seconds=5.0))
    print(f"{result.outcome}: cost {result.cost}, {result.expansions} expansions, {result.edge_evaluations} checks")
    print(" -> ".join(str(graph.state(vertex)) for vertex in result.path))


if __name__ == "__main__":
    main()
