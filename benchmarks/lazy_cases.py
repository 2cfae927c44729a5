"""Random problems and beliefs for `lazy.py`: small, with ties, so that a wrong bound would show."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray
from sailplan.datasets import World
from sailplan.graphs import ExplicitGraph, GridGraph, Moves, Problem, grid_problem
from sailplan.policies import SELECTORS, LazyPolicy
from sailplan.policies.replanning.beliefs import NEVER, Optimistic, Refresh

BOUNDS = (math.inf, 10.0, 4.0, 2.0, 1.5, 1.1, 1.01, 1.0)
BATCHES = (1, 1, 2, 5)
MULTIPLIERS = (0.25, 1.0, 1.0, 1.3, 2.5, 40.0, math.inf, math.nan)
"""Of which a random belief chooses; beliefs may be wrong in any way."""
OFTEN = Refresh(2, 1)


@dataclass(frozen=True)
class RandomBelief:
    """Other random multipliers at each update."""

    seed: int
    refresh: Refresh = OFTEN
    name: str = "random"

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray:
        return self.draw(problem, 0)

    def draw(self, problem: Problem, evaluated: int) -> FloatArray:
        assert isinstance(problem.graph, ExplicitGraph | GridGraph)
        return np.random.default_rng([self.seed, evaluated]).choice(MULTIPLIERS, problem.graph.vertex_count)

    def follow(self, problem: Problem) -> RandomFollower:
        return RandomFollower(self, problem)


@dataclass(frozen=True)
class RandomFollower:
    belief: RandomBelief
    problem: Problem

    def update(self, state: SearchState) -> FloatArray:
        return self.belief.draw(self.problem, len(state.evaluated))


@dataclass(frozen=True)
class LongEdges:
    """The belief that long edges are more often invalid: the multiplier is 1 plus the cost over the mean cost."""

    refresh: Refresh = NEVER
    name: str = "long edges"
    per_edge: bool = True

    def why_unsupported(self, problem: Problem) -> str:
        return "" if isinstance(problem.graph, ExplicitGraph) else "only for explicit graphs"

    def multipliers(self, problem: Problem) -> FloatArray:
        assert isinstance(problem.graph, ExplicitGraph)
        costs = problem.graph.rows.costs
        return np.asarray(1.0 + costs / costs.mean(), np.float64)

    def follow(self, problem: Problem) -> None:
        return None


def random_graph(rng: np.random.Generator, vertices: int = 60, *, undirected: bool = False) -> Problem:
    """A problem on an explicit graph with invalid edges and vertices; costs of a few kinds, zero among them."""
    count = int(rng.integers(2, vertices + 1))
    joined = rng.random((count, count)) < rng.choice((0.03, 0.1, 0.3))
    np.fill_diagonal(joined, False)
    pairs = np.argwhere(np.triu(joined | joined.T) if undirected else joined)
    costs = rng.choice((0.0, 1.0, 2.5, math.sqrt(2.0)), len(pairs)) if rng.random() < 0.5 else rng.random(len(pairs))
    costs[rng.random(len(pairs)) < 0.1] = 0.0
    fails = rng.random(len(pairs)) < rng.choice((0.0, 0.2, 0.5))
    if undirected:
        pairs = np.concatenate((pairs, pairs[:, ::-1]))
        costs, fails = np.tile(costs, 2), np.tile(fails, 2)
    graph = ExplicitGraph.from_edges(
        count,
        [(source, target, cost) for (source, target), cost in zip(pairs.tolist(), costs.tolist(), strict=True)],
        invalid_edges=pairs[fails].tolist(),
        invalid_vertices=np.flatnonzero(rng.random(count) < rng.choice((0.0, 0.1))).tolist(),
    )
    start, goal = rng.integers(count, size=2).tolist()
    return Problem(graph, start, goal, name="random graph")


def random_grid(rng: np.random.Generator, side: int = 14) -> Problem:
    """A problem on a small grid, with or without terrain, diagonal moves and corner cutting."""
    shape = int(rng.integers(1, side + 1)), int(rng.integers(1, side + 1))
    blocked = rng.random(shape) < rng.choice((0.0, 0.1, 0.25, 0.4))
    start, goal = ((int(rng.integers(shape[1])), int(rng.integers(shape[0]))) for _ in range(2))
    for x, y in (start, goal):
        blocked[y, x] = False
    costs = rng.choice((1.0, 1.5, 4.0, 37.3), shape) if rng.random() < 0.5 else None
    diagonal_cost = float(rng.choice((math.sqrt(2.0), 1.0, 0.5, 3.0)))
    moves = Moves(bool(rng.random() < 0.8), bool(rng.random() < 0.5), diagonal_cost)
    return grid_problem(World(blocked, name="random grid", costs=costs), start, goal, moves)


def random_problem(rng: np.random.Generator) -> Problem:
    """A grid or a graph."""
    return random_grid(rng) if rng.random() < 0.5 else random_graph(rng, 30, undirected=bool(rng.random() < 0.5))


def random_policy(rng: np.random.Generator) -> LazyPolicy:
    """A lazy policy with any bound, belief, selector and batch."""
    belief = RandomBelief(int(rng.integers(1 << 31))) if rng.random() < 0.5 else Optimistic()
    selector = str(rng.choice(list(SELECTORS)))
    return LazyPolicy(float(rng.choice(BOUNDS)), belief, selector, int(rng.choice(BATCHES)))
