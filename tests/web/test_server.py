from __future__ import annotations

import base64
import io
import json
import logging
import struct
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sailplan.core.search import open_search
from sailplan.datasets import FAMILIES, World, generate_world, write_ros_map
from sailplan.evaluation.report import PLAYER
from sailplan.graphs import grid_problem
from sailplan.policies import CATALOGUE, PRETRAINED, load_policy
from sailplan.web import searches, server
from sailplan.web.examples import EXAMPLES
from sailplan.web.files import PAGE
from sailplan.web.maps import read_map_object
from sailplan.web.pool import Pool
from sailplan.web.settings import Settings
from tests.web.conftest import JSON, Client, Serve, search_request

WORLD = generate_world("mazes", 0, 0, width=21, height=21)
LARGEST = Settings().cells


def _upload(*files: tuple[str, bytes]) -> dict[str, Any]:
    return {"files": [{"name": name, "data": base64.b64encode(data).decode()} for name, data in files]}


def _png(pixels: Any) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.array(pixels, np.uint8)).save(stream, format="PNG")
    return stream.getvalue()


def test_the_page_and_its_files(client: Client) -> None:
    page = client.get("/")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.body == (PAGE / "index.html").read_bytes()
    for folder, prefix in ((PAGE, "static"), (PLAYER, "player")):
        for path in folder.iterdir():
            answer = client.get(f"/{prefix}/{path.name}")
            assert (answer.status, answer.body) == (200, path.read_bytes())


def test_a_file_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    tag = client.get("/static/app.js").headers["etag"]
    again = client.get("/static/app.js", {"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")
    assert client.get("/static/app.js", {"If-None-Match": '"other"'}).status == 200


@pytest.mark.parametrize(
    "path",
    ["/x", "/static/x.js", "/static/../server.py", "/static/..%2fserver.py", "/static/", "/player/a/b", "/api/search/"],
)
def test_other_paths_are_not_found(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    assert answer.error


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/search"), ("DELETE", "/api/map"), ("PUT", "/"), ("POST", "/api/options")]
)
def test_other_methods_are_refused(client: Client, method: str, path: str) -> None:
    answer = client.get(path, JSON, method)
    assert (answer.status, answer.error) == (405, f"{method} {path}: Method Not Allowed")


def test_the_options(client: Client) -> None:
    options = client.get("/api/options").value
    listed = {one["name"]: one for group in options["policies"] for one in group["policies"]}
    assert set(listed) == {*CATALOGUE, *PRETRAINED}
    assert options["families"] == list(FAMILIES)
    assert [one["name"] for one in options["examples"]] == list(EXAMPLES)
    assert options["limits"] == {
        "cells": 1048576,
        "bytes": 8388608,
        "seconds": 10.0,
        "expansions": 2000000,
        "evaluations": 20000000,
    }
    assert options["moves"] == {"diagonal": True, "corner_cutting": False}
    assert all(group["guidance"] and group["group"] for group in options["policies"])


@pytest.mark.parametrize("name", [*CATALOGUE, "sail:any", "lazy-sail:mazes", "belief:mazes", "lazy-belief:mazes"])
def test_the_options_say_which_policies_improve_their_path(client: Client, name: str) -> None:
    options = client.get("/api/options").value
    (listed,) = [one for group in options["policies"] for one in group["policies"] if one["name"] == name]
    problem = grid_problem(generate_world("mazes", 0, 0), (0, 0), (200, 200))
    assert listed["anytime"] == open_search(problem, load_policy(name)).can_improve


def test_the_schema(client: Client) -> None:
    schema = client.get("/api/schema").value
    assert schema["openapi"] == "3.1.0"
    assert set(schema["paths"]) == {
        f"/api/{name}" for name in ("options", "schema", "world", "example", "map", "search")
    }


def test_a_generated_world(client: Client) -> None:
    answer = client.get("/api/world?family=forest&seed=3&width=40&height=30")
    described = answer.value
    start, goal = described.pop("start"), described.pop("goal")
    world = read_map_object(described, LARGEST)
    expected = generate_world("forest", 3, 0, width=40, height=30)
    np.testing.assert_array_equal(world.blocked, expected.blocked)
    assert (world.name, start, goal) == ("forest-3", [0, 0], [39, 29])
    assert client.get("/api/world?family=forest").value["width"] == 201


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("", 400, "family is missing"),
        ("family=x", 400, "family is one of alternating_gaps, "),
        ("family=mazes&seed=-1", 400, "seed must be between 0 and 2147483647"),
        ("family=mazes&seed=2147483648", 400, "seed must be between 0 and 2147483647"),
        ("family=mazes&seed=1.5", 400, "seed must be an integer, got text"),
        ("family=mazes&width=0", 400, "width must be between 1 and "),
        ("family=mazes&width=" + "9" * 50, 400, "width must be an integer, got text"),
        ("family=mazes&depth=3", 400, "depth is not a field; there are family, seed, width, height"),
        ("family=mazes&width=1025&height=1024", 413, "a map of 1025 x 1024 cells, and at most 1048576"),
    ],
)
def test_worlds_that_cannot_be_generated(client: Client, query: str, status: int, message: str) -> None:
    answer = client.get(f"/api/world?{query}")
    assert (answer.status, answer.error[: len(message)]) == (status, message)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_searched(client: Client, name: str) -> None:
    described = client.get(f"/api/example?name={name}").value
    start, goal = described.pop("start"), described.pop("goal")
    facts = client.post("/api/search", {"map": described, "start": start, "goal": goal}).value["facts"]
    assert (facts["outcome"], facts["map"]) == ("path_confirmed", name)


