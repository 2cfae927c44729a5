from __future__ import annotations

import json
import time

import pytest

from sailplan.web import protocol
from tests.web.conftest import Client


def _answer(client: Client, sent: bytes) -> bytes:
    with client.connect() as link:
        link.sendall(sent)
        received = b""
        while chunk := link.recv(65536):
            received += chunk
    return received


@pytest.mark.parametrize(
    "sent", [b"\x00" * 50, b"GET /\r\n\r\n", b"GET / FTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n"]
)
def test_what_is_not_http_gets_an_error_in_json(client: Client, sent: bytes) -> None:
    head, _, body = _answer(client, sent + b"\r\n\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-security-policy: " in head
    assert json.loads(body) == {"error": "Invalid HTTP request received."}


def test_a_damaged_body_of_chunks(client: Client) -> None:
    head = (
        f"POST /api/map HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    assert _answer(client, head.encode() + b"zz\r\nab\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_a_head_that_never_ends(client: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.3)
    began = time.perf_counter()
    assert _answer(client, sent) == b""
    assert 0.25 < time.perf_counter() - began < 5.0


def test_a_second_head_that_never_ends(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    with client.connect() as link:
        link.sendall(f"GET /static/x HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n".encode())
        received = b""
        # Head and body may arrive one after the other.
        while not received.endswith(b"}"):
            received += link.recv(65536)
        assert received.startswith(b"HTTP/1.1 404 ")
        began = time.perf_counter()
        link.sendall(b"GET / HT")
        assert link.recv(65536) == b""
    assert 0.4 < time.perf_counter() - began < 4.0


def test_a_connection_is_used_again(client: Client) -> None:
    one = f"GET /api/schema HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n".encode()
    last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert _answer(client, one + one + last).count(b"HTTP/1.1 200 ") == 3


def test_there_are_no_web_sockets(client: Client) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13"}
    assert client.get("/api/options", upgrade).status == 200
