"""Does the server of the web page withstand malformed requests? Valid ones are broken at random places.

python benchmarks/web_fuzz.py [--count 20000] [--seed 0] [--clients 16] [--quick]

A run passes if no answer is a 5xx, every error is one line of JSON, every answer has the security headers and comes in
time, the memory does not grow, and a good search has the same counters before and after. The schema of the server
gives the fields and their ranges.
"""

from __future__ import annotations

import argparse
import base64
import copy
import gzip
import http.client
import io
import json
import random
import socket
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from web_server import JSON, Server, started

HEADERS = ("content-security-policy", "x-content-type-options", "referrer-policy", "cache-control")
ANSWER_SECONDS = 8.0
SLOW_SECONDS = 25.0
"""For bodies and heads that never end: the server ends them after ten seconds."""
GROWTH_MIB = 48.0
POLICIES = ("lazy", "lazy:1.5", "optimistic", "h_euc", "a_star_octile")
BAD_POLICIES = (
    "../../etc/passwd",
    "/etc/passwd",
    "model.safetensors",
    "./run",
    "C:\\windows\\win.ini",
    "sail:../../../etc/passwd",
    "lazy:../x",
    "lazy:nan",
    "lazy:-1",
    "lazy:1e999",
    "lazy:" + "9" * 70,
    "file:///etc/passwd",
    "\\\\host\\share",
    "\x00lazy",
    "lazy\n",
    "A*",
    "__class__",
    "belief:none",
    "weighted_a_star:inf",
    "\ud800",
    "sail/any.safetensors",
)
PATHS = ("/", "/api/options", "/api/schema", "/api/world", "/api/example", "/api/map", "/api/search", "/static/app.js")
ODD_PATHS = (
    "/static/../server.py",
    "/static/..%2fserver.py",
    "/static/%2e%2e/%2e%2e/errors.py",
    "/player//etc/passwd",
    "/static/%00",
    "//evil.example/",
    "/api/search/",
    "/static/",
    "/%ff%fe",
    "http://evil.example/",
    "*",
)


@dataclass(frozen=True)
class Case:
    kind: str
    parts: Sequence[bytes]
    """Sent one after the other, with a pause between two of them."""
    pause: float = 0.0
    closes: bool = False
    """Whether the client ends its side after the last part."""
    seconds: float = ANSWER_SECONDS


def request(
    body: bytes, *, path: str = "/api/search", method: str = "POST", headers: dict[str, str] | None = None
) -> bytes:
    """Return a request; headers whose value is empty are left out. `{host}` is filled in later."""
    fields = {"Host": "{host}", **JSON, "Content-Length": str(len(body)), "Connection": "close", **(headers or {})}
    head = "".join(f"{name}: {text}\r\n" for name, text in fields.items() if text)
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogatepass") + body


