"""Recordings: maps and searches on grids as objects for JSON, from which a browser draws every step.

A step is an expansion or, if the policy requests edges, an edge evaluation. It has a cell and two bytes with a bit for
each of the eight moves: which edges were evaluated, and which of them were valid. What is open, closed and invalid
follows from these. Arrays are compressed and written as text in base64.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, Policy, SearchResult, SearchState, Solution, open_search
from sailplan.core.graph import Problem
from sailplan.core.kernel import arrays
from sailplan.core.replay import ScriptedPolicy
from sailplan.core.search import NO_LIMITS
from sailplan.evaluation.animation import ShownMultipliers, steps
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y
from sailplan.graphs.grid.pictures import drawn_grid, requests_edges, shades
from sailplan.graphs.grid.world import World

MOST_MOMENTS, MOST_SHADES = 12, 1_000_000
"""Largest number of moments at which the multipliers of a belief are recorded, and of cells in all of them."""
MOST_REPLAYED = 20_000
"""Steps after which multipliers are not recorded any more: a search is replayed in Python for them."""

IntArray = NDArray[np.int32]
ByteArray = NDArray[np.uint8]


def describe_map(world: World) -> dict[str, Any]:
    """Return a map for JSON.

    Parameters
    ----------
    world
        The map.

    Returns
    -------
    dict
        `blocked` has one bit per cell, the bottom row first; `terrain` has a byte for the shade of each cell, or is
        None.

    Examples
    --------
    >>> found = describe_map(World(np.zeros((2, 3), bool), name="tiny"))
    >>> found["name"], found["width"], found["height"]
    ('tiny', 3, 2)
    """
    return {
        "name": world.name,
        "width": world.width,
        "height": world.height,
        "blocked": _packed(np.packbits(world.blocked.reshape(-1))),
        "terrain": None if world.costs is None else _packed(shades(world.costs.reshape(-1))),
        "resolution": world.resolution,
        "origin": world.origin,
        "unknown_cells": world.unknown_cells,
    }


def record_search(
    problem: Problem,
    result: SearchResult,
    state: SearchState,
    policy: Policy | None = None,
    solutions: Sequence[Solution] | None = None,
    *,
    multipliers: bool = True,
) -> dict[str, Any]:
    """Return a search on a grid for JSON.

    Parameters
    ----------
    problem, result, state
        The problem, the result of the search and its state at the end.
    policy
        The policy that searched; the multipliers of its belief are recorded.
    solutions
        The solutions of an anytime search.
    multipliers
        Whether to record the multipliers, for which the search is replayed.

    Returns
    -------
    dict
        The recording, as `static/recording.js` reads it.

    Raises
    ------
    SailplanError
        If the problem is not on a grid.
    """
    graph = drawn_grid(problem)
    by_edges = requests_edges(state)
    cells, asked, valid = _edge_steps(graph, state) if by_edges else _vertex_steps(graph, result.trace.expanded)
    return {
        "start": problem.start,
        "goal": problem.goal,
        "mode": "edges" if by_edges else "vertices",
        "steps": len(cells),
        "cells": _packed(np.diff(cells, prepend=np.int32(0))),
        "asked": _packed(asked),
        "valid": _packed(valid),
        "expansions": _packed(_expansion_steps(result.trace.expanded, cells) if by_edges else np.empty(0, np.int32)),
        "path": _packed(np.array(result.path or result.partial_path, np.int32)),
        "multipliers": _recorded_multipliers(problem, result, policy) if multipliers else [],
        "solutions": [_describe_solution(solution) for solution in solutions or ()],
    }


def run_recorded(problem: Problem, name: str, policy: Policy, limits: Limits = NO_LIMITS) -> dict[str, Any]:
    """Search and return the facts, by the names of `sailplan plan --json`, and the recording."""
    session = open_search(problem, policy)
    result = session.run(limits)
    facts = {
        "map": problem.name,
        "policy": name,
        **result.describe(),
        "note": "; ".join(map(str, result.notes)) or None,
        "path": problem.states(result.path),
        "partial_path": problem.states(result.partial_path),
    }
    return {"facts": facts, "recording": record_search(problem, result, session.state, policy)}


def _vertex_steps(graph: GridGraph, expanded: IntArray) -> tuple[IntArray, ByteArray, ByteArray]:
    """Return the expanded cells, and which of their edges were evaluated and valid.

    An expansion evaluates all edges but those into cells that are closed or known to be invalid.
    """
    blocked = graph.world.blocked.reshape(-1)
    number = np.arange(len(expanded), dtype=np.int32)
    never = np.int32(len(expanded))
    settled = np.full(graph.vertex_count, never, np.int32)
    settled[expanded] = number
    edges = [_edges(graph, expanded, slot) for slot in range(graph.max_degree)]
    for inside, targets, _ in edges:
        found = inside & blocked[targets]
        np.minimum.at(settled, targets[found], number[found])
    asked, valid = np.zeros(len(expanded), np.uint8), np.zeros(len(expanded), np.uint8)
    for slot, (inside, targets, passable) in enumerate(edges):
        unknown = inside & ((settled[targets] > number) | (blocked[targets] & (settled[targets] == number)))
        asked |= unknown.astype(np.uint8) << np.uint8(slot)
        valid |= (unknown & passable).astype(np.uint8) << np.uint8(slot)
    return expanded.astype(np.int32), asked, valid


def _edges(
    graph: GridGraph, cells: IntArray, slot: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_]]:
    """Return for the move `slot` from each cell whether it ends inside, its target (0 if outside), and its validity."""
    width, height, blocked = graph.world.width, graph.world.height, graph.world.blocked
    y, x = np.divmod(cells.astype(np.int64), width)
    to_x, to_y = x + STEPS_X[slot], y + STEPS_Y[slot]
    inside = (to_x >= 0) & (to_x < width) & (to_y >= 0) & (to_y < height)
    to_x, to_y = np.where(inside, to_x, 0), np.where(inside, to_y, 0)
    passable = ~blocked[to_y, to_x]
    if not graph.moves.corner_cutting:
        passable &= ~(blocked[y, to_x] | blocked[to_y, x])
    return inside, to_y * width + to_x, passable & inside


def _edge_steps(graph: GridGraph, state: SearchState) -> tuple[IntArray, ByteArray, ByteArray]:
    """Return the sources of the evaluated edges, and the bits of their moves."""
    sources, targets, status = state.evaluated.T
    width = graph.world.width
    slots = np.zeros((3, 3), np.uint8)
    slots[np.array(STEPS_Y), np.array(STEPS_X)] = np.arange(len(STEPS_X))
    slot = slots[targets // width - sources // width, targets % width - sources % width]
    asked = np.left_shift(np.uint8(1), slot)
    valid = np.where(np.isin(status, (arrays.VALID_EDGE, arrays.VALID_TARGET)), asked, 0)
    return sources.astype(np.int32), asked, valid.astype(np.uint8)


def _expansion_steps(expanded: IntArray, sources: IntArray) -> IntArray:
    """Return the step at which each expansion of a search by edges began: that of its first evaluated edge."""
    if not len(expanded) or not len(sources):
        return np.zeros(len(expanded), np.int32)
    vertices, first = np.unique(sources, return_index=True)
    place = np.minimum(np.searchsorted(vertices, expanded), len(vertices) - 1)
    # An expansion whose edges were all known has none of its own: it follows the one before.
    begins = np.where(vertices[place] == expanded, first[place], 0)
    return np.maximum.accumulate(begins).astype(np.int32)


def _recorded_multipliers(problem: Problem, result: SearchResult, policy: Policy | None) -> list[dict[str, Any]]:
    """Replay the search and return the shade of each cell at some of its steps, if the policy has a belief."""
    shown = ShownMultipliers(problem, policy)
    if not shown.available:
        return []
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    by_edges = len(result.trace.evaluated) > 0
    recorded: list[dict[str, Any]] = []
    moments = max(2, min(MOST_MOMENTS, MOST_SHADES // drawn_grid(problem).vertex_count))
    for step in np.unique(np.linspace(0, min(steps(result), MOST_REPLAYED), moments, dtype=int)).tolist():
        replayed.run(Limits(evaluations=step) if by_edges else Limits(expansions=step))
        multipliers = shown.at(replayed.state)
        text = _packed(shades(multipliers)) if multipliers is not None else ""
        if text and (not recorded or recorded[-1]["shades"] != text):
            recorded.append({"step": step, "shades": text})
    return recorded


def _describe_solution(solution: Solution) -> dict[str, Any]:
    return {**solution.describe(), "path": _packed(np.array(solution.path, np.int32))}


def _packed(array: NDArray[Any]) -> str:
    """Return the bytes of an array, least significant first, compressed, as text."""
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(plain.tobytes())).decode("ascii")
