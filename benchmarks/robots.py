"""Arms on MotionBenchMaker: lazy and learned lazy search on a fixed roadmap, and OMPL's planners, with one checker.

    python benchmarks/robots.py record DATA CACHE --robots panda      results of all edges in the scenes for training
    python benchmarks/robots.py plan DATA CACHE --robots panda,ur5    all planners; writes CACHE/results.json
    python benchmarks/robots.py report CACHE                          tables; plots are CACHE/robots_*.png

DATA has a folder `arms`. Problems with even numbers are for training, those with odd numbers are reported. Each
planner has the same time limit. `record` and `plan` continue where they were interrupted. OMPL is needed for its
planners only (`--planners` names others).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from robot_tables import draw, report
from robot_worlds import GROUPS, Arm
from sailplan import Limits, plan_motion
from sailplan.core import Policy
from sailplan.files import write_text
from sailplan.parallel import show_progress
from sailplan.policies import LazyPolicy, a_star, optimistic, weighted_a_star
from sailplan.policies.replanning.beliefs import EdgePosterior
from sailplan.robots import ArmProblem, SphereRobot

OMPL = ("RRTConnect", "BIT*", "BIT* (time limit)", "PRM")
POLICIES: Mapping[str, Callable[[], Policy]] = {
    "A*": lambda: a_star(),
    "weighted A*": lambda: weighted_a_star(2.0),
    "optimistic": optimistic,
    "LazySP forward": lambda: LazyPolicy(1.0, selector="forward"),
    "LazySP backward": lambda: LazyPolicy(1.0, selector="backward"),
    "LazySP alternate": lambda: LazyPolicy(1.0, selector="alternate"),
    "lazy": LazyPolicy,
}
LEARNED: Mapping[str, Callable[[EdgePosterior], Policy]] = {
    "learned lazy": lambda belief: LazyPolicy(belief=belief, selector="doubtful"),
    "learned LazySP": lambda belief: LazyPolicy(1.0, belief=belief, selector="critical"),
}
"""Policies with the posterior of the recorded scenes."""
PLANNERS = (*POLICIES, *LEARNED, *OMPL)


@dataclass(frozen=True)
class Record:
    """One planner on one problem."""

    robot: str
    problem: str
    family: str
    planner: str
    outcome: str
    """The outcome of a search; `found` or `no path` of OMPL; `start or goal in collision` if nothing was run."""
    found: bool
    edges: int
    """Edges checked."""
    configurations: int
    """Configurations checked, those of samples near start and goal among them."""
    seconds: float
    """From the problem to the path, with the roadmap given."""
    cpu_seconds: float
    """The same in seconds of the processor, which do not depend on other programs."""
    length: float | None
    """Length of the path in joint space."""


@dataclass
class Bench:
    """All planners on the problems of a robot."""

    arm: Arm
    seconds: float
    extra: Sequence[int]

    def __post_init__(self) -> None:
        self._policies: dict[str, Policy] = {name: make() for name, make in POLICIES.items()}

    def learn(self, worlds: int) -> None:
        """Make the learned policies from the scenes that are recorded, at most so many."""
        problems = [one for one in self.arm.for_training() if self.arm.is_recorded(one)][:worlds]
        if problems:
            valid = np.stack([self.arm.recorded(one) for one in problems])
            belief = EdgePosterior.of(self.arm.roadmap.topology, valid)
            self._policies |= {name: make(belief) for name, make in LEARNED.items()}
        print(f"{self.arm.name}: {len(problems)} recorded scenes")

    def can_run(self, planner: str) -> bool:
        return planner in self._policies or planner in OMPL

    def run(self, planner: str, problem: ArmProblem) -> Record:
        robot = self.arm.robot.in_scene(problem.scene)
        facts = (self.arm.name, problem.name, problem.family, planner)
        if not robot.valid(np.stack([problem.start, problem.goal])).all():
            return Record(*facts, "start or goal in collision", False, 0, 0, 0.0, 0.0, None)
        robot = self.arm.robot.in_scene(problem.scene)
        began, cpu_began = perf_counter(), process_time()
        outcome, length = self._run(planner, robot, problem)
        seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
        found, counts = bool(np.isfinite(length)), (robot.counts.edges, robot.counts.configurations)
        return Record(*facts, outcome, found, *counts, seconds, cpu_seconds, length if found else None)

    def _run(self, planner: str, robot: SphereRobot, problem: ArmProblem) -> tuple[str, float]:
        """Return the outcome, and the length of the path, infinite if there is none."""
        if planner in OMPL:
            from ompl_planners import run_planner

            length = run_planner(planner, robot, problem, self.seconds)
            return ("found" if np.isfinite(length) else "no path"), length
        return self._search(self._policies[planner], robot, problem)

    def _search(self, policy: Policy, robot: SphereRobot, problem: ArmProblem) -> tuple[str, float]:
        """Search; while the roadmap has no path, samples are added near an end that has no way out."""
        limits = Limits(seconds=self.seconds)
        roadmap, ends = self.arm.roadmap, (problem.start, problem.goal)
        motion = plan_motion(roadmap, *ends, robot, policy=policy, limits=limits, extra=self.extra, name=problem.name)
        return motion.outcome.value, motion.cost


def plan(options: argparse.Namespace) -> None:
    """Run what is not yet in the file of results, and write the file after each problem."""
    path = options.cache / options.results
    rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    done = {(row["robot"], row["problem"], row["planner"]) for row in rows}
    if set(OMPL) & set(options.planners):
        from ompl_planners import set_seed

        set_seed(options.seed)
    for arm in options.arms:
        bench = Bench(arm, options.seconds, [int(count) for count in options.extra.split(",")])
        bench.learn(options.worlds)
        problems = arm.for_reports()[: options.limit]
        planners = [name for name in options.planners if bench.can_run(name)]
        if any((arm.name, one.name, name) not in done for one in problems for name in planners):
            for name in planners:
                bench.run(name, arm.for_training()[0])  # compiles and loads what a planner needs
        with show_progress(f"{arm.name}: problems", len(problems)) as step:
            for problem in problems:
                due = [name for name in planners if (arm.name, problem.name, name) not in done]
                rows += [asdict(bench.run(name, problem)) for name in due]
                if due:
                    write_text(path, json.dumps(rows))
                step()


def record(options: argparse.Namespace) -> None:
    """Record the scenes for training."""
    for arm in options.arms:
        arm.record(arm.for_training()[: options.limit])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "plan", "report"))
    parser.add_argument("folders", type=Path, nargs="+", help="DATA CACHE, or CACHE for a report")
    parser.add_argument("--robots", default=",".join(GROUPS))
    parser.add_argument("--planners", default=",".join(PLANNERS))
    parser.add_argument("--limit", type=int, help="largest number of problems or scenes of each robot")
    parser.add_argument("--seconds", type=float, default=2.0, help="time limit of each planner")
    parser.add_argument(
        "--extra",
        default="8,16,32,64,128,256",
        help="samples near start and goal, added one number after the other if need be",
    )
    parser.add_argument("--worlds", type=int, default=1000, help="largest number of recorded scenes to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", default="results.json", help="name of the file in CACHE")
    options = parser.parse_args()
    options.cache, options.planners = options.folders[-1], options.planners.split(",")
    if unknown := [name for name in options.planners if name not in PLANNERS]:
        parser.error(f"no planner {unknown[0]!r}; there are {', '.join(PLANNERS)}")
    options.arms = [Arm(name, options.folders[0], options.cache) for name in options.robots.split(",")]
    if options.what == "report":
        rows = json.loads((options.cache / options.results).read_text())
        report(rows, PLANNERS)
        draw(rows, PLANNERS, options.cache)
    else:
        {"record": record, "plan": plan}[options.what](options)


if __name__ == "__main__":
    main()