def packed(cells: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(zlib.compress(np.packbits(cells.reshape(-1)).tobytes())).decode()


class Cases:
    """Draws malformed requests."""

    def __init__(self, schema: dict[str, Any], seed: int, *, quick: bool = False) -> None:
        self.rng = random.Random(seed)
        self.quick = quick
        paths = schema["paths"]
        self.schemas = {
            path: paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]
            for path in ("/api/search", "/api/map")
        }
        self.queries = {
            path: {one["name"]: one["schema"] for one in paths[path]["get"]["parameters"]}
            for path in ("/api/world", "/api/example")
        }
        self.kinds: list[Callable[[], Case]] = [
            self.broken_value,
            self.broken_value,
            self.broken_by_schema,
            self.broken_by_schema,
            self.broken_by_schema,
            self.damaged_text,
            self.damaged_text,
            self.bad_cells,
            self.bad_cells,
            self.bad_file,
            self.bad_file,
            self.bad_policy,
            self.bad_query,
            self.bad_path,
            self.bad_headers,
            self.bad_headers,
            self.garbage,
        ]

    def __iter__(self) -> Iterator[Case]:
        while True:
            rare = self.rng.random() < 0.004 and not self.quick
            yield self.rare() if rare else self.rng.choice(self.kinds)()

    # Valid requests.

    def search(self) -> dict[str, Any]:
        rng = self.rng
        width, height = rng.randint(1, 24), rng.randint(1, 24)
        cells = np.random.default_rng(rng.getrandbits(32)).random((height, width)) < 0.2
        given = {"name": "fuzz", "width": width, "height": height, "blocked": packed(cells)}
        return {
            "map": {**given, "resolution": rng.choice([None, 0.05]), "origin": rng.choice([None, [0.0, 1, -0.5]])},
            "start": [0, 0],
            "goal": [width - 1, height - 1],
            "policy": rng.choice(POLICIES),
            "diagonal": rng.random() < 0.5,
            "corner_cutting": rng.random() < 0.5,
            "anytime": rng.random() < 0.3,
            "bound": rng.choice([None, None, 1, 1.5]),
            "max_expansions": rng.choice([None, 0, 10]),
            "max_evaluations": rng.choice([None, 0, 10]),
            "max_seconds": rng.choice([None, 0, 0.1]),
            "multipliers": rng.random() < 0.5,
        }

    def files(self) -> list[tuple[str, bytes]]:
        """Return a valid map file, or a pair of them."""
        side = self.rng.randint(1, 16)
        pixels = np.random.default_rng(self.rng.getrandbits(32)).choice([0, 205, 255], (side, side)).astype(np.uint8)
        kind = self.rng.choice(["png", "bmp", "gif", "pgm", "jpg", "webp", "map", "ros"])
        if kind == "map":
            rows = "\n".join("".join("@" if cell == 0 else "." for cell in row) for row in pixels)
            return [("a.map", f"type octile\nheight {side}\nwidth {side}\nmap\n{rows}\n".encode())]
        stream = io.BytesIO()
        formats = {"pgm": "PPM", "ros": "PPM", "jpg": "JPEG"}
        Image.fromarray(pixels).save(stream, format=formats.get(kind, kind.upper()))
        if kind != "ros":
            return [(f"a.{kind}", stream.getvalue())]
        yaml = "image: a.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
        return [("a.yaml", yaml.encode()), ("a.pgm", stream.getvalue())]

    def upload(self, files: list[tuple[str, bytes]] | None = None) -> dict[str, Any]:
        chosen = self.files() if files is None else files
        return {"files": [{"name": name, "data": base64.b64encode(data).decode()} for name, data in chosen]}

    def valid(self) -> tuple[str, dict[str, Any]]:
        return self.rng.choice([("/api/search", self.search()), ("/api/map", self.upload())])

    # What breaks them.

    def odd_value(self) -> Any:
        rng = self.rng
        values: list[Any] = [
            None,
            True,
            False,
            0,
            -1,
            1,
            2**31,
            2**53 + 1,
            10**40,
            -(10**400),
            1.5,
            1e308,
            -0.0,
            "",
            "x",
            [],
            {},
        ]
        values += ["\ud800", "\x00", "a" * rng.choice([100, 10_000]), [[[[]]]], {"a": {"b": []}}, "../../etc/passwd"]
        values += [[1, 2, 3], [1.5, 2], ["0", "0"], [None, None], [10**30, 0], "NaN", "9" * 5000, list(range(50))]
        return rng.choice(values)

    def places(self, value: Any) -> list[tuple[Any, Any]]:
        """Return every container inside a value with each of its keys."""
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [pair for key, inner in items for pair in [(value, key), *self.places(inner)]]

    def broken_value(self) -> Case:
        path, body = self.valid()
        for _ in range(self.rng.choice([1, 1, 1, 2, 5])):
            container, key = self.rng.choice(self.places(body))
            match self.rng.randrange(4):
                case 0 if isinstance(container, dict):
                    del container[key]
                case 1 if isinstance(container, dict):
                    container[self.rng.choice(["extra", "", "__proto__", "\ud800", "map"])] = self.odd_value()
                case 2:
                    container[key] = copy.deepcopy(self.rng.choice(self.places(body))[0])
                case _:
                    container[key] = self.odd_value()
            if not self.places(body):
                break
        return Case("broken value", [request(json.dumps(body).encode(), path=path)])

    def broken_by_schema(self) -> Case:
        """Break the rule of the schema for one field."""
        path, body = self.valid()
        spot, schema = body, self.schemas[path]
        while True:
            name = self.rng.choice(list(schema["properties"]))
            inner = schema["properties"][name]
            if inner["type"] == "array" and inner["items"]["type"] == "object":
                spot, schema = self.rng.choice(spot[name]), inner["items"]
            elif inner["type"] == "object" and self.rng.random() < 0.9:
                spot, schema = spot[name], inner
            else:
                spot[name] = self.violation(inner)
                return Case("broken by schema", [request(json.dumps(body).encode(), path=path)])

    def violation(self, schema: dict[str, Any]) -> Any:
        """Return a value that the schema of a field forbids, or one at the edge of what it allows."""
        rng = self.rng
        wrong: list[Any] = [self.odd_value()]
        if "minimum" in schema:
            least, most = schema["minimum"], schema["maximum"]
            wrong += [least - 1, most + 1, least, most, most * 10**20, str(least), [least], -most]
        if "maxLength" in schema:
            wrong += ["a" * (schema["maxLength"] + 1), "é" * schema["maxLength"]]
        if "enum" in schema:
            wrong += [schema["enum"][0] + "x", schema["enum"][0].upper()]
        if "items" in schema:
            inner = [self.violation(schema["items"]) for _ in range(schema["maxItems"])]
            wrong += [[], inner, inner * 2, {"0": 1}]
        return rng.choice(wrong)

    def damaged_text(self) -> Case:
        """Damage the text of a body, so that it is not JSON any more, or not what it was."""
        rng, (path, value) = self.rng, self.valid()
        body = json.dumps(value).encode()
        at = rng.randrange(len(body))
        depth = rng.choice([10, 100, 1000, 100_000])
        choices: list[bytes] = [
            body[:at],
            body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :],
            body[:at] + rng.randbytes(rng.randint(1, 20)) + body[at:],
            body.replace(b"0", rng.choice([b"NaN", b"Infinity", b"-Infinity", b"1e999", b"0x10", b"9" * 5000]), 1),
            body + body,
            b"\xef\xbb\xbf" + body,
            body.decode().encode("utf-16"),
            body.replace(b"{", b"[").replace(b"}", b"]"),
            b"[" * depth,
            b'{"map":' * depth,
            b'{"map":' + b"[" * depth + b"]" * depth + b"}",
            b"[" + b"0," * depth + b"0]",
            b"{" + b",".join(b'"%d":{}' % number for number in range(min(depth, 2000))) + b"}",
            b"9" * depth,
            b'"' + b"a" * depth + b'"',
            b'"\\u0000\\ud800"',
            rng.choice([b"", b" ", b"null", b"true", b"0", b"{}", b"[]", b'""', b"\x00", b"\xff\xfe"]),
            rng.randbytes(rng.randint(1, 200)),
        ]
        return Case("damaged text", [request(rng.choice(choices), path=path)])

    def bad_cells(self) -> Case:
        rng, body = self.rng, self.search()
        given = body["map"]
        good = base64.b64decode(given["blocked"])
        plain = zlib.decompress(good)
        damaged = bytearray(good)
        damaged[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
        data = rng.choice(
            [
                good[: rng.randrange(len(good))],
                bytes(damaged),
                good + b"more",
                good + good,
                zlib.compress(plain + b"\x00"),
                zlib.compress(plain[:-1]),
                zlib.compress(bytes(rng.choice([10**5, 10**7])), 9),
                zlib.compress(plain)[2:-4],
                gzip.compress(plain),
                plain,
                rng.randbytes(rng.randint(0, 50)),
            ]
        )
        text = base64.b64encode(data).decode()
        damages = [text, text[:-1], text + "=", text.replace("A", "*"), text + "\n", "é" + text, f"data:;base64,{text}"]
        given["blocked"] = rng.choice([text, text, text, *damages])
        if rng.random() < 0.4:
            sizes = [0, 1, -1, 7, 1024, 1025, 2**20, 2**20 + 1, 2**31, 2**53, 10**18, 1e3, given["height"]]
            given["width"] = rng.choice(sizes)
            given["height"] = rng.choice([given["height"], *sizes])
        return Case("bad cells", [request(json.dumps(body).encode())])

    def bad_file(self) -> Case:
        rng, files = self.rng, self.files()
        name, data = rng.choice(files)
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 3, 20])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        broken = rng.choice([bytes(damaged)] * 4 + [data[: rng.randrange(len(data))], b"", data + data, _huge_png(rng)])
        if name.endswith(".yaml"):
            broken = rng.choice([broken, self.bad_yaml(data)])
        if name.endswith(".map"):
            size = str(rng.choice([0, -1, 10**8, 10**30, 5000])).encode()
            broken = rng.choice([broken, data.replace(b"width ", b"width " + size), data.replace(b"map\n", b"")])
        files = [(one, broken if one == name else kept) for one, kept in files]
        if rng.random() < 0.2:
            odd = ["../../etc/passwd", "/etc/passwd.png", "a.tif", "a", ".png", "a.yaml", "a.map", "\x00.png", "é.png"]
            files[0] = (rng.choice(odd), files[0][1])
        if rng.random() < 0.1:
            files = files * rng.choice([0, 2, 3])
        return Case("bad file", [request(json.dumps(self.upload(files)).encode(), path="/api/map")])

    def bad_yaml(self, data: bytes) -> bytes:
        swaps: list[tuple[bytes, bytes]] = [
            (b"a.pgm", self.rng.choice([b"../a.pgm", b"/etc/passwd", b"b.pgm", b"a.yaml", b"", b"!!python/object:x"])),
            (b"0.05", self.rng.choice([b"0", b"-1", b"nan", b"inf", b"1e308", b"1e-300", b"x"])),
            (
                b"[0, 0, 0]",
                self.rng.choice([b"[1e308, 0, 0]", b"[0]", b"{a: b}", b"[0, 0, nan]", b"*a", b"&a [0,0,0]"]),
            ),
            (b"negate: 0", self.rng.choice([b"negate: 2", b"mode: raw\nnegate: 0", b"mode: scale\nnegate: 1", b""])),
            (b"0.65", self.rng.choice([b"-1", b"2", b"0.1", b"x"])),
        ]
        old, new = self.rng.choice(swaps)
        return data.replace(old, new)

    def bad_policy(self) -> Case:
        body = {**self.search(), "policy": self.rng.choice(BAD_POLICIES)}
        return Case("bad policy", [request(json.dumps(body).encode())])

    def bad_query(self) -> Case:
        path = self.rng.choice(list(self.queries))
        fields = {name: self.violation(schema) for name, schema in self.queries[path].items()}
        valid = {"family": "mazes", "seed": 1, "width": 21, "height": 21, "name": "office"}
        chosen = {name: self.rng.choice([value, valid[name]]) for name, value in fields.items()}
        texts = [f"{name}={_in_url(str(value)[:3000])}" for name, value in chosen.items()]
        texts += self.rng.choice([[], ["extra=1"], ["seed=1", "seed=2"], ["&&=%", "%ff=%00"]])
        self.rng.shuffle(texts)
        return Case("bad query", [request(b"", path=f"{path}?{'&'.join(texts)}", method="GET")])

    def bad_path(self) -> Case:
        rng = self.rng
        method = rng.choice(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW"])
        path = rng.choice([*PATHS, *ODD_PATHS, "/" + "a" * rng.choice([1000, 30_000, 80_000])])
        return Case("bad path or method", [request(rng.choice([b"", b"{}"]), path=path, method=method)])

    def bad_headers(self) -> Case:
        rng, body = self.rng, json.dumps(self.search()).encode()
        odd: list[dict[str, str]] = [
            {"Host": rng.choice(["evil.example", "localhost:1", "127.0.0.1", "[::1]:99999", "a b", ""])},
            {"Origin": rng.choice(["http://evil.example", "null", "file://", "http://localhost", "é"])},
            {"Sec-Fetch-Site": rng.choice(["cross-site", "same-site", "x"])},
            {"Content-Type": rng.choice(["", "text/plain", "multipart/form-data", "application/jsonp", "*/*"])},
            {"Content-Encoding": rng.choice(["gzip", "br", "x"])},
            {"Content-Length": rng.choice(["-1", "x", "1", "0", "1, 2", "+5", "0x10"])},
            {"Content-Length": "", "Transfer-Encoding": rng.choice(["chunked", "gzip", "chunked, chunked", "x"])},
            {"Content-Length": "5", "Transfer-Encoding": "chunked"},
            {"Expect": rng.choice(["100-continue", "x"])},
            {"Upgrade": rng.choice(["websocket", "h2c", "x"]), "Connection": "Upgrade"},
            {"X-Long": "a" * rng.choice([1000, 30_000, 100_000])},
            {f"X-{number}": "a" for number in range(rng.choice([50, 500, 3000]))},
            {"X-Bad\x00": "a"},
            {"X-Bad": "a\rb"},
            {"X-Fold": "a\r\n b"},
            {"Accept": "\x7f\x01"},
            {"If-None-Match": "*", "Range": "bytes=0-,0-,0-", "Cookie": "a" * 5000},
        ]
        # Some of them make the server wait for the rest.
        return Case("bad headers", [request(body, headers=rng.choice(odd))], closes=self.quick, seconds=SLOW_SECONDS)

    def garbage(self) -> Case:
        rng, whole = self.rng, request(json.dumps(self.search()).encode())
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 5, 50])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        choices: list[bytes] = [
            rng.randbytes(rng.randint(1, 500)),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(100),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET /\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.0\r\n\r\n",
            b"\r\n\r\n\r\n",
            b"\x00" * 100,
            b"",
            whole[: rng.randrange(len(whole))],
            whole.replace(b"\r\n", b"\n"),
            whole.replace(b"Connection: close", b"Connection: keep-alive") * 3,
            bytes(damaged),
        ]
        return Case("garbage", [rng.choice(choices)], closes=True)

    def rare(self) -> Case:
        """Requests that take long: bodies that are too large, or never end."""
        rng, body = self.rng, json.dumps(self.search()).encode()
        whole = request(body, headers={"Content-Length": str(len(body) + 50)})
        cut = whole.index(b"\r\n\r\n") + 4
        large = b'{"files":[{"name":"a.png","data":"' + b"A" * rng.choice([9, 40]) * 2**20
        match rng.randrange(4):
            case 0:
                return Case("too large", [request(large, path="/api/map")], seconds=SLOW_SECONDS)
            case 1:
                return Case("head that never ends", [whole[: cut - 10]], seconds=SLOW_SECONDS)
            case 2:
                return Case("body that never ends", [whole], seconds=SLOW_SECONDS)
        parts = [whole[at : at + 40] for at in range(0, len(whole), 40)]
        return Case("slow", parts, pause=0.7, seconds=2 * SLOW_SECONDS)


