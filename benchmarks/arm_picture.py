"""Draw a plan of the Panda in a scene of MotionBenchMaker; writes docs/arm.png, and a film with --film FILE.

python benchmarks/arm_picture.py [--arms ../shared/data/arms] [--family bookshelf_small] [--number 3] [--out FILE]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sailplan import Roadmap, load_policy, search
from sailplan.graphs import ExplicitGraph
from sailplan.robots import SphereRobot, read_problems
from sailplan.robots.pictures import View, animate_plan, draw_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=Path, default=Path("../shared/data/arms"))
    parser.add_argument("--family", default="bookshelf_small")
    parser.add_argument("--number", type=int, default=3, help="which problem of the family, from 1")
    parser.add_argument("--out", type=Path, default=Path("docs/arm.png"))
    parser.add_argument("--film", type=Path)
    options = parser.parse_args()
    folder = options.arms / "panda"
    robot = SphereRobot.from_files(folder / "panda_spherized.urdf", folder / "panda.srdf", group="panda_arm")
    problems = read_problems(folder / "problems.tar.xz", robot.joint_names, families=[options.family])
    chosen = problems[options.number - 1]
    inside = robot.in_scene(chosen.scene)
    roadmap = Roadmap.sample(*robot.joint_limits, 2000, valid=robot.valid, names=robot.joint_names, robot="panda")
    problem = roadmap.problem(chosen.start, chosen.goal, inside, name=chosen.name)
    result = search(problem, load_policy("lazy"))
    assert isinstance(problem.graph, ExplicitGraph)
    edges = result.trace.evaluated
    ends = problem.graph.coordinates(edges[:, 0].tolist()), problem.graph.coordinates(edges[:, 1].tolist())
    title = f"{chosen.name}: {result.edge_evaluations} edge evaluations of a lazy search"
    view, path = View("panda_hand", title=title), problem.states(result.path)
    draw_plan(inside, path, options.out, view, evaluated=ends)
    if options.film:
        animate_plan(inside, path, options.film, view, evaluated=ends)


if __name__ == "__main__":
    main()
