"""Roadmap files (.npz): arrays as in worlds of edges, and facts in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.archives import file_arrays, write_arrays
from sailplan.core.graph import LARGEST_NUMBER, FloatArray
from sailplan.errors import GraphError
from sailplan.files import FilePath, fault_line
from sailplan.graphs.roadmap.neighbours import unique_pairs
from sailplan.graphs.roadmap.space import ConfigurationSpace

Parts = tuple[ConfigurationSpace, FloatArray, NDArray[np.int32], NDArray[np.int32], FloatArray, dict[str, Any]]
"""Space, coordinates, sources, targets, lengths and facts."""
_ARRAYS = ("coordinates", "sources", "targets", "lengths", "facts")


def save(
    space: ConfigurationSpace,
    coordinates: FloatArray,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    lengths: FloatArray,
    facts: Mapping[str, Any],
    path: FilePath,
) -> None:
    """Write a roadmap, atomically."""
    text = json.dumps({**facts, "space": space.facts()}, sort_keys=True)
    arrays = {"sources": sources, "targets": targets, "lengths": lengths, "coordinates": coordinates}
    write_arrays(path, {**arrays, "vertex_count": len(coordinates), "undirected": True, "facts": np.array(text)})


def load(path: FilePath) -> Parts:
    """Read a roadmap; raises GraphError with one line that names the file."""
    arrays = file_arrays(path, _ARRAYS, error=GraphError)
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise GraphError(f"{path}: not a roadmap: there is no array {missing[0]}")
    try:
        return _checked(arrays, json.loads(str(arrays["facts"])))
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise GraphError(f"{path}: its facts are not JSON ({fault_line(error)})") from error


def check_arrays(
    space: ConfigurationSpace,
    coordinates: NDArray[Any],
    sources: NDArray[Any],
    targets: NDArray[Any],
    lengths: NDArray[Any],
    *,
    known_vertices: int = 0,
) -> None:
    """Raise GraphError if arrays do not have the shapes and ranges of a roadmap.

    The first `known_vertices` of the coordinates have been checked before.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != space.dimensions:
        raise GraphError(f"coordinates must have the shape (vertices, {space.dimensions}), got {coordinates.shape}")
    if not (np.abs(coordinates[known_vertices:]) <= LARGEST_NUMBER).all():
        raise GraphError(f"coordinates must be finite, at most {LARGEST_NUMBER:g}")
    for name, array in (("sources", sources), ("targets", targets), ("lengths", lengths)):
        if array.ndim != 1 or array.shape != sources.shape:
            raise GraphError(f"{name} must be a number for each of {sources.size} edges, got the shape {array.shape}")
    for name, ends in (("sources", sources), ("targets", targets)):
        if len(ends) and not 0 <= ends.min() <= ends.max() < len(coordinates):
            raise GraphError(f"{name} names a vertex outside 0 .. {len(coordinates) - 1}")
    if (sources == targets).any():
        raise GraphError("an edge joins a vertex to itself")
    if not ((lengths >= 0) & (lengths <= LARGEST_NUMBER)).all():
        raise GraphError(f"lengths must be finite and not negative, at most {LARGEST_NUMBER:g}")


def _checked(arrays: Mapping[str, NDArray[Any]], facts: Any) -> Parts:
    if not isinstance(facts, dict) or not isinstance(facts.get("space"), dict):
        raise GraphError("its facts have no space")
    for name, kinds in (("coordinates", "f"), ("sources", "iu"), ("targets", "iu"), ("lengths", "f")):
        if arrays[name].dtype.kind not in kinds:
            raise GraphError(f"{name} must be numbers, got {arrays[name].dtype}")
    space = ConfigurationSpace.build(facts["space"])
    coordinates, lengths = (arrays[name].astype(np.float64) for name in ("coordinates", "lengths"))
    sources, targets = (arrays[name].astype(np.int64) for name in ("sources", "targets"))
    check_arrays(space, coordinates, sources, targets, lengths)
    if len(unique_pairs(sources, targets, len(coordinates))) != len(sources):
        raise GraphError("an edge is given twice")
    others = {name: value for name, value in facts.items() if name != "space"}
    return space, coordinates, sources.astype(np.int32), targets.astype(np.int32), lengths, others
