from __future__ import annotations

import math
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.datasets import World, write_png
from sailplan.environment import EDGE_COLUMNS, GraphSearch
from sailplan.errors import EpisodeError, SailplanError
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem, grid_problem
from sailplan.policies import LazyPolicy, greedy, load_policy, save_policy
from sailplan.policies.features import PRESETS
from sailplan.policies.replanning.beliefs import Frame, Penalty, Prior
from sailplan.testing import draw_problem

WALLED_IN = draw_problem("S.#G\n..#.\n..#.")
OPEN_FIELD = draw_problem("....G\n.....\n..#..\n.....\nS....")
WALL = draw_problem("....G\n.###.\n...#.\n...#.\nS....")
MODES = ["attractors", "top"]
both_modes = pytest.mark.parametrize("mode", MODES)
all_modes = pytest.mark.parametrize("mode", [*MODES, "edges"])


def _episode(env: GraphSearch, actions: Sequence[int] | None = None, **reset: Any) -> list[Any]:
    """Play an episode with random actions, or with these, and return everything that was seen."""
    observation, info = env.reset(**reset)
    seen: list[Any] = [observation["candidates"].tolist(), observation["present"].tolist(), info]
    over, turn = False, 0
    while not over:
        action = env.action_space.sample() if actions is None else actions[turn]
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [
            observation["candidates"].tolist(),
            observation["present"].tolist(),
            reward,
            terminated,
            truncated,
            info,
        ]
        over, turn = terminated or truncated, turn + 1
    return seen