def test_an_unknown_example(client: Client) -> None:
    assert client.get("/api/example?name=../x").error.startswith("name is one of office, ")


def test_uploads(client: Client, tmp_path: Path) -> None:
    answer = client.post("/api/map", _upload(("floor.png", _png([[0, 255, 205]]))))
    assert answer.status == 200
    world = read_map_object(answer.value, LARGEST)
    assert (world.name, world.image().tolist(), world.unknown_cells) == ("floor", [[False, True, False]], 1)
    letters = b"type octile\nheight 1\nwidth 2\nmap\n.@\n"
    assert read_map_object(client.post("/api/map", _upload(("a.map", letters))).value, 9).image().tolist() == [
        [True, False]
    ]
    write_ros_map(World(WORLD.blocked, resolution=0.25, origin=(1.0, -2.0, 0.5)), tmp_path / "floor.yaml")
    pair = [(name, (tmp_path / name).read_bytes()) for name in ("floor.pgm", "floor.yaml")]
    for files in (pair, pair[::-1]):
        described = client.post("/api/map", _upload(*files)).value
        assert (described["resolution"], described["origin"]) == (0.25, [1.0, -2.0, 0.5])
        np.testing.assert_array_equal(read_map_object(described, LARGEST).blocked, WORLD.blocked)


def _png_header(width: int, height: int) -> bytes:
    chunks = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IEND", b"")):
        chunks += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return chunks


@pytest.mark.parametrize(
    ("files", "status", "message"),
    [
        ([], 400, "files must have 1 to 2 items, got 0"),
        ([("a.png", b"")], 400, "a.png: the file is empty"),
        ([("a.png", b"x")], 400, "a.png: not an image of a kind that is read (PNG, "),
        ([("a.exe", b"x")], 400, "a.exe: worlds are read from files that end in .png, "),
        ([("a.png", b"x")] * 2, 400, "a.png: two files of the same name"),
        (
            [("a.png", b"x"), ("b.png", b"y")],
            400,
            "a.png, b.png: two files are a .yaml file and the image that it names",
        ),
        (
            [("a.png", _png_header(5000, 5000))],
            413,
            "a.png: an image of 25000000 cells, and at most 1048576 are read; sailplan serve --max-cells allows more",
        ),
        (
            [("a.map", b"type octile\nheight 5000\nwidth 5000\nmap\n")],
            413,
            "a.map: a map of 25000000 cells, and at most",
        ),
    ],
)
def test_uploads_that_are_refused(client: Client, files: list[tuple[str, bytes]], status: int, message: str) -> None:
    answer = client.post("/api/map", _upload(*files))
    assert (answer.status, answer.error[: len(message)]) == (status, message)


def test_a_resolution_that_no_search_accepts_is_refused_at_once(client: Client) -> None:
    yaml = b"image: a.png\nresolution: 1e300\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
    answer = client.post("/api/map", _upload(("a.yaml", yaml), ("a.png", _png([[255]]))))
    assert (answer.status, answer.error) == (400, "map.resolution must be between 1e-09 and 1000000000.0")


def test_a_search(client: Client) -> None:
    answer = client.post("/api/search", search_request(WORLD, policy="a_star_octile", corner_cutting=True))
    assert (answer.status, list(answer.value)) == (200, ["facts", "recording"])
    facts, recording = answer.value["facts"], answer.value["recording"]
    assert (facts["outcome"], facts["path"][0], facts["path"][-1]) == ("goal_expanded", [0, 0], [20, 20])
    assert (recording["mode"], recording["steps"]) == ("vertices", facts["expansions"])


