"""SaIL and SL with the settings of the paper: seeds, and what changes if one thing is varied.

    python benchmarks/paper_variants.py seeds --data ../shared/data/motion_planning_datasets --runs runs
    python benchmarks/paper_variants.py sail --families alternating_gaps,bugtrap_forest
    python benchmarks/paper_variants.py sl --families alternating_gaps,single_bugtrap
    python benchmarks/paper_variants.py table

`seeds` trains `--preset paper` on 200 training maps, chooses the round on the first half of the validation maps and
reports the second half. `sail` and `sl` vary one thing at a time and use training maps only: 0 to 199 to train on (SL
also 400 to 799), 200 to 249 to choose the round on, 300 to 399 to report. Results are appended to `seeds.csv` and
`variants.csv` in the folder of the runs; those that are already there are not computed again. `table` prints them.

The network of the paper and its optimiser are trained in numpy here, which takes a fraction of the time of torch. With
`--torch`, `seeds` calls `sailplan train`; the variant `torch` is the unmodified one with torch.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imitation import HALF, LIMITS, solvable, validation_half
from sailplan.core import Limits, Policy, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets import FAMILIES
from sailplan.datasets.labelled import LabelledProblem
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.metrics import normalised
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.experiments.systems import PUBLISHED
from sailplan.learning import CLONING, PAPER, Progress, SailSettings
from sailplan.learning.algorithms.sail import Imitator
from sailplan.learning.regressors import Examples, network_maker
from sailplan.learning.rounds import Candidate, draw_problems, run_rounds, seed_of
from sailplan.learning.run_folder import read_metrics
from sailplan.learning.settings import NetworkSettings
from sailplan.policies import load_policy
from sailplan.policies.catalogue import MODEL
from sailplan.policies.features import feature_set
from sailplan.policies.keyed.policy import greedy
from sailplan.policies.learned.network import DenseNetwork, Layer, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import MixturePolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replay.samples import take_samples
from training import Training as Run

Floats = NDArray[np.float32]
RESULTS, SEEDS = "variants.csv", "seeds.csv"
COLUMNS = ("algorithm", "variant", "family", "seed", "rounds", "best_round", "chosen_on", "reported", "seconds")


@dataclass(frozen=True)
class Variant:
    """A training that differs from the paper's settings in one thing."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings with other values."""
    from_all_steps: bool = False
    """Draw the steps of the examples from all T steps; those after the end of a search give no example."""
    continues: bool = False
    """Continue from the last weights; the scaling remains that of the first round."""
    one_scale: bool = False
    """Scale all columns by the same mean and deviation."""
    never_oracle: bool = False
    """Let the learner select every step; greedy search does in the first round, where there is no learner."""
    torch: bool = False
    """Train with torch."""
    times: int = 0
    """Roll out on the first 200 worlds only, each this many times; 0: once on all worlds."""


UNMODIFIED = Variant("unmodified")
ONE_PASS = Variant("1 pass", {"epochs": 1})
TWO_PASSES = Variant("2 passes", {"epochs": 2})
COST_TO_GO = Variant("plain cost-to-go", {"target": "cost_to_go"})
ONE_SCALE = Variant("one scale for all columns", one_scale=True)
TOUCHED = Variant("rescore touched", {"rescore": "touched"})
TORCH = Variant("torch", torch=True)
NO_AVERAGING = Variant("no averaging of the weights", {"averaging": 0.0})
SAIL = (
    UNMODIFIED,
    ONE_PASS,
    TWO_PASSES,
    Variant("continue from the last weights", continues=True),
    Variant("examples from all T steps", from_all_steps=True),
    ONE_SCALE,
    COST_TO_GO,
    TOUCHED,
    Variant("beta = 0", never_oracle=True),
    NO_AVERAGING,
    Variant("rate 0.001", {"learning_rate": 0.001}),
    Variant("20 passes", {"epochs": 20}),
    Variant("20 passes, rate 0.001", {"epochs": 20, "learning_rate": 0.001}),
    Variant("T = 6000", {"max_expansions": 6000}),
    TORCH,
)
SL = (
    UNMODIFIED,
    ONE_PASS,
    TWO_PASSES,
    Variant("5 passes", {"epochs": 5}),
    ONE_SCALE,
    COST_TO_GO,
    TOUCHED,
    Variant("200 worlds", times=1),
    Variant("200 worlds, each three times", times=3),
    NO_AVERAGING,
    Variant("rate 0.001", {"learning_rate": 0.001}),
)


