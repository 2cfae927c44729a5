from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Search, StopRule, open_search
from sailplan.core.kernel.arrays import NO_VERTEX
from sailplan.core.search import EngineName
from sailplan.environment.attractors import Attractors
from sailplan.environment.view import Top
from sailplan.errors import EngineError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import HEURISTICS, greedy
from sailplan.policies.features import PRESETS, feature_set
from sailplan.policies.steered.policy import Ranking, SteeredPolicy, Steering
from sailplan.testing import draw_problem
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)
TOPS = st.builds(Top, st.integers(1, 12), st.sampled_from(list(HEURISTICS)))
_PATH = np.array([[0.0, 0.0], [0.3, 0.4], [1.0, 0.0]])
ATTRACTORS = st.sampled_from(
    [Attractors(), Attractors(((0.0, 0.0),)), Attractors((), (_PATH,)), Attractors(None, (_PATH,))]
)


def _open(
    problem: Problem, ranking: Ranking, features: str, engine: EngineName, stop: StopRule = StopRule.GOAL_EXPANDED
) -> tuple[Search, Steering]:
    steering = Steering(ranking, feature_set(features))
    policy = SteeredPolicy(ranking, feature_set(features), steering)
    return open_search(problem, policy, stop=stop, engine=engine), steering


def _assert_engines_agree(problem: Problem, ranking: Ranking, features: str, seed: int, steps: int = 60) -> None:
    reference, seen = _open(problem, ranking, features, "reference")
    compiled, seen_by_fused = _open(problem, ranking, features, "compiled")
    rng = np.random.default_rng(seed)
    for step in range(1, steps):
        for search in (reference, compiled):
            search.list_candidates()
        assert seen.candidates.tolist() == seen_by_fused.candidates.tolist()
        assert seen.rows.tolist() == seen_by_fused.rows.tolist()
        # Now and then one that is not there, or none: then the queues go on by themselves.
        seen.choice[0] = seen_by_fused.choice[0] = rng.integers(-1, seen.candidates.size)
        assert reference.advance(Limits(expansions=step)) == compiled.advance(Limits(expansions=step))
    assert_same_result(reference.run(), compiled.run())
    assert_same_state(reference.state, compiled.state)


@pytest.mark.parametrize("features", PRESETS)
@settings(max_examples=15)
@given(drawn=grid_problems(12, 15), ranking=st.one_of(TOPS, ATTRACTORS), seed=SEEDS)
def test_the_engines_agree_on_grids(
    features: str, drawn: tuple[Problem, GridGraph], ranking: Ranking, seed: int
) -> None:
    _assert_engines_agree(drawn[0], ranking, features, seed)


@settings(max_examples=40)
@given(drawn=explicit_problems(30, dimensions=2), ranking=st.one_of(TOPS, ATTRACTORS), seed=SEEDS)
def test_the_engines_agree_on_explicit_graphs(
    drawn: tuple[Problem, ExplicitGraph], ranking: Ranking, seed: int
) -> None:
    _assert_engines_agree(drawn[0], ranking, "relative", seed)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@settings(max_examples=25)
@given(drawn=grid_problems(10, 12), places=st.integers(1, 9), seed=SEEDS)
def test_the_candidates_are_the_closest_open_vertices(
    engine: EngineName, drawn: tuple[Problem, GridGraph], places: int, seed: int
) -> None:
    problem, graph = drawn
    (goal,) = graph.coordinates([problem.goal])
    search, steering = _open(problem, Top(places), "relative", engine)
    rng = np.random.default_rng(seed)
    for step in range(1, 40):
        search.list_candidates()
        listed = steering.candidates[0][steering.candidates[0] != NO_VERTEX]
        frontier = search.state.frontier.tolist()
        assert set(listed.tolist()) <= set(frontier)
        assert len(set(listed.tolist())) == len(listed) == min(places, len(frontier))
        distances = np.hypot(*(graph.coordinates(frontier) - goal).T)
        of_listed = np.hypot(*(graph.coordinates(listed.tolist()) - goal).T)
        assert np.allclose(of_listed, np.sort(distances)[: len(listed)])
        if not len(listed):
            break
        steering.choice[0] = choice = rng.integers(len(listed))
        before = search.state.expansions
        search.advance(Limits(expansions=step))
        if search.state.expansions > before:
            assert search.state.expanded[-1] == listed[choice]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_left_alone_it_is_greedy(engine: EngineName) -> None:
    problem = draw_problem("..#G\n.##.\n....\nS#..")
    search, _ = _open(problem, Top(3), "relative", engine, StopRule.GOAL_GENERATED)
    assert_same_result(search.run(), open_search(problem, greedy("euclidean"), engine=engine).run())


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_other_policies_have_no_candidates(engine: EngineName) -> None:
    search = open_search(draw_problem("S..G"), greedy("euclidean"), engine=engine)
    with pytest.raises(EngineError, match="chooses by itself"):
        search.list_candidates()


@pytest.mark.parametrize("choice", [2, 10**12, -7, -(10**12)])
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_choice_that_does_not_exist_is_none(engine: EngineName, choice: int) -> None:
    problem, ranking = draw_problem("S..G"), Top(2, "euclidean")
    search, steering = _open(problem, ranking, "relative", engine)
    search.list_candidates()
    steering.choice[0] = choice
    search.advance(Limits(expansions=1))
    assert search.state.expanded.tolist() == [problem.start]
    # Nor is a vertex that the caller has written into the list of candidates.
    steering.candidates[:], steering.choice[0] = 10**12, 0
    search.advance(Limits(expansions=2))
    assert search.state.expanded.tolist() == [0, 1]
