"""Evaluation of the edges of a roadmap: what a checker may be, interpolation, counters and known results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.files import fault_line
from sailplan.graphs.roadmap.samples import Validity, is_valid
from sailplan.graphs.roadmap.space import ConfigurationSpace

if TYPE_CHECKING:
    from sailplan.graphs.roadmap.known import KnownEdges
    from sailplan.graphs.roadmap.roadmap import Roadmap

EdgeValidity = Callable[[FloatArray, FloatArray], NDArray[np.bool_]]
"""`edge_valid(starts, ends)` returns a bool for each pair of rows."""


class ConfigurationChecker(Protocol):
    """A checker of configurations; edges are checked at interpolated configurations."""

    def valid(self, configurations: FloatArray, /) -> NDArray[np.bool_]:
        """Return whether each configuration, a row, is valid."""


class MotionChecker(Protocol):
    """A checker of straight motions between configurations."""

    def edge_valid(self, starts: FloatArray, ends: FloatArray, /) -> NDArray[np.bool_]:
        """Return whether the motion from each row of `starts` to the same row of `ends` is valid."""


AnyChecker = ConfigurationChecker | MotionChecker | EdgeValidity
"""An object with a method `edge_valid` or `valid`, such as a robot, or a function like `edge_valid`."""


class EdgeChecker:
    """The function that evaluates the edges of a roadmap by a checker of configurations or motions, and counts.

    Parameters
    ----------
    roadmap
        The roadmap whose vertices are given.
    checker
        An object with a method `edge_valid(starts, ends)` or, without it, `valid(configurations)`; or a function like
        `edge_valid`.
    resolution
        Largest distance of the configurations at which `valid` is called; by default a hundredth of the diagonal of
        the space.
    known
        Results that need no check, and to which new ones are added; None for none.

    Raises
    ------
    GraphError
        If the checker is none of these, belongs to another robot, or the resolution is not positive.
    """

    def __init__(
        self, roadmap: Roadmap, checker: AnyChecker, *, resolution: float | None = None, known: KnownEdges | None = None
    ) -> None:
        space = roadmap.space
        step = space.default_resolution if resolution is None else resolution
        if not step > 0:
            raise GraphError(f"a resolution must be positive, got {resolution!r}")
        _check_same_robot(roadmap, checker)
        if known is not None:
            known.check_extended_by(roadmap)
        self.edges_checked = 0
        """Number of edges given to the checker."""
        self._configurations = 0
        self._roadmap, self._checker, self._step = roadmap, checker, step
        self.known = known
        """Results from earlier searches in the same world, to which new ones are added."""
        self._edge_valid: EdgeValidity | None = getattr(checker, "edge_valid", None)
        if self._edge_valid is None and not hasattr(checker, "valid"):
            if not callable(checker):
                kind = type(checker).__name__
                raise GraphError(f"a checker needs a method edge_valid or valid, or is a function, got {kind}")
            self._edge_valid = checker
        self._counted_before = self._counted_by_checker

    @property
    def configurations_checked(self) -> int:
        """Number of configurations checked; 0 if the checker checks edges and has no `counts.configurations`."""
        return self._configurations + self._counted_by_checker - self._counted_before

    @property
    def _counted_by_checker(self) -> int:
        counts = getattr(self._checker, "counts", None)
        return 0 if counts is None or self._edge_valid is None else int(counts.configurations)

    def __call__(self, sources: Sequence[int], targets: Sequence[int]) -> list[bool]:
        """Return whether each edge is valid; what is known is not checked."""
        if self.known is None:
            return list(map(bool, self._check(sources, targets)))
        numbers = self._roadmap.edge_numbers(sources, targets)
        known, valid = self.known.recall(numbers)
        unknown = np.flatnonzero(~known).tolist()
        if unknown:
            valid[unknown] = self._check([sources[at] for at in unknown], [targets[at] for at in unknown])
            self.known.remember(numbers[unknown], valid[unknown])
        return list(map(bool, valid))

    def _check(self, sources: Sequence[int], targets: Sequence[int]) -> NDArray[np.bool_]:
        if not len(sources):
            return np.empty(0, np.bool_)
        starts, ends = self._roadmap.motions(sources, targets)
        self.edges_checked += len(starts)
        edges = f"the edge {sources[0]} -> {targets[0]}"
        edges += f" and {len(sources) - 1} more" if len(sources) > 1 else ""
        if self._edge_valid is not None:
            return _call(self._edge_valid, starts, ends, edges)
        try:
            return sweep(self._roadmap.space, starts, ends, self._count_and_check, self._step)
        except GraphError as error:
            raise GraphError(f"{edges}: {error}") from error

    def _count_and_check(self, configurations: FloatArray) -> NDArray[np.bool_]:
        self._configurations += len(configurations)
        answers: NDArray[np.bool_] = self._checker.valid(configurations)  # type: ignore[union-attr]
        return answers


def sweep(
    space: ConfigurationSpace, starts: FloatArray, ends: FloatArray, valid: Validity, resolution: float
) -> NDArray[np.bool_]:
    """Return for each motion whether all of its configurations are valid.

    The ends and the middle are checked first, then the middles of the halves, and so on, until two neighbouring
    configurations are at most `resolution` apart. A motion with an invalid configuration is not checked further.

    Parameters
    ----------
    space
        The space, whose distance is used.
    starts, ends
        Configurations, one row for each motion; between them it is straight.
    valid
        `valid(configurations)` returns a bool for each row. It is called once for each level, for all motions.
    resolution
        Largest distance of two neighbouring configurations.

    Returns
    -------
    array of bool
        One for each motion.

    Raises
    ------
    GraphError
        If `valid` fails or does not return a bool for each row.

    Examples
    --------
    >>> space = ConfigurationSpace.within([0.0], [10.0])
    >>> starts, ends = np.array([[0.0], [0.0]]), np.array([[4.0], [8.0]])
    >>> sweep(space, starts, ends, lambda rows: rows[:, 0] < 5.0, 1.0).tolist()
    [True, False]
    """
    offsets = ends - starts
    lengths = np.sqrt(np.square(space.weights * offsets).sum(axis=1))
    levels = [bisection(int(steps)) for steps in np.maximum(1, np.ceil(lengths / resolution - 1e-9))]
    if len(starts) == 1:
        # The request of most policies, without the bookkeeping of several motions.
        return np.array([all(is_valid(valid, starts + part[:, None] * offsets).all() for part in levels[0])])
    verdicts = np.ones(len(starts), np.bool_)
    for level in range(max(map(len, levels), default=0)):
        due = [motion for motion in np.flatnonzero(verdicts).tolist() if level < len(levels[motion])]
        if not due:
            break
        motions = np.repeat(due, [len(levels[motion][level]) for motion in due])
        fractions = np.concatenate([levels[motion][level] for motion in due])
        answers = is_valid(valid, starts[motions] + fractions[:, None] * offsets[motions])
        verdicts[motions[~answers]] = False
    return verdicts


@lru_cache(maxsize=4096)
def bisection(steps: int) -> tuple[FloatArray, ...]:
    """Return the fractions 0/steps .. steps/steps in levels: the ends and the middle, then the middles of the rest.

    Examples
    --------
    >>> [level.tolist() for level in bisection(4)]
    [[0.0, 1.0, 0.5], [0.25, 0.75]]
    """
    levels, intervals = [[0, steps]], [(0, steps)]
    while intervals := [(low, high) for low, high in intervals if high - low > 1]:
        middles = [(low + high) // 2 for low, high in intervals]
        levels.append(middles)
        intervals = [
            half
            for (low, high), middle in zip(intervals, middles, strict=True)
            for half in ((low, middle), (middle, high))
        ]
    first = [levels[0] + (levels[1] if len(levels) > 1 else [])]
    return tuple(np.array(level) / steps for level in first + levels[2:])


def _call(edge_valid: EdgeValidity, starts: FloatArray, ends: FloatArray, edges: str) -> NDArray[np.bool_]:
    try:
        answers = np.asarray(edge_valid(starts, ends))
    except Exception as error:
        raise GraphError(f"the checker failed on {edges}: {type(error).__name__}: {fault_line(error)}") from error
    if answers.shape != (len(starts),) or answers.dtype != np.bool_:
        raise GraphError(
            f"the checker must return a bool for each edge, got an array of {answers.dtype} with the shape "
            f"{answers.shape} for {edges}"
        )
    return answers


def _check_same_robot(roadmap: Roadmap, checker: Any) -> None:
    theirs = tuple(getattr(checker, "joint_names", ()))
    if roadmap.space.names and theirs and theirs != roadmap.space.names:
        ours = roadmap.facts.get("robot") or "a robot"
        name = getattr(checker, "name", type(checker).__name__)
        raise GraphError(
            f"the roadmap is for {ours} with the joints {', '.join(roadmap.space.names)}, not for {name} with "
            f"{', '.join(theirs)}"
        )
