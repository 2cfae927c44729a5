"""Policies, problems and results pass through pickle, and their copies search as they do."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import networkx
import numpy as np
import pytest
from numpy.typing import NDArray

from sailplan.core import Limits, search
from sailplan.core.graph import Problem, is_compiled
from sailplan.datasets import World, generate_world
from sailplan.datasets.labelled import label_problems
from sailplan.evaluation.evaluate import evaluate
from sailplan.graphs import (
    CallbackGraph,
    ExplicitGraph,
    KnownEdges,
    LatticeGraph,
    Roadmap,
    VoxelGraph,
    from_networkx,
    grid_problem,
)
from sailplan.learning import train_sail
from sailplan.planning import plan, plan_motion
from sailplan.policies import CATALOGUE, PRETRAINED, load_policy
from sailplan.policies.features import PRESETS
from sailplan.policies.learned.policy import LearnedPolicy
from tests.lattices import WITH_TURNS
from tests.learning.tiny import TINY, assert_same_network, tiny_problems
from tests.same import assert_same_result

Place = tuple[int, int]


def _copy(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))


@cache
def _maze() -> Problem:
    return grid_problem(generate_world("mazes", 3, 0, width=41, height=41))


def _steps(place: Place) -> list[tuple[Place, float]]:
    x, y = place
    return [((x + 1, y), 1.0), ((x, y + 1), 1.0)] if x + y < 12 else []


def _is_allowed(place: Place, target: Place) -> bool:
    return target != (1, 0)


class Disc:
    """A checker of configurations: they are valid outside of a disc."""

    def valid(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether each configuration is outside."""
        return np.hypot(rows[:, 0] - 0.5, rows[:, 1] - 0.5) > 0.2


def _blocks(*shape: int) -> NDArray[np.bool_]:
    return np.random.default_rng(1).random(shape) < 0.15


def _roadmap_problem() -> Problem:
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 60)
    return roadmap.problem([0.1, 0.1], [0.9, 0.9], Disc(), known=KnownEdges(roadmap))


def _lattice_problem() -> Problem:
    blocked = np.zeros((9, 12), np.bool_)
    blocked[2:7, 4:8] = True
    return LatticeGraph(World(blocked), WITH_TURNS, 0.1).problem((0, 0, 0), (10, 8, 1), metres=False)


def _terrain_problem() -> Problem:
    return grid_problem(World(np.zeros((9, 9), np.bool_), costs=np.where(_blocks(9, 9), 2.0, 1.0)))


def _networkx_problem() -> Problem:
    grid = networkx.grid_2d_graph(5, 6)
    grid.edges[(0, 0), (0, 1)]["valid"] = False
    return from_networkx(grid).problem((0, 0), (4, 5))


def _explicit_problem(*, undirected: bool) -> Problem:
    edges = [(one, other, float(one + other)) for one in range(9) for other in range(one + 1, 10)]
    places = np.random.default_rng(2).normal(size=(10, 2))
    return Problem(ExplicitGraph.from_edges(10, edges, coordinates=places, undirected=undirected), 0, 9)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "grid": _maze,
    "terrain": _terrain_problem,
    "voxels": lambda: VoxelGraph(_blocks(6, 5, 4)).problem((0, 0, 0), (5, 4, 3), metres=False),
    "lattice": _lattice_problem,
    "explicit": lambda: _explicit_problem(undirected=False),
    "undirected": lambda: _explicit_problem(undirected=True),
    "roadmap": _roadmap_problem,
    "networkx": _networkx_problem,
    "callback": lambda: CallbackGraph(_steps, _is_allowed).problem((0, 0), (6, 6)),
}


@pytest.mark.parametrize("name", [*CATALOGUE, *PRETRAINED])
def test_a_copy_of_a_policy_searches_as_it_does(name: str) -> None:
    policy, problem = load_policy(name), _maze()
    fresh = _copy(policy)
    expected = search(problem, policy)
    for copy in (fresh, _copy(policy)):
        assert_same_result(search(problem, copy), expected)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("policy", ["a_star", "lazy"])
def test_a_copy_of_a_problem_is_searched_as_it_is(kind: str, policy: str) -> None:
    fresh = _copy(PROBLEMS[kind]())
    problem = PROBLEMS[kind]()
    expected = search(problem, load_policy(policy))
    assert expected.found
    # The second copy is of a problem that was searched, and has what the first search computed.
    for copy in (fresh, _copy(problem)):
        assert (copy.start, copy.goal, copy.name) == (problem.start, problem.goal, problem.name)
        assert_same_result(search(copy, load_policy(policy)), expected)


@pytest.mark.parametrize("kind", [kind for kind in PROBLEMS if kind != "callback"])
def test_arrays_of_a_copy_have_the_flags_of_the_original(kind: str) -> None:
    """An array that can be written to is another type to Numba: kernels would be compiled again for the copy."""
    problem = PROBLEMS[kind]()
    search(problem, load_policy("lazy"))
    copy = _copy(problem)
    graph, other_graph = problem.graph, copy.graph
    assert is_compiled(graph)
    assert is_compiled(other_graph)
    for arrays, copied in (
        (graph.arrays(), other_graph.arrays()),
        (graph.backward_arrays(), other_graph.backward_arrays()),
    ):
        assert type(arrays) is type(copied)
        for name, one, other in zip(arrays._fields, arrays, copied, strict=True):
            if isinstance(one, np.ndarray):
                assert (one.flags.writeable, one.flags.c_contiguous) == (
                    other.flags.writeable,
                    other.flags.c_contiguous,
                ), name


def test_a_copy_of_a_callback_graph_keeps_its_numbers_and_grows_by_itself() -> None:
    graph = CallbackGraph(_steps)
    graph.problem((0, 0), (6, 6))
    copy = _copy(graph)
    assert [copy.vertex((0, 0)), copy.vertex((6, 6)), copy.vertex((9, 9))] == [0, 1, 2]
    assert graph.vertex((5, 5)) == 2


def test_a_copy_of_a_feature_set_can_be_saved() -> None:
    for features in PRESETS.values():
        assert _copy(features).describe() == ({}, {})


def test_results_and_plans() -> None:
    result = search(_maze(), load_policy("lazy"), Limits(evaluations=50))
    assert_same_result(_copy(result), result)
    assert _copy(result).timing == result.timing
    plotted = plan(generate_world("mazes", 3, 0, width=41, height=41), policy="a_star")
    copy = _copy(plotted)
    assert copy.describe() == plotted.describe()
    assert copy.picture().tobytes() == plotted.picture().tobytes()
    moved = plan_motion(Roadmap.sample([0.0, 0.0], [1.0, 1.0], 60), [0.1, 0.1], [0.9, 0.9], Disc())
    assert np.array_equal(_copy(moved).configurations, moved.configurations)


def test_labelled_problems_evaluations_and_trainings() -> None:
    problems = tiny_problems()
    labelled = label_problems(problems).solvable[0]
    assert np.array_equal(_copy(labelled).table, labelled.table)
    evaluation = evaluate(list(problems), "a_star")
    # As text, because a cost that is not listed is NaN.
    assert repr(_copy(evaluation).records) == repr(evaluation.records)
    assert repr(_copy(evaluation).summaries) == repr(evaluation.summaries)
    training = train_sail(problems[:4], problems[4:], TINY, seed=0)
    assert _copy(TINY) == TINY
    assert _copy(training).rounds == training.rounds
    assert isinstance(training.policy, LearnedPolicy)
    assert_same_network(_copy(training).policy, training.policy)
