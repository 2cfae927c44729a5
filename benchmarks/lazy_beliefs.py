"""Beliefs under lazy search: their edge evaluations beside those of plain lazy search.

    python benchmarks/lazy_beliefs.py --data ../shared/data/motion_planning_datasets

The pretrained beliefs (`lazy-belief:FAMILY`) are run on generated worlds of a seed that nothing else uses. For each
family of the data folder a belief is trained on the maps of `train` and chosen on the first half of `validation`; it is
run on the other half, and so is the pretrained one. Runs are stored in --runs and reused.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from sailplan.core import Policy
from sailplan.datasets import FAMILIES
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.evaluation.benchmark import run_benchmark
from sailplan.evaluation.metrics import Summary, summarise
from sailplan.evaluation.sheets import Cell, Sheet, markdown
from sailplan.policies import load_policy
from sailplan.policies.lazy.policy import LazyPolicy
from training import FRESH_SEED, Training

HALF = 50
FEWER, MORE = 0.85, 1.02
"""The ratios that are aimed at: in at least five families at most the first, in all at most the second."""
HEADINGS = ("family", "worlds", "lazy", "lazy-belief", "ratio", "cost, lazy", "cost, lazy-belief", "cost ratio", "ms")


def compare(policy: Policy, data: str, choice: Choice, jobs: int) -> list[Summary]:
    """Lazy search without and with the belief, in this order."""
    policies = {"lazy": load_policy("lazy"), "lazy-belief": policy}
    found = {one.policy: one for one in summarise(run_benchmark(policies, load_tasks(data, choice), jobs=jobs))}
    return [found[name] for name in policies]


def print_table(title: str, rows: Sequence[tuple[str, list[Summary]]]) -> None:
    lines, ratios = [], []
    for family, (lazy, belief) in rows:
        ratios.append(belief.mean_edge_evaluations / lazy.mean_edge_evaluations)
        texts = (
            family,
            str(belief.worlds),
            f"{lazy.mean_edge_evaluations:.1f}",
            f"{belief.mean_edge_evaluations:.1f}",
            f"{ratios[-1]:.3f}",
            f"{lazy.mean_cost_ratio:.3f}",
            f"{belief.mean_cost_ratio:.3f}",
            f"{belief.mean_cost_ratio / lazy.mean_cost_ratio:.3f}",
            f"{belief.ms_per_search:.1f}",
        )
        lines.append([Cell(text) for text in texts])
    print(markdown(Sheet(title, HEADINGS, lines)))
    fewer, more = sum(one <= FEWER for one in ratios), sum(one > MORE for one in ratios)
    print(f"at most {FEWER} times lazy's evaluations: {fewer} families; above {MORE}: {more} families\n", flush=True)


def describe(policy: Policy) -> str:
    """The chosen policy in one line."""
    assert isinstance(policy, LazyPolicy)
    parts = (str(getattr(policy.belief, name, "")) for name in ("penalty", "agreement", "refresh"))
    return f"{policy.selector} {policy.belief.name} {' '.join(parts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/motion_planning_datasets"))
    parser.add_argument("--runs", type=Path, default=Path("build/lazy_beliefs"))
    parser.add_argument("--generated", type=int, default=400, help="generated worlds of each family")
    parser.add_argument("--families", default=",".join(FAMILIES), help="families, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="threads of the searches")
    arguments = parser.parse_args()
    generated, trained, pretrained = [], [], []
    for family in arguments.families.split(","):
        shipped, data = load_policy(f"lazy-belief:{family}"), str(arguments.data / family)
        print(f"{family}, pretrained: {describe(shipped)}", flush=True)
        fresh = Choice("test", arguments.generated, FRESH_SEED)
        generated.append((family, compare(shipped, family, fresh, arguments.jobs)))
        if not Path(data).exists():
            continue
        options = ("--data", data, "--algorithm", "belief", "--objective", "evaluations")
        training = Training(family, (*options, "--validation-worlds", str(HALF)))
        training.run(arguments.runs)
        model = load_policy(training.folder(arguments.runs))
        print(f"{family}, trained: {describe(model)}", flush=True)
        other_half = Choice("validation", skip=HALF)
        trained.append((family, compare(model, data, other_half, arguments.jobs)))
        pretrained.append((family, compare(shipped, data, other_half, arguments.jobs)))
    print_table(f"{arguments.generated} generated worlds of each family, pretrained", generated)
    if trained:
        print_table("The other half of the validation maps, trained on the maps of train", trained)
        print_table("The other half of the validation maps, pretrained on generated worlds", pretrained)


if __name__ == "__main__":
    main()
