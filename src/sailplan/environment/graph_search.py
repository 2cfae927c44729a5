"""A search as a Gymnasium environment: at each step the agent chooses a vertex to expand, or an edge to evaluate."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import Env, Space
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from numpy.typing import NDArray
from PIL import Image

from sailplan.core import Limits, Outcome, Search, open_search
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import EDGE_EVALUATIONS, NO_VERTEX
from sailplan.datasets.scenario import Endpoints
from sailplan.datasets.tasks import Choice
from sailplan.environment.attractors import Point
from sailplan.environment.problems import ProblemPool
from sailplan.environment.view import LARGEST_VALUE, Mode, Observation, make_view
from sailplan.environment.window import Window
from sailplan.errors import EpisodeError
from sailplan.graphs.grid.pictures import counted, draw_search

RUNNING = "running"
"""The value of `info["outcome"]` until the episode ends; then it is the name of an Outcome."""


class ChoiceSpace(Discrete[np.int64]):
    """The candidates; `sample` draws one that is present, so that agents without masks can choose."""

    def __init__(self, candidates: int) -> None:
        super().__init__(candidates)
        self.present = _first_alone(candidates)
        """1 for each candidate that is present; set by the environment."""

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Draw a candidate that is present, or according to a mask or to probabilities."""
        if mask is None and probability is None:
            mask = self.present
        return super().sample(mask, probability)

    def seed(self, seed: int | None = None) -> int:
        """Seed the draws; until the environment updates `present`, only the first candidate is drawn.

        The first candidate is present at every step, also directly after a reset.
        """
        self.present = _first_alone(int(self.n))
        return super().seed(seed)


def _first_alone(candidates: int) -> NDArray[np.int8]:
    present = np.zeros(candidates, np.int8)
    present[0] = 1
    return present


