"""Run a kind of graph and a kind of policy of your own in the compiled engine; `hexagons.py` defines both."""

from __future__ import annotations

import numpy as np

from hexagons import DepthFirst, HexGraph
from sailplan.core import Policy, Problem, search
from sailplan.policies import LazyPolicy, a_star, mha_star, optimistic
from sailplan.testing import check_graph, check_policy

SIDE = 40


def main() -> None:
    """Check both against their contracts, then compare policies on a random map."""
    rng = np.random.default_rng(4)
    blocked = rng.random((SIDE, SIDE)) < 0.2
    blocked[:3, :3] = blocked[-3:, -3:] = False
    graph = HexGraph(blocked)
    check_graph(graph, range(0, graph.vertex_count, 7))
    check_policy(DepthFirst())
    problem = Problem(graph, 0, graph.vertex_count - 1, name="hexagons")
    policies: dict[str, Policy] = {
        "A*": a_star(),
        "MHA*": mha_star(),
        "depth-first": DepthFirst(),
        "optimistic": optimistic(),
        "lazy": LazyPolicy(),
        "LazySP": LazyPolicy(bound=1.0),
    }
    for name, policy in policies.items():
        result = search(problem, policy)
        print(f"{name:12} cost {result.cost:5.1f}, {result.edge_evaluations:4} evaluations, {result.engine} engine")


if __name__ == "__main__":
    main()
