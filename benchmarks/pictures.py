"""Draw the pictures of searches in README and docs, from searches that are run for it.

    python benchmarks/pictures.py                  # all of them
    python benchmarks/pictures.py lists candidate

| name | file | shown in |
|---|---|---|
| bugtrap | docs/bugtrap.png | README, docs/index.md |
| start | docs/start.png | docs/index.md |
| loop | docs/loop.png | docs/how_it_works.md |
| lists | docs/lists.png | docs/how_it_works.md |
| candidate | docs/candidate.png | docs/how_it_works.md |
| lazy | docs/lazy.png | docs/lazy.md, docs/which_policy.md |
| belief | docs/belief.png | docs/replanning.md, docs/how_it_works.md |

Other pictures of the documents: `benchmarks/imitation.py picture --families multiple_bugtraps` (multipliers.png),
`benchmarks/anytime.py --plot` (anytime.png), `benchmarks/effort.py plot` (effort.png), `benchmarks/arm_picture.py`
(arm.png), `benchmarks/results.py page` (results_*.png). The code of docs/drone.md draws drone.png, and
`examples/my_car.py` with a map and primitives of Nav2 a picture like car.png.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image

import sailplan
from sailplan import Limits, generate_world, load_policy, open_search, search
from sailplan.core import Problem
from sailplan.core.replay import ScriptedPolicy
from sailplan.evaluation import ShownMultipliers
from sailplan.files import atomic_write
from sailplan.graphs import grid_problem
from sailplan.graphs.grid.pictures import counted, draw_search, side_by_side, write_picture
from sailplan.policies import LazyPolicy
from sailplan.policies.steered import EdgeSteering, SteeredLazyPolicy

SIDE = 400
SMALL = 41
"""Width and height of worlds in which single cells can be seen."""
INK = "#222222"


def bugtrap(path: Path) -> None:
    """A*, greedy search and the oracle in a world with a bug trap."""
    problem = grid_problem(generate_world("single_bugtrap", seed=0, index=26))
    write_picture(side_by_side([finished(problem, name) for name in ("a_star", "h_euc", "oracle")]), path)


def start(path: Path) -> None:
    """The first picture of a reader: what `sailplan plan --png` writes for the first maze."""
    sailplan.plan(generate_world("mazes", seed=0, index=0)).save(path)


def lazy(path: Path) -> None:
    """A*, optimistic replanning, and lazy search without and with a bound."""
    world = generate_world("bugtrap_forest", seed=0, index=3)
    pictures = []
    for name in ("a_star_octile", "optimistic", "lazy", "lazy:1"):
        plan = sailplan.plan(world, policy=name)
        caption = f"{name} · {plan.evaluations} evaluations"
        pictures.append(draw_search(plan.problem, plan.state, plan.result.path, caption, side=SIDE))
    write_picture(side_by_side(pictures), path)


def finished(problem: Problem, name: str) -> Image.Image:
    session = open_search(problem, load_policy(name))
    result = session.run()
    caption = f"{name}: {result.expansions} expansions, cost {result.cost:.1f}"
    return draw_search(problem, session.state, result.path, caption, side=SIDE)


def small_problem() -> Problem:
    return grid_problem(generate_world("single_bugtrap", seed=0, index=16, width=SMALL, height=SMALL))


def lists(path: Path) -> None:
    """The open list, the closed list and what is known to be invalid, in three states of a greedy search."""
    problem = small_problem()
    result = search(problem, load_policy("h_euc"))
    stages(problem, "h_euc", [25, result.expansions // 2, result.expansions], path)


def belief(path: Path) -> None:
    """A search with a belief: unseen cells are shaded by their cost multiplier."""
    problem = grid_problem(generate_world("multiple_bugtraps", seed=5, index=72))
    name = "belief:multiple_bugtraps"
    end = search(problem, load_policy(name)).expansions
    stages(problem, name, [0, end // 4, end // 2, end], path)


def stages(problem: Problem, name: str, steps: Sequence[int], path: Path) -> None:
    """Draw a search after so many expansions; the last is its end, with the path."""
    policy = load_policy(name)
    result = search(problem, policy)
    replayed, shown = open_search(problem, ScriptedPolicy(result.trace)), ShownMultipliers(problem, policy)
    pictures = []
    for step in steps:
        # A belief follows every step, as in the search.
        while replayed.state.expansions < step:
            replayed.advance(Limits(expansions=replayed.state.expansions + 1))
            shown.at(replayed.state)
        multipliers = shown.at(replayed.state)
        path_cells = result.path if step == steps[-1] else ()
        caption = f"{name} · {counted(replayed.state)}"
        pictures.append(draw_search(problem, replayed.state, path_cells, caption, multipliers, SIDE))
    write_picture(side_by_side(pictures), path)


def candidate(path: Path) -> None:
    """The candidate of a lazy search, in four states: what of it is not yet evaluated is drawn as the path."""
    problem = small_problem()
    end = search(problem, LazyPolicy()).edge_evaluations
    steering = EdgeSteering(problem.goal)
    session = open_search(problem, SteeredLazyPolicy(steering, LazyPolicy()))
    pictures = []
    for step in (0, 20, 60, end):
        outcome = session.advance(Limits(evaluations=step))
        session.list_candidates()
        path_cells = session.run().path if outcome.found else unknown_part(steering)
        caption = f"lazy · {counted(session.state)}"
        pictures.append(draw_search(problem, session.state, path_cells, caption, side=SIDE))
    write_picture(side_by_side(pictures), path)


def unknown_part(steering: EdgeSteering) -> list[int]:
    """The vertices of the candidate from the first edge on that is not yet evaluated."""
    edges = steering.candidates[steering.candidates[:, 0] >= 0].tolist()
    return [edges[0][0], *(target for _, target in edges)]


def loop(path: Path) -> None:
    """The search loop: what asks for what."""
    figure = Figure(figsize=(9.0, 3.3), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, 9.0), ylim=(0.0, 3.3))
    axes.axis("off")
    boxes = {
        "policy": (0.2, "which vertex to expand,\nor which edges to evaluate?"),
        "engine": (3.35, "the loop: limits, counters,\nstop rule, trace"),
        "graph": (6.5, "successors: cheap\nevaluate: expensive"),
    }
    for name, (left, text) in boxes.items():
        draw_box(axes, left, 1.75, name, text)
    draw_box(axes, 3.35, 0.15, "state", "open, closed, known invalid,\ncheapest known paths")
    for words, start, end in (
        ("request", (2.5, 2.62), (3.35, 2.62)),
        ("discovery", (3.35, 2.12), (2.5, 2.12)),
        ("edges", (5.65, 2.62), (6.5, 2.62)),
        ("results", (6.5, 2.12), (5.65, 2.12)),
    ):
        draw_arrow(axes, start, end)
        axes.text((start[0] + end[0]) / 2, start[1] + 0.08, words, ha="center", fontsize=9, color=INK)
    draw_arrow(axes, (4.5, 1.75), (4.5, 1.4))
    axes.text(4.6, 1.52, "writes", fontsize=9, color=INK)
    draw_arrow(axes, (3.35, 0.75), (1.35, 1.75))
    axes.text(1.75, 0.95, "reads", fontsize=9, color=INK)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")


def draw_box(axes: Axes, left: float, bottom: float, name: str, text: str) -> None:
    style = "round,pad=0.02,rounding_size=0.08"
    box = FancyBboxPatch(
        (left, bottom), 2.3, 1.25, boxstyle=style, facecolor="#EAF2FB", edgecolor="#1F4E87", linewidth=1.4
    )
    axes.add_patch(box)
    axes.text(left + 1.15, bottom + 0.95, name, ha="center", va="center", fontsize=13, weight="bold", color=INK)
    axes.text(left + 1.15, bottom + 0.45, text, ha="center", va="center", fontsize=9, color=INK)


def draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.4})


PICTURES: dict[str, Callable[[Path], None]] = {
    "bugtrap": bugtrap,
    "start": start,
    "loop": loop,
    "lists": lists,
    "candidate": candidate,
    "lazy": lazy,
    "belief": belief,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(PICTURES), help="which; by default all")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder of the pictures")
    arguments = parser.parse_args()
    for name in arguments.names:
        PICTURES[name](arguments.out / f"{name}.png")
        print(arguments.out / f"{name}.png", flush=True)


if __name__ == "__main__":
    main()
