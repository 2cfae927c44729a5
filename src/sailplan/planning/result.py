"""What `sailplan.plan` returns."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sailplan.core import Note, Outcome, Policy, SearchResult, SearchState
from sailplan.core.graph import Problem
from sailplan.errors import SailplanError
from sailplan.files import FilePath, write_csv
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell, World

FRAMES = 60
"""Number of steps that an animation shows a search in."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A path on a map, or the reason why there is none, and what the search did.

    A notebook shows it as a picture with its figures.

    Examples
    --------
    >>> import sailplan
    >>> found = sailplan.plan(np.ones((2, 3), bool), policy="a_star_octile")
    >>> found
    Plan(map: goal_expanded, 3 cells, cost 2.41, 3 expansions)
    >>> found.cells
    ((0, 0), (1, 0), (2, 1))
    >>> found.array.tolist()
    [[0, 0], [1, 0], [2, 1]]
    """

    problem: Problem
    """The problem that was searched; its graph is a `GridGraph`, on the map after inflation by the robot radius."""
    result: SearchResult
    """The result of the search, with all its counters and its trace."""
    notes: tuple[Note, ...]
    """Remarks, for example how many cells are unknown or why there is no path."""
    policy: Policy
    """The policy that searched."""
    policy_name: str
    """Its name, for captions."""
    state: SearchState
    """What the search had uncovered at its end."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.result.found

    @property
    def outcome(self) -> Outcome:
        """Why the search stopped."""
        return self.result.outcome

    @property
    def cost(self) -> float:
        """Cost of the path, in cells; infinite if there is none."""
        return self.result.cost

    @property
    def evaluations(self) -> int:
        """Number of edges that were evaluated."""
        return self.result.edge_evaluations

    @property
    def expansions(self) -> int:
        """Number of vertices that were expanded."""
        return self.result.expansions

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells (x, y) from start to goal; empty if no path was found."""
        return tuple(self.problem.states(self.result.path))

    @cached_property
    def partial(self) -> tuple[Cell, ...]:
        """If a limit ended the search: the cells of the path that came closest to the goal; otherwise empty."""
        return tuple(self.problem.states(self.result.partial_path))

    @property
    def array(self) -> NDArray[np.int64]:
        """The cells as an array of shape (cells, 2)."""
        return np.array(self.cells, np.int64).reshape(-1, 2)

    @property
    def metres(self) -> NDArray[np.float64]:
        """The centres of the cells in the frame of the map, in metres, as an array of shape (cells, 2).

        Raises
        ------
        WorldError
            If the map has no resolution.
        """
        in_metres = self.world.in_metres
        in_metres((0, 0))
        return np.array([in_metres(cell) for cell in self.cells]).reshape(-1, 2)

    @property
    def world(self) -> World:
        """The map that was searched, after inflation by the robot radius."""
        assert isinstance(self.problem.graph, GridGraph)
        return self.problem.graph.world

    def to_csv(self, path: FilePath) -> None:
        """Write the path as CSV with the columns x and y and, if the map has a resolution, x_metres and y_metres.

        If no path was found the file has a header only; a partial path is not written.

        Raises
        ------
        OSError
            If the file cannot be written. The write is atomic.
        """
        rows = [dict(zip(("x", "y"), cell, strict=True)) for cell in self.cells]
        columns: list[str] = ["x", "y"]
        if self.world.resolution is not None:
            columns += ["x_metres", "y_metres"]
            table = self.metres.tolist()
            rows = [{**row, "x_metres": x, "y_metres": y} for row, (x, y) in zip(rows, table, strict=True)]
        write_csv(path, columns, rows)

    def picture(self) -> Image.Image:
        """Draw what the search expanded and the path that it found."""
        from sailplan.evaluation.animation import ShownMultipliers
        from sailplan.graphs.grid.pictures import draw_search

        shades = ShownMultipliers(self.problem, self.policy).at(self.state)
        path = self.result.path or self.result.partial_path
        return draw_search(self.problem, self.state, path, f"{self._caption} · {self.expansions} expansions", shades)

    def save(self, path: FilePath, *, on_frame: Callable[[], None] = lambda: None) -> None:
        """Write a picture (`.png`) or an animation (`.gif`) of the search; the write is atomic.

        Parameters
        ----------
        path
            The file; its suffix gives the format.
        on_frame
            Called after each frame of an animation, of which there are at most `FRAMES` + 1.

        Raises
        ------
        SailplanError
            If the suffix is another one.
        OSError
            If the file cannot be written.
        """
        from sailplan.evaluation.animation import frames
        from sailplan.graphs.grid.pictures import write_animation, write_picture

        suffix = Path(path).suffix.lower()
        if suffix == ".png":
            write_picture(self.picture(), path)
        elif suffix == ".gif":
            film = []
            for frame in frames(self.problem, self.result, self._caption, FRAMES, self.policy):
                film.append(frame)
                on_frame()
            write_animation(film, path)
        else:
            raise SailplanError(f"{path}: a plan is saved to a file that ends in .png or .gif")

    @property
    def _caption(self) -> str:
        return f"{self.problem.name} · {self.policy_name}"

    @cached_property
    def _png(self) -> bytes:
        contents = io.BytesIO()
        self.picture().save(contents, format="PNG")
        return contents.getvalue()

    def _repr_png_(self) -> bytes:
        return self._png

    def _repr_html_(self) -> str:
        lines = [repr(self), *map(str, self.notes)]
        image = base64.b64encode(self._png).decode("ascii")
        return "<br>".join(map(html.escape, lines)) + f'<br><img alt="the search" src="data:image/png;base64,{image}">'

    def __repr__(self) -> str:
        if self.found:
            path = f"{len(self.cells)} cells, cost {self.cost:.2f}"
        else:
            path = f"no path, {len(self.partial)} cells of a partial one" if self.partial else "no path"
        return f"Plan({self.problem.name}: {self.outcome.value}, {path}, {self.expansions} expansions)"
