"""A server in a thread of this process, and a client that reads what it answers."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sailplan.evaluation.player.recording import describe_map
from sailplan.graphs.grid.world import World, corner_cells
from sailplan.web.server import create_server, listen
from sailplan.web.settings import Settings

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The error: one line."""
        assert self.status >= 400
        assert list(self.value) == ["error"]
        assert "\n" not in self.value["error"]
        return str(self.value["error"])


@dataclass(frozen=True)
class Client:
    port: int

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Answer:
        return self.send(method, path, None, headers or {})

    def post(self, path: str, value: Any, headers: dict[str, str] | None = None) -> Answer:
        return self.send("POST", path, json.dumps(value).encode(), {**JSON, **(headers or {})})

    def send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            found = {name.lower(): text for name, text in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


Serve = Callable[[Settings], Client]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Start servers, each on a free port."""
    running = []

    def start(settings: Settings) -> Client:
        opened, server = listen("127.0.0.1", 0), create_server(settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        running.append((server, thread, opened))
        return Client(opened.getsockname()[1])

    yield start
    for server, thread, opened in running:
        server.should_exit = True
        thread.join()
        opened.close()


@pytest.fixture(scope="module")
def client(serve: Serve) -> Client:
    return serve(Settings())


def search_request(world: World, **fields: Any) -> dict[str, Any]:
    """The body of a search from corner to corner."""
    start, goal = corner_cells(world)
    return {"map": describe_map(world), "start": list(start), "goal": list(goal), **fields}
