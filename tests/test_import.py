from __future__ import annotations

import subprocess
import sys

import pytest

_HEAVY = {"torch", "matplotlib", "gymnasium", "pygame", "stable_baselines3", "sb3_contrib", "starlette", "uvicorn"}


def _loaded_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "statement", ["import sailplan", "import sailplan.testing", "import sailplan.learning", "import sailplan.cli.app"]
)
def test_heavy_packages_are_not_loaded(statement: str) -> None:
    loaded = _loaded_by(statement)
    assert "sailplan" in loaded
    assert not loaded & _HEAVY


def test_the_environment_loads_gymnasium_alone() -> None:
    assert _loaded_by("import sailplan.environment") & _HEAVY == {"gymnasium"}


def test_gymnasium_does_not_load_us() -> None:
    assert not _loaded_by("import gymnasium") & {"sailplan", "numba"}


def test_the_bare_package_loads_nothing_compiled() -> None:
    assert not _loaded_by("import sailplan") & {"numba", "numpy", "networkx", "PIL"}
