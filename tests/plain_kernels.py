"""Searches with every kind of policy in both engines, to be run with NUMBA_DISABLE_JIT=1: kernels are plain Python."""

from __future__ import annotations

import numpy as np

from sailplan.core import Policy, Problem, search
from sailplan.core.kernel.loop import advance
from sailplan.datasets import World, generate_world
from sailplan.graphs import ExplicitGraph, LatticeGraph, Moves, grid_problem
from sailplan.graphs.lattice.primitives import four_ways
from sailplan.learning.algorithms.planner.components import fit_mixture
from sailplan.oracle import cost_to_go, fewest_edges
from sailplan.policies import CATALOGUE, LearnedPolicy, MixturePolicy, a_star, epsilon_greedy, greedy
from sailplan.policies.features import feature_set
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.pixels import blocked_shares
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.policies.replay import look_at_steps, take_samples
from sailplan.policies.steered import EdgeSteering, SteeredLazyPolicy
from sailplan.testing import random_problem


def main() -> None:
    """Compare the engines; raises AssertionError where they differ."""
    assert not hasattr(advance, "py_func"), "set NUMBA_DISABLE_JIT=1"
    rng = np.random.default_rng(0)
    terrain = World(rng.random((7, 9)) < 0.0, costs=1.0 + rng.random((7, 9)))
    edges = [(a, b, float(rng.integers(1, 9))) for a in range(12) for b in range(12) if a != b and rng.random() < 0.4]
    roadmap = ExplicitGraph.from_edges(12, edges, coordinates=rng.random((12, 2)), invalid_edges=[edges[0][:2]])
    motions = four_ways([(1, 0, 0), (1, 1, 1), (1, -1, -1)], resolution=1.0)
    lattice = LatticeGraph(World(np.eye(6, dtype=np.bool_)[::-1] & (np.arange(6) > 3)), motions, 0.2)
    problems = [random_problem(rng, Moves(corner_cutting=bool(turn)), largest=9) for turn in range(2)]
    problems += [grid_problem(terrain), Problem(roadmap, 0, 11), Problem(lattice, 0, 50)]
    problems += [grid_problem(generate_world("mazes", 0, 0, width=13, height=13))]
    policies: dict[str, Policy] = {name: entry.make() for name, entry in CATALOGUE.items()}
    learned = policies["walls"]
    assert isinstance(learned, LearnedPolicy)
    shares = np.stack([blocked_shares(World(rng.random((9, 13)) < 0.3)) for _ in range(16)])
    policies["learned multipliers"] = ReplanningPolicy(LearnedMultipliers(fit_mixture(shares, 2, rng)))
    policies["lower bound"] = a_star("lower_bound")
    policies["mixture"] = MixturePolicy(greedy("octile"), policies["mha_star"], 0.5, 3)
    policies["epsilon"] = epsilon_greedy(greedy("euclidean"), 0.3, 5)
    policies["steered by edges"] = SteeredLazyPolicy(EdgeSteering(3))
    for problem in problems:
        assert fewest_edges(problem) > 0
        assert np.isfinite(cost_to_go(problem)).any()
        for name, policy in policies.items():
            if name == "walls" and problem.graph in (roadmap, lattice):
                continue  # its features are about cells
            compiled, reference = (search(problem, policy, engine=engine) for engine in ("compiled", "reference"))
            assert compiled.trace.expanded.tolist() == reference.trace.expanded.tolist(), name
            assert compiled.trace.evaluated.tolist() == reference.trace.evaluated.tolist(), name
            assert compiled.path == reference.path, name
    trace = search(problems[-1], greedy("euclidean")).trace
    steps = np.arange(min(3, len(trace.expanded)))
    for engine in ("compiled", "reference"):
        take_samples(problems[-1], trace, feature_set("paper17"), steps, np.full(len(steps), 0.5), engine)
        look_at_steps(problems[-1], trace, learned, steps, engine)


if __name__ == "__main__":
    main()
