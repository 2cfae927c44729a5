"""A server of the web page in a process of its own, for the benchmarks of the page."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = {"Content-Type": "application/json"}
WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    port: int
    process: subprocess.Popen[str]

    def ask(self, method: str, path: str, body: Any = None, *, seconds: float = WAIT_SECONDS) -> Answer:
        """Send a request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), JSON)
            response = connection.getresponse()
            return Answer(response.status, {key.lower(): text for key, text in response.getheaders()}, response.read())
        finally:
            connection.close()

    def task(self, family: str, seed: int, side: int = 201) -> dict[str, Any]:
        """Return a generated map with start and goal, as a search needs them."""
        drawn = self.ask("GET", f"/api/world?family={family}&seed={seed}&width={side}&height={side}").value
        return {"start": drawn.pop("start"), "goal": drawn.pop("goal"), "map": drawn}

    def memory(self) -> float:
        """Return the resident memory in MiB."""
        return self._status("VmRSS")

    def peak_memory(self) -> float:
        """Return the largest resident memory in MiB since the last call."""
        most = self._status("VmHWM")
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        return most

    def _status(self, field: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(rf"{field}:\s+(\d+) kB", status)[0]) / 1024


@contextmanager
def started(*options: str) -> Iterator[Server]:
    """Run `sailplan serve` on a free port of the loopback address while the block runs."""
    command = [sys.executable, "-m", "sailplan", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            if found is None:
                raise SystemExit("the server did not start")
            yield Server(int(found[1]), process)
        finally:
            process.terminate()
