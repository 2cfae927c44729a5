"""Searches on request: what is asked for, within the limits of the server, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from sailplan.core import Limits
from sailplan.errors import PolicyError, SailplanError
from sailplan.graphs.grid.graph import Moves
from sailplan.graphs.grid.world import Cell, World, corner_cells
from sailplan.planning.plan import Plan, plan
from sailplan.policies.catalogue import CATALOGUE, PRETRAINED
from sailplan.web.maps import read_map_object
from sailplan.web.requests import checked
from sailplan.web.schema import SEARCH
from sailplan.web.settings import Settings

_PAPER_SIDE, _TINY_SIDE = 201, 21


@dataclass(frozen=True)
class SearchRequest:
    """A search that a client asks for."""

    world: World
    start: Cell
    goal: Cell
    policy: str
    """A name of the catalogue, never a file."""
    moves: Moves
    anytime: bool
    """Whether to improve the path until it is optimal."""
    limits: Limits
    multipliers: bool
    """Whether the answer shows the multipliers of a belief."""

    def run(self) -> Plan:
        """Search."""
        return plan(
            self.world,
            self.start,
            self.goal,
            policy=self.policy,
            limits=self.limits,
            on_solution=(lambda _: None) if self.anytime else None,
            moves=self.moves,
        )


def read_search(given: Any, settings: Settings) -> SearchRequest:
    """Return the search that a request asks for, within the limits of the server.

    Raises
    ------
    Refusal
        If a field is missing or has the wrong type.
    SailplanError
        If a value cannot be used.
    """
    fields = checked(given, SEARCH)
    (start_x, start_y), (goal_x, goal_y) = fields["start"], fields["goal"]
    return SearchRequest(
        read_map_object(fields["map"], settings.cells),
        (start_x, start_y),
        (goal_x, goal_y),
        checked_policy(fields["policy"]),
        Moves(diagonal=fields["diagonal"], corner_cutting=fields["corner_cutting"]),
        fields["anytime"],
        Limits(
            _least(fields["max_expansions"], settings.expansions),
            _least(fields["max_seconds"], settings.seconds),
            _least(fields["max_evaluations"], settings.evaluations),
            fields["bound"],
        ),
        fields["multipliers"],
    )


def _least(wanted: Any, most: Any) -> Any:
    return most if wanted is None else min(wanted, most)


def checked_policy(name: str) -> str:
    """Return the name of a built-in or pretrained policy; raises PolicyError for others, without a look at files.

    Examples
    --------
    >>> checked_policy("lazy:1.5")
    'lazy:1.5'
    """
    if name not in PRETRAINED and name.partition(":")[0] not in CATALOGUE:
        raise PolicyError(f"no policy {name!r}; GET /api/options lists them")
    return name


def answer(request: SearchRequest) -> dict[str, Any]:
    """Search, and return the facts that `sailplan plan --json` prints and the recording that the page plays."""
    found = request.run()
    return {"facts": found.describe(), "recording": found.recording(multipliers=request.multipliers)}


class WarmUp:
    """Compiles the code of a kind of search before the first one, so that its time limit does not include it."""

    def __init__(self) -> None:
        self._done: set[tuple[Any, ...]] = set()
        self._lock = Lock()

    def before(self, request: SearchRequest) -> None:
        """Run a small search of the same kind without limits, if there was none yet."""
        kind = _kind(request)
        if kind in self._done:
            return
        with self._lock:
            if kind not in self._done:
                self._run(request)
                self._done.add(kind)

    def _run(self, request: SearchRequest) -> None:
        try:
            answer(_small(request))
        except SailplanError:
            # The request itself fails in the same way, with its own message.
            return


def _kind(request: SearchRequest) -> tuple[Any, ...]:
    bounded = request.limits.bound is not None
    return _stem(request.policy), _small_side(request), request.moves, request.anytime, bounded, request.multipliers


def _stem(policy: str) -> str:
    """Return the name without its number, of which there are many."""
    return policy if policy in PRETRAINED else policy.partition(":")[0] + ":" * (":" in policy)


def _small(request: SearchRequest) -> SearchRequest:
    """Return a search of the same kind on a small map, in which a wall is in the way."""
    side = _small_side(request)
    blocked = np.zeros((side, side), bool)
    blocked[: side - 3, side // 2] = True
    world, limits = World(blocked, name="warm-up"), Limits(bound=request.limits.bound)
    ends = corner_cells(world)
    return SearchRequest(world, *ends, request.policy, request.moves, request.anytime, limits, request.multipliers)


def _small_side(request: SearchRequest) -> int:
    """Some policies support maps of the paper's size from corner to corner only, and run other code elsewhere."""
    world = request.world
    is_of_the_paper = world.width == world.height == _PAPER_SIDE
    return _PAPER_SIDE if is_of_the_paper and (request.start, request.goal) == corner_cells(world) else _TINY_SIDE
