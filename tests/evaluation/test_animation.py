from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.core import SearchState, open_search, search
from sailplan.core.graph import FloatArray
from sailplan.evaluation.animation import ShownMultipliers, frames, steps
from sailplan.graphs import Problem
from sailplan.graphs.grid import pictures
from sailplan.policies import LazyPolicy, greedy
from sailplan.policies.replanning.beliefs import NEVER, Refresh
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import draw_problem

PICTURE = """
    ...#.
    .....
    S...G
    """
FREE_CELL, OBSTACLE = (1, 2), (3, 2)
"""Two cells in the top row, which a search along the bottom row never sees."""


@dataclass(frozen=True)
class Toy:
    """Multiplies the cost for the top row from the first, and so much once something has been expanded."""

    first: float | None
    later: float | None = None
    reason: str = ""
    name: str = "toy"

    @property
    def refresh(self) -> Refresh:
        return NEVER if self.later is None else Refresh(1, 1)

    def why_unsupported(self, problem: Problem) -> str:
        return self.reason

    def multipliers(self, problem: Problem) -> FloatArray | None:
        return None if self.first is None else _top_row(self.first)

    def follow(self, problem: Problem) -> _ToyFollower | None:
        return None if self.later is None else _ToyFollower(self.later)


@dataclass(frozen=True)
class _ToyFollower:
    later: float

    def update(self, state: SearchState) -> FloatArray | None:
        return _top_row(self.later) if state.expansions else None


def _top_row(multiplier: float) -> FloatArray:
    multipliers = np.ones((3, 5))
    multipliers[2] = multiplier
    return multipliers.ravel()


def pixel(image: Image.Image, cell: tuple[int, int]) -> tuple[int, ...]:
    """The colour in the middle of a cell of a picture with caption and legend; cells are 80 pixels wide."""
    x, y = cell
    left = (image.width - 400) // 2
    top = 20 + 8
    found = image.getpixel((left + 80 * x + 40, top + 80 * (2 - y) + 40))
    assert isinstance(found, tuple)
    return found


def film(belief: Toy) -> list[Image.Image]:
    problem, policy = draw_problem(PICTURE), ReplanningPolicy(belief)
    # The policy of the film; what was searched with does not matter to what is shown.
    return list(frames(problem, search(problem, greedy("euclidean")), "film", 4, policy))


def legend_has(image: Image.Image, colour: pictures.Colour) -> bool:
    below = np.asarray(image)[20 + 240 + 16 :]
    return bool((below == colour).all(axis=-1).any())


def test_a_prior_shades_the_unseen_from_the_first_frame_to_the_last() -> None:
    shown = film(Toy(1e9))
    for frame in (shown[0], shown[-1]):
        assert pixel(frame, FREE_CELL) == pictures.PENALISED
        assert pixel(frame, OBSTACLE) == pictures.PENALISED_OBSTACLE
        assert legend_has(frame, pictures.PENALISED)
        assert legend_has(frame, pictures.PENALISED_OBSTACLE)


def test_what_is_known_is_never_shaded() -> None:
    everything = np.full(15, 1e9)
    problem = draw_problem(PICTURE)
    session = open_search(problem, greedy("euclidean"))
    session.run()
    shown, plain = (pictures._colours(problem.graph.world, session.state, one) for one in (everything, None))  # type: ignore[attr-defined]
    known = session.state.status.reshape(3, 5)[::-1] != 0
    assert (shown[known] == plain[known]).all()
    assert (shown[~known] != plain[~known]).any(axis=-1).all()


def test_a_belief_that_follows_is_shown_as_it_changes() -> None:
    shown = film(Toy(1.0, later=1e9))
    assert pixel(shown[0], FREE_CELL) == pictures.FREE
    assert pixel(shown[0], OBSTACLE) == pictures.HIDDEN_OBSTACLE
    assert pixel(shown[-1], FREE_CELL) == pictures.PENALISED
    assert pixel(shown[-1], OBSTACLE) == pictures.PENALISED_OBSTACLE
    assert len({frame.size for frame in shown}) == 1


def test_a_follower_without_multipliers_at_first_has_its_legend_from_the_first() -> None:
    shown = film(Toy(None, later=1e9))
    assert pixel(shown[0], FREE_CELL) == pictures.FREE
    assert pixel(shown[-1], FREE_CELL) == pictures.PENALISED
    assert len({frame.size for frame in shown}) == 1


@pytest.mark.parametrize("belief", [Toy(None), Toy(1e9, later=1e9, reason="other size")])
def test_without_a_belief_that_multipliers_pictures_are_as_they_were(belief: Toy) -> None:
    problem = draw_problem(PICTURE)
    plain = list(frames(problem, search(problem, greedy("euclidean")), "film", 4))
    assert [frame.tobytes() for frame in film(belief)] == [frame.tobytes() for frame in plain]
    assert not legend_has(plain[-1], pictures.PENALISED)


def test_only_replanning_has_multipliers() -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, greedy("euclidean"))
    for policy in (None, greedy("euclidean"), ReplanningPolicy()):
        assert ShownMultipliers(problem, policy).at(session.state) is None


def test_the_more_is_penalised_the_darker() -> None:
    shades = pictures._shade(np.array([np.nan, 0.01, 1.0, 2.0, 4.0, 1000.0, np.inf]))
    assert shades.tolist() == [0.0, 0.0, 0.0, 0.5, 0.75, 1.0, 1.0]


def test_a_film_keeps_the_colours_of_the_frames(tmp_path: Path) -> None:
    pictures.write_animation(film(Toy(1e9)), tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as image:
        first = image.convert("RGB")
    assert pixel(first, FREE_CELL) == pictures.PENALISED
    assert legend_has(first, pictures.PATH)


def test_a_film_of_a_search_by_edges_goes_from_the_first_to_the_last_edge() -> None:
    problem = draw_problem("S.#.G\n.....")
    result = search(problem, LazyPolicy())
    assert steps(result) == result.edge_evaluations > 3
    shown = list(frames(problem, result, "film", result.edge_evaluations + 1, LazyPolicy(), side=400))
    assert len(shown) == result.edge_evaluations + 2
    free = [int((np.asarray(frame) == pictures.EXPANDED).all(axis=-1).sum()) for frame in shown[:-1]]
    assert free == sorted(free)
    assert free[0] < free[-1]
    paths = [int((np.asarray(frame) == pictures.PATH).all(axis=-1).sum()) for frame in shown]
    assert paths[-1] > max(paths[:-1])
    assert len({frame.size for frame in shown}) == 1


def test_the_belief_of_a_lazy_policy_is_shown() -> None:
    problem = draw_problem(PICTURE)
    policy = LazyPolicy(belief=Toy(1e9))
    shown = list(frames(problem, search(problem, policy), "film", 3, policy, side=400))
    assert pixel(shown[-1], FREE_CELL) == pictures.PENALISED
    assert pixel(shown[-1], OBSTACLE) == pictures.PENALISED_OBSTACLE
