"""Reading requests: the body within its limits, JSON, and the values against their schema."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NoReturn

from starlette.requests import Request

from sailplan.web.refusals import Refusal
from sailplan.web.schema import Schema
from sailplan.web.settings import Settings

_CLOSE = {"connection": "close"}
_MOST_VALUES = 500
"""Values of the largest object that is parsed; the text of a map is one of them."""


class Bodies:
    """Reads the bodies of requests and keeps count of the memory that they hold together."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._held = 0

    @asynccontextmanager
    async def held(self, request: Request) -> AsyncIterator[bytes]:
        """Read the body of a request; it counts until the block ends.

        Raises
        ------
        Refusal
            If the body is too large or arrives too slowly, or all bodies together are too large.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                async for chunk in self._chunks(request):
                    body += chunk
                    self._held += len(chunk)
            yield bytes(body)
        except TimeoutError as error:
            message = f"the body took longer than {self._settings.body_seconds:g} s to arrive"
            raise Refusal(408, message, _CLOSE) from error
        finally:
            self._held -= len(body)

    async def _chunks(self, request: Request) -> AsyncIterator[bytes]:
        """Yield the body. If it is too large, read the rest and refuse: clients read the answer when they have sent."""
        most, size, fault = self._settings.bytes, 0, None
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                fault = Refusal(
                    413, f"a body of more than {most} bytes; sailplan serve --max-bytes allows more", _CLOSE
                )
            elif self._held + len(chunk) > self._settings.bodies * most:
                fault = Refusal(429, "too many large requests at once; try again", {"retry-after": "1", **_CLOSE})
            if fault and size > 4 * most:
                raise fault
            if not fault:
                yield chunk
        if fault:
            raise fault


def parse_json(body: bytes) -> Any:
    """Parse JSON that is not trusted.

    Raises
    ------
    Refusal
        If it is not JSON, or holds more values or deeper ones than any request needs.
    """
    if sum(body.count(mark) for mark in b",[{") > _MOST_VALUES:
        raise Refusal(400, "the body holds more values than a request has")
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    # Digits beyond the limit of Python are a ValueError as well.
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {_line(error)}") from error


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:100]


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "object": (dict, "an object"),
    "array": (list, "an array"),
    "string": (str, "text"),
    "integer": (int, "an integer"),
    "number": ((int, float), "a number"),
    "boolean": (bool, "true or false"),
    "null": (type(None), "null"),
}


def checked(value: Any, schema: Schema, place: str = "the body") -> Any:
    """Return a value that follows a schema, with the defaults of absent fields.

    Parameters
    ----------
    value
        A parsed value of JSON.
    schema
        A schema of `sailplan.web.schema`. The keywords that are used there are checked.
    place
        The name of the value, for messages.

    Raises
    ------
    Refusal
        If the value does not follow the schema; the message names the field.

    Examples
    --------
    >>> checked({}, {"type": "object", "required": [], "properties": {"seed": {"type": "integer", "default": 3}}})
    {'seed': 3}
    """
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(_is(value, kind) for kind in kinds):
        wanted = " or ".join(_KINDS[kind][1] for kind in kinds)
        raise Refusal(400, f"{place} must be {wanted}, got {_described(value)}")
    if isinstance(value, dict):
        return _checked_object(value, schema, place)
    if isinstance(value, list):
        _check_size(len(value), "items", schema.get("minItems", 0), schema.get("maxItems", math.inf), place)
        return [checked(item, schema["items"], f"{place}[{at}]") for at, item in enumerate(value)]
    if isinstance(value, str):
        _check_text(value, schema, place)
    elif not isinstance(value, bool) and value is not None:
        _check_range(value, schema, place)
    return value


def _is(value: Any, kind: str) -> bool:
    # A flag is an int in Python, but not a number in JSON.
    return isinstance(value, _KINDS[kind][0]) and (kind == "boolean" or not isinstance(value, bool))


def _described(value: Any) -> str:
    return next(name for kind, (_, name) in _KINDS.items() if _is(value, kind))


def _checked_object(value: Mapping[str, Any], schema: Schema, place: str) -> dict[str, Any]:
    properties = schema["properties"]
    inside = "" if place == "the body" else f"{place}."
    if missing := [name for name in schema["required"] if name not in value]:
        raise Refusal(400, f"{inside}{missing[0]} is missing")
    if unknown := sorted(set(value) - set(properties)):
        raise Refusal(400, f"{inside}{unknown[0][:40]} is not a field; there are {', '.join(properties)}")
    absent = {name: one["default"] for name, one in properties.items() if name not in value and "default" in one}
    return {**absent, **{name: checked(one, properties[name], f"{inside}{name}") for name, one in value.items()}}


def _check_text(value: str, schema: Schema, place: str) -> None:
    _check_size(len(value), "characters", schema.get("minLength", 0), schema.get("maxLength", math.inf), place)
    if "enum" in schema and value not in schema["enum"]:
        raise Refusal(400, f"{place} is one of {', '.join(schema['enum'])}, not {value[:40]!r}")


def _check_size(size: int, what: str, least: int, most: float, place: str) -> None:
    if not least <= size <= most:
        allowed = f"{least}" if least == most else f"{least} to {most}"
        raise Refusal(400, f"{place} must have {allowed} {what}, got {size}")


def _check_range(value: float, schema: Schema, place: str) -> None:
    least, most = schema["minimum"], schema["maximum"]
    if not least <= value <= most:
        raise Refusal(400, f"{place} must be between {least} and {most}")


def checked_query(query: Mapping[str, str], schema: Schema) -> dict[str, Any]:
    """Return the values of a query that follows a schema of text and integers; raises Refusal like `checked`."""
    given = {name: _parsed(text, schema["properties"].get(name)) for name, text in query.items()}
    return dict(checked(given, schema))


def _parsed(text: str, schema: Schema | None) -> Any:
    """Return an integer if the schema wants one and the text is one, else the text."""
    if schema is None or schema["type"] != "integer":
        return text
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text
