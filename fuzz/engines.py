"""Random searches: the engines agree step by step, and networkx on costs, reachability and bounds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
from tests.lattices import ALL_PRIMITIVES, FOOTPRINTS
from tests.same import assert_same_result, assert_same_state
from tests.strategies import ALL_MOVES

from fuzz.target import WrongAnswerError
from sailplan.core import Limits, Policy, Search, SearchResult, StopRule, open_search
from sailplan.core.graph import EdgeStatus
from sailplan.datasets import World
from sailplan.errors import EngineError
from sailplan.graphs import CallbackGraph, ExplicitGraph, LatticeGraph, Problem, VoxelGraph, grid_problem
from sailplan.policies import CATALOGUE, load_policy

POLICIES = (*CATALOGUE, "lazy:1", "lazy:1.5", "lwa_star:2", "weighted_a_star:3", "smha_star:1.5", "sail:mazes")
_ON_GRIDS = ("walls", "sail:mazes")
_TOLERANCE = 1e-9


class Engines:
    """The target with compiled kernels."""

    seconds = math.inf  # The first search of a block compiles.
    block = 300
    """Inputs in a row that share a policy and a kind of graph, because each pair is compiled once."""

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None
        self._pairs = [
            (kind, policy) for policy in POLICIES for kind in KINDS if kind == "grid" or policy not in _ON_GRIDS
        ]
        random.Random(0).shuffle(self._pairs)

    def check(self, rng: random.Random, number: int) -> bool:
        """Draw a problem, and search it with both engines in the same random steps."""
        kind, name = self._pairs[number // self.block % len(self._pairs)]
        policy = load_policy(name)
        problem = KINDS[kind](rng)
        known = _valid_graph(problem)
        stop = rng.choice(list(StopRule))
        steps = sorted(rng.randrange(60) for _ in range(rng.choice((0, 0, 1, 3))))
        by_evaluations = rng.random() < 0.5
        limits = [Limits(evaluations=step) if by_evaluations else Limits(expansions=step) for step in steps]
        searches = _open(problem, policy, stop)
        for limit in [*limits, Limits()]:
            results = [one.run(limit) for one in searches]
            for one, result in zip(searches[1:], results[1:], strict=True):
                assert_same_result(results[0], result)
                assert_same_state(searches[0].state, one.state)
            _check_result(problem, results[0], known, limit)
        _check_end(problem, results[0], known, policy)
        return results[0].found


class Kernels(Engines):
    """The target with kernels as plain Python."""

    seconds = 20.0
    block = 1


def _open(problem: Problem, policy: Policy, stop: StopRule) -> list[Search]:
    searches = [open_search(problem, policy, stop=stop, engine="reference")]
    with suppress(EngineError):  # A graph without arrays, or a policy without a kernel for it.
        searches.append(open_search(problem, policy, stop=stop, engine="compiled"))
    return searches


def _valid_graph(problem: Problem) -> nx.DiGraph:
    """The graph of the valid edges that can be reached, by asking for each."""
    graph, found, pending = nx.DiGraph(), {problem.start}, [problem.start]
    graph.add_nodes_from((problem.start, problem.goal))
    while pending:
        vertex = pending.pop()
        targets, costs = problem.graph.successors(vertex)
        results = problem.graph.evaluate(vertex, targets)
        for target, cost, result in zip(targets, costs, results, strict=True):
            if bool(result) if isinstance(result, bool | np.bool_) else EdgeStatus(result).valid:
                graph.add_edge(vertex, int(target), weight=float(cost))
                if target not in found:
                    found.add(int(target))
                    pending.append(int(target))
    return graph


def _check_result(problem: Problem, result: SearchResult, known: nx.DiGraph, limits: Limits) -> None:
    """Check the path, its cost and the limits."""
    if limits.expansions is not None and result.expansions > limits.expansions:
        raise WrongAnswerError(f"{result.expansions} expansions, and {limits.expansions} are allowed")
    if limits.evaluations is not None and result.edge_evaluations > limits.evaluations:
        raise WrongAnswerError(f"{result.edge_evaluations} evaluations, and {limits.evaluations} are allowed")
    if not result.found:
        return
    if (result.path[0], result.path[-1]) != (problem.start, problem.goal):
        raise WrongAnswerError("the path does not join start and goal")
    total = 0.0
    for source, target in pairwise(result.path):
        if not known.has_edge(source, target):
            raise WrongAnswerError(f"the path has the edge {source} - {target}, which is not valid")
        total += known[source][target]["weight"]
    if not math.isclose(total, result.cost, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
        raise WrongAnswerError(f"the cost is {result.cost}, and that of the path {total}")


def _check_end(problem: Problem, result: SearchResult, known: nx.DiGraph, policy: Policy) -> None:
    """Check a search without limits against networkx."""
    try:
        optimum = float(nx.dijkstra_path_length(known, problem.start, problem.goal))
    except nx.NetworkXNoPath:
        optimum = math.inf
    if result.found != math.isfinite(optimum):
        raise WrongAnswerError(f"found: {result.found}; the cost of networkx: {optimum}")
    if result.found and result.cost < optimum * (1.0 - _TOLERANCE) - _TOLERANCE:
        raise WrongAnswerError(f"the cost {result.cost} is below the optimum {optimum}")
    if result.found and result.cost > result.bound * optimum * (1.0 + _TOLERANCE) + _TOLERANCE:
        raise WrongAnswerError(f"the cost {result.cost} is above {result.bound} times the optimum {optimum}")
    optimal = policy == load_policy("dijkstra") and result.outcome.value == "goal_expanded"
    if optimal and not math.isclose(result.cost, optimum, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
        raise WrongAnswerError(f"Dijkstra's cost is {result.cost}, and the optimum {optimum}")


def _numbers(rng: random.Random) -> np.random.Generator:
    return np.random.default_rng(rng.getrandbits(32))


def _grid(rng: random.Random) -> Problem:
    numbers = _numbers(rng)
    shape = rng.randint(1, 7), rng.randint(1, 8)
    blocked = numbers.random(shape) < rng.choice((0.0, 0.2, 0.35, 0.5))
    start, goal = ((int(numbers.integers(shape[1])), int(numbers.integers(shape[0]))) for _ in range(2))
    for x, y in (start, goal):
        blocked[y, x] = False
    costs = numbers.choice((1.0, 1.5, 4.0, 37.3), shape) if rng.random() < 0.4 else None
    return grid_problem(World(blocked, name="random", costs=costs), start, goal, rng.choice(ALL_MOVES))


def _edges(rng: random.Random, undirected: bool) -> tuple[int, list[tuple[int, int, float]], np.random.Generator]:
    numbers = _numbers(rng)
    count = rng.randint(1, 14)
    ends = np.argwhere(numbers.random((count, count)) < rng.choice((0.05, 0.15, 0.3, 0.6)))
    if undirected:
        ends = ends[ends[:, 0] < ends[:, 1]]
    numbers.shuffle(ends)
    costs = numbers.choice((0.0, 1.0, 2.5, math.sqrt(2.0), rng.choice((1e-9, 3.0, 1e9))), len(ends))
    return count, [(int(a), int(b), float(c)) for (a, b), c in zip(ends, costs, strict=True)], numbers


def _explicit(rng: random.Random, undirected: bool) -> Problem:
    count, edges, numbers = _edges(rng, undirected)
    fails = rng.choice((0.0, 0.2, 0.5))
    graph = ExplicitGraph.from_edges(
        count,
        edges,
        undirected=undirected,
        coordinates=numbers.integers(0, 5, (count, 2)) if rng.random() < 0.5 else numbers.normal(size=(count, 2)),
        invalid_edges=[(a, b) for a, b, _ in edges if rng.random() < fails],
        invalid_vertices=np.flatnonzero(numbers.random(count) < rng.choice((0.0, 0.1))).tolist(),
    )
    return Problem(graph, *numbers.integers(count, size=2).tolist(), name="random")


def _voxels(rng: random.Random) -> Problem:
    numbers = _numbers(rng)
    shape = tuple(rng.randint(1, 4) for _ in range(3))
    blocked = numbers.random(shape) < rng.choice((0.0, 0.2, 0.4))
    start, goal = (tuple(numbers.integers(shape).tolist()) for _ in range(2))
    blocked[start] = blocked[goal] = False
    return VoxelGraph(blocked, rng.choice((6, 18, 26)), rng.random() < 0.5, name="random").problem(start, goal)


def _lattice(rng: random.Random) -> Problem:
    numbers = _numbers(rng)
    blocked = numbers.random((rng.randint(1, 4), rng.randint(1, 5))) < rng.choice((0.0, 0.1))
    graph = LatticeGraph(World(blocked, name="random"), rng.choice(ALL_PRIMITIVES), rng.choice(FOOTPRINTS))
    return Problem(graph, *numbers.integers(graph.vertex_count, size=2).tolist(), name="random")


def _callback(rng: random.Random) -> Problem:
    count, edges, numbers = _edges(rng, undirected=False)
    leaving: dict[int, list[tuple[int, float]]] = {vertex: [] for vertex in range(count)}
    for source, target, cost in edges:
        leaving[source].append((target, cost))
    invalid = {(a, b) for a, b, _ in edges if rng.random() < 0.2}
    places = numbers.normal(size=(count, 2)).tolist()
    graph = CallbackGraph(
        lambda vertex: leaving[vertex],
        lambda vertex, target: (vertex, target) not in invalid,
        lambda vertex: places[vertex],
    )
    return graph.problem(*numbers.integers(count, size=2).tolist())


KINDS: dict[str, Callable[[random.Random], Problem]] = {
    "grid": _grid,
    "directed": lambda rng: _explicit(rng, False),
    "undirected": lambda rng: _explicit(rng, True),
    "voxels": _voxels,
    "lattice": _lattice,
    "callback": _callback,
}
"""The kinds of graphs."""