@all_modes
@pytest.mark.parametrize("features", PRESETS)
def test_the_checker_of_gymnasium_has_nothing_to_say(mode: str, features: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("sailplan/GraphSearch-v0", problems=[OPEN_FIELD, WALL], mode=mode, features=features, top=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@all_modes
def test_the_checker_of_stable_baselines_has_nothing_to_say(mode: str) -> None:
    # It needs torch, which is not installed for every version of Python that is tested.
    from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

    env = gymnasium.make("sailplan/GraphSearch-v0", data="forest", limit=3, size=15, mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env_for_sb3(env.unwrapped)


def test_gymnasium_finds_it_without_an_import_by_the_user() -> None:
    script = (
        "import gymnasium; env = gymnasium.make('sailplan.environment:sailplan/GraphSearch-v0', data='forest',"
        " limit=1, size=9); print(env.reset(seed=0)[1])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "running" in done.stdout


@both_modes
def test_the_return_is_minus_the_expansions_of_the_search(mode: str) -> None:
    env = GraphSearch(problems=[OPEN_FIELD], mode=mode)  # type: ignore[arg-type]
    env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(0)
        total, over = total + reward, terminated or truncated
    assert info["outcome"] == "goal_generated"
    # The first candidate of both modes is the open vertex closest to the goal.
    assert -total == info["expansions"] == search(OPEN_FIELD, greedy("euclidean")).expansions


def test_without_a_path_the_episode_terminates_with_an_empty_frontier() -> None:
    env = GraphSearch(problems=[OPEN_FIELD, WALLED_IN])
    *_, reward, terminated, truncated, info = _episode(env, options={"problem": 1})
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["outcome"], info["expansions"], info["problem"]) == ("frontier_empty", 6, 1)
    assert not env.action_masks().any()


def test_a_spent_budget_truncates() -> None:
    env = GraphSearch(problems=[OPEN_FIELD], max_expansions=2)
    *_, terminated, truncated, info = _episode(env, actions=[6, 6])
    assert (terminated, truncated) == (False, True)
    assert (info["outcome"], info["expansions"]) == ("expansions_spent", 2)


def test_a_search_that_starts_at_its_goal_costs_nothing_and_is_never_drawn() -> None:
    nothing = Problem(OPEN_FIELD.graph, 3, 3)
    env = GraphSearch(problems=[nothing, OPEN_FIELD], attractor_paths=0)
    assert {env.reset(seed=seed)[1]["problem"] for seed in range(20)} == {1}
    *_, reward, terminated, _, info = _episode(env, options={"problem": 0})
    assert (reward, terminated, info["expansions"]) == (0.0, True, 0)


@all_modes
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_episode(mode: str, seed: int) -> None:
    used = GraphSearch("forest", limit=5, size=12, mode=mode)  # type: ignore[arg-type]
    used.reset(seed=3)
    fresh = GraphSearch("forest", limit=5, size=12, mode=mode)  # type: ignore[arg-type]
    episodes = []
    for env in (used, fresh):
        env.action_space.seed(seed)
        episodes.append(_episode(env, seed=seed) + _episode(env))
    assert episodes[0] == episodes[1]


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), top=st.integers(1, 10))
def test_masks_say_how_many_are_open(seed: int, top: int) -> None:
    env = GraphSearch(problems=[WALL], mode="top", top=top)
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    over = False
    while not over:
        assert env._search is not None
        present = min(top, len(env._search.state.frontier))
        assert env.action_masks().tolist() == [place < present for place in range(top)]
        assert observation["present"].tolist() == env.action_masks().astype(int).tolist()
        rows = observation["candidates"].reshape(top, -1)
        assert not rows[present:].any()
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated


def test_worlds_without_a_path_are_never_drawn() -> None:
    env = GraphSearch(problems=[WALLED_IN, OPEN_FIELD, WALLED_IN])
    assert {env.reset(seed=seed)[1]["problem"] for seed in range(20)} == {1}


def test_worlds_come_from_a_folder_and_its_split(tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / "train").mkdir(exist_ok=True)
        write_png(World(np.zeros((6 + index, 6), np.bool_)), tmp_path / "train" / f"{index}.png")
    env = GraphSearch(str(tmp_path), limit=2)
    assert {env.reset(seed=seed)[1]["problem"] for seed in range(20)} == {0, 1}
    with pytest.raises(SailplanError, match="no split 'test'; there are train"):
        GraphSearch(str(tmp_path), split="test")


def test_graphs_without_arrays_and_without_a_size() -> None:
    graph = CallbackGraph[tuple[int, int]](
        lambda at: [((at[0] + dx, at[1] + dy), 1.0) for dx, dy in ((1, 0), (0, 1)) if max(at) < 6]
    )
    env = GraphSearch(problems=[graph.problem((0, 0), (4, 5))])
    *_, info = _episode(env, seed=0)
    assert info["outcome"] == "goal_generated"
    with pytest.raises(SailplanError, match="only searches on grids can be drawn"):
        GraphSearch(problems=[graph.problem((0, 0), (4, 5))], render_mode="human").reset()


def test_a_frame_shows_the_search() -> None:
    env = GraphSearch(problems=[WALL], render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    env.step(0)
    after = env.render()
    assert before is not None
    assert after is not None
    assert before.dtype == np.uint8
    assert before.shape == after.shape
    assert before.shape[2] == 3
    assert (before != after).any()


def test_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = GraphSearch(problems=[WALL, OPEN_FIELD], render_mode="human")
    _episode(env, seed=0)
    env.close()
    env.close()
    env.reset()
    env.close()


def test_without_pygame_a_window_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(EpisodeError, match=r"a window needs pygame: pip install '.\[gym\]' in a checkout"):
        GraphSearch(problems=[WALL], render_mode="human").reset()


_IN_SPACE = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[[0, 0, 0], [1, 1, 1]])
_NOWHERE = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "either data or problems"),
        ({"data": "forest", "problems": [WALL]}, "either data or problems"),
        ({"problems": []}, "none of 0 problems has a path"),
        ({"problems": [WALLED_IN]}, "none of 1 problems has a path"),
        ({"data": "nowhere"}, "nowhere: neither a folder"),
        ({"data": "forest", "split": "exam"}, "no split 'exam'"),
        ({"problems": [WALL], "mode": "all"}, "no mode 'all'; there are attractors, top, edges"),
        ({"problems": [WALL], "mode": "top", "heuristic": "guess"}, "no heuristic 'guess'"),
        ({"problems": [WALL], "mode": "top", "top": 0}, "must be at least 1, got 0"),
        ({"problems": [WALL], "features": "smell"}, "no feature set 'smell'"),
        ({"problems": [WALL], "attractors": [(5, 0)]}, r"the attractor \(5, 0\) is outside 5 x 5"),
        ({"problems": [WALL], "attractors": [(0, -0.1)]}, r"the attractor \(0, -0.1\) is outside"),
        ({"problems": [WALL], "attractors": [(1, 2, 3)]}, r"a pair \(x, y\), got \(1, 2, 3\)"),
        ({"problems": [WALL], "attractors": ["ab"]}, r"a pair \(x, y\), got 'ab'"),
        ({"problems": [WALL], "attractors": [(0, np.nan)]}, "must be finite"),
        ({"problems": [WALL], "attractors": [], "attractor_paths": 0}, "there must be at least one attractor"),
        ({"problems": [WALL], "attractor_paths": -1}, "attractor_paths"),
        ({"problems": [WALL], "attractor_paths": 0.5}, "attractor_paths"),
        ({"problems": [WALL], "max_expansions": "a"}, "at least one expansion"),
        ({"problems": [WALL], "max_evaluations": True}, "at least one evaluation"),
        ({"problems": [Problem(_IN_SPACE, 0, 1)]}, "attractors need a graph in the plane"),
        ({"problems": [Problem(_NOWHERE, 0, 1)]}, "attractors need a graph in the plane"),
        ({"problems": [WALL], "max_expansions": 0}, "at least one expansion"),
        ({"problems": [WALL], "max_evaluations": 0}, "at least one evaluation"),
        ({"problems": [WALL], "mode": "edges", "top": 0}, "must be at least 1, got 0"),
        ({"problems": [WALL], "mode": "edges", "lazy": "a_star"}, "needs a lazy policy, 'a_star' is none"),
        ({"problems": [WALL], "mode": "edges", "lazy": "nobody"}, "no policy 'nobody'"),
        ({"problems": [WALL], "render_mode": "ascii"}, "no render mode 'ascii'; there are human, rgb_array"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SailplanError, match=message) as caught:
        GraphSearch(**settings)
    assert "\n" not in str(caught.value)