def test_a_search_that_improves(client: Client) -> None:
    facts = client.post("/api/search", search_request(WORLD, anytime=True)).value["facts"]
    assert (facts["solutions"][-1]["bound"], facts["bound"]) == (1.0, 1.0)


def test_no_path_is_an_answer(client: Client) -> None:
    wall = World(np.array([[False, True, False]]))
    answer = client.post("/api/search", search_request(wall))
    assert (answer.status, answer.value["facts"]["outcome"]) == (200, "frontier_empty")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"start": [1, 0]}, "world: the start (1, 0) is blocked"),
        ({"goal": [7, 0]}, "world: the goal (7, 0) is outside"),
        ({"start": [0]}, "start must have 2 items, got 1"),
        ({"start": [0.0, 0]}, "start[0] must be an integer, got a number"),
        ({"start": None}, "start must be an array, got null"),
        ({"policy": "../../etc/passwd"}, "no policy '../../etc/passwd'; GET /api/options lists them"),
        ({"policy": "model.safetensors"}, "no policy 'model.safetensors'; GET /api/options lists them"),
        ({"policy": "lazy:0.5"}, "'lazy:0.5': the bound must be a number, at least 1"),
        ({"policy": "h_euc:2"}, "'h_euc:2': no number may follow this name"),
        ({"policy": "h_euc", "bound": 1.5}, "the policy of this search proves no bound of the path cost"),
        ({"bound": 0.5}, "bound must be between 1 and "),
        ({"max_seconds": -1}, "max_seconds must be between 0 and "),
        ({"max_expansions": 1.5}, "max_expansions must be an integer or null, got a number"),
        ({"diagonal": 1}, "diagonal must be true or false, got an integer"),
        ({"metres": True}, "metres is not a field; there are map, start, goal, "),
        ({"map": {"width": 3, "height": 1}}, "map.blocked is missing"),
    ],
)
def test_searches_that_are_refused(client: Client, fields: dict[str, Any], message: str) -> None:
    answer = client.post("/api/search", {**search_request(World(np.array([[False, True, False]]))), **fields})
    assert (answer.status, answer.error[: len(message)]) == (400, message)


def test_a_map_that_is_too_large_is_refused(client: Client) -> None:
    body = search_request(WORLD)
    answer = client.post("/api/search", {**body, "map": {**body["map"], "width": 5000, "height": 5000}})
    expected = (
        "a map of 5000 x 5000 cells, and at most 1048576 cells are allowed; sailplan serve --max-cells allows more"
    )
    assert (answer.status, answer.error) == (413, expected)


def test_the_limits_of_the_server_come_first(serve: Serve) -> None:
    client = serve(Settings(expansions=5))
    less = serve(Settings(evaluations=7))
    for wanted in (None, 100):
        body = search_request(WORLD, policy="h_euc", max_expansions=wanted)
        assert client.post("/api/search", body).value["facts"]["outcome"] == "expansions_spent"
        body = search_request(WORLD, max_evaluations=wanted)
        assert less.post("/api/search", body).value["facts"]["outcome"] == "evaluations_spent"
    body = search_request(WORLD, policy="h_euc", max_expansions=3)
    assert client.post("/api/search", body).value["facts"]["expansions"] == 3
    assert client.get("/api/options").value["limits"]["expansions"] == 5


def test_a_time_limit(serve: Serve) -> None:
    client = serve(Settings(seconds=0.0))
    facts = client.post("/api/search", search_request(WORLD, policy="h_euc")).value["facts"]
    assert facts["outcome"] == "time_spent"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON: Expecting value"),
        (b"\xff\xfe\x00", "the body is not JSON: "),
        (b"[1]", "the body must be an object, got an array"),
        (b'{"map": NaN}', "the body is not JSON: NaN is not a number of JSON"),
        (b"[" * 100_000, "the body holds more values than a request has"),
        (b"9" * 5000, "the body is not JSON: Exceeds the limit"),
        (b'{"\\ud800": 1}', "map is missing"),
    ],
)
def test_bodies_that_are_no_request(client: Client, body: bytes, message: str) -> None:
    answer = client.send("POST", "/api/search", body, JSON)
    assert (answer.status, answer.error[: len(message)]) == (400, message)


