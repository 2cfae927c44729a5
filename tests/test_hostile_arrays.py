"""Arrays and numbers of a user that reach a kernel, which checks no bounds: they are converted, or refused in one line.

What is refused never reaches a kernel. What is converted has the types for which kernels are compiled, so that these
tests compile nothing that others do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from sailplan import oracle
from sailplan.core import Limits, Problem, Trace, open_search, replay, search
from sailplan.errors import SailplanError
from sailplan.graphs import ExplicitGraph, GridGraph, KnownEdges, Roadmap, VoxelGraph
from sailplan.graphs.grid.clearance import inflate
from sailplan.policies import (
    DenseNetwork,
    EdgePosterior,
    EdgeWeights,
    LearnedPolicy,
    OraclePolicy,
    RandomPolicy,
    ReplanningPolicy,
    dijkstra,
    feature_set,
    optimistic,
    weighted_a_star,
)
from sailplan.policies.learned.network import Scaling, allocate_network
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh
from sailplan.policies.replanning.beliefs.posterior import Memory, Posterior
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior
from sailplan.policies.replanning.policy import in_rows
from sailplan.policies.replay.samples import take_samples
from sailplan.policies.replay.transitions import look_at_steps
from sailplan.testing import draw_problem, draw_world

PROBLEM = draw_problem("S#.G ....")
CELLS = 8
FRAME = Frame(4, 2, (0, 1), (3, 1))
EDGES = ExplicitGraph.from_edges(4, [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.1), (2, 3, 1.1)])
WORLDS = np.array([[1, 0, 1, 1], [1, 1, 1, 1]])
ROADMAP = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 12, neighbours=3)


def _any(*values: Any) -> tuple[Any, ...]:
    """Values of types that are wrong."""
    return values


def _refused(call: Callable[[], object], message: str = "") -> None:
    with pytest.raises(SailplanError, match=rf"^[^\n]*{message}[^\n]*$"):
        call()


@pytest.mark.parametrize(
    "expanded", [np.zeros((2, 3), int), np.array([0.0, 1.0]), None, np.array(3), [[1], [1, 2]], [-1]]
)
def test_vertices_of_a_trace(expanded: Any) -> None:
    _refused(lambda: Trace(0, 1, expanded), "expanded")
    _refused(lambda: Trace(0, 1, np.zeros(0, np.int32), expanded), "evaluated")


def test_edges_of_a_trace_are_pairs() -> None:
    _refused(lambda: Trace(0, 1, np.zeros(0, np.int32), np.zeros((2, 3), np.int32)), r"evaluated has shape \(2, 3\)")


@pytest.mark.parametrize("kind", [np.uint8, np.int64, list])
def test_a_trace_of_other_integers_is_replayed(kind: Any) -> None:
    found = search(PROBLEM, dijkstra())
    trace = Trace(PROBLEM.start, PROBLEM.goal, np.repeat(found.trace.expanded, 2)[::2].astype(int))
    given = trace.expanded.tolist() if kind is list else trace.expanded.astype(kind)
    assert Trace(0, 1, given).expanded.dtype == np.int32
    assert replay(PROBLEM, Trace(PROBLEM.start, PROBLEM.goal, given)).expansions == found.expansions


@pytest.mark.parametrize(
    ("steps", "picks"), [([[1], [1, 2]], [0.0]), ([0], ["a"]), ([0, 1], [[0], [0, 1]]), (["a"], [0])]
)
def test_steps_and_picks(steps: Any, picks: Any) -> None:
    trace = Trace(PROBLEM.start, PROBLEM.goal, [PROBLEM.start])  # type: ignore[arg-type]
    _refused(lambda: take_samples(PROBLEM, trace, feature_set("paper17"), steps, picks))
    _refused(lambda: look_at_steps(PROBLEM, trace, dijkstra(), np.array([0])), "a LearnedPolicy")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int32])
def test_limits_become_python_numbers(kind: Any) -> None:
    limits = Limits(expansions=kind(3), evaluations=kind(3), seconds=np.float32(5.0), bound=np.float32(2.0))  # type: ignore[arg-type]
    kinds = [type(one) for one in (limits.expansions, limits.evaluations, limits.seconds, limits.bound)]
    assert kinds == [int, int, float, float]
    _refused(lambda: search(PROBLEM, dijkstra(), 5), "limits are given as Limits")  # type: ignore[arg-type]


def test_the_oracle() -> None:
    assert "distances_to" not in oracle.__all__
    for limit in _any(math.nan, "far", None):
        _refused(partial(oracle.cost_to_go, PROBLEM, limit=limit), "a limit of the cost-to-go")
    _refused(lambda: oracle.cost_to_go(None), "the oracle needs a Problem")  # type: ignore[arg-type]
    for table in _any(["a"] * CELLS, [[1], [1, 2]]):
        _refused(partial(OraclePolicy, table), "a table needs a cost for each vertex")


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.float16, ">f8", bool])
def test_multipliers_have_one_type(kind: Any) -> None:
    given = np.ones(2 * CELLS, kind)[::2]
    for multipliers in (given, given.tolist()):
        numbers = in_rows(multipliers, PROBLEM.graph, per_edge=False)  # type: ignore[arg-type]
        assert numbers.dtype == np.float64
        assert numbers.dtype.isnative
        assert numbers.flags.c_contiguous


def test_multipliers_that_are_read_only_stay_the_same_array() -> None:
    ones = np.ones(CELLS)
    ones.flags.writeable = False
    assert in_rows(ones, PROBLEM.graph, per_edge=False) is ones  # type: ignore[arg-type]


class _Belief:
    """A belief of a user."""

    name = "mine"

    def __init__(self, multipliers: Any, refresh: Any = NEVER) -> None:
        self._multipliers, self.refresh = multipliers, refresh

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> Any:
        return self._multipliers

    def follow(self, problem: Problem) -> Any:
        return None if self.refresh == NEVER else self

    def update(self, state: object) -> None:
        return None


@pytest.mark.parametrize("multipliers", [["a"] * CELLS, np.array([None] * CELLS), np.ones(CELLS) * 1j, [1.0], 1.0])
def test_multipliers_that_are_none(multipliers: Any) -> None:
    _refused(lambda: open_search(PROBLEM, ReplanningPolicy(_Belief(multipliers))), "a belief returned multipliers")


@pytest.mark.parametrize("refresh", [(1, 1), Refresh(1.5, 1), Refresh(0, 1), "ab"])  # type: ignore[arg-type]
def test_when_a_belief_is_updated(refresh: Any) -> None:
    _refused(lambda: open_search(PROBLEM, ReplanningPolicy(_Belief(np.ones(CELLS), refresh))))


@pytest.mark.parametrize(
    "cells", [np.zeros(8, np.uint8), np.zeros((0, 8), np.uint8), np.zeros((2, 8)), np.full((2, 8), 7)]
)
def test_stored_worlds(cells: Any) -> None:
    _refused(lambda: Memory(cells), "stored worlds need a row of 0 and 1")


def test_stored_worlds_of_another_size() -> None:
    _refused(lambda: Memory.of([draw_world("S.G"), draw_world("S..G")]), "must have one size")
    for cells in (3, 300):
        _refused(partial(Posterior, FRAME, Memory(np.zeros((2, cells), np.uint8)), Penalty()), f"of {cells} cells")
    strided = np.zeros((2, 16), bool)[:, ::2]
    stored: Any = Memory(strided).by_world
    assert stored.dtype == np.uint8
    assert stored.flags.c_contiguous


@pytest.mark.parametrize("frequencies", [np.zeros(3), np.full(8, np.nan), np.full(8, 9.0), ["a"] * 8])
def test_frequencies_of_a_prior(frequencies: Any) -> None:
    _refused(lambda: Prior(FRAME, frequencies, Penalty()), "frequency")


def test_an_edge_posterior_needs_a_graph() -> None:
    for graph in _any(None, PROBLEM.graph):
        _refused(partial(EdgePosterior.of, graph, WORLDS), "ExplicitGraph, got")


def test_worlds_that_an_edge_posterior_ignores() -> None:
    posterior = EdgePosterior.of(EDGES, WORLDS)
    for ignored in _any((99,), (-1,), (0.5,)):
        _refused(partial(posterior.held_out, ignored), "ignored worlds are numbered from 0 to 1")
    assert posterior.held_out((0,)).arrays(Problem(EDGES, 0, 3)).doubts[:2].tolist() == [math.inf, 0.0]
    # Without any world all probabilities would be NaN, which kernels convert to integers.
    assert posterior.held_out((0, 1)).arrays(Problem(EDGES, 0, 3)).doubts[:2].tolist() == [0.0, 0.0]


def test_weights_become_floats() -> None:
    weights = EdgeWeights(surprise=1, sharing=np.float32(1.0))  # type: ignore[arg-type]
    assert type(weights.surprise) is type(weights.sharing) is float
    assert type(Penalty(surprise=3).surprise) is float
    for wrong in _any(1e308, "a", math.nan, -1.0):
        _refused(partial(EdgeWeights, surprise=wrong), "weights must be finite and not negative")


def _network(**changes: Any) -> DenseNetwork:
    parts: dict[str, Any] = {
        "weights": np.zeros((2, 1)),
        "biases": np.zeros(1),
        "mean": np.zeros(2),
        "linear": np.ones(2),
        "unit": 1.0,
    }
    parts |= changes
    layers = ((parts["weights"], parts["biases"]),)
    return DenseNetwork(layers, Scaling(parts["mean"], np.ones(2)), parts["linear"], parts["unit"])


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": [[0.0], [0.0]]},
        {"weights": np.full((2, 1), "a")},
        {"biases": np.zeros((1, 1))},
        {"biases": [0.0]},
        {"mean": np.zeros((2, 1))},
        {"linear": [1.0, 1.0]},
        {"linear": np.array([None, None])},
        {"unit": "a"},
    ],
)
def test_layers_of_a_network(changes: dict[str, Any]) -> None:
    _refused(lambda: _network(**changes))


def test_arrays_of_a_network_have_one_type() -> None:
    frozen = np.ones(2)
    frozen.flags.writeable = False
    given: list[Any] = [np.ones(4)[::2], np.ones(2, np.float32), frozen]
    for linear in given:
        array = allocate_network([(np.zeros((2, 1)), np.zeros(1))], linear).linear
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable


@pytest.mark.parametrize("rows", [None, np.zeros(2), np.full((1, 2), "a"), np.array([[None, None]])])
def test_rows_of_a_network(rows: Any) -> None:
    _refused(lambda: _network().predict(rows), "rows of 2 numbers")


def test_a_model_that_returns_text() -> None:
    class Model:
        def predict(self, rows: Any) -> Any:
            return ["a"] * len(rows)

    _refused(lambda: search(PROBLEM, LearnedPolicy(feature_set("paper17"), Model())), "a number for each vertex")


def test_grids_and_voxels() -> None:
    _refused(lambda: GridGraph(np.zeros((2, 2), bool)), "a grid needs a World")  # type: ignore[arg-type]
    _refused(lambda: GridGraph(draw_world(".."), None), "for Moves")  # type: ignore[arg-type]
    blocked = np.zeros((2, 2, 2), bool)
    for connectivity in _any(26.0, True, np.array([6, 18]), "26"):
        _refused(partial(VoxelGraph, blocked, connectivity), "connectivity must be 6, 18 or 26")
    assert type(VoxelGraph(blocked, np.uint8(26)).max_degree) is int  # type: ignore[arg-type]
    assert not VoxelGraph(blocked).inflated(3.0).blocked.any()
    one = blocked.copy()
    one[0, 0, 0] = True
    assert VoxelGraph(one).inflated(1e300).blocked.all()
    assert not VoxelGraph(blocked).inflated(1e300).blocked.any()
    assert inflate(one[0], 1e300).all()
    assert not inflate(blocked[0], 1e300).any()
    _refused(lambda: VoxelGraph(one).inflated(10**400), "a radius must be a finite number")


@pytest.mark.parametrize("edges", [np.array(1.0), None, 5])
def test_edges_of_an_explicit_graph(edges: Any) -> None:
    _refused(lambda: ExplicitGraph.from_edges(2, edges), "edges must be rows of 3 numbers")
    _refused(
        lambda: ExplicitGraph.from_edges(2, [], invalid_vertices=edges), "invalid_vertices must be rows of 1 numbers"
    )


@pytest.mark.parametrize(
    "results",
    [None, True, (True for _ in "a"), [[True]], np.ones((1, 1), bool)],
    ids=["none", "bool", "gen", "list", "2d"],
)
def test_results_of_a_checker(results: Any) -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], evaluate_edges=lambda sources, targets: results)
    _refused(lambda: graph.evaluate(0, [1]), "evaluate_edges must return")


class _Graph:
    """A graph of a user."""

    vertex_count = 5

    def __init__(self, found: Any) -> None:
        self._found = found

    def successors(self, vertex: int) -> Any:
        return self._found

    def evaluate(self, vertex: int, targets: Any) -> list[bool]:
        return [True for _ in targets]

    def coordinates(self, vertices: Any) -> Any:
        return np.zeros((len(vertices), 1))


@pytest.mark.parametrize(
    "found",
    [None, 3, ([-1], [1.0]), ([0.5], [1.0]), (["a"], [1.0]), ([2**40], [1.0]), ([10**30], [1.0]), ([1], [1.0, 2.0])],
)
@pytest.mark.parametrize("policy", [dijkstra(), optimistic()], ids=["reference engine", "explored"])
def test_successors_of_a_graph(found: Any, policy: Any) -> None:
    _refused(lambda: search(Problem(_Graph(found), 0, 3), policy), r"successors\(0\) must return vertices and a cost")


def _roadmap(**changes: Any) -> Roadmap:
    names = ("space", "coordinates", "sources", "targets", "lengths")
    return Roadmap(**{**{name: getattr(ROADMAP, name) for name in names}, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"sources": ROADMAP.sources * 1.0},
        {"sources": np.array([None] * ROADMAP.edge_count)},
        {"sources": [[1], [1, 2]]},
        {"targets": np.full(ROADMAP.edge_count, 2**40)},
        {"coordinates": np.full(ROADMAP.coordinates.shape, "a")},
        {"sources": ROADMAP.sources[:1], "base": ROADMAP, "extends_base": True},
        {"sources": ROADMAP.sources[::-1], "base": ROADMAP, "extends_base": True},
    ],
)
def test_arrays_of_a_roadmap(changes: dict[str, Any]) -> None:
    _refused(lambda: _roadmap(**changes))


def test_arrays_of_a_roadmap_have_one_type() -> None:
    frozen = ROADMAP.coordinates.copy()
    frozen.flags.writeable = False
    given = {"sources": ROADMAP.sources.astype(np.int64), "targets": np.repeat(ROADMAP.targets, 2)[::2]}
    roadmap = _roadmap(**given, lengths=ROADMAP.lengths.tolist(), coordinates=frozen)
    for name, kind in (("sources", np.int32), ("targets", np.int32), ("lengths", float), ("coordinates", float)):
        array = getattr(roadmap, name)
        assert (array.dtype, array.flags.c_contiguous, array.flags.writeable) == (kind, True, True), name


def test_numbers_of_a_roadmap() -> None:
    # Infinite distances gave neighbours whose numbers were whatever the memory held.
    _refused(
        lambda: Roadmap.sample([0.0, 0.0], [1.0, 1.0], 9, weights=[1e300, 1.0]), "times its weight must be at most"
    )
    _refused(lambda: Roadmap.sample([0.0], [1.0], 9, seed=-1), "a seed must be an integer")
    _refused(lambda: ROADMAP.connect([0.1, 0.1], [0.9, 0.9], seed=-1), "a seed must be an integer")
    _refused(lambda: ROADMAP.connect([0.1, 0.1], [0.9, 0.9], extra=10**12), "extra must be at most")
    for spread in _any(math.nan, -1.0, math.inf, "far"):
        _refused(partial(ROADMAP.connect, [0.1, 0.1], [0.9, 0.9], spread=spread), "spread must be a number")
    for vertices in _any([99], [-1], [0.5], ["a"], 5, [None]):
        _refused(partial(ROADMAP.refine, vertices), "vertices are numbered from 0 to 11")
    known = KnownEdges(ROADMAP)
    for edges in _any(["a"], [0.5], None, np.zeros((2, 2), int), [999]):
        _refused(partial(known.forget, edges), "edges are")
    for vertex in (-1, 12):
        _refused(partial(known.is_closed, vertex), "vertices are numbered")


def test_numbers_of_policies() -> None:
    for seed in _any(0.5, -1, 2**70, "a", None):
        _refused(partial(RandomPolicy, seed), "a seed must be between 0 and")
    assert weighted_a_star(np.float32(2.0)) == weighted_a_star(2.0)  # type: ignore[arg-type]
    assert type(RandomPolicy(np.uint8(3)).seed) is int  # type: ignore[arg-type]
    _refused(lambda: ReplanningPolicy(effort="a"), "effort must be between")  # type: ignore[arg-type]
    _refused(lambda: weighted_a_star("a"), "the weights of a key")  # type: ignore[arg-type]