def _in_url(text: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else f"%{ord(letter) & 255:02x}" for letter in text)


def _huge_png(rng: random.Random) -> bytes:
    """Return a PNG whose header gives a size that its data does not have."""
    width, height = rng.choice([(5000, 5000), (2**31 - 1, 2**31 - 1), (1024, 1025), (0, 0), (10**6, 1), (1024, 1024)])
    chunks = b"\x89PNG\r\n\x1a\n"
    rows = zlib.compress(bytes(10**6))
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", rows),
        (b"IEND", b""),
    ):
        chunks += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return chunks


@dataclass
class Log:
    statuses: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    longest: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


def send(server: Server, case: Case) -> tuple[bytes, float]:
    """Send a case; return what the server answers until it closes the connection, and the time of the first byte."""
    host = f"127.0.0.1:{server.port}".encode()
    received, began, first = b"", time.perf_counter(), 0.0
    with socket.create_connection(("127.0.0.1", server.port), timeout=case.seconds) as link:
        try:
            for part in case.parts:
                link.sendall(part.replace(b"{host}", host))
                time.sleep(case.pause)
            if case.closes:
                link.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # The server has closed it; what it said can still be read.
        try:
            while chunk := link.recv(65536):
                first = first or time.perf_counter() - began
                received += chunk
        except ConnectionError:
            pass
    return received, first


