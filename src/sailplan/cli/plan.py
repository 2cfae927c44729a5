"""`sailplan plan`: find a path on a map."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from sailplan.cli.notes import belief_warnings_to, one_line, tell
from sailplan.cli.options import Json, parse_cell
from sailplan.cli.progress import progress
from sailplan.core import Limits, Policy, Search, SearchResult, StopRule, open_search
from sailplan.core.problem import Problem
from sailplan.core.search import EngineName
from sailplan.datasets import read_world
from sailplan.errors import BeliefWarning
from sailplan.graphs.grid.graph import GridGraph, Moves, grid_problem
from sailplan.policies.catalogue import make_policy

DEFAULT_POLICY = "optimistic"
_POLICY_HELP = (
    "What picks the next vertex; see `sailplan policies`. "
    "optimistic finds a path with few edge checks, a_star_octile the shortest path."
)
NO_PATH = 1
_FRAMES = 60


def plan(
    map_file: Annotated[Path, typer.Argument(metavar="MAP", help="An image, a MovingAI .map or a ROS .yaml file.")],
    policy: Annotated[str, typer.Option(help=_POLICY_HELP)] = DEFAULT_POLICY,
    start: Annotated[str | None, typer.Option(metavar="X,Y", help="Default: the bottom-left cell.")] = None,
    goal: Annotated[str | None, typer.Option(metavar="X,Y", help="Default: the top-right cell.")] = None,
    connectivity: Annotated[int, typer.Option(help="4 or 8 moves.")] = 8,
    corner_cutting: Annotated[bool, typer.Option(help="May a diagonal pass a blocked corner?")] = True,
    stop: Annotated[StopRule | None, typer.Option(help="When the goal counts as found; default: the policy's.")] = None,
    max_expansions: Annotated[int | None, typer.Option(min=0, help="Give up after so many expansions.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Give up after so many seconds.")] = None,
    engine: Annotated[EngineName, typer.Option(help="auto: the fastest that can.")] = "auto",
    png: Annotated[Path | None, typer.Option(help="Write a picture of the search here.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a film of the search here.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write the order of expansions here, as .npz.")] = None,
    as_json: Json = False,
) -> None:
    """Find a path on a map. Exit code 1 where there is none within the limits."""
    if connectivity not in (4, 8):
        raise typer.BadParameter(f"--connectivity is 4 or 8, not {connectivity}")
    moves = Moves(diagonal=connectivity == 8, corner_cutting=corner_cutting)
    problem = grid_problem(read_world(map_file), parse_cell("--start", start), parse_cell("--goal", goal), moves)
    planner = make_policy(policy)
    heard: list[BeliefWarning] = []
    with belief_warnings_to(heard.append):
        session = open_search(problem, planner, stop=stop, engine=engine)
    note = one_line(str(heard[0])) if heard else None
    if note:
        tell(note)
    result = session.run(Limits(max_expansions, max_seconds))
    draw(session, result, planner, f"{problem.name} · {policy}", png, gif)
    if trace is not None:
        result.trace.save(trace)
    facts = describe(problem, result, policy, note)
    written = [path for path in (png, gif, trace) if path is not None]
    typer.echo(json.dumps(facts) if as_json else _lines(facts, written))
    if not result.found:
        raise typer.Exit(NO_PATH)


def describe(problem: Problem, result: SearchResult, policy: str, note: str | None) -> dict[str, Any]:
    """The facts of a search as an object; the path as cells, and in metres too where the map has a resolution."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    cells = [graph.cell(vertex) for vertex in result.path]
    facts: dict[str, Any] = {
        "map": problem.name,
        "policy": policy,
        "outcome": result.outcome.value,
        "cost": result.cost if math.isfinite(result.cost) else None,
        "expansions": result.expansions,
        "edge_evaluations": result.edge_evaluations,
        "policy_evaluations": result.policy_evaluations,
        "seconds": result.timing.total,
        "seconds_by_phase": {
            "select": result.timing.select,
            "expand": result.timing.expand,
            "evaluate": result.timing.evaluate,
        },
        "engine": result.engine,
        "note": note,
        "path": cells,
    }
    if graph.world.resolution is not None:
        facts["path_metres"] = [graph.world.in_metres(cell) for cell in cells]
    return facts


def draw(
    session: Search, result: SearchResult, policy: Policy, caption: str, png: Path | None, gif: Path | None
) -> None:
    """Write the pictures asked for."""
    from sailplan.evaluation.animation import frames
    from sailplan.evaluation.charges import ChargesShown
    from sailplan.evaluation.pictures import draw_search, write_animation, write_picture

    if png is not None:
        told = f"{caption} · {result.expansions} expansions"
        charges = ChargesShown(session.problem, policy).at(session.state)
        write_picture(draw_search(session.problem, session.state, result.path, told, charges), png)
    if gif is not None:
        film = []
        with progress("drawing frames", _FRAMES) as step:
            for frame in frames(session.problem, result, caption, _FRAMES, policy):
                film.append(frame)
                step()
            write_animation(film, gif)


def _lines(facts: dict[str, Any], written: list[Path]) -> str:
    found = facts["cost"] is not None
    lines = [
        f"{facts['map']}: {facts['outcome']} with {facts['policy']} ({facts['engine']} engine)",
        f"  path        {len(facts['path'])} cells, cost {facts['cost']:.4f}" if found else "  path        none",
        f"  expansions  {facts['expansions']}",
        f"  edge checks {facts['edge_evaluations']}",
        f"  time        {1e3 * facts['seconds']:.2f} ms",
        *[f"  written     {path}" for path in written],
    ]
    return "\n".join(lines)
