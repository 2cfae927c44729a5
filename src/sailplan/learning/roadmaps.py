"""The roadmap that training problems share, and what is learned about it before any search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import Problem
from sailplan.errors import TrainingError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.policies.features import ROADMAP, FeatureSet, roadmap_features
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior


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
