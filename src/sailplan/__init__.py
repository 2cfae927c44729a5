"""Graph search when evaluating edges is expensive: planners, learned policies, training and evaluation.

The names below are the front door. Each is loaded when it is first used, so `import sailplan` takes milliseconds and
loads neither numba nor torch. The packages of the library, one for each concept, export the rest:
`sailplan.graphs`, `sailplan.datasets`, `sailplan.policies`, `sailplan.learning`, `sailplan.evaluation`,
`sailplan.environment` and `sailplan.testing`.

Examples
--------
>>> import sailplan
>>> world = sailplan.generate_world("mazes", seed=0, index=0)
>>> plan = sailplan.plan(world, policy="a_star_octile")
>>> plan.found, plan.cells[0], plan.cells[-1]
(True, (0, 0), (200, 200))
"""

from __future__ import annotations

# Type checkers take this name as true. Importing it from `typing` would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from sailplan.core.anytime import Solution, improve
    from sailplan.core.graph import EdgeStatus, Problem
    from sailplan.core.replay import replay
    from sailplan.core.result import Limits, Outcome, SearchResult, StopRule
    from sailplan.core.search import open_search, search
    from sailplan.datasets.families import generate_world
    from sailplan.datasets.formats.octomap import read_octomap
    from sailplan.datasets.formats.primitives import read_primitives
    from sailplan.datasets.formats.read import read_world, write_world
    from sailplan.errors import SailplanError
    from sailplan.evaluation.evaluate import evaluate
    from sailplan.graphs.callback import CallbackGraph
    from sailplan.graphs.explicit.graph import ExplicitGraph
    from sailplan.graphs.grid.graph import GridGraph, Moves, grid_problem
    from sailplan.graphs.grid.world import World
    from sailplan.graphs.lattice import LatticeGraph, MotionPrimitives
    from sailplan.graphs.networkx import from_networkx
    from sailplan.graphs.roadmap.known import KnownEdges
    from sailplan.graphs.roadmap.roadmap import Roadmap
    from sailplan.graphs.voxels.graph import VoxelGraph
    from sailplan.learning.train import train
    from sailplan.parallel.run import use_cluster
    from sailplan.planning.motion import MotionPlan, plan_motion
    from sailplan.planning.plan import Plan, plan
    from sailplan.policies.catalogue import load_policy, save_policy

__version__ = "0.1.0"
"""The version of the package."""

_HOME = {
    "CallbackGraph": "sailplan.graphs",
    "EdgeStatus": "sailplan.graphs",
    "ExplicitGraph": "sailplan.graphs",
    "GridGraph": "sailplan.graphs",
    "KnownEdges": "sailplan.graphs",
    "LatticeGraph": "sailplan.graphs",
    "Limits": "sailplan.core",
    "MotionPlan": "sailplan.planning",
    "MotionPrimitives": "sailplan.graphs",
    "Moves": "sailplan.graphs",
    "Outcome": "sailplan.core",
    "Plan": "sailplan.planning",
    "Problem": "sailplan.graphs",
    "Roadmap": "sailplan.graphs",
    "SailplanError": "sailplan.errors",
    "SearchResult": "sailplan.core",
    "Solution": "sailplan.core",
    "StopRule": "sailplan.core",
    "VoxelGraph": "sailplan.graphs",
    "World": "sailplan.datasets",
    "evaluate": "sailplan.evaluation.evaluate",
    "from_networkx": "sailplan.graphs",
    "generate_world": "sailplan.datasets",
    "grid_problem": "sailplan.graphs",
    "improve": "sailplan.core",
    "load_policy": "sailplan.policies",
    "open_search": "sailplan.core",
    "plan": "sailplan.planning",
    "plan_motion": "sailplan.planning",
    "read_octomap": "sailplan.datasets",
    "read_primitives": "sailplan.datasets",
    "read_world": "sailplan.datasets",
    "replay": "sailplan.core",
    "save_policy": "sailplan.policies",
    "search": "sailplan.core",
    "train": "sailplan.learning.train",
    "use_cluster": "sailplan.parallel",
    "write_world": "sailplan.datasets",
}
"""The module that each name is loaded from, and after a colon its name there if it is another."""

__all__ = [
    "CallbackGraph",
    "EdgeStatus",
    "ExplicitGraph",
    "GridGraph",
    "KnownEdges",
    "LatticeGraph",
    "Limits",
    "MotionPlan",
    "MotionPrimitives",
    "Moves",
    "Outcome",
    "Plan",
    "Problem",
    "Roadmap",
    "SailplanError",
    "SearchResult",
    "Solution",
    "StopRule",
    "VoxelGraph",
    "World",
    "__version__",
    "evaluate",
    "from_networkx",
    "generate_world",
    "grid_problem",
    "improve",
    "load_policy",
    "open_search",
    "plan",
    "plan_motion",
    "read_octomap",
    "read_primitives",
    "read_world",
    "replay",
    "save_policy",
    "search",
    "train",
    "use_cluster",
    "write_world",
]


if not TYPE_CHECKING:
    # Hidden from type checkers, which would otherwise accept any name.
    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'sailplan' has no attribute {name!r}")
        from importlib import import_module

        module, _, attribute = _HOME[name].partition(":")
        value = getattr(import_module(module), attribute or name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
