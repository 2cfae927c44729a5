"""With NUMBA_DISABLE_JIT=1 every kernel is plain Python and does the same; so it can be stepped through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sailplan.datasets import write_png
from sailplan.testing import draw_world

SEARCH_WITH_EVERYTHING = """
import warnings

warnings.simplefilter("error")
import numba
import numpy as np

from sailplan.core import Limits, Problem, search
from sailplan.core.search import open_search
from sailplan.datasets import World, generate_world
from sailplan.graphs import ExplicitGraph, Moves, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import CATALOGUE, MixturePolicy, epsilon_greedy, greedy, load_policy
from sailplan.policies.features import feature_set
from sailplan.policies.replay import look_at_steps, take_samples
from sailplan.testing import random_problem

assert numba.config.DISABLE_JIT
rng = np.random.default_rng(0)
terrain = World(rng.random((7, 9)) < 0.0, costs=1.0 + rng.random((7, 9)))
edges = [(a, b, float(rng.integers(1, 9))) for a in range(12) for b in range(12) if a != b and rng.random() < 0.4]
roadmap = ExplicitGraph.from_edges(12, edges, coordinates=rng.random((12, 2)), invalid_edges=[edges[0][:2]])
problems = [random_problem(rng, Moves(corner_cutting=bool(turn)), largest=9) for turn in range(2)]
problems += [grid_problem(terrain), Problem(roadmap, 0, 11)]
problems += [grid_problem(generate_world("mazes", 0, 0, width=13, height=13))]
policies = {name: entry.make() for name, entry in CATALOGUE.items()}
policies["sail"] = load_policy("sail:mazes")
policies["mixture"] = MixturePolicy(greedy("octile"), policies["mha_star"], 0.5, 3)
policies["epsilon"] = epsilon_greedy(greedy("euclidean"), 0.3, 5)
for problem in problems:
    assert np.isfinite(cost_to_go(problem)).any()
    for name, policy in policies.items():
        if name == "sail" and problem.graph is roadmap:
            continue  # its features are about cells
        compiled, reference = (search(problem, policy, engine=engine) for engine in ("compiled", "reference"))
        assert compiled.trace.expanded.tolist() == reference.trace.expanded.tolist(), name
        assert compiled.path == reference.path, name
trace = search(problems[-1], greedy("euclidean")).trace
steps = np.arange(min(3, len(trace.expanded)))
for engine in ("compiled", "reference"):
    take_samples(problems[-1], trace, feature_set("paper17"), steps, np.full(len(steps), 0.5), engine)
    look_at_steps(problems[-1], trace, policies["sail"], steps, engine)
print("the same in both engines")
"""


def test_every_kernel_runs_as_plain_python() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", SEARCH_WITH_EVERYTHING]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "the same in both engines"


PLAN_WITHOUT_A_CACHE = """
import sys

from numba.core.caching import CacheImpl

CacheImpl._locator_classes = []  # as where neither the package nor a folder of the user's can be written to
from sailplan.cli.main import main

main(["plan", sys.argv[1], "--policy", "h_euc"])
"""


def test_without_a_folder_for_compiled_code_everything_runs_with_a_note(tmp_path: Path) -> None:
    write_png(draw_world("..."), tmp_path / "map.png")
    command = [sys.executable, "-c", PLAN_WITHOUT_A_CACHE, str(tmp_path / "map.png")]
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3 cells, cost 2.0" in done.stdout
    assert done.stderr.startswith("note: no folder for compiled code can be written to")
    assert done.stderr.count("\n") == 1
