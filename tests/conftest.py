"""What all tests share: the real data, the settings of hypothesis, and when garbage is collected."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from sailplan.learning.regressors.regressor import NO_TORCH

# A deadline for one example would fail by chance on a busy machine.
settings.register_profile("sailplan", deadline=None)
settings.load_profile("sailplan")

LONG_FILES = {
    "test_docstrings.py",
    "test_documents.py",
    "test_engines_agree.py",
    "test_examples.py",
    "test_hexagons.py",
    "test_information.py",
    "test_site.py",
    "environment/test_graph_search.py",
    "policies/lazy/test_any_graph.py",
}
"""The files that take longest, because they compile most kernels."""


WITHOUT_TORCH = find_spec("torch") is None
"""`make test` installs torch, `make test-all` only if it is told to."""
MISSING = (NO_TORCH, *(f"No module named '{name}'" for name in ("torch", "stable_baselines3", "sb3_contrib")))
"""What a failure for want of torch says."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Skip, where torch is not installed, the tests that fail for want of it. Nothing else is skipped by this."""
    report: pytest.TestReport = yield
    if WITHOUT_TORCH and report.failed and call.excinfo is not None:
        _skip_for_want_of_torch(report, str(call.excinfo.value), item.path)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Skip, where torch is not installed, the files that import it."""
    report: pytest.CollectReport = yield
    if WITHOUT_TORCH and report.failed:
        _skip_for_want_of_torch(report, str(report.longrepr), collector.path)
    return report


def _skip_for_want_of_torch(report: pytest.TestReport | pytest.CollectReport, failure: str, path: Path) -> None:
    if any(message in failure for message in MISSING):
        report.outcome = "skipped"
        report.longrepr = (str(path), 0, "Skipped: needs torch, which is not installed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that parallel workers end at about the same time."""
    long_files = {Path(__file__).parent / name for name in LONG_FILES}
    items.sort(key=lambda item: item.path not in long_files)


@pytest.fixture(scope="module", autouse=True)
def collect_garbage() -> None:
    """Release what the tests before this file have left.

    Most of the time of the tests is compilation, which allocates many objects. The collector would take a tenth of this
    time if it looked at all modules and kernels again and again.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data, SAILPLAN_DATA or ../shared/data; skip the test where it is absent."""
    beside_repository = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SAILPLAN_DATA", beside_repository))
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder}; set SAILPLAN_DATA to say where it is")
    return folder
