"""Plan on a graph of your own, given by two Python functions over hashable states.

A winch lifts a load on a rope. A state is (height, rope), and some combinations are unsafe.
"""

from __future__ import annotations

from collections.abc import Iterator

import sailplan
from sailplan.policies import a_star

State = tuple[int, int]


def moves(state: State) -> Iterator[tuple[State, float]]:
    """Yield the successors of a state and the costs of the edges to them; cheap, evaluates nothing."""
    height, rope = state
    for up, out in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        yield (height + up, rope + out), 1.0


def is_safe(state: State, target: State) -> sailplan.EdgeStatus:
    """Evaluate one edge, which is expensive.

    A boolean would do; an `EdgeStatus` also says that no other edge into the target is valid.
    """
    height, rope = target
    inside = 0 <= height <= 12 and 0 <= rope <= 12
    safe = inside and abs(height - rope) != 3
    return sailplan.EdgeStatus.VALID if safe else sailplan.EdgeStatus.INVALID_TARGET


def main() -> None:
    """Find a shortest safe path."""
    problem = sailplan.CallbackGraph(moves, is_safe).problem(start=(0, 0), goal=(12, 11))
    result = sailplan.search(problem, a_star("manhattan"), sailplan.Limits(seconds=5.0))
    print(
        f"{result.outcome}: cost {result.cost}, {result.expansions} expansions, {result.edge_evaluations} evaluations"
    )
    print(" -> ".join(map(str, problem.states(result.path))))


if __name__ == "__main__":
    main()