@dataclass(frozen=True, eq=False)
class VariedImitator(Imitator):
    """SaIL with the parts of a variant that are no settings."""

    variant: Variant = UNMODIFIED

    def mixing(self, number: int) -> float:
        return 0.0 if self.variant.never_oracle else super().mixing(number)

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        if not self.variant.from_all_steps:
            return super().collect(number, progress)
        problems, seeds = draw_problems(self.problems, self.settings.worlds_per_round, self.seed, number)
        learner = progress.policies[-1] if progress.policies else greedy("euclidean")
        pairs = zip(problems, seeds, strict=True)
        return Examples.concatenate(self.from_all_steps(one, learner, number, seed) for one, seed in pairs)

    def from_all_steps(
        self, labelled: LabelledProblem, learner: Policy, number: int, seed: np.random.SeedSequence
    ) -> Examples:
        """Examples of one roll-out, as `collect` in `sail.py` takes them, but from k of T steps."""
        rng, problem, longest = np.random.default_rng(seed), labelled.problem, self.settings.max_expansions
        mixture = MixturePolicy(
            OraclePolicy(labelled.table), learner, self.mixing(number), seed=int(rng.integers(1 << 62))
        )
        trace = search(problem, mixture, Limits(expansions=longest)).trace
        drawn = np.sort(rng.choice(longest, self.settings.samples_per_world, replace=False)).astype(np.int64)
        steps = drawn[drawn < len(trace.expanded)]
        vertices, rows = take_samples(problem, trace, self.features, steps, rng.random(len(steps)))
        return Examples(rows, labelled.labels(vertices.tolist()) / self.features.span(problem))

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        if not (self.variant.continues or self.variant.one_scale):
            return super().fit(number, progress)
        examples, network = Examples.concatenate(progress.examples), self.make_regressor(seed_of(self.seed, number))
        assert isinstance(network, NumpyNetwork)
        linear = self.features.guess_weights
        values = examples.labels - examples.rows @ linear
        if self.variant.continues and progress.policies:
            last = progress.policies[-1].model
            scaling, offset, unit, network.start = last.scaling, last.offset, last.unit, last.layers
        else:
            scaling = scaling_of_all(examples.rows) if self.variant.one_scale else Scaling.fit(examples.rows)
            offset, unit = float(values.mean()), float(values.std())
        scaled, wanted = scaling(examples.rows), (values - offset) / unit
        network.fit(scaled, wanted)
        loss = float(np.mean((network.predict(scaled) - wanted) ** 2))
        model = DenseNetwork(tuple(network.dense_layers()), scaling, linear, unit, offset)
        return [Candidate(LearnedPolicy(self.features, model, self.settings.rescore))], loss


