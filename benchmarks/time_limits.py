"""How well time limits are kept: every policy on a large map, on a roadmap with a slow checker, and in `improve`.

Each run has a random budget. The overrun is what the call of `search` takes beyond the budget, without the time to
compile or load kernels, which is reported apart. The limit is kept if the overrun is at most 5 % of the budget or
10 ms.
With `--cpu` searches and overruns are measured in processor time of the thread: on a machine that others use, a process
that waits for a processor exceeds every limit.

    python benchmarks/time_limits.py --runs 100
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sailplan import Limits, Roadmap, load_policy, search
from sailplan.core import Policy
from sailplan.core import result as results
from sailplan.core.anytime import improve
from sailplan.core.graph import Problem
from sailplan.core.kernel import compile
from sailplan.core.kernel.compile import compilation
from sailplan.datasets import World
from sailplan.graphs import grid_problem
from sailplan.policies import CATALOGUE

_PRETRAINED = ("sail:any", "lazy-sail:forest", "belief:forest", "lazy-belief:forest")
_WITHOUT_ROADMAP = ("h_man", "h_oct", "a_star_octile", "mha_star", "mha_star_near", "walls", *_PRETRAINED)
"""These need a grid."""
_CHECK_SECONDS = 0.01
_RELATIVE, _ABSOLUTE = 0.05, 0.01


@dataclass(frozen=True)
class Row:
    """The overruns of one policy in one setting."""

    setting: str
    policy: str
    runs: int
    median_ms: float
    p95_ms: float
    worst_ms: float
    kept: int
    """Number of runs within 5 % or 10 ms."""
    p95_kept: bool
    """Whether 95 % of the runs are."""
    compile_s: float


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="runs of each policy in each setting")
    parser.add_argument("--side", type=int, default=3000, help="width and height of the map")
    parser.add_argument("--policies", nargs="*", help="by default those of the catalogue, and pretrained ones")
    parser.add_argument("--settings", nargs="*", default=["map", "walled", "roadmap", "improve"])
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that others use")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.cpu:
        for module in (results, compile):
            vars(module)["perf_counter"] = time.thread_time
    rows = []
    for row in measure(arguments.settings, arguments.policies, arguments.runs, arguments.side):
        rows.append(row)
        if not arguments.json:
            print(_line(row), flush=True)
    if arguments.json:
        print(json.dumps([row.__dict__ for row in rows], indent=1))


def measure(settings: list[str], policies: list[str] | None, runs: int, side: int) -> Iterator[Row]:
    """Return a row for each setting and policy that can be used in it."""
    for setting in settings:
        problem = _roadmap_problem() if setting == "roadmap" else _map_problem(side, walled=setting == "walled")
        names = policies or [*CATALOGUE, *_PRETRAINED]
        if setting == "improve":
            names = [name for name in names if name in ("lazy", "lazy:4", "lazy-sail:forest")]
        for name in names:
            if setting != "roadmap" or name not in _WITHOUT_ROADMAP:
                yield _row(setting, name, load_policy(name), problem, runs)


def _row(setting: str, name: str, policy: Policy, problem: Problem, runs: int) -> Row:
    rng = np.random.default_rng(0)
    run: Callable[[float], object] = lambda seconds: search(problem, policy, Limits(seconds=seconds))  # noqa: E731
    if setting == "improve":
        run = lambda seconds: list(improve(problem, policy, Limits(seconds=seconds)))  # noqa: E731
    compiled = compilation.seconds
    budgets = np.exp(rng.uniform(np.log(0.05), np.log(1.0), runs))
    overruns = np.array([_overrun(run, float(budget)) for budget in budgets])
    kept = overruns <= np.maximum(_RELATIVE * budgets, _ABSOLUTE)
    median, high = np.percentile(overruns, [50, 95])
    return Row(
        setting=setting,
        policy=name,
        runs=runs,
        median_ms=round(1e3 * float(median), 2),
        p95_ms=round(1e3 * float(high), 2),
        worst_ms=round(1e3 * float(overruns.max()), 2),
        kept=int(kept.sum()),
        p95_kept=bool(kept.mean() >= 0.95),
        compile_s=round(compilation.seconds - compiled, 2),
    )


def _overrun(run: Callable[[float], object], budget: float) -> float:
    """Return the seconds beyond the budget, without compilation; 0 if the search ended earlier."""
    began = results.clock()
    # The result is kept until the time is read: freeing its arrays is not a part of the search.
    result = run(budget)
    spent = results.clock() - began
    del result
    return max(0.0, spent - budget)


def _map_problem(side: int, *, walled: bool) -> Problem:
    rng, blocked = np.random.default_rng(1), np.zeros((side, side), bool)
    for _ in range(400):
        (x, y), (width, height) = rng.integers(0, side, 2), rng.integers(side // 300, side // 15, 2)
        blocked[y : y + height, x : x + width] = True
    corner = side // 50
    blocked[:corner, :corner] = blocked[-corner:, -corner:] = False
    if walled:
        blocked[-corner, -corner:] = blocked[-corner:, -corner] = True
    return grid_problem(World(blocked))


def _roadmap_problem() -> Problem:
    def edge_valid(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        # Busy, as a collision checker is.
        end = results.clock() + _CHECK_SECONDS * len(starts)
        while results.clock() < end:
            pass
        return np.asarray(((starts[:, 0] < 0.5) == (ends[:, 0] < 0.5)) | (starts[:, 1] > 0.97))

    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 500)
    return roadmap.problem([0.05, 0.05], [0.95, 0.05], edge_valid)


def _line(row: Row) -> str:
    verdict = "kept" if row.p95_kept else "BROKEN"
    return (
        f"{row.setting:8} {row.policy:20} median {row.median_ms:7.2f}  95 % {row.p95_ms:7.2f}  "
        f"worst {row.worst_ms:7.2f} ms  {row.kept:3} of {row.runs} within  {verdict:6} compile {row.compile_s:5.1f} s"
    )


if __name__ == "__main__":
    main()
