"""Training: quality, duration and generalisation.

    python benchmarks/training.py generated   trained on generated worlds against trained on real ones
    python benchmarks/training.py relative    trained on 201 x 201, run on 401 x 401, random starts and goals
    python benchmarks/training.py planner     SaIL through the planner: minutes of a training on one core, by seed
    python benchmarks/training.py speed       an expansion, a round of CEM, and where a training's time goes

--data names a folder with one folder a family. Runs are stored in --runs and reused. The paper's own table and
figures are made by `sailplan reproduce`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import perf_counter

import numpy as np

from sailplan.core import Limits, open_search
from sailplan.datasets import FAMILIES, World
from sailplan.datasets.labelled import label_problems
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.evaluation.metrics import summarise
from sailplan.graphs import grid_problem
from sailplan.learning import CROSS_ENTROPY, CrossEntropySettings, Progress
from sailplan.learning.algorithms.cross_entropy import LONG_ROLL_OUTS, CrossEntropy
from sailplan.learning.algorithms.sail import scaling_of
from sailplan.learning.run_folder import METRICS, SETTINGS, read_metrics, read_plan
from sailplan.policies import load_policy
from sailplan.policies.catalogue import MODEL
from sailplan.policies.features import PRESETS
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy

PUBLISHED_MICROSECONDS = 3500.0
"""What the published code takes for one expansion."""
FRESH_SEED = 7
"""Of generated worlds that no training or choice has seen."""


@dataclass(frozen=True)
class Training:
    """One call of `sailplan train`."""

    name: str
    options: tuple[str, ...]

    def folder(self, runs: Path) -> Path:
        return runs / self.name

    def finished(self, runs: Path) -> bool:
        folder = self.folder(runs)
        return (folder / METRICS).exists() and len(read_metrics(folder)) == read_plan(folder).settings.rounds

    def run(self, runs: Path) -> None:
        folder = self.folder(runs)
        if self.finished(runs):
            return
        place = ("--resume", str(folder)) if (folder / SETTINGS).exists() else (*self.options, "--out", str(folder))
        subprocess.run([sys.executable, "-m", "sailplan", "train", *place, "--jobs", "1"], check=True)


def train_all(trainings: Sequence[Training], runs: Path) -> None:
    """Two at a time, a core each."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda one: one.run(runs), trainings):
            pass


def sail(data: str, family: str, preset: str, seed: int) -> Training:
    options = ("--data", data, "--algorithm", "sail", "--preset", preset, "--seed", str(seed))
    return Training(f"{preset}-{family}-{seed}", options)


def score(policy: str, data: str, choice: Choice) -> float:
    """Mean expansions over the worlds that can be solved."""
    (summary,) = summarise(run_benchmark({"policy": load_policy(policy)}, load_tasks(data, choice), jobs=2))
    return summary.mean_expansions


def generated(data: Path, runs: Path) -> None:
    on_real = {family: sail(str(data / family), family, "default", 0) for family in FAMILIES}
    on_generated = {
        family: Training(f"generated-{family}-0", ("--data", family, "--preset", "default", "--seed", "0"))
        for family in FAMILIES
    }
    train_all([*on_real.values(), *on_generated.values()], runs)
    print(
        "\nMean expansions on real validation maps (default preset): trained on real maps, on generated worlds, ratio"
    )
    for family in FAMILIES:
        scores = [
            score(str(one.folder(runs) / MODEL), str(data / family), Choice("validation"))
            for one in (on_real[family], on_generated[family])
        ]
        print(f"{family:18} {scores[0]:8.1f} {scores[1]:8.1f} {scores[1] / scores[0]:6.3f}", flush=True)


def relative(runs: Path) -> None:
    options = ("--preset", "paper", "--features", "relative", "--target", "detour", "--endpoints", "random")
    more = ("--training-worlds", "600", "--rescore", "lazy")
    trainings = {
        family: Training(f"relative-{family}-0", ("--data", family, *options, *more, "--seed", "0"))
        for family in FAMILIES
    }
    train_all(list(trainings.values()), runs)
    print("\nMean expansions on 100 generated worlds, 401 x 401, random starts and goals: h_euc, relative, ratio")
    choice = Choice("test", 100, FRESH_SEED, size=401, endpoints="random")
    for family, training in trainings.items():
        scores = [score(policy, family, choice) for policy in ("h_euc", str(training.folder(runs) / MODEL))]
        print(f"{family:18} {scores[0]:8.1f} {scores[1]:8.1f} {scores[1] / scores[0]:6.3f}", flush=True)