class _Source(io.BytesIO):
    def makefile(self, *_: Any, **__: Any) -> _Source:
        return self


def fault_of(answer: bytes, method: str) -> tuple[str, str | None]:
    """Return the status of an answer, and what is wrong with it."""
    if not answer:
        return "closed", None
    response = http.client.HTTPResponse(_Source(answer), method=method)  # type: ignore[arg-type]
    try:
        response.begin()
        body = response.read()
    except (http.client.HTTPException, ValueError) as error:
        return "unreadable", f"not HTTP: {error!r}"
    status = str(response.status)
    if response.status >= 500:
        return status, f"status {status}"
    missing = [name for name in HEADERS if response.getheader(name) is None]
    if missing:
        return status, f"no header {missing[0]}"
    if response.status >= 400 and body:
        try:
            message = json.loads(body)["error"]
        except (ValueError, KeyError, TypeError):
            return status, "the error is not JSON"
        if not message or "\n" in message or "Traceback" in message or len(message) > 2000:
            return status, f"not one line: {message[:200]!r}"
    return status, None


def attack(server: Server, case: Case, log: Log) -> None:
    seconds = 0.0
    try:
        answer, seconds = send(server, case)
        status, fault = fault_of(answer, "HEAD" if case.parts[0].startswith(b"HEAD") else "POST")
    except TimeoutError:
        answer, status, fault = b"", "no answer", "no answer in time"
    except OSError as error:
        answer, status, fault = b"", type(error).__name__, repr(error)
    with log.lock:
        log.statuses[status] += 1
        log.by_kind[case.kind, status] += 1
        if case.seconds == ANSWER_SECONDS or status in ("200", "400"):
            log.longest = max(log.longest, seconds)
        if fault:
            log.faults.append(f"{case.kind}: {fault}: {b''.join(case.parts)[:400]!r} -> {answer[:100]!r}")


