"""A search as a film: its state after more and more expansions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

from sailplan.evaluation.pictures import draw_search
from sailplan.graphs.problem import Problem
from sailplan.search import Limits, SearchResult, open_search
from sailplan.search.recorder import ScriptedPolicy


def frames(problem: Problem, result: SearchResult, caption: str = "", count: int = 60) -> Iterator[Image.Image]:
    """Replay a search in up to so many steps; the last frame has the path."""
    replayed = open_search(problem, ScriptedPolicy(result.trace))
    for step in np.unique(np.linspace(0, result.expansions, count, dtype=int)).tolist():
        replayed.run(Limits(expansions=step))
        yield draw_search(problem, replayed.state, (), f"{caption} · {step} expansions")
    yield draw_search(problem, replayed.state, result.path, f"{caption} · {result.expansions} expansions")
