"""`sailplan serve`: a page in the browser that searches on maps."""

from __future__ import annotations

import webbrowser
from types import ModuleType
from typing import Annotated

import typer

from sailplan.cli.options import LIMITS
from sailplan.errors import SailplanError
from sailplan.web.settings import Settings

_DEFAULT = Settings()


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; the default is for this computer only.")] = (
        _DEFAULT.host
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 8000,
    max_cells: Annotated[
        int, typer.Option(min=1, help="Cells of the largest map.", rich_help_panel=LIMITS)
    ] = _DEFAULT.cells,
    max_bytes: Annotated[
        int, typer.Option(min=1024, help="Bytes of the largest request.", rich_help_panel=LIMITS)
    ] = _DEFAULT.bytes,
    max_seconds: Annotated[
        float, typer.Option(min=0.001, help="Time limit of a search.", rich_help_panel=LIMITS)
    ] = _DEFAULT.seconds,
    max_expansions: Annotated[
        int, typer.Option(min=1, help="Most expansions of a search.", rich_help_panel=LIMITS)
    ] = _DEFAULT.expansions,
    workers: Annotated[
        int, typer.Option(min=1, help="Searches that run at a time.", rich_help_panel=LIMITS)
    ] = _DEFAULT.workers,
    queue: Annotated[
        int, typer.Option(min=0, help="Requests that may wait; others are refused.", rich_help_panel=LIMITS)
    ] = _DEFAULT.queue,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve a page on which maps are drawn, uploaded or generated, and searches are run and played.

    Example:
      sailplan serve --open
    """
    server = _server()
    settings = Settings(host, max_cells, max_bytes, max_seconds, max_expansions, workers=workers, queue=queue)
    with server.listen(host, port) as opened:
        address = server.address_of(opened)
        typer.echo(f"sailplan is at {address} until you press Ctrl-C")
        if open_browser:
            webbrowser.open(address)
        server.serve(opened, settings)


def _server() -> ModuleType:
    try:
        from sailplan.web import server
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "h11"):
            raise
        raise SailplanError(f"sailplan serve needs {error.name}: pip install 'sailplan[web]'") from error
    return server
