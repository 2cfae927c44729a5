"""`sailplan plan`: find a path on a map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sailplan.cli.main import tell
from sailplan.cli.options import LIMITS, MAP, OUTPUT, SEARCH, Json, parse_point
from sailplan.core import Limits, StopRule
from sailplan.core.search import EngineName
from sailplan.graphs.grid.graph import Moves
from sailplan.graphs.grid.world import Unknown
from sailplan.parallel import show_progress
from sailplan.planning import plan as find_plan
from sailplan.planning.plan import DEFAULT_POLICY, FRAMES

NO_PATH = 1


def plan(
    map_file: Annotated[Path, typer.Argument(metavar="MAP", help="An image, a MovingAI .map or a ROS .yaml file.")],
    policy: Annotated[
        str,
        typer.Option(
            help="What selects the next vertex or edge; see `sailplan policies`. "
            "lazy finds a path with few edge evaluations, lazy:1 and a_star_octile a shortest path.",
            rich_help_panel=SEARCH,
        ),
    ] = DEFAULT_POLICY,
    start: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Default: the bottom-left cell.", rich_help_panel=MAP)
    ] = None,
    goal: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Default: the top-right cell.", rich_help_panel=MAP)
    ] = None,
    metres: Annotated[
        bool,
        typer.Option(
            "--metres", help="--start, --goal and --robot-radius are in metres, not in cells.", rich_help_panel=MAP
        ),
    ] = False,
    robot_radius: Annotated[
        float,
        typer.Option(
            min=0,
            help="Block every cell at most this far from a blocked one; in cells, or metres.",
            rich_help_panel=MAP,
        ),
    ] = 0.0,
    unknown: Annotated[
        Unknown, typer.Option(help="What unknown cells (gray 205) count as.", rich_help_panel=MAP)
    ] = "blocked",
    costs: Annotated[
        Path | None,
        typer.Option(
            help="Terrain costs of at least 1: a .npy file, or an image (white costs 1, black 10).", rich_help_panel=MAP
        ),
    ] = None,
    connectivity: Annotated[int, typer.Option(help="4 or 8 moves.", rich_help_panel=MAP)] = 8,
    corner_cutting: Annotated[
        bool, typer.Option(help="Whether a diagonal may pass a blocked corner.", rich_help_panel=MAP)
    ] = False,
    stop: Annotated[
        StopRule | None,
        typer.Option(help="When the goal counts as found; default: the policy's.", rich_help_panel=SEARCH),
    ] = None,
    max_expansions: Annotated[
        int | None, typer.Option(min=0, help="Give up after this many expansions.", rich_help_panel=LIMITS)
    ] = None,
    max_evaluations: Annotated[
        int | None, typer.Option(min=0, help="Give up after this many edge checks.", rich_help_panel=LIMITS)
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0, help="Give up after this many seconds.", rich_help_panel=LIMITS)
    ] = None,
    bound: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="The path costs at most this many times the optimum; lazy policies only.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    anytime: Annotated[
        bool,
        typer.Option(
            "--anytime",
            help="Improve the path until it is optimal, or --bound or a limit is reached.",
            rich_help_panel=SEARCH,
        ),
    ] = False,
    engine: Annotated[
        EngineName, typer.Option(help="auto: the fastest that can run the search.", rich_help_panel=SEARCH)
    ] = "auto",
    png: Annotated[Path | None, typer.Option(help="Write a picture of the search.", rich_help_panel=OUTPUT)] = None,
    gif: Annotated[Path | None, typer.Option(help="Write an animation of the search.", rich_help_panel=OUTPUT)] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write a page that replays the search; one file, which needs no server.", rich_help_panel=OUTPUT
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write the path, in cells and in metres if the map has them.", rich_help_panel=OUTPUT),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Write the order of expansions, as .npz.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: Json = False,
) -> None:
    """Find a path on a map. The exit code is 1 if there is none within the limits.

    Example:
      sailplan plan floor.yaml --metres --start 1.5,2 --goal 8,3.2 --png out.png
    """
    if connectivity not in (4, 8):
        raise typer.BadParameter(f"--connectivity is 4 or 8, not {connectivity}")
    with _spinner_while_compiling():
        found = find_plan(
            map_file,
            None if start is None else parse_point("--start", start, metres=metres),
            None if goal is None else parse_point("--goal", goal, metres=metres),
            policy=policy,
            limits=Limits(max_expansions, max_seconds, max_evaluations, bound),
            on_solution=(lambda _: None) if anytime else None,
            metres=metres,
            robot_radius=robot_radius,
            unknown=unknown,
            costs=costs,
            moves=Moves(diagonal=connectivity == 8, corner_cutting=corner_cutting),
            stop=stop,
            engine=engine,
        )
    for note in found.notes:
        tell(str(note))
    if png is not None:
        found.save(png)
    if gif is not None:
        with show_progress("drawing frames", FRAMES) as step:
            found.save(gif, on_frame=step)
    if html is not None:
        found.save(html)
    if csv is not None:
        found.to_csv(csv)
    if trace is not None:
        found.result.trace.save(trace)
    facts = found.describe()
    written = [path for path in (png, gif, html, csv, trace) if path is not None]
    typer.echo(json.dumps(facts) if as_json else _lines(facts, written))
    if not found.found:
        raise typer.Exit(NO_PATH)


def _line_of_solution(facts: dict[str, Any]) -> str:
    bound = "not bounded" if facts["bound"] is None else f"at most {facts['bound']:.3f} times the optimum"
    checks, seconds = facts["edge_evaluations"], facts["seconds"]
    return f"  {checks:>7} edge checks  {1e3 * seconds:8.2f} ms  cost {facts['cost']:.4f}, {bound}"


def _lines(facts: dict[str, Any], written: list[Path]) -> str:
    found, partial = facts["cost"] is not None, facts["partial_path"]
    path = f"{len(facts['path'])} cells, cost {facts['cost']:.4f}" if found else "none"
    if facts["bound"] is not None:
        path += ", a shortest one" if facts["bound"] == 1.0 else f", at most {facts['bound']:.3f} times the optimum"
    lines = [
        *map(_line_of_solution, facts.get("solutions", [])),
        f"{facts['map']}: {facts['outcome']} with {facts['policy']} ({facts['engine']} engine)",
        f"  path        {path}",
        *([f"  partial     {len(partial)} cells, to {partial[-1]}"] if partial else []),
        f"  expansions  {facts['expansions']}",
        f"  edge checks {facts['edge_evaluations']}",
        f"  time        {1e3 * facts['seconds']:.2f} ms",
        *[f"  written     {path}" for path in written],
    ]
    return "\n".join(lines)


@contextmanager
def _spinner_while_compiling() -> Iterator[None]:
    """Show a spinner whenever kernels are compiled while the block runs, if standard error is a terminal.

    The first search of a kind compiles for some seconds; later ones load the code from disk.
    """
    from numba.core import event
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status("compiling the search: some seconds, once for each kind of graph and policy")

    class Spinner(event.Listener):
        """Counts compilations, which are nested."""

        running = 0

        def on_start(self, event: object) -> None:
            self.running += 1
            if self.running == 1:
                status.start()

        def on_end(self, event: object) -> None:
            self.running -= 1
            if self.running == 0:
                status.stop()

    with event.install_listener("numba:compile", Spinner()):
        yield
