"""A strict reader of the flat YAML that map servers use: `key: value` and lists of values, nothing else.

Tags, anchors, nested mappings and block texts are refused, so reading a file never runs code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sailplan.errors import WorldError
from sailplan.files import FilePath, file_lines

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?")
_LIST_ITEM = re.compile(r"\s*-\s+(.*)")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE_QUOTED = re.compile(r'"([^"\\]*)"')
_PLAIN = re.compile(r"(?![!&*|>%@`?#,]|-\s|-$)[^'\"\[\]{}]+")


@dataclass(frozen=True)
class FlatYaml:
    """The entries of one file, with getters whose errors name the file and the line."""

    path: str
    """The file."""
    values: Mapping[str, list[str]]
    """The values of each key, as text; a plain value is a list of one."""
    lines: Mapping[str, int]
    """The line number of each key."""

    def text(self, key: str, default: str | None = None) -> str:
        """Return the only value of a key, or the default if the key is absent."""
        if key not in self.values and default is not None:
            return default
        return self._texts(key, 1)[0]

    def numbers(self, key: str, count: int) -> list[float]:
        """Return exactly `count` finite numbers."""
        return [self._number(key, text) for text in self._texts(key, count)]

    def place(self, key: str) -> str:
        """Return `file:line` of a key, for messages."""
        return f"{self.path}:{self.lines[key]}"

    def _texts(self, key: str, count: int) -> list[str]:
        if key not in self.values:
            raise WorldError(f"{self.path}: the key {key!r} is missing")
        texts = self.values[key]
        if len(texts) != count:
            raise WorldError(f"{self.place(key)}: {key} takes {count} value(s), got {len(texts)}")
        return texts

    def _number(self, key: str, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise WorldError(f"{self.place(key)}: {key} takes finite numbers, got {text[:60]!r}")
        return number


def read_flat_yaml(path: FilePath) -> FlatYaml:
    """Read a file of `key: value`, `key: [a, b]` and block lists, with quotes and comments."""
    return parse_flat_yaml(file_lines(path, error=WorldError), path)


def parse_flat_yaml(text: list[str], path: FilePath) -> FlatYaml:
    """Read the lines of such a file; `path` is its name, for messages."""
    values: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    open_list: list[str] | None = None
    for number, raw in enumerate(text, start=1):
        line, place = _without_comment(raw), f"{path}:{number}"
        if not line or (line == "---" and not values):
            continue
        if (item := _LIST_ITEM.fullmatch(line)) and open_list is not None:
            open_list.append(_scalar(item[1], place))
            continue
        key, value = _key_and_value(line, place)
        if key in values:
            raise WorldError(f"{place}: {key} is given a second time")
        values[key] = _parse_value(value, place)
        lines[key] = number
        open_list = values[key] if not value else None
    return FlatYaml(str(path), values, lines)


def _key_and_value(line: str, place: str) -> tuple[str, str]:
    match = _KEY.fullmatch(line)
    if match is None:
        raise WorldError(f"{place}: expected 'key: value', got {line[:60]!r}")
    return match[1], match[2] or ""


def _parse_value(text: str, place: str) -> list[str]:
    if not text:
        return []
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(item.strip(), place) for item in text[1:-1].split(",")]
    return [_scalar(text, place)]


def _scalar(text: str, place: str) -> str:
    if match := _SINGLE_QUOTED.fullmatch(text):
        return match[1].replace("''", "'")
    if match := _DOUBLE_QUOTED.fullmatch(text):
        return match[1]
    if _PLAIN.fullmatch(text) and ": " not in text and not text.endswith(":"):
        return text
    raise WorldError(f"{place}: a plain or quoted value is expected, not a tag or a nested one; got {text[:60]!r}")


def _without_comment(line: str) -> str:
    quote = ""
    for at, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (at == 0 or line[at - 1].isspace()):
            return line[:at].rstrip()
    return line.rstrip()
