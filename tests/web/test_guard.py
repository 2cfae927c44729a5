from __future__ import annotations

import pytest

from sailplan.web.guard import SECURITY_HEADERS
from sailplan.web.settings import Settings
from tests.web.conftest import JSON, Client, Serve


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/api/options", "/nowhere", "/api/world"])
def test_every_answer_has_the_headers(client: Client, path: str) -> None:
    for headers in ({}, {"Host": "evil.example"}):
        answer = client.get(path, headers)
        assert SECURITY_HEADERS.items() <= answer.headers.items()
        assert answer.headers["cache-control"] in ("no-store", "no-cache")
        assert "server" not in answer.headers


def test_the_policy_of_the_page_allows_its_own_scripts_only() -> None:
    policy = SECURITY_HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_names_of_this_computer(client: Client, name: str) -> None:
    assert client.get("/", {"Host": f"{name}:{client.port}"}).status == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1:1", "localhost:{port}.evil.example", ""])
def test_other_names_are_refused(client: Client, host: str) -> None:
    answer = client.get("/api/options", {"Host": host.replace("{port}", str(client.port))})
    assert answer.status == 421
    assert answer.error.startswith("the header Host must be one of 127.0.0.1:")


def test_any_name_if_other_computers_may_connect(serve: Serve) -> None:
    client = serve(Settings(host="0.0.0.0"))
    assert client.get("/api/options", {"Host": "robot.example"}).status == 200
    assert client.post("/api/map", {}, {"Host": "robot.example", "Origin": "http://robot.example"}).status == 400
    assert client.post("/api/map", {}, {"Host": "robot.example", "Origin": "http://evil.example"}).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost", "http://127.0.0.1:1"])
def test_requests_of_other_sites_are_refused(client: Client, origin: str) -> None:
    answer = client.post("/api/map", {}, {"Origin": origin})
    assert (answer.status, answer.error) == (403, "a request of another site")
    assert client.get("/api/options", {"Origin": origin}).status == 403


def test_the_own_origin_is_accepted(client: Client) -> None:
    own = {"Origin": f"http://127.0.0.1:{client.port}", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/map", {}, own).error == "files is missing"


def test_a_link_on_another_site_may_open_the_page_but_not_ask(client: Client) -> None:
    other = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/", other).status == 200
    assert client.get("/api/world?family=mazes", other).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_is_refused(client: Client, kind: str) -> None:
    answer = client.send("POST", "/api/map", b"{}", {"Content-Type": kind})
    assert answer.status == 415
    assert answer.error == "the body must be JSON, with the header Content-Type: application/json"


def test_a_charset_is_accepted(client: Client) -> None:
    answer = client.send("POST", "/api/map", b"{}", {"Content-Type": "Application/JSON; charset=utf-8"})
    assert answer.error == "files is missing"
    assert client.send("POST", "/api/map", b"{}", JSON).status == 400
