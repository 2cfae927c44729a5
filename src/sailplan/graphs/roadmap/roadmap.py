"""Roadmaps: samples of a configuration space, joined by edges that are yet to be evaluated."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import LARGEST_NUMBER, FloatArray, Problem, as_real
from sailplan.core.state import as_kernel_array
from sailplan.errors import GraphError, ProblemError
from sailplan.files import FilePath, fault_line
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.roadmap import archive
from sailplan.graphs.roadmap.checking import AnyChecker, EdgeChecker
from sailplan.graphs.roadmap.graph import RoadmapGraph, extended_rows, rows_of
from sailplan.graphs.roadmap.known import KnownEdges
from sailplan.graphs.roadmap.neighbours import (
    components,
    measured,
    nearest_pairs,
    neighbour_count,
    new_pairs,
    pairs_within,
    scaled,
)
from sailplan.graphs.roadmap.samples import Validity, check_seed, draw_samples, is_valid, near_samples
from sailplan.graphs.roadmap.space import ConfigurationSpace

EXTRA_SAMPLES = 16
"""Number of samples near the start, and near the goal."""
_LENGTH_ERROR = 1e-12
"""Rounding error of the length of an edge, as a part of the largest length."""


_MOST_SAMPLES = 100_000_000
_INT32 = np.iinfo(np.int32)
_KERNEL_TYPES = (
    ("coordinates", "iuf", np.float64),
    ("sources", "iu", np.int32),
    ("targets", "iu", np.int32),
    ("lengths", "iuf", np.float64),
)
"""The arrays that kernels read, which kinds of numbers they may be given as, and as what they are kept."""


def _kernel_array(given: Any, name: str, kinds: str, kind: type[Any]) -> NDArray[Any]:
    """Return an array as kernels need it; raises GraphError if it has other numbers."""
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise GraphError(f"{name} must be an array of numbers ({fault_line(error)})") from error
    if array.dtype.kind not in kinds and array.size:
        raise GraphError(f"{name} must be numbers, got {array.dtype}")
    if kind is np.int32 and array.size and not _INT32.min <= array.min() <= array.max() <= _INT32.max:
        # It would wrap. Whether the roadmap has such vertices is checked later.
        raise GraphError(f"{name} has numbers that are no vertices")
    return as_kernel_array(array, kind)


@dataclass(frozen=True, eq=False)
class Roadmap:
    """Configurations and undirected edges between them; create one with `Roadmap.sample` or `Roadmap.load`.

    Raises
    ------
    GraphError
        If an array has the wrong shape, a number is not finite, or an edge names an unknown vertex.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 200)
    >>> problem = roadmap.problem([0.1, 0.1], [0.9, 0.9], lambda starts, ends: abs(ends[:, 0] - 0.5) > 0.02)
    >>> result = search(problem, load_policy("lazy"))
    >>> result.found, problem.states(result.path)[-1].tolist()
    (True, [0.9, 0.9])
    """

    space: ConfigurationSpace
    """Limits, metric, and the names of the dimensions."""
    coordinates: FloatArray
    """Shape (vertices, dimensions): the configurations."""
    sources: NDArray[np.int32]
    """The smaller end of each edge."""
    targets: NDArray[np.int32]
    """The larger end of each edge."""
    lengths: FloatArray
    """The distance of the ends of each edge."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How the roadmap was made: robot, sampler, seed, neighbours or radius, rejected samples."""
    base: Roadmap | None = field(default=None, repr=False)
    """The roadmap that this one extends, after `connect`."""
    extends_base: InitVar[bool] = False
    """Whether the arrays begin with those of `base`, and each further edge has a further vertex as its target, so that
    only what is new has to be checked and arranged."""

    def __post_init__(self, extends_base: bool) -> None:
        object.__setattr__(self, "_extends_base", extends_base)
        for name, kinds, kind in _KERNEL_TYPES:
            object.__setattr__(self, name, _kernel_array(getattr(self, name), name, kinds, kind))
        base = self._extended_base
        vertices, edges = (0, 0) if base is None else (base.vertex_count, base.edge_count)
        if base is not None and not (
            np.array_equal(self.coordinates[:vertices], base.coordinates)
            and np.array_equal(self.sources[:edges], base.sources)
            and np.array_equal(self.targets[:edges], base.targets)
            and np.array_equal(self.lengths[:edges], base.lengths)
        ):
            raise GraphError("the arrays do not begin with those of the roadmap that is extended")
        archive.check_arrays(
            self.space,
            self.coordinates,
            self.sources[edges:],
            self.targets[edges:],
            self.lengths[edges:],
            known_vertices=vertices,
        )
        if vertices and (self.targets[edges:] < vertices).any():
            raise GraphError("a further edge has no further vertex as its target")

    @classmethod
    def sample(
        cls,
        lower: ArrayLike,
        upper: ArrayLike,
        count: int,
        *,
        sampler: str = "halton",
        seed: int = 0,
        neighbours: int | None = None,
        radius: float | None = None,
        weights: ArrayLike | None = None,
        wraps: ArrayLike | None = None,
        valid: Validity | None = None,
        names: Sequence[str] = (),
        robot: str = "",
    ) -> Roadmap:
        """Create a roadmap from samples between limits.

        Parameters
        ----------
        lower, upper
            The limits of each dimension.
        count
            Number of vertices.
        sampler
            `halton` or `random`.
        seed
            Seed of the samples; Halton points are shifted by a random vector, modulo the limits.
        neighbours
            Each vertex is joined to so many nearest ones; by default the number of PRM*, e (1 + 1/d) log n.
        radius
            Join all vertices that are at most so far apart, instead of the nearest ones.
        weights
            The weight of each dimension in the distance; 1 by default.
        wraps
            Whether each dimension wraps: its upper limit is the same place as the lower one.
        valid
            `valid(configurations)` returns a bool for each row; samples that are not valid are replaced. For what is
            the same in all worlds, such as collisions of a robot with itself.
        names
            The names of the dimensions, for example of joints. A checker with other `joint_names` is refused.
        robot
            The name of the robot, kept with the roadmap.

        Returns
        -------
        Roadmap
            The roadmap; the same arguments give the same roadmap.

        Raises
        ------
        GraphError
            If an argument is out of its range, or the filter rejects nearly all samples.
        """
        space = ConfigurationSpace.within(lower, upper, weights, wraps, names)
        if type(count) is not int or count < 1:
            raise GraphError(f"a roadmap needs a number of vertices, at least 1, got {count!r}")
        if count > _MOST_SAMPLES:
            raise GraphError(f"a roadmap of {count} vertices, and at most {_MOST_SAMPLES} are sampled")
        if neighbours is not None and radius is not None:
            raise GraphError("a roadmap has either neighbours or a radius, not both")
        coordinates, rejected = draw_samples(space, count, sampler, seed, valid)
        if radius is not None:
            pairs = pairs_within(space, coordinates, radius)
        else:
            neighbours = neighbour_count(neighbours, count, space.dimensions)
            pairs = nearest_pairs(space, coordinates, neighbours)
        facts = {"robot": robot, "sampler": sampler, "seed": seed, "neighbours": neighbours, "radius": radius}
        return cls(space, coordinates, *measured(space, coordinates, pairs), {**facts, "rejected": rejected})

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.coordinates)

    @property
    def edge_count(self) -> int:
        """Number of undirected edges."""
        return len(self.sources)

    @cached_property
    def fingerprint(self) -> int:
        """A number that depends on all vertices and edges, to recognise the roadmap of a file."""
        arrays = (self.coordinates, self.sources, self.targets)
        return zlib.crc32(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))

    @property
    def topology(self) -> RoadmapGraph:
        """The graph without a checker: all edges are valid."""
        # Not cached, because it refers to this roadmap: a cycle would keep all arrays until garbage is collected, and
        # every query would wait for new pages.
        return RoadmapGraph.of(self)

    @cached_property
    def rows(self) -> CsrArrays:
        """The edges as compressed sparse rows, all valid; raises GraphError if one is given twice."""
        base = self._extended_base
        return rows_of(self) if base is None else extended_rows(self, base.rows)

    @cached_property
    def max_length(self) -> float:
        """The largest length of an edge; 0 if there is none."""
        base = self._extended_base
        first, before = (0, 0.0) if base is None else (base.edge_count, base.max_length)
        return float(self.lengths[first:].max(initial=before))

    @cached_property
    def is_metric(self) -> bool:
        """Whether no edge is shorter than the straight distance of its ends in the rows, but for rounding errors."""
        base = self._extended_base
        if base is not None and not base.is_metric:
            return False
        first, places = 0 if base is None else base.edge_count, self.rows.coordinates
        offsets = places[self.sources[first:]] - places[self.targets[first:]]
        distances = np.sqrt(np.square(offsets).sum(axis=1))
        return bool((distances <= self.lengths[first:] + _LENGTH_ERROR * self.max_length).all())

    @property
    def _extended_base(self) -> Roadmap | None:
        """The roadmap with whose arrays those of this one begin."""
        return self.base if self.__dict__["_extends_base"] else None

    @cached_property
    def digests(self) -> dict[int, str]:
        """What `RoadmapGraph.digest` returned, by the number of edges."""
        return {}

    @cached_property
    def _scaled(self) -> FloatArray:
        return scaled(self.space, self.coordinates)

    def connect(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        *,
        neighbours: int | None = None,
        extra: int = EXTRA_SAMPLES,
        spread: float | None = None,
        seed: int = 0,
        valid: Validity | None = None,
    ) -> Roadmap:
        """Return a roadmap with a start, a goal and samples near them.

        Parameters
        ----------
        start, goal
            Configurations. They become the last two vertices, `vertex_count - 2` and `vertex_count - 1`.
        neighbours
            Each new vertex is joined to so many nearest vertices of this roadmap, and to as many nearest new ones; by
            default the number of PRM*.
        extra
            Number of samples near the start, and of samples near the goal. Narrow places, such as the inside of a box
            that the goal is in, need them.
        spread
            Largest distance of these samples; their distances are uniform on a logarithmic scale down to a 32th of
            it. By default the median length of an edge.
        seed
            Seed of the samples.
        valid
            A filter of the samples, as in `sample`; those that are not valid are left out.

        Returns
        -------
        Roadmap
            Its first vertices and edges are those of this roadmap, so that what is known or believed about them still
            applies. `facts` has how many there are, `base_vertices` and `base_edges`.

        Raises
        ------
        GraphError
            If start or goal does not have a finite number per dimension, or is outside the limits.
        """
        ends = [self.space.normalised(start, "the start"), self.space.normalised(goal, "the goal")]
        near = self._near(ends, extra, spread, seed, valid)
        return self._extended([*zip(ends, near, strict=True), *((end, end[None]) for end in ends)], neighbours)

    def refine(
        self,
        vertices: Sequence[int],
        *,
        neighbours: int | None = None,
        extra: int = EXTRA_SAMPLES,
        spread: float | None = None,
        seed: int = 0,
        valid: Validity | None = None,
    ) -> Roadmap:
        """Return a roadmap with further samples near vertices, for example near a start that has no way out.

        Parameters
        ----------
        vertices
            Vertices, for example `problem.start` and `problem.goal`.
        neighbours, extra, spread, seed, valid
            As in `connect`, for each of these vertices.

        Returns
        -------
        Roadmap
            Its first vertices and edges are those of this roadmap. `KnownEdges.extended` keeps what is known of them.

        Raises
        ------
        GraphError
            If a vertex does not exist, or a number is out of its range.
        """
        numbers = np.asarray(vertices)
        is_list = numbers.ndim == 1 and numbers.dtype.kind in "iu"
        if not is_list or not ((numbers >= 0) & (numbers < self.vertex_count)).all():
            raise GraphError(f"vertices are numbered from 0 to {self.vertex_count - 1}, got {str(vertices)[:100]}")
        centres = [self.coordinates[vertex] for vertex in vertices]
        near = self._near(centres, extra, spread, seed, valid)
        return self._extended(list(zip(centres, near, strict=True)), neighbours)

    def _near(
        self, centres: Sequence[FloatArray], extra: int, spread: float | None, seed: int, valid: Validity | None
    ) -> list[FloatArray]:
        """Return samples near each centre that the filter accepts."""
        if type(extra) is not int or extra < 0:
            raise GraphError(f"extra must be an integer, not negative, got {extra!r}")
        if extra > _MOST_SAMPLES:
            raise GraphError(f"extra must be at most {_MOST_SAMPLES}, got {extra}")
        check_seed(seed)
        if spread is not None and not 0.0 <= as_real(spread) <= LARGEST_NUMBER:
            raise GraphError(f"spread must be a number, not negative and at most {LARGEST_NUMBER:g}, got {spread!r}")
        rng, largest = np.random.default_rng(seed), self._typical_length if spread is None else spread
        near = [near_samples(self.space, centre, extra, largest, rng) for centre in centres]
        return [samples[is_valid(valid, samples)] for samples in near]

    def _extended(self, groups: Sequence[tuple[FloatArray, FloatArray]], neighbours: int | None) -> Roadmap:
        """Append vertices, given as groups (centre, configurations), and join them to old and to new vertices."""
        added = np.concatenate([points for _, points in groups])
        coordinates = np.concatenate([self.coordinates, added])
        wanted = neighbour_count(neighbours, len(coordinates), self.space.dimensions)
        pairs = new_pairs(self.space, self._scaled, groups, wanted)
        sources, targets, lengths = measured(self.space, coordinates, pairs)
        base = {"base_vertices": self.vertex_count, "base_edges": self.edge_count}
        return Roadmap(
            self.space,
            coordinates,
            np.concatenate([self.sources, sources]),
            np.concatenate([self.targets, targets]),
            np.concatenate([self.lengths, lengths]),
            {**base, **self.facts},
            self,
            extends_base=True,
        )

    def graph(
        self, checker: AnyChecker, *, resolution: float | None = None, known: KnownEdges | None = None
    ) -> RoadmapGraph:
        """Return the graph to search, whose edges a checker evaluates.

        Parameters
        ----------
        checker
            An object with a method `edge_valid(starts, ends)` or, without it, `valid(configurations)`, each of which
            returns a bool for each row; or a function like `edge_valid`.
        resolution
            Largest distance of the configurations at which `valid` is called; by default a hundredth of the diagonal
            of the space. The ends and the middle are checked first, then the middles of the halves, and so on.
        known
            Results from earlier searches in the same world, to which new ones are added.

        Returns
        -------
        RoadmapGraph
            The graph; it runs in both engines, and counts edges and configurations that are checked.

        Raises
        ------
        GraphError
            If the checker is none of these or belongs to another robot, or if the known edges are those of another
            roadmap. The search raises it if the checker fails.
        """
        check = EdgeChecker(self, checker, resolution=resolution, known=known)
        return RoadmapGraph.of(self, check)

    def problem(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        checker: AnyChecker,
        *,
        name: str = "roadmap",
        resolution: float | None = None,
        known: KnownEdges | None = None,
        neighbours: int | None = None,
        extra: int = EXTRA_SAMPLES,
        seed: int = 0,
    ) -> Problem:
        """Connect a start and a goal, and pose the problem of finding a path between them.

        Parameters
        ----------
        start, goal
            Configurations.
        checker
            As in `graph`.
        name
            The name of the problem in tables and messages.
        resolution, known
            As in `graph`.
        neighbours, extra, seed
            As in `connect`.

        Returns
        -------
        Problem
            `problem.states(result.path)` returns the configurations of a path.

        Raises
        ------
        GraphError
            As in `connect` and `graph`.
        ProblemError
            If the checker has a method `valid` and says that the start or the goal is not valid.
        """
        roadmap = self.connect(start, goal, neighbours=neighbours, extra=extra, seed=seed)
        graph = roadmap.graph(checker, resolution=resolution, known=known)
        valid: Validity | None = getattr(checker, "valid", None)
        for role, configuration in zip(("start", "goal"), roadmap.coordinates[-2:], strict=True):
            if not is_valid(valid, configuration[None])[0]:
                raise ProblemError(f"{name}: the {role} is not valid{_reason(checker, configuration)}")
        return Problem(graph, roadmap.vertex_count - 2, roadmap.vertex_count - 1, name=name)

    def why_unreachable(self, start: int, goal: int) -> str | None:
        """Return why no search can find a path, or None if there is one provided that all its edges are valid.

        Parameters
        ----------
        start, goal
            Vertices, for example `problem.start` and `problem.goal`.

        Returns
        -------
        str or None
            One line.

        Examples
        --------
        >>> roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 50, radius=1e-6)
        >>> roadmap.why_unreachable(0, 1)
        'the roadmap has no path from 0 to 1 even if all edges are valid: they reach 1 and 1 of 50 vertices'
        """
        labels = components(self.vertex_count, self.sources, self.targets)
        if labels[start] == labels[goal]:
            return None
        reached = [np.count_nonzero(labels == labels[vertex]) for vertex in (start, goal)]
        return (
            f"the roadmap has no path from {start} to {goal} even if all edges are valid: they reach {reached[0]} and "
            f"{reached[1]} of {self.vertex_count} vertices"
        )

    def motions(self, sources: ArrayLike, targets: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return where motions along edges begin and end; ends may exceed the limits of dimensions that wrap."""
        starts, ends = (self.coordinates[np.asarray(vertices, np.int64)] for vertices in (sources, targets))
        return starts, starts + self.space.difference(starts, ends) if self.space.wraps.any() else ends

    def edge_numbers(self, sources: Sequence[int], targets: Sequence[int]) -> NDArray[np.int64]:
        """Return the positions of edges, given in either direction; raises GraphError if there is no such edge."""
        rows = self.rows
        numbers = np.empty(len(sources), np.int64)
        for place, (source, target) in enumerate(zip(sources, targets, strict=True)):
            first, last = rows.first[source], rows.first[source + 1]
            (found,) = np.nonzero(rows.targets[first:last] == target)
            if not len(found):
                raise GraphError(f"the roadmap has no edge {source} -> {target}")
            numbers[place] = rows.given[first + found[0]]
        return numbers

    def save(self, path: FilePath) -> None:
        """Write the roadmap to an npz file, atomically.

        Parameters
        ----------
        path
            The file. Its arrays are `vertex_count`, `sources`, `targets`, `lengths`, `undirected`, `coordinates` and
            `facts`, which is text in JSON.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        archive.save(self.space, self.coordinates, self.sources, self.targets, self.lengths, self.facts, path)

    @classmethod
    def load(cls, path: FilePath, *, robot: str | None = None) -> Roadmap:
        """Read a roadmap that `save` wrote.

        Parameters
        ----------
        path
            The npz file.
        robot
            The name of the robot that it must be for; None for any.

        Returns
        -------
        Roadmap
            The roadmap.

        Raises
        ------
        GraphError
            If the file cannot be read, an array has the wrong shape or a number that is not finite, an edge names an
            unknown vertex or is given twice, or the roadmap is for another robot.
        """
        roadmap = cls(*archive.load(path))
        theirs = roadmap.facts.get("robot", "")
        if robot is not None and theirs != robot:
            raise GraphError(f"{path}: a roadmap for the robot {theirs!r}, not for {robot!r}")
        return roadmap

    @cached_property
    def _typical_length(self) -> float:
        """The median length of an edge; a tenth of the diagonal if there is none."""
        return float(np.median(self.lengths)) if self.edge_count else 10 * self.space.default_resolution


def _reason(checker: Any, configuration: FloatArray) -> str:
    """Return which bodies collide, if the checker has a method `collisions`."""
    pairs = checker.collisions(configuration) if hasattr(checker, "collisions") else ()
    return ": " + ", ".join(f"{one} with {other}" for one, other in pairs) if pairs else ""
