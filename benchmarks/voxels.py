"""Shortest paths in volumes: A* of this library and other libraries, each in a process of its own, in one run.

python benchmarks/voxels.py [--side 200] [--seconds 300] [--peers scikit-image,scipy,pathfinding3d] [--json FILE]

From corner to corner, 26 moves of cost 1, √2 and √3; a diagonal move needs a free target only, which is the only rule
that all of them know. `build` is what a library needs before it can be called: a graph or nodes. Memory is the growth
of the peak of the process from the loaded volume to the path, per voxel. `sailplan, all` expands every voxel.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core import search
from sailplan.graphs import VoxelGraph
from sailplan.policies import a_star

Volume = NDArray[np.bool_]
CASES = {"empty": 0.0, "20 % blocked": 0.2}


def random_volume(side: int, share: float) -> Volume:
    """Block this share of the voxels at random, but no corner."""
    rng, blocked = np.random.default_rng(side), np.empty((side, side, side), np.bool_)
    for layer in blocked:
        # By layers, so that the peak of the memory before the search is that of the volume.
        layer[:] = rng.random((side, side)) < share
    blocked[0, 0, 0] = blocked[-1, -1, -1] = False
    return blocked


def with_sailplan(blocked: Volume, heuristic: str = "octile") -> Callable[[], Any]:
    """A* of this library."""
    policy = a_star(heuristic)
    problem = VoxelGraph(blocked, corner_cutting=True).problem((0, 0, 0), _goal(blocked))
    return lambda: problem.states(search(problem, policy, engine="compiled").path)


def with_scikit_image(blocked: Volume) -> Callable[[], Any]:
    """Dijkstra's algorithm in scikit-image, which stops at the goal."""
    from skimage.graph import MCP_Geometric

    costs = np.where(blocked, -1.0, 1.0)

    def solve() -> Any:
        search = MCP_Geometric(costs, fully_connected=True)
        search.find_costs([(0, 0, 0)], [_goal(blocked)])
        return search.traceback(_goal(blocked))

    return solve


def with_scipy(blocked: Volume) -> Callable[[], Any]:
    """Dijkstra's algorithm in scipy, which finds the paths to all voxels."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    padded, numbers = np.pad(blocked, 1, constant_values=True), np.arange(blocked.size, dtype=np.int32)
    ends: list[Any] = []
    for x, y, z in product((-1, 0, 1), repeat=3):
        if (x, y, z) != (0, 0, 0):
            part = (slice(1 + by, size - 1 + by) for by, size in zip((x, y, z), padded.shape, strict=True))
            sources = numbers[(~blocked & ~padded[tuple(part)]).reshape(-1)]
            step = np.int32((x * blocked.shape[1] + y) * blocked.shape[2] + z)
            ends.append((sources, sources + step, np.full(len(sources), np.sqrt(x * x + y * y + z * z))))
    rows, columns, costs = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    ends.clear()
    graph = csr_array((costs, (rows, columns)), shape=(blocked.size, blocked.size))

    def solve() -> Any:
        _, before = dijkstra(graph, indices=0, return_predecessors=True)
        path = [blocked.size - 1]
        while path[-1] != 0:
            path.append(int(before[path[-1]]))
        return np.stack(np.unravel_index(path[::-1], blocked.shape), axis=1).tolist()

    return solve


def with_pathfinding3d(blocked: Volume) -> Callable[[], Any]:
    """A* of pathfinding3d, in Python."""
    from pathfinding3d.core.diagonal_movement import DiagonalMovement
    from pathfinding3d.core.grid import Grid
    from pathfinding3d.finder.a_star import AStarFinder

    grid = Grid(matrix=(~blocked).astype(np.int8))

    def solve() -> Any:
        finder = AStarFinder(diagonal_movement=DiagonalMovement.always, time_limit=float("inf"), max_runs=float("inf"))
        path, _ = finder.find_path(grid.node(0, 0, 0), grid.node(*_goal(blocked)), grid)
        return [node.identifier for node in path]

    return solve


LIBRARIES: dict[str, Callable[[Volume], Callable[[], Any]]] = {
    "sailplan": with_sailplan,
    "sailplan, all": partial(with_sailplan, heuristic="zero"),
    "scikit-image": with_scikit_image,
    "scipy": with_scipy,
    "pathfinding3d": with_pathfinding3d,
}


def _goal(blocked: Volume) -> tuple[int, int, int]:
    x, y, z = (size - 1 for size in blocked.shape)
    return x, y, z


def _cost(path: Any) -> float:
    points = np.array([tuple(point) for point in path], float)
    return float(sum(np.linalg.norm(there - here) for here, there in pairwise(points)))


def _peak() -> float:
    """The peak memory of this process in bytes."""
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(name: str, side: int, share: float) -> dict[str, float]:
    """Solve one volume with one library in this process; the first call, on a small volume, may compile."""
    LIBRARIES[name](random_volume(6, 0.0))()
    blocked = random_volume(side, share)
    before, began = _peak(), perf_counter()
    solve = LIBRARIES[name](blocked)
    built = perf_counter()
    path = solve()
    solved = perf_counter()
    return {
        "build": built - began,
        "seconds": solved - built,
        "cost": _cost(path),
        "bytes": (_peak() - before) / blocked.size,
    }


def measure_apart(name: str, side: int, share: float, seconds: float) -> dict[str, float] | str:
    """The same in a process of its own; a text if it fails or takes longer than this."""
    command = [sys.executable, __file__, "--one", name, "--side", str(side), "--share", str(share)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"not done in {seconds:.0f} s"
    if done.returncode != 0:
        return f"failed: {(done.stderr.strip().splitlines() or [f'code {done.returncode}'])[-1][:80]}"
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of each library for each volume")
    parser.add_argument("--peers", default="scikit-image,scipy,pathfinding3d")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=LIBRARIES, help=argparse.SUPPRESS)
    parser.add_argument("--share", type=float, default=0.0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments.side, arguments.share)))
        return
    table: dict[str, Any] = {}
    for case, share in CASES.items():
        print(f"{arguments.side}^3 voxels, {case}")
        for name in ["sailplan", "sailplan, all", *arguments.peers.split(",")]:
            figures = measure_apart(name, arguments.side, share, arguments.seconds)
            table.setdefault(case, {})[name] = figures
            if isinstance(figures, str):
                print(f"  {name:14} {figures}")
            else:
                times = f"build {figures['build']:8.3f} s, search {figures['seconds']:8.3f} s"
                print(f"  {name:14} {times}, cost {figures['cost']:.6f}, {figures['bytes']:6.1f} bytes a voxel")
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
