"""The server: what it answers, and how it runs."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sailplan import __version__
from sailplan.datasets.families import FAMILIES, generate_world
from sailplan.errors import SailplanError
from sailplan.evaluation.player.recording import describe_map
from sailplan.evaluation.report import PLAYER
from sailplan.graphs.grid.world import World, corner_cells
from sailplan.planning.plan import DEFAULT_POLICY, PLAN_MOVES
from sailplan.policies.catalogue import policy_groups
from sailplan.web.examples import EXAMPLES
from sailplan.web.files import PAGE, StaticFile, read_files
from sailplan.web.guard import Guard
from sailplan.web.maps import check_cells, describe_task, read_upload
from sailplan.web.pool import Pool
from sailplan.web.protocol import Protocol
from sailplan.web.refusals import Refusal, encode, refusal_of, respond, respond_error
from sailplan.web.requests import Bodies, checked_query, parse_json
from sailplan.web.schema import EXAMPLE_QUERY, WORLD_QUERY, openapi
from sailplan.web.searches import WarmUp, answer, read_search
from sailplan.web.settings import Settings

_log = logging.getLogger("sailplan.web")

MOST_CONNECTIONS = 1000
KEEP_ALIVE_SECONDS = 5
SHUTDOWN_SECONDS = 5

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(settings: Settings | None = None) -> Starlette:
    """Create the server as an ASGI application.

    Parameters
    ----------
    settings
        The limits of requests; by default those of `Settings`.

    Returns
    -------
    Starlette
        The application. Its threads end with its lifespan.
    """
    chosen = settings or Settings()
    service = Service(chosen)
    page, player = read_files(PAGE), read_files(PLAYER)
    routes = [
        Route("/", _file_endpoint({"": page["index.html"]})),
        Route("/static/{name}", _file_endpoint(page)),
        Route("/player/{name}", _file_endpoint(player)),
        Route("/api/options", _constant(describe_options(chosen))),
        Route("/api/schema", _constant(openapi(chosen))),
        Route("/api/world", _answered(service.world)),
        Route("/api/example", _answered(service.example)),
        Route("/api/map", _answered(service.map), methods=["POST"]),
        Route("/api/search", _answered(service.search), methods=["POST"]),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.pool.close()

    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, settings=chosen)],
        exception_handlers={HTTPException: _http_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


class Service:
    """Answers the requests that need work; all work is done in the threads of a pool."""

    def __init__(self, settings: Settings) -> None:
        self.pool = Pool(settings.workers, settings.queue)
        self._settings = settings
        self._bodies = Bodies(settings)
        self._warm_up = WarmUp()

    async def world(self, request: Request) -> Response:
        """Draw a world of a family."""
        query = checked_query(request.query_params, WORLD_QUERY)
        check_cells(query["width"], query["height"], self._settings.cells)
        return await self._run(request, lambda: _generated(query))

    async def example(self, request: Request) -> Response:
        """Draw an example."""
        name = checked_query(request.query_params, EXAMPLE_QUERY)["name"]
        one = EXAMPLES[name]
        return await self._run(request, lambda: describe_task(one.world(name), one.start, one.goal))

    async def map(self, request: Request) -> Response:
        """Read map files."""
        return await self._run_on_body(request, lambda given: describe_map(read_upload(given, self._settings.cells)))

    async def search(self, request: Request) -> Response:
        """Search on a map."""
        return await self._run_on_body(request, self._search)

    def _search(self, given: Any) -> dict[str, Any]:
        wanted = read_search(given, self._settings)
        self._warm_up.before(wanted)
        return answer(wanted)

    async def _run_on_body(self, request: Request, job: Callable[[Any], Mapping[str, Any]]) -> Response:
        async with self._bodies.held(request) as body:
            return await self._run(request, lambda: job(parse_json(body)))

    async def _run(self, request: Request, job: Callable[[], Mapping[str, Any]]) -> Response:
        return respond(await self.pool.run(lambda: encode(job()), _client_left(request)))


def _generated(query: Mapping[str, Any]) -> Mapping[str, Any]:
    family, seed = query["family"], query["seed"]
    drawn = generate_world(family, seed, 0, width=query["width"], height=query["height"])
    world = World(drawn.blocked, name=f"{family}-{seed}")
    return describe_task(world, *corner_cells(world))


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answered(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with every error as an answer; only those that nobody expects are logged."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (Refusal, SailplanError) as error:
            refusal = refusal_of(error)
            return respond_error(refusal.status, str(refusal), refusal.headers)
        except ClientDisconnect:
            return Response(status_code=499)
        except asyncio.CancelledError:
            raise
        except BaseException:
            _log.exception("%s %s", request.method, request.url.path)
            return respond_error(500, "internal error")

    return answered


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer a path or a method that does not exist."""
    assert isinstance(error, HTTPException)
    return respond_error(error.status_code, f"{request.method} {request.url.path[:80]}: {error.detail}", error.headers)


def _constant(value: Any) -> Endpoint:
    content = encode(value)

    async def endpoint(_: Request) -> Response:
        return respond(content)

    return endpoint


def _file_endpoint(files: Mapping[str, StaticFile]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        file = files.get(request.path_params.get("name", ""))
        if file is None:
            return respond_error(404, "no such file")
        headers = {"cache-control": "no-cache", "etag": file.tag}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.contents, headers={**headers, "content-type": file.content_type})

    return endpoint


def describe_options(settings: Settings) -> dict[str, Any]:
    """Return what a client may ask for: policies in groups, families, examples, limits and the default moves."""
    return {
        "version": __version__,
        "default_policy": DEFAULT_POLICY,
        "policies": [
            {
                "group": group.title,
                "guidance": group.guidance,
                "policies": [
                    {"name": name, "summary": summary, "anytime": name.startswith("lazy")}
                    for name, summary in group.policies
                ],
            }
            for group in policy_groups()
        ],
        "families": list(FAMILIES),
        "examples": [{"name": name, "title": example.title} for name, example in EXAMPLES.items()],
        "limits": {
            name: getattr(settings, name) for name in ("cells", "bytes", "seconds", "expansions", "evaluations")
        },
        "moves": {name: value for name, value in asdict(PLAN_MOVES).items() if name != "diagonal_cost"},
    }


def listen(host: str, port: int) -> socket.socket:
    """Open the port.

    Raises
    ------
    SailplanError
        If it is in use, or the address is not one of this computer.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as stack:
            opened = stack.enter_context(socket.socket(family, kind, protocol))
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind(address)
            opened.listen()
            stack.pop_all()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SailplanError(
            f"cannot listen on {host} port {port}: {str(reason).lower()}; see --host and --port"
        ) from error
    return opened


def address_of(opened: socket.socket) -> str:
    """Return the address of the page."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(opened: socket.socket, settings: Settings) -> None:
    """Answer requests until the process is interrupted, which raises KeyboardInterrupt."""
    create_server(settings).run(sockets=[opened])


def create_server(settings: Settings) -> uvicorn.Server:
    """Return the server, which `run` starts."""
    config = uvicorn.Config(
        create_app(settings),
        http=Protocol,
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)