def planner(runs: Path, families: Sequence[str], seeds: Sequence[int]) -> None:
    """Runs are in `sail-SEED/FAMILY`; `benchmarks/imitation.py --models runs/sail-SEED` evaluates them."""
    trainings = [
        Training(f"sail-{seed}/{family}", ("--data", family, "--seed", str(seed)))
        for seed in seeds
        for family in families
    ]
    train_all(trainings, runs)
    print("\nMinutes: rolling out, fitting, validating, in all; expansions of the best round on validation worlds")
    for training in trainings:
        rounds = read_metrics(training.folder(runs))
        parts = [
            sum(getattr(one, f"seconds_{name}") for one in rounds) / 60.0
            for name in ("rolling_out", "fitting", "validating")
        ]
        best = min(one.validation_expansions for one in rounds)
        print(f"{training.name:28}", *(f"{part:6.1f}" for part in [*parts, sum(parts)]), f"{best:8.1f}", flush=True)


def speed(reproduction: Path) -> None:
    rng = np.random.default_rng(0)
    for name, features in PRESETS.items():
        policy = random_policy(name, rng)
        early, late = cost_at(policy, 1_000), cost_at(policy, 20_000)
        ratio = PUBLISHED_MICROSECONDS / late
        print(
            f"{name:9} {len(features.columns):4} columns: {early:5.2f} us an expansion around the 1,000th, "
            f"{late:5.2f} around the 20,000th ({late / early:.2f} times); published: {ratio:,.0f} times that"
        )
    for name, settings in (("paper", CROSS_ENTROPY), ("default", LONG_ROLL_OUTS)):
        print(f"a round of 40 x 5 roll-outs of CEM on forest, {name} preset, two threads: {cem_round(settings):.2f} s")
    finished = [one for one in sorted(reproduction.glob("runs/sail-*")) if (one / METRICS).exists()]
    if finished:
        rounds = [read_metrics(folder) for folder in finished]
        rolling, fitting, validating = (
            mean(sum(getattr(one, name) for one in run) for run in rounds)
            for name in ("seconds_rolling_out", "seconds_fitting", "seconds_validating")
        )
        total = rolling + fitting + validating
        print(
            f"a training with the paper's settings, mean of {len(finished)}: {total:.0f} s, of which rolling out "
            f"{rolling:.1f}, fitting {fitting:.1f}, validating {validating:.1f} "
            f"({100 * (rolling + validating) / total:.0f} % not fitting)"
        )


def cem_round(settings: CrossEntropySettings) -> float:
    """Seconds of the first round, in which the searches are longest; the best of three."""
    posed = [task.problem() for task in load_tasks("forest", Choice("train", 20))[0].tasks]
    problems, features = label_problems(posed).solvable, PRESETS[settings.features]
    learner = CrossEntropy(problems, settings, 0, 2, features, scaling_of(problems, features, 0, 2))
    times = []
    for _ in range(3):
        began = perf_counter()
        learner.collect(1, Progress())
        times.append(perf_counter() - began)
    return min(times)


def random_policy(features: str, rng: np.random.Generator) -> LearnedPolicy:
    """An untrained network of the paper's size, so that it searches everywhere."""
    width = len(PRESETS[features].columns)
    layers = []
    for before, after in ((width, 100), (100, 50), (50, 1)):
        weights = rng.normal(size=(before, after)) / before**0.5
        layers.append((weights.astype(np.float32), np.zeros(after, np.float32)))
    network = DenseNetwork(tuple(layers), Scaling(np.full(width, 1.0), np.full(width, 50.0)), np.zeros(width))
    return LearnedPolicy(PRESETS[features], network)


def cost_at(policy: LearnedPolicy, expansions: int) -> float:
    """Microseconds per expansion around that number of expansions, the best of five."""
    blocked = np.random.default_rng(1).random((401, 401)) < 0.3
    # The goal is walled in, so that no search ends before it is measured.
    blocked[-2:, -2:] = True
    blocked[0, 0] = blocked[-1, -1] = False
    problem = grid_problem(World(blocked))
    times = []
    for _ in range(5):
        session = open_search(problem, policy)
        before = session.run(Limits(expansions=expansions - 500)).timing.total
        after = session.run(Limits(expansions=expansions + 500))
        assert after.expansions == expansions + 500, "the search ended too early to be measured"
        times.append((after.timing.total - before) / 1000)
    return 1e6 * min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("generated", "relative", "planner", "speed"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--runs", type=Path, default=Path("build/training"))
    parser.add_argument("--reproduction", type=Path, default=Path("build/reproduction"), help="whose runs speed times")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seeds", default="0,1,2")
    arguments = parser.parse_args()
    if arguments.what == "planner":
        planner(arguments.runs, arguments.families.split(","), [int(seed) for seed in arguments.seeds.split(",")])
    elif arguments.what == "generated":
        generated(arguments.data, arguments.runs)
    elif arguments.what == "relative":
        relative(arguments.runs)
    else:
        speed(arguments.reproduction)


if __name__ == "__main__":
    main()
