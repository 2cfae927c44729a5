"""The roadmap that training problems share, and what is learned about it before any search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.oracle.cost_to_go import distances_to
from sailplan.policies.features import ROADMAP, FeatureSet, roadmap_features
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior

_LONGEST = 1.1
"""A path stands for a world if it costs at most this many times the optimum there."""
_LEAST_VALID = 1e-3
_PER_EDGE = 0.5
"""The cost of an edge of a path that stands for many worlds, in mean lengths, beside its length and its surprise."""


def roadmap_of(problems: Sequence[Problem]) -> ExplicitGraph | None:
    """Return the roadmap that all problems share; None if they are not on explicit graphs.

    Raises TrainingError if there are several.
    """
    graphs = [problem.graph for problem in problems]
    explicit = [graph for graph in graphs if isinstance(graph, ExplicitGraph)]
    if len(explicit) < len(graphs) or not explicit:
        return None
    first = explicit[0]
    if {(graph.edge_count, graph.digest(first.edge_count)) for graph in explicit} != {
        (first.edge_count, first.digest(first.edge_count))
    }:
        raise TrainingError("a policy that stores edges is trained on worlds of one roadmap")
    return first


def results_of(problems: Sequence[Problem]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which edges of the roadmap are valid in each problem."""
    table = []
    for problem in problems:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        valid = np.empty(graph.edge_count, np.bool_)
        valid[graph.rows.given] = graph.rows.verdicts == 0
        table.append(valid)
    return np.array(table)


def features_of_roadmap(train: Sequence[Problem]) -> FeatureSet:
    """Return the features that store the training worlds; raises TrainingError if these are not of one roadmap."""
    roadmap = roadmap_of(train)
    if roadmap is None:
        raise TrainingError(f"the features {ROADMAP!r} need worlds of a roadmap: a file of edge worlds")
    return roadmap_features(EdgePosterior.of(roadmap, results_of(train)), roadmap.rows.coordinates.shape[1])


def covering_paths(problems: Sequence[LabelledProblem]) -> tuple[tuple[int, ...], ...]:
    """Return paths, as numbers of edges, such that in each world one of them is valid and not much too long.

    They are drawn from the paths that are best in each world if edges that are often invalid cost more, in the order of
    the number of further worlds that they cover. All problems must have the same start and goal.
    """
    valid = results_of([labelled.problem for labelled in problems])
    shortest = np.array([labelled.table[labelled.problem.start] for labelled in problems])
    graph = problems[0].problem.graph
    assert isinstance(graph, ExplicitGraph)
    lengths = np.empty(graph.edge_count)
    lengths[graph.rows.given] = graph.rows.costs
    costs = _PER_EDGE + lengths / (float(lengths.mean()) or 1.0) - np.log(np.maximum(valid.mean(axis=0), _LEAST_VALID))
    drawn = {_best_path(one.problem, costs, row): None for one, row in zip(problems, valid, strict=True)}
    paths = [path for path in drawn if path]
    stands = np.array([valid[:, list(path)].all(axis=1) for path in paths]).reshape(len(paths), -1)
    short = np.array([lengths[list(path)].sum() for path in paths])[:, None] <= _LONGEST * shortest
    kept, left = [], np.ones(len(problems), bool)
    for covers in (stands & short, stands):
        while (gains := (covers & left).sum(axis=1)).max(initial=0) > 0:
            best = int(gains.argmax())
            kept.append(paths[best])
            left &= ~covers[best]
    return tuple(kept)


def _best_path(problem: Problem, costs: FloatArray, valid: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the edges of the cheapest path of a world that has one."""
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    rows, backward = graph.rows, graph.backward_arrays()
    verdicts = np.where(valid[backward.given], EdgeStatus.VALID, EdgeStatus.INVALID_EDGE).astype(np.uint8)
    weighed = backward._replace(costs=costs[backward.given], verdicts=verdicts)
    distances = distances_to(weighed, problem.goal, vertices=graph.vertex_count, in_degree=graph.max_in_degree)
    path, here = list[int](), problem.start
    while here != problem.goal:
        leaving = np.arange(rows.first[here], rows.first[here + 1])
        leaving = leaving[valid[rows.given[leaving]]]
        best = leaving[np.argmin(costs[rows.given[leaving]] + distances[rows.targets[leaving]])]
        path.append(int(rows.given[best]))
        here = int(rows.targets[best])
    return tuple(path)
