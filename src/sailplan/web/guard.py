"""Headers that every answer has, and requests of other sites, which are refused."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sailplan.web.refusals import Refusal, respond_error
from sailplan.web.settings import Settings

MOST_REQUESTS = 500
"""Number of requests that are answered at a time, with those that wait; most of them wait for their body."""

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""The page runs only its own scripts, and no other site can embed it or read from it."""


class Guard:
    """A middleware that adds the headers and refuses what comes from other sites."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        self._requests += 1
        try:
            self._check(scope)
            await self._app(scope, receive, send_with_headers)
        except Refusal as refusal:
            response = respond_error(refusal.status, str(refusal), {"connection": "close", **refusal.headers})
            await response(scope, receive, send_with_headers)
        finally:
            self._requests -= 1

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if self._requests > MOST_REQUESTS:
            raise Refusal(429, "too many requests at once; try again", {"retry-after": "1"})
        if self._settings.is_local:
            check_host(headers.getlist("host"), scope["server"][1])
        if scope["method"] == "POST":
            check_content_type(headers.getlist("content-type"))
        if scope["method"] != "GET" or scope["path"].startswith("/api/"):
            check_origin(headers)


def _add_headers(headers: MutableHeaders) -> None:
    headers.setdefault("cache-control", "no-store")
    for name, value in SECURITY_HEADERS.items():
        headers[name] = value


def check_host(hosts: Iterable[str], port: int | None) -> None:
    """Refuse a request that was sent to another name: a site may let its own name point to this computer.

    Raises
    ------
    Refusal
        If the header is not a name of this computer with the port of the server.
    """
    allowed = {f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]")}
    if port == 80:
        allowed |= {"localhost", "127.0.0.1", "[::1]"}
    if not {host.lower() for host in hosts} <= allowed or not hosts:
        raise Refusal(421, f"the header Host must be one of {', '.join(sorted(allowed))}")


def check_origin(headers: Headers) -> None:
    """Refuse a request that a page of another site has sent.

    Raises
    ------
    Refusal
        If the browser says so in `Origin` or `Sec-Fetch-Site`.
    """
    own = {f"{scheme}://{headers.get('host', '')}".lower() for scheme in ("http", "https")}
    if not {origin.lower() for origin in headers.getlist("origin")} <= own:
        raise Refusal(403, "a request of another site")
    if not set(headers.getlist("sec-fetch-site")) <= {"same-origin", "none"}:
        raise Refusal(403, "a request of another site")


def check_content_type(kinds: list[str]) -> None:
    """Refuse a body that is not declared as JSON, which a form of another site cannot do; raises Refusal."""
    if [kind.partition(";")[0].strip().lower() for kind in kinds] != ["application/json"]:
        raise Refusal(415, "the body must be JSON, with the header Content-Type: application/json")
