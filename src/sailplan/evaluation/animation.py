"""A search as an animation: its state after more and more expansions, with the multipliers of its belief."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

from sailplan.core import Limits, Policy, SearchResult, SearchState, open_search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.search import ScriptedPolicy
from sailplan.graphs.grid.pictures import draw_search
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
        The policy that searched; only a policy that replans with a belief has multipliers.
    """

    def __init__(self, problem: Problem, policy: Policy | None) -> None:
        self._multipliers: FloatArray | None = None
        self._follower: Follower | None = None
        graph = problem.graph
        if isinstance(policy, ReplanningPolicy) and is_finite(graph) and not policy.belief.why_unsupported(problem):
            self._multipliers = policy.belief.multipliers(problem)
            self._follower = policy.belief.follow(problem)
            if self._follower and self._multipliers is None:
                self._multipliers = np.ones(graph.vertex_count)

    def at(self, state: SearchState) -> FloatArray | None:
        """The multiplier of every vertex in this state; None if the policy has no belief with multipliers."""
        updated = self._follower.update(state) if self._follower else None
        if updated is not None:
            self._multipliers = updated
        return self._multipliers


def frames(
    problem: Problem, result: SearchResult, caption: str = "", count: int = 60, policy: Policy | None = None
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

    Yields
    ------
    PIL.Image.Image
        The frames in order.
    """
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    shown = ShownMultipliers(problem, policy)
    multipliers = None
    for step in np.unique(np.linspace(0, result.expansions, count, dtype=int)).tolist():
        replayed.run(Limits(expansions=step))
        multipliers = shown.at(replayed.state)
        yield draw_search(problem, replayed.state, (), f"{caption} · {step} expansions", multipliers)
    yield draw_search(problem, replayed.state, result.path, f"{caption} · {result.expansions} expansions", multipliers)
