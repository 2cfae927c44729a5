"""The paper's Fig. 1 and Fig. 4a: policies trained on different families behave differently in the same world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sailplan.core import Policy
from sailplan.errors import SailplanError
from sailplan.evaluation.figures import Panel, draw_figure
from sailplan.experiments.reproduction import Experiment, Figure, Part, Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.searches import policy_of
from sailplan.experiments.snapshots import WORLD_RULE, numbers_of, panel_of, telling_task, watch
from sailplan.graphs.grid.pictures import write_picture
from sailplan.parallel import ShowProgress


@dataclass(frozen=True)
class Comparison:
    """Policies trained on each of these families, compared in one world of each."""

    name: str
    title: str
    families: tuple[str, ...]
    greedy: bool
    """Whether h_EUC, which is not trained, is compared too."""


COMPARISONS = (
    Comparison("gaps", "Adaptation: where the gaps are likely to be", ("shifting_gaps", "alternating_gaps"), False),
    Comparison("bugtrap", "Adaptation: a trap or a gap ahead", ("single_bugtrap", "shifting_gaps"), True),
)


def comparisons(asked: Reproduction) -> list[Comparison]:
    """The comparisons whose families are all part of the reproduction."""
    return [one for one in COMPARISONS if set(one.families) <= set(asked.families)]


def _runs(asked: Reproduction) -> list[Run]:
    chosen = comparisons(asked)
    if not chosen:
        wanted = " or ".join(", ".join(one.families) for one in COMPARISONS)
        raise SailplanError(f"adaptation compares trainings on {wanted}; name them with --families")
    families = dict.fromkeys(family for one in chosen for family in one.families)
    return runs_of(asked, [asked.system("sail")], families)


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Run every policy in every world of each comparison, and draw the searches."""
    numbers: list[dict[str, Any]] = []
    figures: list[Figure] = []
    chosen = comparisons(asked)
    with progress("drawing adaptation", len(chosen)) as step:
        for one in chosen:
            figures.append(_figure(asked, one, numbers))
            step()
    return Part("Adaptation", numbers, [one.file for one in figures], figures=figures)


def _figure(asked: Reproduction, comparison: Comparison, numbers: list[dict[str, Any]]) -> Figure:
    policies = _policies(asked, comparison)
    rows: dict[str, list[Panel]] = {}
    for family in comparison.families:
        task = telling_task(asked, family)
        problem = task.problem()
        results = {name: watch(problem, policy) for name, policy in policies.items()}
        rows[f"a world of {family}"] = [panel_of(problem, result) for result in results.values()]
        numbers += [numbers_of(asked, family, task.name, name, result) for name, result in results.items()]
    caption = (
        f"Each row is one world, searched by each policy. {WORLD_RULE} "
        f"{asked.worlds.capitalize()}; trained with {asked.label}, seed {asked.seed}."
    )
    file = asked.out / f"adaptation_{comparison.name}.png"
    write_picture(draw_figure(comparison.title, caption, list(policies), rows), file)
    return Figure(file, comparison.title)


def _policies(asked: Reproduction, comparison: Comparison) -> dict[str, Policy]:
    """The compared policies by column title."""
    sail, greedy = asked.system("sail"), asked.system("h_euc")
    policies = {f"{sail.label} of {family}": policy_of(asked, sail, family) for family in comparison.families}
    if comparison.greedy:
        policies[greedy.label] = policy_of(asked, greedy, comparison.families[0])
    return policies


ADAPTATION = Experiment(_runs, _make)
