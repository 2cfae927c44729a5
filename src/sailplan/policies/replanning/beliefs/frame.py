"""The frame of a prior: the size of a grid, and where a search on it starts and ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sailplan.core.graph import Problem
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell


@dataclass(frozen=True)
class Frame:
    """What all problems have in common that one prior speaks of."""

    width: int
    height: int
    start: Cell
    goal: Cell

    @classmethod
    def of(cls, problem: Problem) -> Frame | None:
        """The frame of a problem; None where it is not on a grid."""
        graph = problem.graph
        if not isinstance(graph, GridGraph):
            return None
        return cls(graph.world.width, graph.world.height, graph.cell(problem.start), graph.cell(problem.goal))

    @classmethod
    def shared(cls, problems: Iterable[Problem]) -> Frame:
        """The one frame of all these problems; raises TrainingError where they have several or none."""
        frames = {cls.of(problem) for problem in problems}
        frame = frames.pop() if len(frames) == 1 else None
        if frame is None:
            raise TrainingError("a belief is trained on grids of one size with one start and goal")
        return frame

    def why_unsupported(self, problem: Problem) -> str:
        """Why a problem is not in this frame; empty where it is."""
        other = Frame.of(problem)
        if other == self:
            return ""
        return f"it knows {self}, and this is {other or 'no grid'}"

    def __str__(self) -> str:
        return f"{self.width} x {self.height} from {self.start} to {self.goal}"
