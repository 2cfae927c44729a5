"""Checkers of the contracts of graphs, policies and results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sailplan.core import Limits, Policy, SearchResult, StopRule, search
from sailplan.core.compiled_engine import compiled_form
from sailplan.core.graph import EdgeStatus, Graph, Problem, edge_statuses, is_compiled, is_finite
from sailplan.errors import GraphError
from sailplan.graphs.grid.graph import GridGraph, Moves, grid_problem
from sailplan.graphs.grid.world import World
from sailplan.policies.keyed.policy import dijkstra
from sailplan.testing.tiny_worlds import random_problem


def check_graph(graph: Graph, vertices: Iterable[int]) -> None:
    """Check the contract of a graph.

    Successors must be distinct vertices with finite, non-negative costs, and the same at each call. Each edge must have
    a status, and coordinates must be finite. If the graph has arrays, both engines must run the same search.

    Parameters
    ----------
    graph
        The graph to check.
    vertices
        The vertices at which it is checked.

    Raises
    ------
    AssertionError
        If the contract is broken; the message states how.

    Examples
    --------
    >>> from sailplan.graphs import ExplicitGraph
    >>> graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0, 0), (1, 0)])
    >>> check_graph(graph, [0, 1])
    """
    met = list(vertices)
    assert met, "check_graph needs at least one vertex"
    for vertex in met:
        _check_successors(graph, vertex)
    places = np.asarray(graph.coordinates(met))
    assert places.ndim == 2, f"coordinates have shape {places.shape}, not (vertices, dimensions)"
    assert len(places) == len(met), f"coordinates({len(met)} vertices) has {len(places)} rows"
    assert np.isfinite(places).all(), "coordinates must be finite"
    if is_compiled(graph) and len(met) > 1:
        _check_engines_agree(Problem(graph, met[0], met[-1]), dijkstra())


def _check_successors(graph: Graph, vertex: int) -> None:
    targets, costs = graph.successors(vertex)
    assert len(targets) == len(costs), f"successors({vertex}): {len(targets)} vertices but {len(costs)} costs"
    assert len(set(targets)) == len(targets), f"successors({vertex}) names a vertex twice"
    assert all(0.0 <= cost < math.inf for cost in costs), f"successors({vertex}): a cost is negative or not finite"
    last = graph.vertex_count if is_finite(graph) else math.inf
    assert all(0 <= target < last for target in targets), f"successors({vertex}) names a vertex out of range"
    assert list(graph.successors(vertex)[0]) == list(targets), f"successors({vertex}) differ from one call to the next"
    try:
        edge_statuses(graph, vertex, targets)
    except GraphError as error:
        raise AssertionError(str(error)) from error


def check_policy(policy: Policy, problems: Sequence[Problem] | None = None, *, clairvoyant: bool = False) -> None:
    """Check the contract of a policy.

    The policy must find a path if one exists, expand no vertex twice, and be deterministic. Both engines must run the
    same search. The policy must not depend on cells that the search has not uncovered.

    Parameters
    ----------
    policy
        The policy to check.
    problems
        Problems to search; small random grids by default.
    clairvoyant
        Whether the policy may depend on cells that the search has not uncovered.

    Raises
    ------
    AssertionError
        If the contract is broken; the message states how.

    Examples
    --------
    >>> from sailplan import load_policy
    >>> from sailplan.testing import draw_problem
    >>> check_policy(load_policy("h_euc"), [draw_problem("S.#.G")])
    """
    rng = np.random.default_rng(0)
    given = problems or [random_problem(rng, Moves(corner_cutting=bool(turn % 2))) for turn in range(20)]
    for problem in given:
        result = search(problem, policy, engine="reference")
        reachable = search(problem, dijkstra(), stop=StopRule.GOAL_GENERATED).found
        assert result.found == reachable, f"{problem.name}: found={result.found} although reachable={reachable}"
        check_result(problem, result)
        again = search(problem, policy, engine="reference")
        assert _same(result, again), f"{problem.name}: a second search with the same policy differs from the first"
        if is_compiled(problem.graph) and compiled_form(policy, problem) is not None:
            _check_engines_agree(problem, policy)
        if not clairvoyant and isinstance(problem.graph, GridGraph):
            for part in (0.25, 0.5, 1.0):
                _check_sees_only_what_is_uncovered(problem, policy, int(part * result.expansions), rng)


def check_result(problem: Problem, result: SearchResult) -> None:
    """Check that a result is consistent.

    Each vertex must be expanded at most once, each edge of the path must be valid, and the cost must be their sum.

    Parameters
    ----------
    problem
        The problem that was searched.
    result
        What `search` returned.

    Raises
    ------
    AssertionError
        If the result is not consistent; the message states how.

    Examples
    --------
    >>> from sailplan import load_policy
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S..G")
    >>> check_result(problem, search(problem, load_policy("h_euc")))
    """
    expanded = result.trace.expanded.tolist()
    assert len(expanded) == result.expansions == len(set(expanded)), f"{problem.name}: a vertex was expanded twice"
    if not result.found or (result.outcome.final and not result.outcome.found):
        assert result.path == (), f"{problem.name}: a path although none was found"
        assert result.cost == math.inf, f"{problem.name}: a cost although no path was found"
        return
    assert (result.path[0], result.path[-1]) == (problem.start, problem.goal), (
        f"{problem.name}: the path does not lead from start to goal"
    )
    cost = 0.0
    for source, target in zip(result.path, result.path[1:], strict=False):
        targets, costs = problem.graph.successors(source)
        assert target in targets, f"{problem.name}: the path jumps from {source} to {target}"
        (status,) = edge_statuses(problem.graph, source, [target])
        assert EdgeStatus(status).valid, f"{problem.name}: the path takes the invalid edge {source} -> {target}"
        cost += costs[list(targets).index(target)]
    assert math.isclose(cost, result.cost, rel_tol=1e-9), f"{problem.name}: cost {result.cost}, edges sum to {cost}"


def _check_engines_agree(problem: Problem, policy: Policy) -> None:
    reference = search(problem, policy, engine="reference")
    compiled = search(problem, policy, engine="compiled")
    assert _same(reference, compiled), f"{problem.name}: the engines ran different searches"


def _same(one: SearchResult, other: SearchResult) -> bool:
    return (
        np.array_equal(one.trace.expanded, other.trace.expanded)
        and (one.outcome, one.path, one.cost) == (other.outcome, other.path, other.cost)
        and one.edge_evaluations == other.edge_evaluations
        and one.policy_evaluations == other.policy_evaluations
        and one.non_finite_scores == other.non_finite_scores
    )


def _check_sees_only_what_is_uncovered(
    problem: Problem, policy: Policy, expansions: int, rng: np.random.Generator
) -> None:
    """Redraw the cells that the first expansions did not touch: these expansions must not change."""
    limits = Limits(expansions=expansions)
    before = search(problem, policy, limits, engine="reference")
    altered = with_other_hidden_cells(problem, before.trace.expanded.tolist(), rng)
    after = search(altered, policy, limits, engine="reference")
    assert _same(before, after), f"{problem.name}: a cell that the search had not touched changed the search"


def with_other_hidden_cells(problem: Problem, expanded: Sequence[int], rng: np.random.Generator) -> Problem:
    """Return the problem on a grid in which the cells that these expansions did not touch are redrawn."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    touched = {problem.start, problem.goal}
    for vertex in expanded:
        touched.update([vertex, *graph.successors(vertex)[0]])
    blocked = graph.world.blocked.copy().reshape(-1)
    hidden = np.setdiff1d(np.arange(blocked.size), np.fromiter(touched, int))
    blocked[hidden] = rng.random(len(hidden)) < 0.5
    other = World(blocked.reshape(graph.world.blocked.shape), name=problem.name)
    return grid_problem(other, graph.cell(problem.start), graph.cell(problem.goal), graph.moves)
