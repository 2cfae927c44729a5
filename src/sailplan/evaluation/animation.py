"""A search as an animation: its state after more and more steps, with the multipliers of its belief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image

from sailplan.core import Limits, Policy, SearchResult, SearchState, open_search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.replay import ScriptedPolicy
from sailplan.graphs.grid.pictures import counted, draw_search
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import Follower
from sailplan.policies.replanning.policy import ReplanningPolicy


class ShownMultipliers:
    """The cost multipliers of a policy's belief in the states of a search that is drawn.

    The belief follows the drawn search independently of the search that it guided.

    Parameters
    ----------
    problem
        The problem of the search.
    policy
        The policy that searched; only a policy with a belief has multipliers.
    """

    def __init__(self, problem: Problem, policy: Policy | None) -> None:
        self._multipliers: FloatArray | None = None
        self._follower: Follower | None = None
        graph = problem.graph
        belief = policy.belief if isinstance(policy, ReplanningPolicy | LazyPolicy) else None
        if belief is not None and is_finite(graph) and not belief.why_unsupported(problem):
            self._multipliers = belief.multipliers(problem)
            self._follower = belief.follow(problem)
            if self._follower and self._multipliers is None:
                self._multipliers = np.ones(graph.vertex_count)

    @property
    def available(self) -> bool:
        """Whether the policy has a belief with multipliers."""
        return self._multipliers is not None

    def at(self, state: SearchState) -> FloatArray | None:
        """The multiplier of every vertex in this state; None if the policy has no belief with multipliers."""
        updated = self._follower.update(state) if self._follower else None
        if updated is not None:
            self._multipliers = updated
        return self._multipliers


def steps(result: SearchResult) -> int:
    """Return the number of steps of a search: of evaluated edges if the policy requested edges, else of expansions."""
    return len(result.trace.evaluated) or result.expansions


def frames(
    problem: Problem,
    result: SearchResult,
    caption: str = "",
    count: int = 60,
    policy: Policy | None = None,
    side: int | None = None,
) -> Iterator[Image.Image]:
    """Replay a search and draw it.

    Parameters
    ----------
    problem, result
        The search to replay.
    caption
        Text above each frame.
    count
        Largest number of frames before the last one, which has the path.
    policy
        The policy that searched; if it has a belief, unseen cells are shaded by their multiplier.
    side
        As in `draw_search`: the smallest length of the longer side of the grid, in pixels.

    Yields
    ------
    PIL.Image.Image
        The frames in order.
    """
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    by_edges = len(result.trace.evaluated) > 0
    shown = ShownMultipliers(problem, policy)
    multipliers = None

    def draw(path: Sequence[int]) -> Image.Image:
        text = f"{caption} · {counted(replayed.state)}"
        return draw_search(problem, replayed.state, path, text, multipliers, side)

    for step in np.unique(np.linspace(0, steps(result), count, dtype=int)).tolist():
        replayed.run(Limits(evaluations=step) if by_edges else Limits(expansions=step))
        multipliers = shown.at(replayed.state)
        yield draw(())
    yield draw(result.path)