def test_an_unexpected_exception_is_logged_and_not_shown(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(server, "answer", fail)
    with caplog.at_level(logging.ERROR):
        answer = client.post("/api/search", search_request(WORLD))
    assert (answer.status, answer.error) == (500, "internal error")
    assert "secret" in caplog.text


class Gate:
    """Searches that wait until they are let through."""

    def __init__(self) -> None:
        self.begun = 0
        self.open = threading.Event()

    def __call__(self, _: searches.SearchRequest) -> dict[str, Any]:
        self.begun += 1
        assert self.open.wait(30)
        return {}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate()
    monkeypatch.setattr(server, "answer", made)
    monkeypatch.setattr(searches.WarmUp, "before", lambda *_: None)
    return made


def _until(condition: Any) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError


def test_a_full_pool_refuses(serve: Serve, gate: Gate) -> None:
    client = serve(Settings(workers=1, queue=1))
    statuses: list[int] = []
    body = search_request(WORLD)
    threads = [
        threading.Thread(target=lambda: statuses.append(client.post("/api/search", body).status)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    # One runs, one waits, and the third is refused, in whatever order they arrive.
    _until(lambda: statuses == [429] and gate.begun == 1)
    assert client.get("/api/example?name=open").status == 429
    refused = client.post("/api/search", body)
    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert refused.error == "all workers are busy and the queue is full; try again"
    assert client.get("/api/options").status == 200
    gate.open.set()
    for thread in threads:
        thread.join()
    assert (statuses, gate.begun) == ([429, 200, 200], 2)
    assert client.get("/api/example?name=open").status == 200


def test_a_search_whose_client_has_left_does_not_begin(serve: Serve, gate: Gate) -> None:
    client = serve(Settings(workers=1, queue=1))
    text = json.dumps(search_request(WORLD)).encode()
    head = f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Type: application/json\r\n"
    links = [client.connect(), client.connect()]
    for count, link in enumerate(links, start=1):
        link.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
        _until(lambda: gate.begun == 1)
        assert count <= 2
    # The second search must be waiting before another request asks for its place.
    time.sleep(0.5)
    assert client.get("/api/example?name=open").status == 429
    links[1].close()
    # Its place is free again, for a request that waits behind the first.
    waiting: list[int] = []
    thread = threading.Thread(target=lambda: waiting.append(_patiently(client)))
    time.sleep(0.2)
    thread.start()
    time.sleep(0.2)
    gate.open.set()
    thread.join()
    links[0].close()
    assert (waiting, gate.begun) == ([200], 1)


def _patiently(client: Client) -> int:
    return client.get("/api/example?name=open").status


def test_bodies_are_limited(serve: Serve) -> None:
    client = serve(Settings(bytes=2000))
    body = search_request(WORLD)
    assert client.post("/api/search", body).status == 200
    padded = json.dumps(body).encode() + b" " * 2000
    answer = client.send("POST", "/api/search", padded, JSON)
    assert (answer.status, answer.error) == (
        413,
        "a body of more than 2000 bytes; sailplan serve --max-bytes allows more",
    )
    chunks = client.send("POST", "/api/search", iter([padded[:1000], padded[1000:]]), JSON)
    assert chunks.status == 413
    assert client.send("POST", "/api/search", b" " * 50_000, JSON).status == 413


def test_the_bodies_of_all_requests_are_limited(serve: Serve, gate: Gate) -> None:
    client = serve(Settings(bytes=2000, bodies=1, queue=9))
    body = json.dumps(search_request(WORLD)).encode()
    body += b" " * (1500 - len(body))
    statuses: list[int] = []
    thread = threading.Thread(target=lambda: statuses.append(client.send("POST", "/api/search", body, JSON).status))
    thread.start()
    _until(lambda: gate.begun == 1)
    assert client.send("POST", "/api/search", body, JSON).status == 429
    gate.open.set()
    thread.join()
    assert statuses == [200]
    assert client.send("POST", "/api/search", body, JSON).status == 200


def test_a_body_that_never_ends(serve: Serve) -> None:
    client = serve(Settings(body_seconds=0.3))
    answer = client.send("POST", "/api/map", b"{", {**JSON, "Content-Length": "100"})
    assert (answer.status, answer.error) == (408, "the body took longer than 0.3 s to arrive")
    assert answer.headers["connection"] == "close"


def test_a_server_that_shuts_down_refuses(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    pools = []

    def remember(*arguments: int) -> Pool:
        pools.append(Pool(*arguments))
        return pools[-1]

    monkeypatch.setattr(server, "Pool", remember)
    client = serve(Settings())
    pools[0].close()
    answer = client.get("/api/example?name=open")
    assert (answer.status, answer.error) == (503, "the server is shutting down")
