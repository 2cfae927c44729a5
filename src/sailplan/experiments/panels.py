"""Searches to look at: the world that is shown of a family, and what a policy did in it."""

from __future__ import annotations

from typing import Any

from sailplan.core import Policy, SearchResult, replay, search
from sailplan.core.problem import Problem
from sailplan.datasets.tasks import Task
from sailplan.errors import SailplanError
from sailplan.evaluation.benchmark import PAPER_LIMITS
from sailplan.evaluation.figures import Panel
from sailplan.evaluation.pictures import draw_panel
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.searches import records_of

WORLD_RULE = "The world of a family is the one that is harder for h_EUC than three quarters of the others."
"""The median world of some families has its obstacle out of the way, and shows nothing."""


def telling_task(asked: Reproduction, family: str) -> Task:
    """The world by the rule, of those that can be solved."""
    records = records_of(asked, [asked.system("h_euc")], [family])
    solvable = [index for index, record in enumerate(records) if record.outcome != UNSOLVABLE]
    if not solvable:
        raise SailplanError(f"{asked.source(family)}: no world of split {asked.split} has a path")
    ordered = sorted(solvable, key=lambda index: records[index].expansions)
    return asked.tasks(family).tasks[ordered[3 * len(ordered) // 4]]


def watch(problem: Problem, policy: Policy) -> SearchResult:
    """Search as the table does."""
    return search(problem, policy, PAPER_LIMITS)


def panel_of(problem: Problem, result: SearchResult, share: float = 1.0) -> Panel:
    """The search after that share of its expansions; at its end, with the path."""
    if share < 1.0:
        steps = round(share * result.expansions)
        return Panel(draw_panel(problem, replay(problem, result.trace, steps)), f"{steps} expansions")
    caption = f"{result.expansions} expansions" + ("" if result.found else ", no path yet")
    return Panel(draw_panel(problem, replay(problem, result.trace), result.path), caption)


def numbers_of(asked: Reproduction, family: str, world: str, policy: str, result: SearchResult) -> dict[str, Any]:
    """What a search did, ready for JSON."""
    return {
        "family": family,
        "world": world,
        "policy": policy,
        "expansions": result.expansions,
        "found": result.found,
        "cost": result.cost if result.found else None,
        "settings": asked.label,
    }
