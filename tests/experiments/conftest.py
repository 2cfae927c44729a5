from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sailplan.experiments.reproduce import reproduce_all
from sailplan.experiments.reproduction import Reproduction
from tests.experiments.tiny import tiny, write_worlds


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of worlds that no test changes."""
    return write_worlds(tmp_path_factory.mktemp("data") / "worlds")


@pytest.fixture(scope="session")
def made(worlds: Path, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Return a whole reproduction that no test changes."""
    asked = tiny(tmp_path_factory.mktemp("made") / "out", worlds)
    reproduce_all(asked)
    return asked


@pytest.fixture
def copied(made: Reproduction, worlds: Path, tmp_path: Path) -> Reproduction:
    """Return a copy of it to change."""
    shutil.copytree(made.out, tmp_path / "out")
    return tiny(tmp_path / "out", worlds)
