"""Answers in JSON, and requests that are refused with one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from sailplan.errors import SailplanError, SizeError


class Refusal(Exception):
    """A request that is answered with an error: a status, and one line that says why."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def refusal_of(error: Refusal | SailplanError) -> Refusal:
    """Return the refusal of a request whose values cannot be used."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, SizeError):
        return Refusal(413, f"{error}; sailplan serve --max-cells allows more")
    return Refusal(400, str(error))


def encode(value: Any) -> bytes:
    """Write a value as JSON in ASCII; infinite numbers are an error, since a browser cannot read them."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def respond(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that holds JSON."""
    return Response(content, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


def respond_error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as {"error": "one line"}."""
    return respond(encode({"error": " ".join(message.split())}), status, headers)
