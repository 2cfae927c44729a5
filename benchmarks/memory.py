"""Does memory grow with the number of searches, and how much does a large map take?

python benchmarks/memory.py searches [--count 10000] [--policies NAME ...]
python benchmarks/memory.py map [--side 10000] [--policies NAME ...]

`searches` runs so many searches of each policy in one process, and fails if the memory of the process grows by more
than a few MB after the first quarter of them. `map` plans on a large map, each policy in a process of its own, and
fails if one takes more than 6 GB.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from sailplan.core import search
from sailplan.datasets import World, generate_world
from sailplan.graphs import grid_problem
from sailplan.planning import plan
from sailplan.policies import CATALOGUE, PRETRAINED, load_policy

MOST_GROWTH = 4.0
"""MB by which memory may grow between the first quarter of the searches and the last."""
MOST_MEMORY = 6.0
"""GB, of 2^30 bytes, that a search on a large map may take."""
ON_LARGE_MAPS = ("a_star", "optimistic", "lazy")
BLOCK, SHARE = 20, 0.15
"""Side of the random blocks of a large map in cells, and the share of them that is blocked."""


def megabytes() -> float:
    """Return the memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def run_searches(names: list[str], count: int) -> bool:
    """Print the memory after each quarter of the searches of each policy; return whether it stays."""
    problem = grid_problem(generate_world("mazes", 0, 0, width=41, height=41))
    print(f"{'policy':28} {'MB after each quarter':>36} {'growth':>8} {'seconds':>8}")
    growing = []
    for name in names:
        policy, began, after = load_policy(name), perf_counter(), []
        for _ in range(4):
            for _ in range(count // 4):
                search(problem, policy)
            gc.collect()
            after.append(megabytes())
        growth = after[-1] - after[0]
        growing += [name] if growth > MOST_GROWTH else []
        quarters = " ".join(f"{one:8.1f}" for one in after)
        print(f"{name:28} {quarters:>36} {growth:8.1f} {perf_counter() - began:8.1f}", flush=True)
    print(f"memory grows with: {', '.join(growing)}" if growing else "memory does not grow")
    return not growing


def large_map(side: int) -> World:
    """Return a map of random blocks; its corners are free."""
    rng = np.random.default_rng(0)
    coarse = rng.random((-(-side // BLOCK),) * 2) < SHARE
    coarse[0, 0] = coarse[-1, -1] = False
    return World(np.kron(coarse, np.ones((BLOCK, BLOCK), np.bool_))[:side, :side], name=f"{side} x {side}")


def plan_on_map(name: str, side: int) -> None:
    """Plan from corner to corner, and print the time and the largest memory of this process."""
    world = large_map(side)
    before, began = megabytes(), perf_counter()
    done = plan(world, policy=name)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = perf_counter() - began
    print(f"{name:12} {done!r}, {seconds:.1f} s, {before / 1024:.2f} GB before, peak {peak:.2f} GB")
    if peak > MOST_MEMORY:
        sys.exit(f"{name} takes more than {MOST_MEMORY} GB")


def plan_in_processes(names: list[str], side: int) -> bool:
    """Plan with each policy in a process of its own; return whether all stay below the limit."""
    codes = [
        subprocess.run([sys.executable, __file__, "map", "--alone", "--side", str(side), "--policies", name]).returncode
        for name in names
    ]
    return not any(codes)


def main() -> None:
    """Run one of the two benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    searches = commands.add_parser("searches")
    searches.add_argument("--count", type=int, default=10_000)
    searches.add_argument("--policies", nargs="+", default=[*CATALOGUE, *PRETRAINED])
    on_map = commands.add_parser("map")
    on_map.add_argument("--side", type=int, default=10_000)
    on_map.add_argument("--policies", nargs="+", default=[*ON_LARGE_MAPS])
    on_map.add_argument("--alone", action="store_true", help="in this process, with one policy")
    arguments = parser.parse_args()
    if arguments.command == "searches":
        sys.exit(not run_searches(arguments.policies, arguments.count))
    elif arguments.alone:
        plan_on_map(arguments.policies[0], arguments.side)
    else:
        sys.exit(not plan_in_processes(arguments.policies, arguments.side))


if __name__ == "__main__":
    main()
