"""An option of the command line for every setting of a training."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any

import typer

from sailplan.errors import TrainingError
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.settings import NetworkSettings


def given_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """The settings that were said on the command line."""
    given = {name: value for name, value in changes.items() if value is not None}
    for name, kind in {"hidden": int, "trust": float}.items():
        if name in given:
            try:
                given[name] = tuple(kind(number) for number in given[name].split(","))
            except ValueError as error:
                raise TrainingError(f"{name} is written as numbers with commas between, not {given[name]!r}") from error
    return given


def _settings_fields() -> list[Field[Any]]:
    """Those of all algorithms, each once."""
    own = [one for entry in ALGORITHMS.values() for one in fields(entry.paper) if one.name != "network"]
    return list({one.name: one for one in [*own, *fields(NetworkSettings)]}.values())


def add_settings(command: Callable[..., None]) -> None:
    """Give the command an option for every setting, with its sentence as help."""
    signature = inspect.signature(command, eval_str=True)
    kept = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    types: dict[str, Any] = {"int": int, "float": float, "bool": bool, "str": str}
    for one in _settings_fields():
        kind: Any = Annotated[types.get(str(one.type), str) | None, typer.Option(help=one.metadata["help"])]
        kept.append(inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind))
    command.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in kept}
