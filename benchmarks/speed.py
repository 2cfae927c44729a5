"""How fast are the engines? Against peers on the same worlds, by the expansion, and in bytes: ratios of one run.

python benchmarks/speed.py [--repeats 60] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from peers import PEERS, Peer, path_cost, random_world
from sailplan.core import search
from sailplan.datasets import Cell, World
from sailplan.graphs import CallbackGraph, grid_problem
from sailplan.policies import load_policy

SEEDS = {200: (1, 2, 3), 1000: (1, 2)}
"""Side of the worlds that peers run on -> their seeds."""
WIDTHS = {"peer": 29, "rule": 28, "policy": 13, "world": 12}
OCTILE, EUCLIDEAN = load_policy("a_star_octile"), load_policy("a_star")


@dataclass(frozen=True)
class Duel:
    """A peer against ours, A* from corner to corner; milliseconds are the best of several, averaged over worlds."""

    peer: str
    rule: str
    side: int
    worlds: int
    peer_ms: float
    ours_ms: float
    """`grid_problem` and `search` with a_star_octile, by the peer's rule."""
    ratio: float
    search_ms: float
    """`search` alone."""
    default_ms: float
    """By our own rule: corners are cut, diagonals cost √2."""
    default_ratio: float
    a_star_ms: float
    """The same with a_star."""
    build_ms: float
    """What the peer takes to make its map or graph."""
    ratio_with_build: float
    costs: str


@dataclass(frozen=True)
class Growth:
    """One compiled search on a world of some size."""

    policy: str
    world: str
    side: int
    expansions: int
    ns_an_expansion: float
    """With allocation and result."""
    peak_bytes_a_cell: float


@dataclass(frozen=True)
class Overhead:
    """One search of the reference engine over callbacks; microseconds by the expansion."""

    policy: str
    expansions: int
    search_us: float
    callbacks_us: float
    """The callbacks alone, called again with the very same arguments."""
    engine_us: float


def show(rows: Iterator[Any], title: str) -> list[Any]:
    """Print a table as it grows, and return it."""
    print(f"\n{title}")
    table: list[Any] = []
    for row in rows:
        texts = {key: f"{value:.3f}" if isinstance(value, float) else str(value) for key, value in asdict(row).items()}
        widths = [max(len(key), WIDTHS.get(key, 9)) for key in texts]
        if not table:
            print(*map(str.ljust, texts, widths))
        print(*map(str.ljust, texts.values(), widths), flush=True)
        table.append(row)
    return table


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest time of several calls in a row; the first pay for caches that others have filled."""
    best = math.inf
    for _ in range(repeats):
        began = perf_counter()
        run()
        best = min(best, perf_counter() - began)
    return best


def race(peer: Callable[[], object], ours: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the best time of each, the peer's first; they take turns, so that noise hits all."""
    best = [math.inf] * (1 + len(ours))
    turns = [(0, peer), *list(enumerate(ours, 1)) * math.ceil(4 / rounds)]
    for _ in range(rounds):
        for place, run in turns:
            best[place] = min(best[place], seconds(run))
    return best


