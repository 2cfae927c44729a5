from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from sailplan.core import search
from sailplan.environment import AgentPolicy, EdgeView, GraphSearch, View
from sailplan.environment.agent_policy import Agent
from sailplan.environment.view import Mode
from sailplan.evaluation import Choice, load_tasks, run_benchmark
from sailplan.graphs import GridGraph, Problem
from sailplan.policies import LazyPolicy, greedy
from sailplan.testing import check_policy, draw_problem
from tests.strategies import grid_problems

MODES: tuple[Mode, ...] = ("top", "edges")
PROBLEM = draw_problem("....G\n.###.\n...#.\n...#.\nS....")


class LinearAgent:
    """Chooses by a random weighted sum of what it sees."""

    def __init__(self, view: View | EdgeView, seed: int) -> None:
        self._weights = np.random.default_rng(seed).normal(size=(view.size, view.candidates))

    def predict(
        self, observation: Any, deterministic: bool = False, action_masks: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int64], None]:
        assert deterministic
        assert action_masks is not None
        scores = observation["candidates"].astype(np.float64) @ self._weights
        return np.array(np.where(action_masks, scores, -np.inf).argmax()), None


class StubbornAgent:
    """Always chooses the same, whether it is there or not, and knows of no masks."""

    def __init__(self, action: int) -> None:
        self._action = action

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[int, None]:
        return self._action, None


def _expanded_in_episode(env: GraphSearch, agent: Agent) -> list[int]:
    observation, _ = env.reset(options={"problem": 0})
    over = False
    while not over:
        action, _ = agent.predict(observation, deterministic=True, action_masks=env.action_masks())
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    assert env._search is not None
    expanded: list[int] = env._search.state.expanded.tolist()
    return expanded


@pytest.mark.parametrize("mode", ["attractors", "top"])
@settings(max_examples=15)
@given(drawn=grid_problems(12, 12), seed=st.integers(0, 2**32 - 1))
def test_an_agent_does_the_same_in_the_environment_and_as_a_policy(
    mode: Any, drawn: tuple[Problem, GridGraph], seed: int
) -> None:
    env = GraphSearch(problems=[drawn[0], PROBLEM], mode=mode)
    agent = LinearAgent(env.view, seed)
    result = search(drawn[0], AgentPolicy(agent, env.view))
    assert result.engine == "reference"
    assert result.trace.expanded.tolist() == _expanded_in_episode(env, agent)


@settings(max_examples=15)
@given(drawn=grid_problems(12, 12), seed=st.integers(0, 2**32 - 1))
def test_an_agent_that_chooses_edges_does_the_same_in_both(drawn: tuple[Problem, GridGraph], seed: int) -> None:
    env = GraphSearch(problems=[drawn[0], PROBLEM], mode="edges", top=4)
    agent = LinearAgent(env.view, seed)
    result = search(drawn[0], AgentPolicy(agent, env.view))
    _expanded_in_episode(env, agent)
    assert env._search is not None
    assert result.trace.evaluated.tolist() == env._search.state.evaluated[:, :2].tolist()
    assert result.engine == "reference"


def test_a_model_of_sb3_contrib_does_the_same_in_both_and_after_it_was_saved(tmp_path: Path) -> None:
    env = GraphSearch(problems=[PROBLEM], mode="top", top=4)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=16, seed=1, device="cpu")
    model.learn(16)
    model.save(tmp_path / "model")
    expected = _expanded_in_episode(env, model)
    for agent in (model, MaskablePPO.load(tmp_path / "model", device="cpu")):
        assert search(PROBLEM, AgentPolicy(agent, env.view)).trace.expanded.tolist() == expected


@pytest.mark.parametrize("mode", ["attractors", "top", "edges"])
def test_it_keeps_the_contract_of_policies(mode: Any) -> None:
    view = GraphSearch(problems=[PROBLEM], mode=mode).view
    check_policy(AgentPolicy(LinearAgent(view, 0), view))


@pytest.mark.parametrize("action", [0, 7, 99, -1])
def test_an_agent_that_chooses_what_is_not_there_still_finds_a_path(action: int) -> None:
    for mode in MODES:
        view = GraphSearch(problems=[PROBLEM], mode=mode, top=8).view
        check_policy(AgentPolicy(StubbornAgent(action), view))


def test_the_first_of_the_top_is_greedy_search() -> None:
    view = GraphSearch(problems=[PROBLEM], mode="top", top=3).view
    expected = search(PROBLEM, greedy("euclidean")).trace.expanded.tolist()
    assert search(PROBLEM, AgentPolicy(StubbornAgent(0), view)).trace.expanded.tolist() == expected


def test_the_first_edge_is_the_forward_selector() -> None:
    view = GraphSearch(problems=[PROBLEM], mode="edges", top=3).view
    expected = search(PROBLEM, LazyPolicy()).trace.evaluated.tolist()
    assert search(PROBLEM, AgentPolicy(StubbornAgent(0), view)).trace.evaluated.tolist() == expected


def test_it_runs_in_a_benchmark_on_worlds_of_another_size() -> None:
    env = GraphSearch("forest", limit=3, size=12)
    tasks = load_tasks("forest", Choice("test", limit=2, size=15))
    records = run_benchmark({"agent": AgentPolicy(LinearAgent(env.view, 1), env.view)}, tasks)
    assert [record.outcome for record in records] == ["goal_generated"] * 2
