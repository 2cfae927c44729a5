"""Are the generated worlds like the real ones? Measures both, family by family, and prints them side by side.

python benchmarks/families.py [--data ../shared/data/motion_planning_datasets] [--count 400] [--seed 2017]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sailplan.core import search
from sailplan.datasets import World, WorldDataset
from sailplan.datasets.families import FAMILIES, GeneratedWorlds
from sailplan.graphs import grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy

COLUMNS = ("blocked share", "optimal cost", "h_euc expansions", "oracle expansions")
REAL_WORLDS = 400
TOLERANCE = 0.10
"""A ratio farther from 1 than this is pointed out."""


@dataclass(frozen=True)
class Row:
    """One measure of a family."""

    name: str
    real: float
    generated: float
    ratio_error: float
    """Standard error of the ratio, from the spread of both samples."""

    @property
    def ratio(self) -> float:
        return self.generated / self.real

    def __str__(self) -> str:
        means = f"  {self.name:18} {self.real:10.4g} {self.generated:10.4g}"
        remark = f"   off by more than {TOLERANCE:.0%}" if abs(self.ratio - 1) > TOLERANCE else ""
        return f"{means} {self.ratio:8.3f} ± {self.ratio_error:.3f}{remark}"


def measure_world(world: World) -> tuple[float, float, float, float]:
    """Return the COLUMNS of a world; all but the first are NaN where there is no path."""
    problem = grid_problem(world)
    cost = cost_to_go(problem)[problem.start]
    share = float(world.blocked.mean())
    if math.isinf(cost):
        return share, math.nan, math.nan, math.nan
    greedy, oracle = (search(problem, load_policy(name)).expansions for name in ("h_euc", "oracle"))
    return share, float(cost), greedy, oracle


def measure(worlds: Sequence[World]) -> NDArray[np.float64]:
    """Return the COLUMNS of each world, shape (worlds, columns)."""
    return np.array([measure_world(world) for world in worlds])


def compare(real: NDArray[np.float64], generated: NDArray[np.float64]) -> Iterator[Row]:
    """Yield one row for each of the COLUMNS."""
    for name, ours, theirs in zip(COLUMNS, generated.T, real.T, strict=True):
        error = math.hypot(relative_error(ours), relative_error(theirs))
        yield Row(name, float(np.nanmean(theirs)), float(np.nanmean(ours)), error)


def relative_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of the mean as a share of the mean."""
    return float(np.nanstd(values) / np.nanmean(values) / math.sqrt(len(values)))


def unsolvable(measured: NDArray[np.float64]) -> float:
    """Return the share of worlds without a path."""
    return float(np.isnan(measured[:, 1]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--count", type=int, default=400, help="generated worlds of each family")
    parser.add_argument("--seed", type=int, default=2017)
    options = parser.parse_args()
    for family in FAMILIES:
        real = measure(WorldDataset.open(options.data / family).split("train")[:REAL_WORLDS])
        generated = measure(GeneratedWorlds(family, options.count, options.seed))
        print(f"{family:20} {'real':>10} {'generated':>10} {'ratio':>8}")
        print(*compare(real, generated), sep="\n")
        print(f"  {'unsolvable share':18} {unsolvable(real):10.4g} {unsolvable(generated):10.4g}", flush=True)


if __name__ == "__main__":
    main()
