"""Robots of MotionBenchMaker with a fixed roadmap each, and the validity of its edges in many scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sailplan.archives import write_arrays
from sailplan.graphs import Roadmap
from sailplan.parallel import show_progress
from sailplan.robots import ArmProblem, SphereRobot, read_problems

GROUPS = {"panda": "panda_arm", "ur5": "manipulator", "fetch": "arm_with_torso"}
VERTICES = 5000
BLOCK = 2000
"""Edges of one call of the checker, so that an interrupt is soon noticed."""

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Arm:
    """A robot with its files: models and problems in DATA/arms/NAME, what is computed in CACHE/NAME."""

    name: str
    data: Path
    cache: Path
    vertices: int = VERTICES

    @cached_property
    def robot(self) -> SphereRobot:
        folder = self.data / "arms" / self.name
        files = folder / f"{self.name}_spherized.urdf", folder / f"{self.name}.srdf"
        return SphereRobot.from_files(*files, group=GROUPS[self.name])

    @cached_property
    def problems(self) -> list[ArmProblem]:
        return read_problems(self.data / "arms" / self.name / "problems.tar.xz", self.robot.joint_names)

    @cached_property
    def roadmap(self) -> Roadmap:
        """The roadmap, whose vertices do not collide with the robot itself; it is made once."""
        path = self.cache / self.name / f"roadmap_{self.vertices}.npz"
        if not path.exists():
            robot = self.robot
            Roadmap.sample(
                *robot.joint_limits,
                self.vertices,
                wraps=robot.continuous,
                valid=robot.valid,
                names=robot.joint_names,
                robot=self.name,
            ).save(path)
        return Roadmap.load(path, robot=self.name)

    def for_training(self) -> list[ArmProblem]:
        """The problems with even numbers; those of all families in turn, so that a part of them is balanced."""
        return [problem for problem in sorted(self.problems, key=_number) if _number(problem) % 2 == 0]

    def for_reports(self) -> list[ArmProblem]:
        """The problems with odd numbers, in the same order, without scenes that are among those for training."""
        seen = {problem.scene.digest for problem in self.for_training()}
        odd = [problem for problem in sorted(self.problems, key=_number) if _number(problem) % 2]
        return [problem for problem in odd if problem.scene.digest not in seen]

    def recorded(self, problem: ArmProblem) -> BoolArray:
        """Which edges of the roadmap are valid in the scene of a problem; computed once, then read."""
        path = self._file(problem)
        if not path.exists():
            valid = edges_valid(self.robot.in_scene(problem.scene), self.roadmap)
            write_arrays(path, {"valid": np.packbits(valid), "roadmap": self.roadmap.fingerprint})
        with np.load(path) as arrays:
            if int(arrays["roadmap"]) != self.roadmap.fingerprint:
                raise SystemExit(f"{path}: recorded on another roadmap; remove it")
            return np.unpackbits(arrays["valid"], count=self.roadmap.edge_count).astype(np.bool_)

    def is_recorded(self, problem: ArmProblem) -> bool:
        return self._file(problem).exists()

    def _file(self, problem: ArmProblem) -> Path:
        return self.cache / self.name / f"edges_{self.vertices}" / f"{problem.name.replace('/', '_')}.npz"

    def _nearest_vertices(self, problem: ArmProblem) -> list[int]:
        """The vertices nearest to the start and to the goal."""
        space, coordinates = self.roadmap.space, self.roadmap.coordinates
        return [int(space.distance(coordinates, end).argmin()) for end in (problem.start, problem.goal)]

    def record(self, problems: Sequence[ArmProblem]) -> Path:
        """Record the scenes of problems and write them to one file of worlds; what is recorded is not repeated."""
        rows = []
        with show_progress(f"{self.name}: scenes", len(problems)) as done:
            for problem in problems:
                rows.append(np.packbits(self.recorded(problem)))
                done()
        path, roadmap = self.cache / f"{self.name}.npz", self.roadmap
        with np.load(self.cache / self.name / f"roadmap_{self.vertices}.npz") as arrays:
            kept = dict(arrays)
        ends = np.array([self._nearest_vertices(problem) for problem in problems])
        kept |= {"valid": np.stack(rows), "start": ends[:, 0], "goal": ends[:, 1], "sizes": np.array([len(rows), 0])}
        write_arrays(path, {**kept, "names": np.array([one.name for one in problems])})
        share = np.mean([np.unpackbits(row, count=roadmap.edge_count).mean() for row in rows])
        print(f"{path}: {len(rows)} worlds, {roadmap.edge_count} edges, {share:.1%} valid")
        return path


def edges_valid(robot: SphereRobot, roadmap: Roadmap, first: int = 0) -> BoolArray:
    """Which edges are valid, from a number on; an edge with an invalid end needs no further check."""
    inside = robot.valid(roadmap.coordinates)
    valid = inside[roadmap.sources[first:]] & inside[roadmap.targets[first:]]
    for numbers in _blocks(np.flatnonzero(valid)):
        starts, ends = roadmap.motions(roadmap.sources[first + numbers], roadmap.targets[first + numbers])
        valid[numbers] = robot.edge_valid(starts, ends, endpoints=False)
    return valid


def _blocks(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (numbers[first : first + BLOCK] for first in range(0, len(numbers), BLOCK))


def _number(problem: ArmProblem) -> int:
    return int(problem.name.rpartition("/")[2])
