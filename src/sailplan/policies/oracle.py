"""The clairvoyant policy, which knows the world: a lower limit of the expansions of any policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState, as_kernel_array
from sailplan.errors import PolicyError
from sailplan.files import fault_line
from sailplan.oracle import cost_to_go
from sailplan.policies.keyed.kernel import TABLE, KeyArrays
from sailplan.policies.keyed.queues import QueueFrontier


@dataclass(frozen=True)
class OraclePolicy:
    """A policy that expands the open vertex with the smallest exact cost-to-go.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S#.G ...."), OraclePolicy()).expansions
    3
    """

    table: FloatArray | None = field(default=None, compare=False, repr=False)
    """The cost-to-go of every vertex, if it is known already; by default each search computes it."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if self.table is not None:
            try:
                object.__setattr__(self, "table", as_kernel_array(self.table, np.float64))
            except (TypeError, ValueError) as error:
                raise PolicyError(f"a table needs a cost for each vertex ({fault_line(error)})") from error

    def open(self, problem: Problem, state: SearchState) -> QueueFrontier:
        """Create the open list of a search."""
        table = self._cost_to_go(problem)

        def look_up(vertices: Sequence[int]) -> list[float]:
            return [float(table[vertex]) if vertex < len(table) else math.inf for vertex in vertices]

        return QueueFrontier(state, [(look_up, False)])

    def compiled(self, problem: Problem) -> CompiledForm:
        """Return the cost-to-go as a table for the compiled engine."""
        return CompiledForm(
            KeyArrays(
                heuristic=np.array([TABLE], np.int64),
                cost_weight=np.zeros(1),
                heuristic_weight=np.ones(1),
                table=self._cost_to_go(problem)[None],
            )
        )

    def _cost_to_go(self, problem: Problem) -> FloatArray:
        if self.table is None:
            return cost_to_go(problem)
        if np.ndim(self.table) != 1:
            raise PolicyError(f"{problem.name}: a table needs a cost for each vertex, got {np.shape(self.table)}")
        if is_finite(problem.graph) and len(self.table) != problem.graph.vertex_count:
            raise PolicyError(f"{problem.name}: a table of {len(self.table)} costs for another number of vertices")
        return self.table