def test_steps_that_cannot_be() -> None:
    env = GraphSearch(problems=[WALL], mode="top", top=4)
    with pytest.raises(EpisodeError, match=r"call reset\(\) before step"):
        env.step(0)
    with pytest.raises(EpisodeError, match=r"call reset\(\) before render"):
        GraphSearch(problems=[WALL], render_mode="rgb_array").render()
    with pytest.raises(EpisodeError, match="no problem 7; there are 1"):
        env.reset(options={"problem": 7})
    env.reset(seed=0)
    with pytest.raises(EpisodeError, match="action 1 is masked"):
        env.step(1)
    with pytest.raises(EpisodeError, match=r"number of a problem, got 'x'"):
        env.reset(options={"problem": "x"})
    with pytest.raises(EpisodeError, match="options are a dictionary"):
        env.reset(options="abc")  # type: ignore[arg-type]
    odd: list[Any] = [4, -1, 0.5, math.nan, "x", None, np.zeros(2)]
    for action in odd:
        with pytest.raises(EpisodeError, match=re.escape(f"no action {action}; there are 0 .. 3")):
            env.step(action)
    _episode(env)
    with pytest.raises(EpisodeError, match="the episode is over"):
        env.step(0)


def test_landmarks_pull_the_search_to_where_they_are() -> None:
    problem = grid_problem(World(np.zeros((9, 9), np.bool_)))
    env = GraphSearch(problems=[problem], attractors=[(0, 8), (8, 0)], attractor_paths=0)
    env.reset(seed=0)
    for _ in range(4):
        env.step(0)
    assert env._search is not None
    assert env._search.state.expanded.tolist() == [0, 9, 18, 27]


@pytest.mark.parametrize("lazy", ["lazy", "lazy:1"])
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_an_agent_that_always_takes_one_end_of_the_path_is_a_selector(lazy: str, first: bool) -> None:
    env = GraphSearch(problems=[WALL], mode="edges", top=5, lazy=lazy)
    observation, _ = env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        last = int(np.flatnonzero(observation["present"])[-1])
        observation, reward, terminated, truncated, info = env.step(0 if first else last)
        total, over = total + reward, terminated or truncated
    policy = load_policy(lazy)
    assert isinstance(policy, LazyPolicy)
    expected = search(WALL, replace(policy, selector="forward" if first else "backward"))
    assert env._search is not None
    assert env._search.state.evaluated[:, :2].tolist() == expected.trace.evaluated.tolist()
    assert (info["outcome"], info["expansions"]) == ("path_confirmed", 0)
    assert -total == info["evaluations"] == expected.edge_evaluations
    assert not env.action_masks().any()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), top=st.integers(1, 6))
def test_candidates_are_unknown_edges_of_a_path_in_their_order(seed: int, top: int) -> None:
    env = GraphSearch(problems=[WALL], mode="edges", top=top)
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    over = False
    while not over:
        assert env._search is not None
        state = env._search.state
        present = env.action_masks()
        edges = env._steering.candidates[present].tolist()
        assert present.tolist() == sorted(present.tolist(), reverse=True)
        known = state.evaluated[:, :2].tolist()
        assert edges
        assert not [edge for edge in edges if edge in known]
        assert not set(state.invalid.tolist()) & {target for _, target in edges}
        rows = observation["candidates"].reshape(top, len(EDGE_COLUMNS))
        positions = rows[present, EDGE_COLUMNS.index("position")].tolist()
        assert positions == sorted(positions)
        assert positions[0] == 0.0
        assert len(positions) == 1 or positions[-1] == 1.0
        assert not rows[~present].any()
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert reward == -1.0
        over = terminated or truncated


