"""A search as a film: its state after more and more expansions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

from sailplan.core import Limits, Policy, SearchResult, open_search
from sailplan.core.problem import Problem
from sailplan.core.trace import ScriptedPolicy
from sailplan.evaluation.charges import ChargesShown
from sailplan.evaluation.pictures import draw_search


def frames(
    problem: Problem, result: SearchResult, caption: str = "", count: int = 60, policy: Policy | None = None
) -> Iterator[Image.Image]:
    """Replay a search in up to so many steps; the last frame has the path.

    With the policy that searched, its belief looks at each step and the unseen is shaded by what it charges.
    """
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    believed = ChargesShown(problem, policy)
    charges = None
    for step in np.unique(np.linspace(0, result.expansions, count, dtype=int)).tolist():
        replayed.run(Limits(expansions=step))
        charges = believed.at(replayed.state)
        yield draw_search(problem, replayed.state, (), f"{caption} · {step} expansions", charges)
    yield draw_search(problem, replayed.state, result.path, f"{caption} · {result.expansions} expansions", charges)
