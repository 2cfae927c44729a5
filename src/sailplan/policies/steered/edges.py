"""A lazy policy that lists unknown edges of its candidate path and evaluates the one that the caller chooses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sailplan.core.graph import CompiledGraph, Problem
from sailplan.core.kernel.arrays import NO_VERTEX, NONE, QueueArrays
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.policies.lazy.policy import LazyFrontier, LazyPolicy
from sailplan.policies.replanning.policy import is_supported
from sailplan.policies.steered.kernel import EDGE_FACTS, SteeredEdgeArrays


class EdgeSteering:
    """The arrays that one search by edges shares with its caller.

    Parameters
    ----------
    places
        Largest number of candidates.
    """

    def __init__(self, places: int) -> None:
        self.candidates = np.full((places, 2), NO_VERTEX, np.int64)
        """Unknown edges (source, target) of the candidate path, in their order; NO_VERTEX if there are fewer. If there
        are more, some of them at equal distances, of which the first and the last are always listed."""
        self.facts = np.zeros((places, EDGE_FACTS))
        """For each candidate, its position among the unknown edges, their number, its cost, and its multiplier."""
        self.choice = np.full(1, NONE, np.int64)
        """The number of the candidate to evaluate; if NONE, the first."""


@dataclass(frozen=True, eq=False)
class SteeredLazyPolicy:
    """A lazy policy that evaluates the edge which the caller chooses before each evaluation; for a single search."""

    steering: EdgeSteering
    """The arrays that the search shares with its caller."""
    lazy: LazyPolicy = field(default_factory=LazyPolicy)
    """The policy that finds the candidate path; its selector and its batch are not used."""

    compiles_any_graph = LazyPolicy.compiles_any_graph

    @property
    def stop(self) -> StopRule:
        """The default stop rule."""
        return self.lazy.stop

    def proven_bound(self, problem: Problem, stop: StopRule) -> float:
        """Return the bound of the path cost, which does not depend on the choices."""
        return self.lazy.proven_bound(problem, stop)

    def open(self, problem: Problem, state: SearchState) -> SteeredLazyFrontier:
        """Create the open list of a search; a graph without arrays is explored first, and must be finite."""
        return SteeredLazyFrontier(*self.searched(problem, state))

    def searched(
        self, problem: Problem, state: SearchState
    ) -> tuple[CompiledGraph, Problem, CompiledForm, SearchState]:
        """Return the arguments of a frontier for the reference engine."""
        form = self.compiled(problem)
        graph = form.graph or problem.graph
        assert is_supported(graph)
        state.make_room(graph.vertex_count)
        return graph, problem, form, state

    def compiled(self, problem: Problem) -> CompiledForm:
        """Return the form for the compiled engine; raises GraphError if the graph has too many vertices."""
        form = replace(self.lazy, selector="forward", batch=1).compiled(problem)
        enlarge, tighten = form.enlarge, form.tighten
        assert enlarge
        assert tighten

        def enlarge_inner(arrays: SteeredEdgeArrays) -> SteeredEdgeArrays:
            return arrays._replace(lazy=enlarge(arrays.lazy))

        def tighten_inner(
            arrays: SteeredEdgeArrays, state: SearchState, queue: QueueArrays, bound: float
        ) -> tuple[Any, QueueArrays]:
            lazy, queue = tighten(arrays.lazy, state, queue, bound)
            return arrays._replace(lazy=lazy), queue

        arrays = SteeredEdgeArrays(form.arrays, self.steering.candidates, self.steering.facts, self.steering.choice)
        return replace(form, arrays=arrays, enlarge=enlarge_inner, tighten=tighten_inner, lists_candidates=True)


class SteeredLazyFrontier(LazyFrontier):
    """The open list of the reference engine."""

    def list_candidates(self) -> None:
        """List unknown edges of the candidate path: `select` lists them, and a request has no effect until answered."""
        self.select()