def test_the_features_of_an_edge_by_hand() -> None:
    problem = grid_problem(World(np.array([[False, False, True, False, False], [False] * 5])), (0, 0), (4, 0))
    env = GraphSearch(problems=[problem], mode="edges", top=4)
    observation, _ = env.reset(seed=0)
    rows = observation["candidates"].reshape(4, -1)
    assert rows[0].tolist() == pytest.approx([0.0, 0.25, 0.25, 1.0, 0.25, 0.75, 1.0])
    assert rows[3].tolist() == pytest.approx([1.0, 0.25, 0.25, 1.0, 1.0, 0.0, 1.0])
    # The edge from 1 to 2, which is blocked.
    observation, *_ = env.step(1)
    row = observation["candidates"].reshape(4, -1)[0]
    assert env._steering.candidates[0].tolist() == [0, 1]
    assert row[EDGE_COLUMNS.index("to_invalid")] == pytest.approx(0.25)


def test_the_multiplier_of_a_belief_is_seen(tmp_path: Path) -> None:
    belief = Prior(Frame(5, 5, (0, 0), (4, 4)), np.full(25, 0.5), Penalty(prior_weight=4.0))
    save_policy(LazyPolicy(belief=belief), tmp_path / "lazy.safetensors")
    env = GraphSearch(problems=[OPEN_FIELD], mode="edges", lazy=str(tmp_path / "lazy.safetensors"))
    observation, _ = env.reset(seed=0)
    rows = observation["candidates"].reshape(8, -1)[observation["present"] == 1]
    assert (rows[:, EDGE_COLUMNS.index("multiplier")] != 1.0).any()


def test_an_episode_of_edges_ends_without_a_path_or_with_its_budget() -> None:
    env = GraphSearch(problems=[OPEN_FIELD, WALLED_IN], mode="edges", max_evaluations=30)
    *_, reward, terminated, truncated, info = _episode(env, options={"problem": 1})
    assert (reward, terminated, truncated, info["outcome"]) == (-1.0, True, False, "frontier_empty")
    env = GraphSearch(problems=[WALL], mode="edges", max_evaluations=2)
    *_, terminated, truncated, info = _episode(env, actions=[0, 0])
    assert (terminated, truncated) == (False, True)
    assert (info["outcome"], info["evaluations"]) == ("evaluations_spent", 2)


def test_evaluations_may_truncate_a_search_by_vertices() -> None:
    env = GraphSearch(problems=[OPEN_FIELD], max_evaluations=1)
    *_, terminated, truncated, info = _episode(env, actions=[6])
    assert (terminated, truncated, info["outcome"]) == (False, True, "evaluations_spent")


def test_an_episode_of_edges_without_anything_to_choose() -> None:
    nothing, alone = Problem(OPEN_FIELD.graph, 3, 3), Problem(_NOWHERE, 1, 0)
    env = GraphSearch(problems=[nothing, alone, OPEN_FIELD], mode="edges")
    for number, outcome in ((0, "path_confirmed"), (1, "frontier_empty")):
        *_, reward, terminated, _, info = _episode(env, options={"problem": number})
        assert (reward, terminated, info["outcome"], info["evaluations"]) == (0.0, True, outcome, 0)


def test_edges_of_graphs_without_arrays_and_without_coordinates() -> None:
    graph = CallbackGraph[str](
        {"a": [("b", 1.0), ("c", 2.0)], "b": [("d", 1.0)], "c": [("d", 1.0)], "d": []}.__getitem__,
        lambda source, target: source + target != "bd",
    )
    env = GraphSearch(problems=[graph.problem("a", "d")], mode="edges", top=2)
    observation, _ = env.reset(seed=0)
    assert observation["candidates"].reshape(2, -1)[:, EDGE_COLUMNS.index("to_goal")].tolist() == [0.0, 0.0]
    *_, info = _episode(env, seed=0)
    assert info["outcome"] == "path_confirmed"


def test_a_frame_shows_the_evaluated_edges() -> None:
    env = GraphSearch(problems=[WALL], mode="edges", render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    env.step(0)
    after = env.render()
    assert before is not None
    assert after is not None
    assert before.shape == after.shape
    assert (before != after).any()
