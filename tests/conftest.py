"""What all tests share: the real data, and the settings of hypothesis."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A deadline for one example would fail by chance on a busy machine.
settings.register_profile("sailplan", deadline=None)
settings.load_profile("sailplan")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data, SAILPLAN_DATA or ../shared/data; skip the test where it is absent."""
    beside_repository = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SAILPLAN_DATA", beside_repository))
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder}; set SAILPLAN_DATA to say where it is")
    return folder