class NumpyNetwork:
    """Dense layers with ReLU, trained as `TorchNetwork` is: the same initial distribution, RMSProp and averaging."""

    def __init__(self, settings: NetworkSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.start: Sequence[Layer] | None = None
        """Layers to continue from; None: begin from scratch."""
        self.layers: list[Layer] = []

    def fit(self, rows: FloatArray, values: FloatArray) -> None:
        settings, rng = self.settings, np.random.default_rng(self.seed)
        widths = [rows.shape[1], *settings.hidden, 1]
        parameters, self.layers = flat_layers(widths)
        gradient, gradients = flat_layers(widths)
        for place, (weights, biases) in enumerate(self.layers):
            bound = 1.0 / np.sqrt(len(weights))
            start = (
                self.start[place] if self.start else [rng.uniform(-bound, bound, a.shape) for a in (weights, biases)]
            )
            weights[:], biases[:] = start
        squares, average, steps = np.zeros_like(parameters), np.zeros_like(parameters), 0
        inputs, wanted = rows.astype(np.float32), values.astype(np.float32)
        for _ in range(settings.epochs):
            order = rng.permutation(len(inputs))
            for first in range(0, len(inputs), settings.batch_size):
                batch = order[first : first + settings.batch_size]
                self.differentiate(inputs[batch], wanted[batch], gradients)
                squares += 0.01 * (gradient * gradient - squares)
                parameters -= settings.learning_rate * gradient / (np.sqrt(squares) + 1e-8)
                average += (1.0 - settings.averaging) * (parameters - average)
                steps += 1
        if settings.averaging:
            parameters[:] = average / (1.0 - settings.averaging**steps)

    def differentiate(self, rows: Floats, wanted: Floats, gradients: Sequence[Layer]) -> None:
        """Set the gradient of the mean squared error."""
        seen = [rows]
        for weights, biases in self.layers[:-1]:
            seen.append(np.maximum(seen[-1] @ weights + biases, 0.0))
        weights, biases = self.layers[-1]
        change = (seen[-1] @ weights + biases - wanted[:, None]) * np.float32(2.0 / len(rows))
        for place in range(len(self.layers) - 1, -1, -1):
            np.matmul(seen[place].T, change, out=gradients[place][0])
            change.sum(axis=0, out=gradients[place][1])
            if place:
                change = (change @ self.layers[place][0].T) * (seen[place] > 0.0)

    def predict(self, rows: FloatArray) -> FloatArray:
        values = rows.astype(np.float32)
        for weights, biases in self.layers[:-1]:
            values = np.maximum(values @ weights + biases, 0.0)
        weights, biases = self.layers[-1]
        return (values @ weights + biases)[:, 0].astype(np.float64)

    def dense_layers(self) -> list[Layer]:
        return [(weights.copy(), biases.copy()) for weights, biases in self.layers]


def flat_layers(widths: Sequence[int]) -> tuple[Floats, list[Layer]]:
    """A vector of zeros, and layers that are views of it."""
    shapes = list(pairwise(widths))
    flat, layers, first = np.zeros(sum((one + 1) * next_ for one, next_ in shapes), np.float32), [], 0
    for inputs, outputs in shapes:
        middle, end = first + inputs * outputs, first + (inputs + 1) * outputs
        layers.append((flat[first:middle].reshape(inputs, outputs), flat[middle:end]))
        first = end
    return flat, layers


def scaling_of_all(rows: FloatArray) -> Scaling:
    columns = rows.shape[1]
    return Scaling(np.full(columns, rows.mean()), np.full(columns, rows.std()))


def training_maps(data: Path, family: str, first: int, count: int) -> list[Problem]:
    (tasks,) = load_tasks(str(data / family), Choice("train", limit=count, skip=first))
    return [task.problem() for task in tasks.tasks]


def mean_expansions(policy: Policy, problems: Sequence[Problem]) -> float:
    return float(np.mean([search(problem, policy, LIMITS).expansions for problem in problems]))


def train_variant(
    variant: Variant, settings: SailSettings, train: Sequence[Problem], choice: Sequence[Problem], seed: int
) -> tuple[Policy, int, float]:
    """The policy of the best round, the number of this round, and its mean expansions on the maps of the choice."""
    changed, features = settings.changed(**variant.changes), feature_set(settings.features)
    worlds = [*train[:200]] * variant.times if variant.times else train

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> VariedImitator:
        make_torch = network_maker(changed.network, features)
        regressors = make_torch if variant.torch else partial(NumpyNetwork, changed.network)
        return VariedImitator(problems, changed, features, regressors, seed, jobs, variant)

    training = run_rounds(make_learner, worlds, choice, changed, seed=seed)
    return training.policy, training.best.number, training.best.validation_expansions


def read_results(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def vary(
    algorithm: str,
    variants: Sequence[Variant],
    settings: SailSettings,
    data: Path,
    runs: Path,
    families: Sequence[str],
    seeds: Sequence[int],
) -> None:
    """Train every variant, the first seed of all of them first, and append each result to the file."""
    path = runs / RESULTS
    worlds: dict[str, tuple[list[Problem], list[Problem], list[Problem]]] = {}
    for seed in seeds:
        for variant in variants:
            for family in families:
                key = (algorithm, variant.name, family, str(seed), str(settings.rounds))
                if key in {tuple(row[name] for name in COLUMNS[:5]) for row in read_results(path)}:
                    continue
                if family not in worlds:
                    more = training_maps(data, family, 400, 400) if algorithm == "sl" else []
                    worlds[family] = (
                        [*training_maps(data, family, 0, 200), *more],
                        training_maps(data, family, 200, 50),
                        solvable(training_maps(data, family, 300, 100)),
                    )
                train, choice, report = worlds[family]
                began = perf_counter()
                policy, best, chosen_on = train_variant(variant, settings, train, choice, seed)
                reported = mean_expansions(policy, report)
                write_result(path, key, best, chosen_on, reported, perf_counter() - began)


def write_result(path: Path, key: Sequence[str], best: int, chosen_on: float, reported: float, seconds: float) -> None:
    row = [*key, str(best), f"{chosen_on:.1f}", f"{reported:.1f}", f"{seconds:.0f}"]
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        csv.writer(file).writerows([COLUMNS, row] if is_new else [row])
    print(*row, f"{normalised(reported):.3f}", sep=", ", flush=True)


def three_numbers(scores: Sequence[float]) -> str:
    """The median and the range, or the number itself if there is only one."""
    if len(scores) < 2:
        return f"{scores[0]:.3f}" if scores else "-"
    return f"{median(scores):.3f} ({min(scores):.3f}-{max(scores):.3f})"


def print_results(runs: Path) -> None:
    print_seeds(runs / SEEDS)
    print_variants(runs / RESULTS)


def print_seeds(path: Path) -> None:
    rows = read_results(path)
    trained = list(dict.fromkeys(row["algorithm"] for row in rows))
    lines = []
    for family in FAMILIES:
        line = [Cell(family), Cell(f"{PUBLISHED[family]['sail']:.3f}")]
        for name in trained:
            scores = scores_of(rows, algorithm=name, family=family)
            line += [Cell(three_numbers(scores)), Cell(" ".join(f"{score:.3f}" for score in scores))]
        lines.append(line)
    headings = ["family", "published", *(text for name in trained for text in (f"{name}: median (range)", "seeds"))]
    print(markdown(Sheet("SaIL, second half of the validation maps", headings, lines)), flush=True)


def print_variants(path: Path) -> None:
    rows = read_results(path)
    for algorithm in dict.fromkeys(row["algorithm"] for row in rows):
        own = [row for row in rows if row["algorithm"] == algorithm]
        families = list(dict.fromkeys(row["family"] for row in own))
        lines = []
        for name in dict.fromkeys(row["variant"] for row in own):
            line = [Cell(name)]
            for family in families:
                scores = scores_of(own, variant=name, family=family)
                line += [Cell(three_numbers(scores)), Cell(str(len(scores)))]
            lines.append(line)
        published = [(Cell(f"{PUBLISHED[family][algorithm]:.3f}"), Cell("")) for family in families]
        lines.append([Cell("published"), *(cell for pair in published for cell in pair)])
        headings = ["variant", *(text for family in families for text in (family, "seeds"))]
        print(markdown(Sheet(f"{algorithm}: median (range) of normalised expansions", headings, lines)), flush=True)


def scores_of(rows: Sequence[Mapping[str, str]], **wanted: str) -> list[float]:
    """The scores of the rows with these values, by seed."""
    found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return [normalised(float(row["reported"])) for row in sorted(found, key=lambda row: int(row["seed"]))]


def seeds_of_paper(data: Path, runs: Path, families: Sequence[str], seeds: Sequence[int], torch: bool) -> None:
    """Train the preset, the first seed of all families first, and append the second half of the validation maps.

    With torch it is `sailplan train`; else the settings are the same, and numpy trains the network.
    """
    path, algorithm = runs / SEEDS, "torch" if torch else "numpy"
    settings = PAPER.changed(validation_worlds=HALF)
    for seed in seeds:
        for family in families:
            key = (algorithm, "preset paper", family, str(seed), str(settings.rounds))
            if key in {tuple(row[name] for name in COLUMNS[:5]) for row in read_results(path)}:
                continue
            began = perf_counter()
            if torch:
                options = ("--data", str(data / family), "--algorithm", "sail", "--preset", "paper")
                run = Run(f"paper-{family}-{seed}", (*options, "--seed", str(seed), "--validation-worlds", str(HALF)))
                run.run(runs)
                best = min(read_metrics(run.folder(runs)), key=lambda one: one.validation_expansions)
                number, chosen_on = best.number, best.validation_expansions
                policy: Policy = load_policy(str(run.folder(runs) / MODEL))
            else:
                (tasks,) = load_tasks(str(data / family), Choice("validation", limit=HALF))
                choice = [task.problem() for task in tasks.tasks]
                train = training_maps(data, family, 0, settings.training_worlds)
                policy, number, chosen_on = train_variant(UNMODIFIED, settings, train, choice, seed)
            reported = mean_expansions(policy, solvable(validation_half(data, family)))
            write_result(path, key, number, chosen_on, reported, perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["seeds", "sail", "sl", "table"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of the runs and results")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--rounds", type=int, default=8, help="rounds of `sail`")
    parser.add_argument("--variants", help="names of the variants, separated by semicolons; by default all")
    parser.add_argument("--torch", action="store_true", help="let `seeds` call `sailplan train`")
    arguments = parser.parse_args()
    families, seeds = arguments.families.split(","), [int(seed) for seed in arguments.seeds.split(",")]
    data, runs = arguments.data, arguments.runs

    def chosen(variants: Sequence[Variant]) -> list[Variant]:
        names = arguments.variants.split(";") if arguments.variants else [one.name for one in variants]
        return [one for one in variants if one.name in names]

    whats: dict[str, Callable[[], None]] = {
        "seeds": lambda: seeds_of_paper(data, runs, families, seeds, arguments.torch),
        "sail": lambda: vary("sail", chosen(SAIL), PAPER.changed(rounds=arguments.rounds), data, runs, families, seeds),
        "sl": lambda: vary("sl", chosen(SL), CLONING, data, runs, families, seeds),
        "table": lambda: print_results(runs),
    }
    whats[arguments.what]()


if __name__ == "__main__":
    main()
