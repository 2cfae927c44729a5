"""The schema of the requests, which the server checks and publishes as OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sailplan import __version__
from sailplan.datasets.families import FAMILIES
from sailplan.planning.plan import DEFAULT_POLICY, PLAN_MOVES
from sailplan.web.examples import EXAMPLES
from sailplan.web.settings import Settings

Schema = Mapping[str, Any]
"""A schema in the form of JSON Schema."""

LARGEST_SEED = 2**31 - 1
DEFAULT_SIDE = 201
LARGEST_COUNT = 2**53
"""Integers above this one lose digits in a browser."""
_METRES = 1e9


def _object(required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _count(least: int = 0, most: int = LARGEST_COUNT) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"], "default": None}


def _flag(default: bool) -> dict[str, Any]:
    return {"type": "boolean", "default": default}


_CELL = {
    "type": "array",
    "minItems": 2,
    "maxItems": 2,
    "items": {"type": "integer", "minimum": -(2**31), "maximum": 2**31},
    "description": "A cell (x, y); (0, 0) is the bottom-left cell.",
}
_COORDINATE = {"type": "number", "minimum": -_METRES, "maximum": _METRES}

MAP = _object(
    ["width", "height", "blocked"],
    {
        "name": {"type": "string", "maxLength": 200, "default": "map"},
        "width": _count(1),
        "height": _count(1),
        "blocked": {
            "type": "string",
            "description": "One bit per cell, the bottom row first (numpy.packbits), compressed by zlib, in base64.",
        },
        "terrain": {"type": "null"},
        "resolution": _or_null({"type": "number", "minimum": 1e-9, "maximum": _METRES}),
        "origin": _or_null({"type": "array", "minItems": 3, "maxItems": 3, "items": _COORDINATE}),
        "unknown_cells": {**_count(), "default": 0},
    },
)
"""A map in a request, as `describe_map` writes it."""

UPLOAD = _object(
    ["files"],
    {
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": _object(
                ["name", "data"],
                {
                    "name": {"type": "string", "minLength": 1, "maxLength": 200},
                    "data": {"type": "string", "description": "The contents of the file in base64."},
                },
            ),
        }
    },
)
"""A map file, or the two files of a ROS map."""

SEARCH = _object(
    ["map", "start", "goal"],
    {
        "map": MAP,
        "start": _CELL,
        "goal": _CELL,
        "policy": {"type": "string", "minLength": 1, "maxLength": 80, "default": DEFAULT_POLICY},
        "diagonal": _flag(PLAN_MOVES.diagonal),
        "corner_cutting": _flag(PLAN_MOVES.corner_cutting),
        "anytime": _flag(False),
        "bound": _or_null({"type": "number", "minimum": 1, "maximum": 1e9}),
        "max_expansions": _or_null(_count()),
        "max_evaluations": _or_null(_count()),
        "max_seconds": _or_null({"type": "number", "minimum": 0, "maximum": 1e9}),
        "multipliers": _flag(True),
    },
)
"""A search on a map."""

WORLD_QUERY = _object(
    ["family"],
    {
        "family": {"type": "string", "enum": list(FAMILIES)},
        "seed": {**_count(0, LARGEST_SEED), "default": 0},
        "width": {**_count(1), "default": DEFAULT_SIDE},
        "height": {**_count(1), "default": DEFAULT_SIDE},
    },
)
"""The query of a generated world."""

EXAMPLE_QUERY = _object(["name"], {"name": {"type": "string", "enum": list(EXAMPLES)}})
"""The query of an example."""

_STATUSES = {
    "200": "The answer.",
    "400": "A value cannot be used.",
    "413": "The body or the map is too large.",
    "415": "The body is not JSON.",
    "429": "Too many requests; try again after Retry-After seconds.",
    "503": "The server is shutting down.",
}


def openapi(settings: Settings) -> dict[str, Any]:
    """Return the description of all requests, as OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sailplan serve",
            "version": __version__,
            "description": f"At most {settings.cells} cells in a map and {settings.bytes} bytes in a body.",
        },
        "paths": {
            "/api/options": {"get": _operation("The policies, families, examples and limits.")},
            "/api/schema": {"get": _operation("This document.")},
            "/api/world": {"get": _operation("A generated map.", query=WORLD_QUERY)},
            "/api/example": {"get": _operation("An example map.", query=EXAMPLE_QUERY)},
            "/api/map": {"post": _operation("Read map files.", body=UPLOAD)},
            "/api/search": {"post": _operation("Search on a map.", body=SEARCH)},
        },
    }


def _operation(summary: str, *, query: Schema | None = None, body: Schema | None = None) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": summary}
    if query is not None:
        operation["parameters"] = [
            {"name": name, "in": "query", "required": name in query["required"], "schema": schema}
            for name, schema in query["properties"].items()
        ]
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return {**operation, "responses": {code: {"description": text} for code, text in _STATUSES.items()}}
