"""Recordings have every step of a search; a slow twin follows the reference engine."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan import load_policy, plan
from sailplan.core import Limits, Policy, SearchState, open_search
from sailplan.core.graph import Problem
from sailplan.core.kernel import arrays
from sailplan.core.replay import ScriptedPolicy
from sailplan.datasets import World, generate_world
from sailplan.errors import SailplanError
from sailplan.evaluation.player import describe_map, record_search, run_recorded
from sailplan.graphs import ExplicitGraph, GridGraph, grid_problem
from sailplan.graphs.grid.graph import Moves
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y
from sailplan.policies.catalogue import CATALOGUE

MOVES = [Moves(), Moves(corner_cutting=False), Moves(diagonal=False)]


def unpacked(text: str, kind: Any) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)


def cells_of(recording: dict[str, Any]) -> NDArray[np.int64]:
    return np.cumsum(unpacked(recording["cells"], "<i4"))


def replayed(recording: dict[str, Any], graph: GridGraph) -> Iterator[tuple[set[int], set[int], set[int], int]]:
    """The closed, open and invalid cells and the number of evaluations after each step, as the player derives them."""
    closed, seen, invalid, evaluations = set[int](), {recording["start"]}, set[int](), 0
    steps = zip(
        cells_of(recording), unpacked(recording["asked"], "u1"), unpacked(recording["valid"], "u1"), strict=True
    )
    for cell, asked, valid in steps:
        for slot in range(8):
            target = int(cell) + STEPS_Y[slot] * graph.world.width + STEPS_X[slot]
            if asked >> slot & 1:
                evaluations += 1
                is_blocked = graph.world.blocked.reshape(-1)[target]
                (seen if valid >> slot & 1 else invalid if is_blocked else set()).add(target)
        closed.add(int(cell))
        yield closed, seen - closed, invalid, evaluations


def states(problem: Problem, policy: Policy) -> Iterator[SearchState]:
    """The state after each expansion, by the reference engine."""
    search = open_search(problem, policy, engine="reference")
    for count in range(1, problem.graph.vertex_count + 1):  # type: ignore[attr-defined]
        search.run(Limits(expansions=count))
        if search.state.expansions < count:
            return
        yield search.state


def vertices(state: SearchState, code: int) -> set[int]:
    return set(np.flatnonzero(state.status == code).tolist())


@pytest.mark.parametrize("moves", MOVES, ids=str)
@pytest.mark.parametrize("policy", ["a_star_octile", "h_euc", "mha_star", "optimistic"])
@pytest.mark.parametrize("family", ["mazes", "forest"])
def test_the_steps_of_expansions_are_those_of_the_reference_engine(family: str, policy: str, moves: Moves) -> None:
    world = generate_world(family, 0, 0, width=17, height=13)
    problem = grid_problem(world, moves=moves)
    search = open_search(problem, load_policy(policy))
    recording = record_search(problem, search.run(), search.state)
    assert isinstance(problem.graph, GridGraph)
    steps = 0
    for (closed, seen, invalid, evaluations), state in zip(
        replayed(recording, problem.graph), states(problem, load_policy(policy)), strict=True
    ):
        assert closed == vertices(state, arrays.CLOSED)
        assert seen == vertices(state, arrays.OPEN)
        assert invalid == vertices(state, arrays.INVALID)
        assert evaluations == state.arrays.counts[arrays.EDGE_EVALUATIONS]
        steps += 1
    assert recording["mode"] == "vertices"
    assert steps == recording["steps"] > 5


@given(st.integers(0, 2**32 - 1), st.sampled_from(MOVES), st.sampled_from(sorted(CATALOGUE)))
@settings(max_examples=60, deadline=None)
def test_every_policy_is_recorded_with_all_its_evaluations(seed: int, moves: Moves, policy: str) -> None:
    draw = np.random.default_rng(seed)
    blocked = draw.random((9, 11)) < draw.uniform(0.0, 0.5)
    blocked[0, 0] = blocked[-1, -1] = False
    found = plan(World(blocked), policy=policy, moves=moves)
    recording = found.recording()
    asked, valid = unpacked(recording["asked"], "u1"), unpacked(recording["valid"], "u1")
    assert int(np.unpackbits(asked).sum()) == found.evaluations
    assert not (valid & ~asked).any()
    if recording["mode"] == "vertices":
        assert cells_of(recording).tolist() == found.result.trace.expanded.tolist()
    else:
        width = blocked.shape[1]
        slots = np.log2(asked).astype(int)
        targets = cells_of(recording) + np.array(STEPS_Y)[slots] * width + np.array(STEPS_X)[slots]
        assert np.column_stack((cells_of(recording), targets)).tolist() == found.result.trace.evaluated.tolist()
        assert np.array_equal(found.state.valid_edges[:, 1], targets[valid > 0])
    assert unpacked(recording["path"], "<i4").tolist() == list(found.result.path)


def test_expansions_of_a_search_by_edges_are_placed_at_their_first_edge() -> None:
    found = plan(generate_world("mazes", 1, 0, width=41, height=41), policy="smha_star")
    recording = found.recording()
    assert recording["mode"] == "edges"
    begins = unpacked(recording["expansions"], "<i4")
    assert len(begins) == found.expansions > 20
    assert (np.diff(begins) >= 0).all()
    replay = open_search(found.problem, ScriptedPolicy(found.result.trace))
    for number, step in enumerate(begins[:50].tolist()):
        replay.run(Limits(evaluations=step))
        assert replay.state.expansions <= number + 1


def test_multipliers_are_recorded_while_they_change() -> None:
    found = plan(generate_world("mazes", 1, 0), policy="sail:mazes")
    shown = found.recording()["multipliers"]
    assert shown[0]["step"] == 0
    assert len(shown) > 1
    assert all(len(unpacked(one["shades"], "u1")) == 201 * 201 for one in shown)
    assert found.recording(multipliers=False)["multipliers"] == []
    assert plan(generate_world("mazes", 1, 0), policy="lazy").recording()["multipliers"] == []


def test_an_anytime_search_is_recorded_with_its_solutions() -> None:
    solutions: list[Any] = []
    found = plan(generate_world("bugtrap_forest", 0, 0), on_solution=solutions.append)
    recorded = found.recording()["solutions"]
    assert [one["edge_evaluations"] for one in recorded] == [one.evaluations for one in solutions]
    assert [unpacked(one["path"], "<i4").tolist() for one in recorded] == [list(one.path) for one in solutions]
    assert found.describe()["solutions"][-1]["bound"] == 1.0


def test_facts_are_those_of_a_plan() -> None:
    world = generate_world("forest", 1, 0, width=31, height=31)
    problem = grid_problem(world, moves=Moves(corner_cutting=False))
    facts = run_recorded(problem, "lazy", load_policy("lazy"))["facts"]
    expected = plan(world, policy="lazy").describe()
    assert facts.keys() == expected.keys()
    for name in facts.keys() - {"seconds", "seconds_by_phase"}:
        assert list(facts[name]) == list(expected[name]) if "path" in name else facts[name] == expected[name]


def test_a_map_is_described() -> None:
    blocked = np.array([[True, False, True], [False, False, True], [True, True, False]])
    world = World(blocked, name="tiny", resolution=0.5, origin=(1.0, 2.0, 0.0), costs=np.full((3, 3), 2.0))
    described = describe_map(world)
    bits = np.unpackbits(unpacked(described["blocked"], "u1"))[:9]
    assert bits.reshape(3, 3).astype(bool).tolist() == blocked.tolist()
    assert (described["resolution"], described["origin"]) == (0.5, (1.0, 2.0, 0.0))
    assert unpacked(described["terrain"], "u1").tolist() == [8] * 9


def test_a_search_that_starts_at_its_goal_has_no_steps() -> None:
    found = plan(np.ones((3, 3), bool), (1, 1), (1, 1), policy="h_euc")
    assert found.recording()["steps"] == 0


def test_only_grids_are_recorded() -> None:
    problem = Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), 0, 1)
    search = open_search(problem, load_policy("dijkstra"))
    with pytest.raises(SailplanError, match="only searches on grids"):
        record_search(problem, search.run(), search.state)
