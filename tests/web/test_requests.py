from __future__ import annotations

from typing import Any

import pytest

from sailplan.web.refusals import Refusal
from sailplan.web.requests import checked, checked_query, parse_json

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 3},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "size": {"type": ["number", "null"], "minimum": 0, "maximum": 9, "default": None},
        "cell": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "integer", "minimum": -5, "maximum": 5},
        },
    },
}


def test_absent_fields_have_their_defaults() -> None:
    assert checked({"name": "x"}, SCHEMA) == {"name": "x", "kind": "a", "size": None}
    given = {"name": "x", "kind": "b", "size": 1.5, "cell": [1, -2]}
    assert checked(given, SCHEMA) == given


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "name must have 1 to 3 characters, got 0"),
        ({"name": "four"}, "name must have 1 to 3 characters, got 4"),
        ({"name": 3}, "name must be text, got an integer"),
        ({"kind": "c"}, "kind is one of a, b, not 'c'"),
        ({"size": True}, "size must be a number or null, got true or false"),
        ({"size": 10**400}, "size must be between 0 and 9"),
        ({"size": -0.1}, "size must be between 0 and 9"),
        ({"cell": {}}, "cell must be an array, got an object"),
        ({"cell": [1]}, "cell must have 2 items, got 1"),
        ({"cell": [1, "2"]}, "cell[1] must be an integer, got text"),
        ({"cell": [1, 6]}, "cell[1] must be between -5 and 5"),
        ({"other": 1}, "other is not a field; there are name, kind, size, cell"),
    ],
)
def test_what_breaks_the_schema(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked({"name": "x", **fields}, SCHEMA)
    assert (refused.value.status, str(refused.value)) == (400, message)


def test_the_place_of_a_fault_is_named() -> None:
    nested = {"type": "object", "required": [], "properties": {"map": SCHEMA}}
    for given, message in (
        ({"map": {}}, "map.name is missing"),
        ({"map": {"name": "x", "a": 1}}, "map.a is not a field"),
    ):
        with pytest.raises(Refusal, match=f"^{message}"):
            checked(given, nested)


def test_a_query_has_text_and_integers() -> None:
    schema = {
        "type": "object",
        "required": [],
        "properties": {
            "seed": {"type": "integer", "minimum": -9, "maximum": 9, "default": 4},
            "name": {"type": "string"},
        },
    }
    assert checked_query({"seed": "-3", "name": "7"}, schema) == {"seed": -3, "name": "7"}
    assert checked_query({}, schema) == {"seed": 4}
    for text in ("", "1.5", "٣", "1_0", "--1", " 1", "9" * 5000):
        with pytest.raises(Refusal, match=r"^seed must be an integer, got text$"):
            checked_query({"seed": text}, schema)


def test_numbers_that_are_not_json() -> None:
    for text in (b"NaN", b"[Infinity]", b"-Infinity"):
        with pytest.raises(Refusal, match=r"^the body is not JSON: -?[A-Za-z]+ is not a number of JSON$"):
            parse_json(text)
    assert parse_json(b"1e999") == float("inf")
    with pytest.raises(Refusal, match="must be between"):
        checked(parse_json(b"1e999"), {"type": "number", "minimum": 0, "maximum": 9}, "x")


def test_deep_values_are_refused() -> None:
    for text in (b"[" * 400, b'{"a":' * 400 + b"1" + b"}" * 400):
        with pytest.raises(Refusal):
            checked(parse_json(text), SCHEMA)
