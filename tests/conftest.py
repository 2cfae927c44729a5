"""What all tests share: the real data, and the settings of hypothesis and of the garbage collector."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# A deadline for one example would fail by chance on a busy machine.
settings.register_profile("sailplan", deadline=None)
settings.load_profile("sailplan")

# Most of the time of the tests is compilation, which allocates many objects that are not garbage. With the default
# thresholds, the collector takes a tenth of this time.
gc.set_threshold(100_000, 20, 100)

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that parallel workers end at about the same time."""
    long_files = {Path(__file__).parent / name for name in LONG_FILES}
    items.sort(key=lambda item: item.path not in long_files)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data, SAILPLAN_DATA or ../shared/data; skip the test where it is absent."""
    beside_repository = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SAILPLAN_DATA", beside_repository))
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder}; set SAILPLAN_DATA to say where it is")
    return folder
