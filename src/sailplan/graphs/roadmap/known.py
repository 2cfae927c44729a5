"""Results of edges that are kept between searches in the same world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sailplan.archives import file_arrays, write_arrays
from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.files import FilePath
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.roadmap.checking import sweep

if TYPE_CHECKING:
    from sailplan.graphs.roadmap.roadmap import Roadmap

_UNKNOWN, _VALID, _INVALID = 0, 1, 2


@dataclass(frozen=True, eq=False)
class KnownEdges:
    """The edges of a roadmap that were evaluated in one world, with their results.

    Give it to `Roadmap.graph` or `Roadmap.problem`: edges with a known result are not checked again, and new results
    are added. A roadmap that `Roadmap.connect` returned may use what is known of the roadmap that it extends; its new
    edges are checked, but not kept.

    Examples
    --------
    >>> from sailplan.graphs import Roadmap
    >>> roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 50)
    >>> known = KnownEdges(roadmap)
    >>> graph = roadmap.graph(lambda starts, ends: starts[:, 0] < 2.0, known=known)
    >>> graph.evaluate_edges([0], [graph.successors(0)[0][0]]), graph.edges_checked
    ([0], 1)
    >>> graph.evaluate_edges([0], [graph.successors(0)[0][0]]), graph.edges_checked
    ([0], 1)
    >>> known.forget(lambda configurations: configurations[:, 0] < 2.0)
    1
    """

    roadmap: Roadmap
    """The roadmap; roadmaps that extend it share its edges."""
    _results: NDArray[np.uint8] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(getattr(self.roadmap, "edge_count", None), int):
            raise GraphError(f"known edges are those of a Roadmap, got {type(self.roadmap).__name__}")
        object.__setattr__(self, "_results", np.full(self.roadmap.edge_count, _UNKNOWN, np.uint8))

    @property
    def valid(self) -> NDArray[np.int64]:
        """The numbers of the edges that are known to be valid."""
        return np.flatnonzero(self._results == _VALID)

    @property
    def invalid(self) -> NDArray[np.int64]:
        """The numbers of the edges that are known to be invalid."""
        return np.flatnonzero(self._results == _INVALID)

    def is_closed(self, vertex: int) -> bool:
        """Return whether all edges of a vertex of the roadmap are known to be invalid."""
        if not 0 <= vertex < self.roadmap.vertex_count:
            raise GraphError(f"vertices are numbered from 0 to {self.roadmap.vertex_count - 1}, got {vertex}")
        rows = self.roadmap.rows
        edges = rows.given[rows.first[vertex] : rows.first[vertex + 1]]
        return bool((self._results[edges] == _INVALID).all())

    def recall(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return whether the result of each edge is known, and whether it is known to be valid.

        Raises GraphError if edges are not given by their numbers.
        """
        edges = _numbers(edges)
        results = np.full(len(edges), _UNKNOWN, np.uint8)
        kept = edges < len(self._results)
        results[kept] = self._results[edges[kept]]
        return results != _UNKNOWN, results == _VALID

    def remember(self, edges: NDArray[np.int64], valid: NDArray[np.bool_]) -> None:
        """Keep results; those of edges that the roadmap does not have are ignored.

        Raises GraphError if edges are not given by their numbers, or there is not one result for each of them.
        """
        edges, valid = _numbers(edges), np.asarray(valid)
        if valid.shape != edges.shape or valid.dtype != np.bool_:
            raise GraphError(f"{len(edges)} edges need as many bools, got {valid.dtype} of shape {valid.shape}")
        kept = edges < len(self._results)
        self._results[edges[kept]] = np.where(valid[kept], _VALID, _INVALID)

    def forget(
        self,
        changed: Callable[[FloatArray], NDArray[np.bool_]] | NDArray[np.int64],
        *,
        resolution: float | None = None,
    ) -> int:
        """Forget the results that a change of the world may have altered.

        Parameters
        ----------
        changed
            `changed(configurations)` returns for each row whether something that appeared, moved or vanished may touch
            the robot there; an edge is forgotten if it may at any configuration of it. Or the numbers of the edges.
        resolution
            Largest distance of the configurations of an edge for which `changed` is called; by default a hundredth of
            the diagonal of the space.

        Returns
        -------
        int
            How many results were forgotten; all others are kept.

        Raises
        ------
        GraphError
            If `changed` fails or does not return a bool for each row, or an edge does not exist.
        """
        numbers = self._swept(changed, resolution) if callable(changed) else _numbers(changed)
        if len(numbers) and numbers.max() >= len(self._results):
            raise GraphError(f"edges are numbered from 0 to {len(self._results) - 1}, got {numbers.tolist()[:5]}")
        forgotten = int(np.count_nonzero(self._results[np.unique(numbers)]))
        self._results[numbers] = _UNKNOWN
        return forgotten

    def extended(self, roadmap: Roadmap) -> KnownEdges:
        """Return the same results for a roadmap that extends this one, whose further edges are then kept as well.

        Parameters
        ----------
        roadmap
            A roadmap that `connect` or `refine` returned.

        Returns
        -------
        KnownEdges
            A copy of the results.

        Raises
        ------
        GraphError
            If the roadmap does not begin with the edges of this one.
        """
        self.check_extended_by(roadmap)
        known = KnownEdges(roadmap)
        known._results[: len(self._results)] = self._results
        return known

    def check_extended_by(self, roadmap: Roadmap) -> None:
        """Raise GraphError if a roadmap does not begin with the edges of this one."""
        mine = self.roadmap
        if mine not in (roadmap, roadmap.base) and not (
            np.array_equal(roadmap.sources[: mine.edge_count], mine.sources)
            and np.array_equal(roadmap.targets[: mine.edge_count], mine.targets)
        ):
            raise GraphError("the known edges are those of another roadmap")

    def save(self, path: FilePath) -> None:
        """Write the results to an npz file, atomically."""
        write_arrays(path, {"known_edges": self._results, "roadmap": self.roadmap.fingerprint})

    @classmethod
    def load(cls, path: FilePath, roadmap: Roadmap) -> KnownEdges:
        """Read results that `save` wrote.

        Parameters
        ----------
        path
            The npz file.
        roadmap
            The roadmap whose edges were evaluated.

        Returns
        -------
        KnownEdges
            The results.

        Raises
        ------
        GraphError
            If the file cannot be read, is damaged, or belongs to another roadmap.
        """
        arrays = file_arrays(path, ("known_edges", "roadmap"), error=GraphError)
        if len(arrays) < 2:
            raise GraphError(f"{path}: a file without known edges")
        if not np.array_equal(arrays["roadmap"], roadmap.fingerprint):
            raise GraphError(f"{path}: the known edges are those of another roadmap")
        known, results = cls(roadmap), arrays["known_edges"]
        if results.shape != known._results.shape or results.dtype != np.uint8 or (results > _INVALID).any():
            raise GraphError(f"{path}: known_edges must be {roadmap.edge_count} codes, got {results.shape}")
        known._results[:] = results
        return known

    def _swept(self, changed: Callable[[FloatArray], NDArray[np.bool_]], resolution: float | None) -> NDArray[np.int64]:
        """Return the known edges of which a configuration may be touched by what changed."""
        numbers = np.flatnonzero(self._results != _UNKNOWN)
        roadmap = self.roadmap
        starts, ends = roadmap.motions(roadmap.sources[numbers], roadmap.targets[numbers])
        step = roadmap.space.default_resolution if resolution is None else resolution
        untouched = sweep(roadmap.space, starts, ends, lambda rows: ~np.asarray(changed(rows)), step)
        return numbers[~untouched]


def _numbers(edges: object) -> NDArray[np.int64]:
    """Return numbers of edges as an array; raises GraphError if they are none."""
    given = np.asarray(edges)
    if given.ndim != 1 or (given.size and (given.dtype.kind not in "iu" or given.min() < 0)):
        raise GraphError(f"edges are given by their numbers, got {shown(edges)}")
    return given.astype(np.int64, copy=False)