def duel_on(world: World, peer: Peer, repeats: int) -> tuple[bool, list[float]]:
    """Return whether the costs agree, and the milliseconds to build and of a race."""
    began = perf_counter()
    solve = peer.prepare(world)
    built = perf_counter()
    path = solve()
    first = perf_counter() - built
    problem = grid_problem(world, moves=peer.moves)
    cost = path_cost(world, peer.moves, peer.cells([] if path is None else path, world.width))
    ours = (
        lambda: search(grid_problem(world, moves=peer.moves), OCTILE),
        lambda: search(problem, OCTILE),
        lambda: search(grid_problem(world), OCTILE),
        lambda: search(grid_problem(world), EUCLIDEAN),
    )
    rounds = max(1, min(repeats, int(2.0 / first)) // 5)  # about two seconds for a slow peer
    agree = math.isclose(cost, search(problem, OCTILE).cost, rel_tol=1e-9)
    return agree, [1e3 * time for time in (built - began, *race(solve, ours, rounds))]


def duel(peer: Peer, side: int, repeats: int) -> Duel:
    """Race on every world of this side; a peer that builds a graph, on one if it is large."""
    seeds = SEEDS[side][:1] if peer.graph and side > 500 else SEEDS[side]
    races = [duel_on(random_world(side, seed), peer, repeats) for seed in seeds]
    build, theirs, ours, alone, default, a_star = np.mean([times for _, times in races], axis=0).tolist()
    measures = theirs, ours, theirs / ours, alone, default, theirs / default, a_star, build, (theirs + build) / ours
    costs = "agree" if all(agree for agree, _ in races) else "THE PATHS DO NOT COST THE SAME"
    return Duel(peer.name, peer.rule, side, len(seeds), *measures, costs)


def duels(repeats: int) -> Iterator[Duel]:
    """Race every peer on worlds of every size."""
    for side, peer in product(SEEDS, PEERS):
        if peer.installed():
            yield duel(peer, side, repeats)
        else:
            print(f"{peer.name:29} not installed")


def growth(policy: str, world: World, repeats: int) -> Growth:
    """Measure the time of an expansion and, in another search as its tracing takes time, the memory."""
    problem, planner = grid_problem(world), load_policy(policy)
    expansions = search(problem, planner).expansions
    nanoseconds = 1e9 * seconds(lambda: search(problem, planner), repeats) / expansions
    tracemalloc.start()
    search(problem, planner)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Growth(policy, world.name, world.width, expansions, nanoseconds, peak / world.blocked.size)


def growths(repeats: int) -> Iterator[Growth]:
    """Measure what an expansion and a cell cost as worlds grow; Dijkstra on an empty world expands all of it."""
    for side in (201, 1001, 2001):
        rounds = max(2, min(repeats, 16_000_000 // side**2))
        yield growth("a_star_octile", random_world(side, 1), rounds)
        yield growth("a_star", random_world(side, 1), rounds)
        yield growth("dijkstra", World(np.zeros((side, side), np.bool_), name="empty"), rounds)


def noting(function: Callable[..., Any], calls: list[Any]) -> Callable[..., Any]:
    """Let a function write down its arguments."""

    def noted(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    return noted


class CallbackGrid:
    """A grid as a user would write it down, in two callbacks."""

    steps = tuple((x, y, math.hypot(x, y)) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)

    def __init__(self, world: World) -> None:
        self.free = {(int(x), int(y)) for y, x in np.argwhere(~world.blocked)}
        self.side = range(world.width)

    def succ(self, cell: Cell) -> list[tuple[Cell, float]]:
        (x, y), side = cell, self.side
        return [((x + dx, y + dy), cost) for dx, dy, cost in self.steps if x + dx in side and y + dy in side]

    def check(self, cell: Cell, target: Cell) -> bool:
        return target in self.free


def overhead(policy: str, grid: CallbackGrid, repeats: int) -> Overhead:
    """Search a graph of Python callbacks, then call these again with the same arguments."""

    def plan(succ: Callable[..., Any], check: Callable[..., Any]) -> int:
        problem = CallbackGraph(succ, check).problem((0, 0), (grid.side[-1], grid.side[-1]))
        return search(problem, load_policy(policy)).expansions

    asked, checked = list[Any](), list[Any]()
    expansions = plan(noting(grid.succ, asked), noting(grid.check, checked))
    whole = seconds(lambda: plan(grid.succ, grid.check), repeats)
    alone = seconds(lambda: [grid.succ(cell) for (cell,) in asked], repeats)
    alone += seconds(lambda: [grid.check(cell, target) for cell, target in checked], repeats)
    whole_us, alone_us = 1e6 * whole / expansions, 1e6 * alone / expansions
    return Overhead(policy, expansions, whole_us, alone_us, whole_us - alone_us)


def goals(duels: list[Duel], growths: list[Growth], overheads: list[Overhead]) -> Iterator[tuple[str, bool]]:
    """Say which goals are met."""
    for row in (row for row in duels if row.peer == "pyastar2d"):
        where = f"A* {row.side} x {row.side}: pyastar2d's time over ours is"
        yield f"{where} {row.ratio:.2f} by its rule; at least 1", row.ratio >= 1
        yield f"{where} {row.default_ratio:.2f} with ours by the default; at least 1", row.default_ratio >= 1
    most = max(row.peak_bytes_a_cell for row in growths)
    yield f"compiled engine: {most:.0f} bytes a cell; under 100", most < 100
    slowest = max(row.engine_us for row in overheads)
    yield f"reference engine: {slowest:.1f} µs an expansion beyond the callbacks; under 25", slowest < 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=60, help="calls of each contender")
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    options = parser.parse_args()
    fights = show(duels(options.repeats), "A*, 20 % blocked, corner to corner; ratios are the peer's time over ours")
    sizes = show(growths(options.repeats), "Compiled engine, by the expansion and by the cell")
    grid = CallbackGrid(random_world(100, 1))
    callbacks = (overhead(policy, grid, min(options.repeats, 10)) for policy in ("dijkstra", "a_star", "h_euc"))
    extras = show(callbacks, "Reference engine, 100 x 100, 20 % blocked, 8-connected callbacks")
    verdicts = list(goals(fights, sizes, extras))
    print("", *(f"{'met    ' if met else 'NOT MET'} {goal}" for goal, met in verdicts), sep="\n")
    if options.json:
        rows = {"peers": fights, "growth": sizes, "reference": extras, "goals": verdicts}
        options.json.write_text(json.dumps(rows, default=asdict, indent=1) + "\n")


if __name__ == "__main__":
    main()
