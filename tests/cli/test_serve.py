from __future__ import annotations

import builtins
import http.client
import json
import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from typing import Any

import pytest

from sailplan.web import server
from sailplan.web.settings import Settings
from tests.cli.conftest import Run, assert_one_line


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program uses."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_port_in_use(run: Run, taken: int) -> None:
    assert_one_line(run("serve", "--port", taken), f"cannot listen on 127.0.0.1 port {taken}: address already in use")


def test_an_address_of_another_computer(run: Run) -> None:
    assert_one_line(run("serve", "--host", "192.0.2.1", "--port", 0), "cannot listen on 192.0.2.1 port 0: ")


@pytest.mark.parametrize("options", [["--port", 70000], ["--workers", 0], ["--queue", -1], ["--max-cells", 0]])
def test_bad_options(run: Run, options: list[Any]) -> None:
    assert run("serve", *options).code == 2


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_the_extra_is_named_if_it_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    load = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return load(name, *arguments, **options)

    for name in [name for name in sys.modules if name.startswith("sailplan.web.") and name != "sailplan.web.settings"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("sailplan.web.server")
    monkeypatch.setattr(builtins, "__import__", without)
    assert_one_line(run("serve", "--port", 0), package, "pip install 'sailplan[web]'")


def test_the_options_become_settings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Settings] = []
    opened: list[str] = []
    monkeypatch.setattr(server, "serve", lambda _, settings: given.append(settings))
    monkeypatch.setattr(webbrowser, "open", opened.append)
    limits = ["--max-cells", 9, "--max-bytes", 2000, "--max-seconds", 3, "--max-expansions", 4]
    ran = run("serve", "--port", 0, *limits, "--workers", 5, "--queue", 6, "--open")
    assert ran.code == 0
    (settings,) = given
    assert settings == Settings("127.0.0.1", 9, 2000, 3.0, 4, workers=5, queue=6)
    assert ran.out == f"sailplan is at {opened[0]} until you press Ctrl-C\n"
    run("serve", "--port", 0)
    assert (len(given), len(opened)) == (2, 1)


def test_a_server_answers_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "sailplan", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[3]
        connection = http.client.HTTPConnection(address.removeprefix("http://").strip("/"), timeout=60)
        connection.request("GET", "/api/options")
        assert json.loads(connection.getresponse().read())["limits"]["cells"] == 2**20
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        connection.close()
    assert (process.returncode, out, errors) == (130, "", "sailplan: interrupted\n")


def test_an_address_of_the_sixth_version() -> None:
    with server.listen("::1", 0) as opened:
        assert server.address_of(opened).startswith("http://[::1]:")
