"""Policies that a user might write: plain Python, some of them wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sailplan.core import Discovery, Frontier, SearchState, StopRule
from sailplan.graphs import Problem
from sailplan.policies.keyed.queues import QueueFrontier


class Scripted:
    """A frontier that asks a function of the state which vertex to expand."""

    def __init__(self, state: SearchState, choose: Callable[[SearchState], int | None]) -> None:
        self._state = state
        self._choose = choose

    def observe(self, discovery: Discovery) -> None: ...

    def add(self, vertices: Sequence[int]) -> None: ...

    def select(self) -> int | None:
        return self._choose(self._state)


@dataclass(frozen=True)
class Choosing:
    """Expands what a function of the state says, whatever that is."""

    choose: Callable[[SearchState], int | None]
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        return Scripted(state, self.choose)


@dataclass(frozen=True)
class RandomChoice:
    """Expands any open vertex."""

    seed: int
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        rng = np.random.default_rng(self.seed)
        return Scripted(state, lambda now: int(rng.choice(now.frontier)) if len(now.frontier) else None)


class Stack:
    """Vertices in the order they were met, the last one first."""

    def __init__(self) -> None:
        self._stack: list[int] = []

    def observe(self, discovery: Discovery) -> None: ...

    def add(self, vertices: Sequence[int]) -> None:
        self._stack = [vertex for vertex in self._stack if vertex not in vertices] + list(vertices)

    def select(self) -> int | None:
        return self._stack.pop() if self._stack else None


@dataclass(frozen=True)
class DepthFirst:
    """Expands the vertex that was met last."""

    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        return Stack()


@dataclass(frozen=True)
class BadScores:
    """Scores every third vertex NaN, every other third infinite."""

    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        def score(vertices: Sequence[int]) -> list[float]:
            return [(math.nan, -math.inf, float(vertex))[vertex % 3] for vertex in vertices]

        return QueueFrontier(state, [(score, False)])


def first_expanded(state: SearchState) -> int:
    """Choose the first vertex again and again, closed or not."""
    return int(state.expanded[0]) if state.expansions else int(state.frontier[0])
