"""The names that `sailplan` and its packages export."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Callable

import pytest

import sailplan

PACKAGES = [
    "sailplan",
    *(found.name for found in pkgutil.walk_packages(sailplan.__path__, "sailplan.") if found.ispkg),
]


def _run(script: str, *options: str) -> str:
    done = subprocess.run([sys.executable, *options, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_all_is_the_front_door() -> None:
    assert set(sailplan.__all__) >= {
        "plan", "Plan", "plan_motion", "MotionPlan", "search", "open_search", "replay", "load_policy", "save_policy",
        "Problem", "Limits", "Outcome", "StopRule", "SearchResult", "EdgeStatus", "World", "read_world", "write_world",
        "GridGraph", "Moves", "grid_problem", "ExplicitGraph", "CallbackGraph", "from_networkx", "generate_world",
        "SailplanError", "train", "evaluate", "LatticeGraph", "MotionPrimitives", "read_primitives", "__version__",
    }  # fmt: skip
    assert set(sailplan.__all__) <= set(dir(sailplan))
    assert sorted(sailplan.__all__) == sorted(set(sailplan.__all__))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_is_there_and_documented(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__doc__
    for name in getattr(module, "__all__", []):
        value = getattr(module, name)
        ours = getattr(value, "__module__", "").startswith("sailplan")
        if ours and (inspect.isclass(value) or inspect.isroutine(value)):
            assert inspect.getdoc(value), f"{package}.{name} has no docstring"


def test_functions_are_functions_and_not_modules() -> None:
    for name in ("plan", "train", "evaluate", "search", "replay", "load_policy"):
        assert inspect.isfunction(getattr(sailplan, name)), name


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'sailplan' has no attribute 'fly'$"):
        _ = sailplan.fly  # type: ignore[attr-defined]


def test_the_names_are_loaded_on_first_use() -> None:
    script = "import sys, sailplan; print(*[name for name in sys.modules if name.startswith('sailplan')])"
    assert _run(script).split() == ["sailplan"]


@pytest.mark.parametrize("name", ["plan", "search", "load_policy", "World"])
def test_what_is_loaded_needs_neither_torch_nor_matplotlib(name: str) -> None:
    script = f"import sys, sailplan; sailplan.{name}; print(*{{one.partition('.')[0] for one in sys.modules}})"
    assert not {"torch", "matplotlib", "gymnasium", "networkx"} & set(_run(script, "-W", "error").split())


def test_the_import_takes_less_than_50_milliseconds() -> None:
    times = []
    for _ in range(3):
        lines = _run("import sailplan", "-X", "importtime").splitlines()
        (line,) = [one for one in lines if one.rpartition("|")[2].strip() == "sailplan"]
        times.append(int(line.split("|")[1]))
    assert min(times) < 50_000


@pytest.mark.parametrize("suffix", ["", "/x.safetensors", ".png", ".scen", ".npz"])
def test_a_name_that_is_too_long_for_a_file_is_bad_input(suffix: str) -> None:
    name = "a" * 300 + suffix
    calls: list[Callable[[], object]] = [
        lambda: sailplan.load_policy(name),
        lambda: sailplan.plan(name),
        lambda: sailplan.train(name),
        lambda: sailplan.evaluate(name, ["lazy"]),
    ]
    for call in calls:
        with pytest.raises(sailplan.SailplanError):
            call()
