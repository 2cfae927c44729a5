"""A policy that expands the vertices which a trained agent chooses."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, Protocol

import numpy as np

from sailplan.core import SearchState, StopRule
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import NO_VERTEX
from sailplan.environment.view import View
from sailplan.policies.steered.policy import SteeredFrontier, SteeredPolicy


class Agent(Protocol):
    """A model of stable-baselines3 or sb3-contrib, or any object with the same `predict`."""

    @property
    def predict(self) -> Any:
        """A function of (observation, deterministic=True) and, if accepted, action_masks; returns (action, state)."""


@dataclass(frozen=True, eq=False)
class AgentPolicy:
    """A policy that expands the vertex which an agent chooses; it runs in the reference engine.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> from sailplan.policies import feature_set
    >>> from sailplan.environment import Top
    >>> from sailplan.testing import draw_problem
    >>> class First:
    ...     def predict(self, observation, deterministic):
    ...         return 0, None
    >>> policy = AgentPolicy(First(), View(Top(2), feature_set("relative")))
    >>> search(draw_problem("S.#. ...G"), policy).expansions
    3
    """

    agent: Agent
    """A trained agent."""
    view: View
    """The view of the environment it was trained in: `env.unwrapped.view`."""
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> AgentFrontier:
        """Create the open list of a search."""
        return AgentFrontier(self, problem, state)


class AgentFrontier(SteeredFrontier):
    """An open list from which the agent selects."""

    def __init__(self, policy: AgentPolicy, problem: Problem, state: SearchState) -> None:
        self._view, self._agent = policy.view, policy.agent
        self._steering = policy.view.steering()
        super().__init__(SteeredPolicy(self._view.ranking, self._view.features, self._steering), problem, state)
        self._takes_masks = _takes_masks(policy.agent)

    def select(self) -> int | None:
        """Return the vertex that the agent chooses; if that is no candidate, the next vertex of the queues."""
        self.list_candidates()
        if self._steering.candidates[0, 0] == NO_VERTEX:
            return None
        observation = self._view.observation(self._steering)
        masks = {"action_masks": observation["present"].astype(np.bool_)} if self._takes_masks else {}
        action, _ = self._agent.predict(observation, deterministic=True, **masks)
        choice = np.asarray(action).item()
        if 0 <= choice < self._view.candidates:
            self._steering.choice[0] = choice
        return super().select()


def _takes_masks(agent: Agent) -> bool:
    parameters = signature(agent.predict).parameters
    return "action_masks" in parameters or any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())