class GraphSearch(Env[Observation, np.int64]):
    """A search in which the agent chooses the vertex to expand; each expansion has a reward of -1.

    The episode terminates when the goal enters the open list or no vertex is open.

    In the mode "edges", the agent chooses the edge of the candidate path to evaluate, and each evaluation has a reward
    of -1. The candidate path is the shortest one that may still be valid (see `LazyPolicy`), and the candidates are its
    unknown edges in their order. The episode terminates with "path_confirmed" when all edges of the path are known to
    be valid, or with "frontier_empty" when there is no path.

    Parameters
    ----------
    data
        The name of a family or the path of a folder of worlds. Either `data` or `problems` must be given.
    problems
        The problems to search.
    split, limit, seed, size, endpoints
        Which worlds of `data` to use; see `sailplan.datasets.tasks.Choice`.
    mode
        "attractors": the candidates are the open vertices closest to each attractor. "top": the candidates are the
        first open vertices by a heuristic. "edges": the candidates are edges of the candidate path of a lazy policy.
    features
        The name of a feature set; see `sailplan.policies.feature_set`. The mode "edges" has its own features,
        `sailplan.environment.view.EDGE_COLUMNS`.
    attractors
        Landmarks (x, y) on the map; by default some around start and goal.
    attractor_paths
        Number of problems whose solutions are attractors too.
    heuristic
        The heuristic of the mode "top".
    top
        Number of candidates of the modes "top" and "edges".
    lazy
        The name or the model file of the lazy policy of the mode "edges"; its bound and its belief determine the
        candidate path.
    max_expansions
        Number of expansions after which an episode is truncated.
    max_evaluations
        Number of edge evaluations after which an episode is truncated; None for no limit.
    render_mode
        None, "human" (a window) or "rgb_array".

    Raises
    ------
    EpisodeError
        If a setting is not valid, or none of the problems has a path.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> env = GraphSearch(problems=[draw_problem("S..G")], mode="top", top=2)
    >>> observation, info = env.reset(seed=0)
    >>> observation["present"], info["outcome"]
    (array([1, 0], dtype=int8), 'running')
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> reward, terminated, info["expansions"]
    (-1.0, False, 1)
    >>> env = GraphSearch(problems=[draw_problem("S..G")], mode="edges", top=2)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> reward, terminated, info["evaluations"]
    (-1.0, False, 1)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012

    def __init__(
        self,
        data: str | None = None,
        *,
        problems: Sequence[Problem] | None = None,
        split: str = "train",
        limit: int | None = None,
        seed: int = 0,
        size: int = 201,
        endpoints: Endpoints = "corners",
        mode: Mode = "attractors",
        features: str = "relative",
        attractors: Sequence[Point] | None = None,
        attractor_paths: int = 3,
        heuristic: str = "euclidean",
        top: int = 8,
        lazy: str = "lazy",
        max_expansions: int = 20_000,
        max_evaluations: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if (data is None) == (problems is None):
            raise EpisodeError("an environment needs either data or problems")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EpisodeError(f"no render mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        if not _is_count(attractor_paths, 0):
            raise EpisodeError(f"attractor_paths is a number of solutions, 0 or more, got {attractor_paths!r}")
        if not _is_count(max_expansions, 1):
            raise EpisodeError(f"an episode needs at least one expansion, got max_expansions={max_expansions!r}")
        if max_evaluations is not None and not _is_count(max_evaluations, 1):
            raise EpisodeError(f"an episode needs at least one evaluation, got max_evaluations={max_evaluations!r}")
        if data is None:
            self._pool = ProblemPool(problems or (), "problems")
        else:
            self._pool = ProblemPool.load(data, Choice(split, limit, seed, size, endpoints))
        self.view = make_view(
            mode,
            features=features,
            attractors=None if attractors is None else tuple(attractors),
            path_problems=self._pool.first(attractor_paths) if mode == "attractors" else [],
            heuristic=heuristic,
            top=top,
            lazy=lazy,
        )
        # Settings that do not fit the worlds raise now, not at the first reset.
        self._open(self._pool.first(1)[0])
        self._search: Search | None = None
        self._by_edges = mode == "edges"
        self._max_expansions, self.render_mode = max_expansions, render_mode
        self._max_evaluations = sys.maxsize if max_evaluations is None else max_evaluations
        values = Box(-LARGEST_VALUE, LARGEST_VALUE, (self.view.size,), np.float32)
        spaces = Dict({"candidates": values, "present": MultiBinary(self.view.candidates)})
        self.observation_space = cast("Space[Observation]", spaces)
        self._choices = ChoiceSpace(self.view.candidates)
        self.action_space = self._choices
        self._window = Window("GraphSearch", self.metadata["render_fps"])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode on a random problem.

        Parameters
        ----------
        seed
            Seed of the random draws.
        options
            `{"problem": number}` chooses a problem by number.

        Returns
        -------
        tuple
            The observation, and a dictionary with "outcome", "expansions", "evaluations" and "problem".

        Raises
        ------
        EpisodeError
            If there is no problem of that number.
        """
        if not isinstance(options, dict | None):
            raise EpisodeError(f'options are a dictionary such as {{"problem": 0}}, got {options!r}')
        super().reset(seed=seed)
        picked = (options or {}).get("problem")
        if not isinstance(picked, int | np.integer | None):
            raise EpisodeError(f'options["problem"] is the number of a problem, got {picked!r}')
        self._index = self._pool.draw(self.np_random) if picked is None else int(picked)
        self._search = self._open(self._pool.problem(self._index))
        self._over = False
        self._search.list_candidates()
        return self._seen(), self._info(None)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Expand a candidate, or evaluate it if it is an edge.

        Parameters
        ----------
        action
            The number of a candidate that is present; 0 if none is, which ends the episode.

        Returns
        -------
        tuple
            Observation, reward, terminated, truncated and info, as in Gymnasium.

        Raises
        ------
        EpisodeError
            If there is no episode, or the candidate is not present.
        """
        search = self._running()
        self._steering.choice[0] = self._checked(action)
        before = self._steps()
        outcome = self._advance(search)
        terminated = outcome.final
        truncated = not terminated and self._spent() is not None
        self._over = terminated or truncated
        info = self._info(self._spent() if truncated else outcome if terminated else None)
        return self._seen(), float(before - self._steps()), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a mask of the candidates that are present."""
        return self.view.present(self._steering)

    def render(self) -> NDArray[np.uint8] | None:
        """Draw the search so far, as an array of pixels or in a window; None without a render mode."""
        if self.render_mode is None:
            return None
        picture = self._picture()
        if self.render_mode == "human":
            self._window.show(picture)
            return None
        return np.asarray(picture)

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def _open(self, problem: Problem) -> Search:
        steering: Any = self.view.steering()
        # Each view has its own class of steering.
        self._steering = steering
        return open_search(problem, self.view.policy(steering))

    def _running(self) -> Search:
        if self._search is None:
            raise EpisodeError("there is no episode yet: call reset() before step()")
        if self._over:
            raise EpisodeError("the episode is over: call reset() before the next step()")
        return self._search

    def _checked(self, action: np.int64 | int) -> int:
        try:
            known = 0 <= action < self.view.candidates and int(action) == action
        except (TypeError, ValueError):
            known = False
        if not known:
            raise EpisodeError(f"no action {action}; there are 0 .. {self.view.candidates - 1}")
        present = self.action_masks()
        if not present[int(action)] and (action != 0 or present.any()):
            raise EpisodeError(f"action {action} is masked: there is no such candidate now; see action_masks()")
        return int(action)

    def _advance(self, search: Search) -> Outcome:
        """Take a step; then the candidates of the next one are listed."""
        if self._by_edges:
            return search.advance(Limits(evaluations=self._steps() + 1))
        outcome = search.advance(Limits(expansions=self._steps() + 1))
        search.list_candidates()
        if not outcome.final and self._steering.candidates[0, 0] == NO_VERTEX:
            # Nothing is open: one more step makes the search return its outcome.
            outcome = search.advance(Limits(expansions=search.state.expansions + 1))
        return outcome

    def _steps(self) -> int:
        """Return the number of expansions, or of evaluations if the actions are edges."""
        assert self._search is not None
        return _evaluations(self._search) if self._by_edges else self._search.state.expansions

    def _spent(self) -> Outcome | None:
        """Return which limit of the episode has been reached."""
        assert self._search is not None
        if self._search.state.expansions >= self._max_expansions:
            return Outcome.EXPANSIONS_SPENT
        return Outcome.EVALUATIONS_SPENT if _evaluations(self._search) >= self._max_evaluations else None

    def _seen(self) -> Observation:
        assert self._search is not None
        search = self._search
        observation = self.view.observe(self._steering, search.problem, search.state)
        self._choices.present = observation["present"].copy()
        if self.render_mode == "human":
            self.render()
        return observation

    def _info(self, outcome: Outcome | None) -> dict[str, Any]:
        assert self._search is not None
        return {
            "outcome": RUNNING if outcome is None else outcome.value,
            "expansions": self._search.state.expansions,
            "evaluations": _evaluations(self._search),
            "problem": self._index,
        }

    def _picture(self) -> Image.Image:
        if self._search is None:
            raise EpisodeError("there is no episode yet: call reset() before render()")
        problem, state = self._search.problem, self._search.state
        found = state.status[problem.goal] != 0
        caption = f"{problem.name}: {counted(state)}"
        return draw_search(problem, state, state.path_to(problem.goal) if found else (), caption)


def _evaluations(search: Search) -> int:
    return search.state.arrays.counts.item(EDGE_EVALUATIONS)


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least
