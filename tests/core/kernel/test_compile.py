from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

import sailplan
from sailplan.core.kernel import loop
from sailplan.core.state import allocate_queues
from sailplan.datasets import kernel as connectivity
from sailplan.oracle import kernel as dijkstra
from sailplan.testing import draw_problem

PACKAGE = Path(sailplan.__file__).parent
njit: Any = numba.njit
KERNELS = (loop.advance, dijkstra.begin_settling, dijkstra.settle, connectivity._flood)

RUN_ONE_KERNEL = """
import numpy as np
from sailplan.datasets.kernel import _flood, connected
connected(np.zeros((2, 2), np.bool_), 0, 0, 1, 1)
print(sum(_flood.stats.cache_hits.values()), sum(_flood.stats.cache_misses.values()))
"""


def test_the_stamp_of_every_cache_lists_every_kernel_file() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "kernel" in (path.stem, path.parent.name)]
    stamp = {(str(path.relative_to(PACKAGE)), path.stat().st_mtime_ns, path.stat().st_size) for path in files}
    assert len(stamp) > 20
    for kernel in KERNELS:
        assert set(kernel._cache._cache_file._source_stamp) == stamp


def test_an_edit_to_one_kernel_file_drops_the_cache_of_another(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "sailplan", ignore=shutil.ignore_patterns("__pycache__"))

    def hits_and_misses() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        environment.pop("NUMBA_CACHE_DIR", None)
        command = [sys.executable, "-c", RUN_ONE_KERNEL]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    assert hits_and_misses() == "0 1"
    assert hits_and_misses() == "1 0"
    with (tmp_path / "sailplan" / "core" / "kernel" / "heap.py").open("a") as file:
        file.write("\n# An edit.\n")
    assert hits_and_misses() == "0 1"


def test_a_kernel_counts_no_references() -> None:
    graph = draw_problem("S.G").graph
    arguments = (graph.arrays(), np.inf, allocate_queues(1, 20), np.zeros(3, np.bool_), np.full(3, np.inf), 8, 9)  # type: ignore[attr-defined]

    def references_counted(**options: bool) -> int:
        settle = njit(nogil=True, error_model="numpy", **options)(dijkstra.settle.py_func)
        settle(*arguments)
        (code,) = settle.inspect_llvm().values()
        return int(code.count("NRT_incref"))

    assert references_counted() > 0
    assert references_counted(_nrt=False) == 0
    assert all(kernel.targetoptions["_nrt"] is False for kernel in KERNELS)


def test_kernels_run_without_the_interpreter_lock() -> None:
    assert all(kernel.targetoptions["nogil"] for kernel in KERNELS)
