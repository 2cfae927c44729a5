"""Plan on a map: read it, search it, draw what the search did."""

from __future__ import annotations

import sys
from pathlib import Path

from sailplan.core import open_search
from sailplan.datasets import generate_world, read_world
from sailplan.evaluation.pictures import draw_search, write_picture
from sailplan.graphs import grid_problem
from sailplan.policies import make_policy


def main(folder: Path) -> None:
    """Compare three planners on the map given, or on a generated one."""
    world = read_world(sys.argv[1]) if len(sys.argv) > 1 else generate_world("bugtrap_forest", seed=1, index=0)
    problem = grid_problem(world)
    for name in ("a_star_octile", "h_euc", "mha_star"):
        search = open_search(problem, make_policy(name))
        result = search.run()
        print(f"{name:14} {result.outcome:14} cost {result.cost:8.2f}  {result.expansions:6} expansions")
        write_picture(draw_search(problem, search.state, result.path, name), folder / f"{name}.png")
    print(f"pictures in {folder}")


if __name__ == "__main__":
    main(Path("my_pictures"))
