"""Beliefs: their expansions beside optimistic replanning and the clairvoyant limit.

    python benchmarks/beliefs.py --data ../shared/data/motion_planning_datasets

For each family a belief is trained on the maps of `train` and chosen on the first half of `validation`; it is reported
on the other half, and on generated worlds of seeds that nothing else uses. Runs are stored in --runs and reused.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from sailplan.datasets import FAMILIES
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.evaluation.metrics import Summary, summarise
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.policies import load_policy
from sailplan.policies.catalogue import MODEL
from sailplan.policies.replanning.policy import ReplanningPolicy
from training import FRESH_SEED, Training

HALF = 50
HEADINGS = (
    "family",
    "worlds",
    "oracle",
    "optimistic",
    "belief",
    "over optimistic",
    "ratio, optimistic",
    "ratio, belief",
)


def compare(model: Path, data: str, choice: Choice) -> list[Summary]:
    """The oracle, optimistic replanning and the belief, in this order."""
    policies = {
        "oracle": load_policy("oracle"),
        "optimistic": load_policy("optimistic"),
        "belief": load_policy(str(model)),
    }
    found = {one.policy: one for one in summarise(run_benchmark(policies, load_tasks(data, choice), jobs=2))}
    return [found[name] for name in policies]


def with_interval(one: Summary) -> str:
    return f"{one.mean_expansions:.1f} ({one.ci95[0]:.0f}-{one.ci95[1]:.0f})"


def print_table(title: str, rows: Sequence[tuple[str, list[Summary]]]) -> None:
    lines = []
    for family, (oracle, optimistic, belief) in rows:
        texts = (
            family,
            str(belief.worlds - belief.unsolvable),
            f"{oracle.mean_expansions:.1f}",
            with_interval(optimistic),
            with_interval(belief),
            f"{belief.mean_expansions / optimistic.mean_expansions:.3f}",
            f"{optimistic.ratio_to_clairvoyant:.3f}",
            f"{belief.ratio_to_clairvoyant:.3f}",
        )
        lines.append([Cell(text) for text in texts])
    means = [mean(one[place].ratio_to_clairvoyant for _, one in rows) for place in (1, 2)]
    lines.append([Cell(text) for text in ("mean", "", "", "", "", "", *(f"{one:.3f}" for one in means))])
    print(markdown(Sheet(title, HEADINGS, lines)), flush=True)


def describe(model: Path) -> str:
    """The chosen belief in one line."""
    policy = load_policy(str(model))
    assert isinstance(policy, ReplanningPolicy)
    parts = (getattr(policy.belief, name, "") for name in ("penalty", "agreement"))
    return f"{policy.belief.name} {' '.join(str(one) for one in parts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--runs", type=Path, default=Path("build/beliefs"))
    parser.add_argument("--generated", type=int, default=400, help="generated worlds of each family")
    arguments = parser.parse_args()
    held_out, generated = [], []
    for family in FAMILIES:
        options = ("--data", str(arguments.data / family), "--algorithm", "belief", "--validation-worlds", str(HALF))
        training = Training(family, options)
        training.run(arguments.runs)
        model = training.folder(arguments.runs) / MODEL
        print(f"{family}: {describe(model)}", flush=True)
        choice = Choice("validation", skip=HALF)
        held_out.append((family, compare(model, str(arguments.data / family), choice)))
        fresh = Choice("test", arguments.generated, FRESH_SEED)
        generated.append((family, compare(model, family, fresh)))
    print_table("The other half of the validation maps", held_out)
    print_table(f"{arguments.generated} generated worlds of each family", generated)


if __name__ == "__main__":
    main()
