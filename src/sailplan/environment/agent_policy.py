"""A policy that expands the vertices, or evaluates the edges, which a trained agent chooses."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, Protocol

import numpy as np

from sailplan.core import SearchState, StopRule
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import NO_VERTEX, NONE
from sailplan.core.policy import EdgeRequest, PathConfirmed
from sailplan.environment.view import EdgeView, Observation, View
from sailplan.policies.steered.edges import SteeredLazyFrontier
from sailplan.policies.steered.policy import SteeredFrontier


class Agent(Protocol):
    """A model of stable-baselines3 or sb3-contrib, or any object with the same `predict`."""

    @property
    def predict(self) -> Any:
        """A function of (observation, deterministic=True) and, if accepted, action_masks; returns (action, state)."""


@dataclass(frozen=True, eq=False)
class AgentPolicy:
    """A policy that expands the vertex, or evaluates the edge, which an agent chooses; it runs in the reference engine.

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
    view: View | EdgeView
    """The view of the environment it was trained in: `env.unwrapped.view`."""

    @property
    def stop(self) -> StopRule:
        """The default stop rule."""
        return self.view.lazy.stop if isinstance(self.view, EdgeView) else StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> AgentFrontier | AgentEdgeFrontier:
        """Create the open list of a search."""
        if isinstance(self.view, EdgeView):
            return AgentEdgeFrontier(self.agent, self.view, problem, state)
        return AgentFrontier(self.agent, self.view, problem, state)


class AgentFrontier(SteeredFrontier):
    """An open list from which the agent selects."""

    def __init__(self, agent: Agent, view: View, problem: Problem, state: SearchState) -> None:
        self._view, self._agent = view, agent
        self._steering = view.steering()
        super().__init__(view.policy(self._steering), problem, state)
        self._takes_masks = _takes_masks(agent)

    def select(self) -> int | None:
        """Return the vertex that the agent chooses; if that is no candidate, the next vertex of the queues."""
        self.list_candidates()
        if self._steering.candidates[0, 0] == NO_VERTEX:
            return None
        observation = self._view.observation(self._steering)
        self._steering.choice[0] = _choice(self._agent, observation, masked=self._takes_masks)
        return super().select()


class AgentEdgeFrontier(SteeredLazyFrontier):
    """The open list of a lazy search, in which the agent selects edges of the candidate path."""

    def __init__(self, agent: Agent, view: EdgeView, problem: Problem, state: SearchState) -> None:
        self._view, self._agent, self._problem = view, agent, problem
        self._steering = view.steering()
        super().__init__(*view.policy(self._steering).searched(problem, state))
        self._takes_masks = _takes_masks(agent)

    def select(self) -> EdgeRequest | PathConfirmed | None:
        """Return the edge that the agent chooses; if that is no candidate, the first unknown edge."""
        request = super().select()
        if isinstance(request, EdgeRequest):
            observation = self._view.observe(self._steering, self._problem, self._state)
            self._steering.choice[0] = _choice(self._agent, observation, masked=self._takes_masks)
            request = super().select()
        return request


def _choice(agent: Agent, observation: Observation, *, masked: bool) -> int:
    """Return the number of the candidate that an agent chooses; NONE if there is none of this number."""
    masks = {"action_masks": observation["present"].astype(np.bool_)} if masked else {}
    action, _ = agent.predict(observation, deterministic=True, **masks)
    choice: int = np.asarray(action).item()
    return choice if 0 <= choice < len(observation["present"]) else NONE


def _takes_masks(agent: Agent) -> bool:
    parameters = signature(agent.predict).parameters
    return "action_masks" in parameters or any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())
