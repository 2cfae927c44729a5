from __future__ import annotations

import pytest

from sailplan.core import search
from sailplan.core.search import EngineName
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies import mha_star, mha_star_near


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_the_queues_take_turns(engine: EngineName) -> None:
    places = [
        [9.0, 9.0],  # 0: the start
        [0.0, 5.0],  # 1: Euclidean 5, Manhattan 5, 4 from the obstacle
        [3.5, 3.5],  # 2: Euclidean 4.9, Manhattan 7, 5.5 from the obstacle
        [0.0, 5.2],  # 3: Euclidean 5.2, Manhattan 5.2, 4.2 from the obstacle
        [-1.0, 8.0],  # 4: far, but 1 from the obstacle
        [0.0, 9.0],  # 5: invalid
        [0.0, 0.0],  # 6: the goal, which nothing leads to
    ]
    edges = [(0, target, 1.0) for target in range(1, 6)]
    graph = ExplicitGraph.from_edges(7, edges, coordinates=places, invalid_vertices=[5])
    near, far = (search(Problem(graph, 0, 6), policy, engine=engine) for policy in (mha_star_near(), mha_star()))
    # Turns: Euclidean takes the start, Manhattan 1, the obstacle 4; then Euclidean 2 and Manhattan 3.
    assert near.trace.expanded.tolist() == [0, 1, 4, 2, 3]
    # The third queue takes 2, the farthest from the obstacle; then Euclidean 3, and Manhattan what is left.
    assert far.trace.expanded.tolist() == [0, 1, 2, 3, 4]
    assert near.policy_evaluations == far.policy_evaluations == 5 * 3


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_the_distance_to_obstacles_is_frozen_when_a_vertex_enters(engine: EngineName) -> None:
    places = [[0.0], [10.0], [20.0], [11.0], [100.0]]
    graph = ExplicitGraph.from_edges(
        5, [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0)], coordinates=places, invalid_vertices=[3]
    )
    result = search(Problem(graph, 0, 4), mha_star_near(), engine=engine)
    # 2 is closest to the goal by both distances; 1 uncovers the obstacle too late to be keyed by it.
    assert result.trace.expanded.tolist() == [0, 2, 1]
    assert result.policy_evaluations == 3 * 3
