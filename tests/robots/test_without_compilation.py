"""With NUMBA_DISABLE_JIT=1 the checker is plain Python and returns the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.robots.arms import tiny_files

SCRIPT = """
import json, sys
import numpy as np
from sailplan.robots import Box, Cylinder, Sphere, SphereRobot

obstacles = [
    Box("box", (0.3, 0.4, 0.0), (0.1, 0.2, 0.3)),
    Cylinder("can", (-0.5, 0.4, 0.0), 0.1, 0.2),
    Sphere("x", (0.1, -0.5, 0.0), 0.1)
]
robot = SphereRobot.from_files(*sys.argv[1:], group="all").in_scene(obstacles)
rows = np.random.default_rng(0).uniform(*robot.joint_limits, (40, 3))
edges = robot.edge_valid(rows[:20], rows[20:])
touching = [robot.collisions(row) for row in rows]
print(json.dumps([robot.valid(rows).tolist(), edges.tolist(), robot.counts.configurations, touching]))
"""


def test_both_modes_agree(tmp_path: Path) -> None:
    def run(disabled: str) -> list[object]:
        command = [sys.executable, "-W", "error", "-c", SCRIPT, *map(str, tiny_files(tmp_path))]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        answer: list[object] = json.loads(done.stdout)
        return answer

    plain, compiled = run("1"), run("0")
    assert plain == compiled
    assert {True, False} <= set(plain[0])  # type: ignore[call-overload]
