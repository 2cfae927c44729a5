"""Examples in docstrings run, and their sections agree with the signatures."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import sailplan
from tests.test_front_door import PACKAGES

EXTRAS = {
    "sailplan.environment": "gymnasium",
    "sailplan.graphs.networkx": "networkx",
    "sailplan.learning.algorithms.belief_network": "torch",
    "sailplan.learning.convergence": "matplotlib",
    "sailplan.learning.regressors.torch_network": "torch",
    "sailplan.web": "starlette",
}
"""The optional packages that modules, or their examples, need."""

SECTIONS = ["Parameters", "Returns", "Yields", "Raises", "Notes", "Examples"]
"""In the order of NumPy style."""


def _has_examples(module: str) -> bool:
    *folders, name = module.split(".")[1:] or ["__init__"]
    base = Path(sailplan.__path__[0], *folders)
    file = base / name / "__init__.py" if (base / name).is_dir() else base / f"{name}.py"
    return ">>> " in file.read_text(encoding="utf-8")


MODULES = [
    module
    for module in ["sailplan", *(found.name for found in pkgutil.walk_packages(sailplan.__path__, "sailplan."))]
    if _has_examples(module)
]


def _import(module: str) -> Any:
    for prefix, package in EXTRAS.items():
        if (module == prefix or module.startswith(f"{prefix}.")) and find_spec(package) is None:
            pytest.skip(f"{module} needs {package}, which is not installed")
    return importlib.import_module(module)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runner, report = doctest.DocTestRunner(), list[str]()
    for test in doctest.DocTestFinder().find(_import(module)):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)
    assert runner.tries > 0, f"{module} has examples that doctest does not find"


def test_modules_with_examples_are_found() -> None:
    assert {"sailplan", "sailplan.core.search", "sailplan.graphs.callback", "sailplan.policies.catalogue"} <= {*MODULES}


def _exported(package: str) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that a package exports, and the public methods of the classes."""
    module = _import(package)
    for name in getattr(module, "__all__", []):
        value = getattr(module, name)
        if not getattr(value, "__module__", "").startswith("sailplan"):
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield f"{package}.{name}", value
        if inspect.isclass(value):
            for method, member in vars(value).items():
                function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
                if inspect.isfunction(function) and not method.startswith("_"):
                    yield f"{package}.{name}.{method}", function


def _sections(value: Any) -> dict[str, str]:
    """Return the sections of a docstring by heading, in their order."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _listed(parameters: str) -> list[str]:
    """Return the names in a Parameters section: the lines that are not indented, with one or more names each."""
    lines = [line for line in parameters.splitlines() if line and not line.startswith(" ")]
    return [name.strip(" *") for line in lines for name in line.partition(" : ")[0].split(",")]


def _parameters(value: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_sections_agree_with_the_signatures(package: str) -> None:
    for name, value in _exported(package):
        sections = _sections(value)
        assert set(sections) <= set(SECTIONS), f"{name}: unknown section in {list(sections)}"
        assert list(sections) == sorted(sections, key=SECTIONS.index), f"{name}: the sections are out of order"
        assert all(body.strip() for body in sections.values()), f"{name}: an empty section"
        if "Parameters" not in sections:
            continue
        listed, expected = _listed(sections["Parameters"]), _parameters(value)
        if inspect.isclass(value):
            # Fields of a dataclass may be documented at the field instead.
            assert set(listed) <= set(expected), f"{name}: {listed} documented, the signature has {expected}"
        else:
            assert listed == expected, f"{name}: {listed} documented, the signature has {expected}"


@pytest.mark.parametrize("name", sailplan.__all__)
def test_functions_of_the_front_door_are_documented_in_full(name: str) -> None:
    value = getattr(sailplan, name)
    if not inspect.isfunction(value):
        return
    sections = _sections(value)
    assert "Parameters" in sections or not _parameters(value), f"{name} has no Parameters section"
    returns = inspect.signature(value).return_annotation
    assert "Returns" in sections or returns in (None, "None"), f"{name} has no Returns section"
    assert "Raises" in sections, f"{name} has no Raises section"


def test_the_summary_is_one_line() -> None:
    for package in PACKAGES:
        for name, value in _exported(package):
            first, _, rest = (inspect.getdoc(value) or "").partition("\n")
            assert first.endswith((".", ":")), f"{name}: the summary does not end on the first line: {first!r}"
            assert not rest.strip() or rest.startswith("\n"), f"{name}: no blank line after the summary"