def _counters(server: Server, task: dict[str, Any]) -> list[Any]:
    found = []
    for policy in POLICIES:
        facts = server.ask("POST", "/api/search", {**task, "policy": policy}, seconds=300).value["facts"]
        found.append([facts[name] for name in ("outcome", "cost", "expansions", "edge_evaluations", "path")])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--quick", action="store_true", help="leave out what makes the server wait")
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.count} requests")
    with started() as server:
        task = server.task("mazes", 0)
        before = _counters(server, task)
        cases, log = iter(Cases(server.ask("GET", "/api/schema").value, given.seed, quick=given.quick)), Log()
        parts = [given.count * (part + 1) // 4 - given.count * part // 4 for part in range(4)]
        began, memory = time.perf_counter(), [server.memory()]
        with ThreadPoolExecutor(given.clients) as pool:
            for count in parts:
                list(pool.map(lambda case: attack(server, case, log), [next(cases) for _ in range(count)]))
                memory.append(server.memory())
        seconds = time.perf_counter() - began
        if _counters(server, task) != before:
            log.faults.append("a good search has other counters than before")
        if memory[-1] > memory[1] + GROWTH_MIB:
            log.faults.append("the memory has grown")
    for kind in sorted({kind for kind, _ in log.by_kind}):
        counts = {status: count for (one, status), count in sorted(log.by_kind.items()) if one == kind}
        print(f"  {kind:22} {counts}")
    print(f"  all                    {dict(sorted(log.statuses.items()))} in {seconds:.0f} s")
    print(f"  longest answer         {log.longest:.2f} s")
    print(f"  memory                 {', '.join(f'{mib:.0f}' for mib in memory)} MiB: before, and after each quarter")
    for fault in log.faults[:10]:
        print(f"fault: {fault}")
    print("failed" if log.faults else "passed")
    raise SystemExit(bool(log.faults))


if __name__ == "__main__":
    main()
