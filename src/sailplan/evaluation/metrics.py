"""Metrics: summaries of the records of a policy on a family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sailplan.core import Outcome
from sailplan.evaluation.records import UNSOLVABLE, Record

_RESAMPLES = 2000
_COST_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Summary:
    """A policy on a family; means are over the worlds that can be solved."""

    policy: str
    family: str
    worlds: int
    """Worlds searched."""
    unsolvable: int
    """Worlds left out because the goal cannot be reached."""
    solved: int
    """Worlds on which a path was found within the limits."""
    mean_expansions: float
    normalised: float
    """clip((mean - 200) / 4800, 0, 1), as in the paper; NaN if the policy requests edges, as it expands no vertices."""
    ratio_to_clairvoyant: float
    """Mean expansions over those of the oracle policy on the same worlds. If the policy requests edges, mean edge
    evaluations over the fewest edges of a valid path: a search by edges must evaluate the edges of its path."""
    mean_cost_ratio: float
    """Path cost over optimal cost, averaged over the worlds solved."""
    mean_edge_evaluations: float
    ms_per_search: float
    ci95: tuple[float, float]
    """Bootstrap interval of the mean expansions."""
    requests_edges: bool
    """Whether the policy requests edges instead of expanding vertices."""
    ratio_to_fewest_edges: float
    """Mean edge evaluations over the fewest edges of a valid path."""
    ci95_edge_evaluations: tuple[float, float]
    """Bootstrap interval of the mean edge evaluations."""
    listed_costs: int
    """Worlds solved whose file lists a cost."""
    listed_costs_met: int
    """Number of these worlds that were solved at that cost."""


def normalised(mean_expansions: float) -> float:
    """The paper's score of a mean number of expansions, clip((mean - 200) / 4800, 0, 1).

    Examples
    --------
    >>> normalised(2600.0), normalised(100.0)
    (0.5, 0.0)
    """
    return float(np.clip((mean_expansions - 200.0) / 4800.0, 0.0, 1.0))


def bootstrap_interval(values: ArrayLike, rng: np.random.Generator) -> tuple[float, float]:
    """The bootstrap 95 % interval of the mean."""
    sample = np.asarray(values, np.float64)
    if len(sample) == 0:
        return math.nan, math.nan
    picks = rng.integers(0, len(sample), (_RESAMPLES, len(sample)))
    low, high = np.percentile(sample[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def summarise(records: Sequence[Record]) -> list[Summary]:
    """Summarise records: one summary for each policy and family, in the order in which they first occur."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.family, record.policy), []).append(record)
    return [_summarise(family, policy, group) for (family, policy), group in groups.items()]


def _summarise(family: str, policy: str, records: list[Record]) -> Summary:
    searched = [record for record in records if record.outcome != UNSOLVABLE]
    solved = [record for record in searched if Outcome(record.outcome).found]
    listed = [record for record in solved if not math.isnan(record.listed_cost)]
    expansions = [record.expansions for record in searched]
    evaluations = [record.edge_evaluations for record in searched]
    mean, mean_evaluations = _mean(expansions), _mean(evaluations)
    to_fewest = _ratio(mean_evaluations, _mean([record.fewest_edges for record in searched]))
    to_oracle = _ratio(mean, _mean([record.clairvoyant_expansions for record in searched]))
    # Any vertex that is expanded but the goal has its edges evaluated, so that this cannot be a search by vertices.
    by_edges = mean == 0 and mean_evaluations > 0
    return Summary(
        policy=policy,
        family=family,
        worlds=len(searched),
        unsolvable=len(records) - len(searched),
        solved=len(solved),
        mean_expansions=mean,
        normalised=math.nan if by_edges else normalised(mean),
        ratio_to_clairvoyant=to_fewest if by_edges else to_oracle,
        mean_cost_ratio=_mean([_ratio(record.cost, record.optimal_cost) for record in solved]),
        mean_edge_evaluations=mean_evaluations,
        ms_per_search=_mean([record.milliseconds for record in searched]),
        ci95=bootstrap_interval(expansions, np.random.default_rng(0)),
        requests_edges=by_edges,
        ratio_to_fewest_edges=to_fewest,
        ci95_edge_evaluations=bootstrap_interval(evaluations, np.random.default_rng(0)),
        listed_costs=len(listed),
        listed_costs_met=sum(
            math.isclose(record.cost, record.listed_cost, rel_tol=_COST_TOLERANCE) for record in listed
        ),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _ratio(figure: float, best: float) -> float:
    # If the best is zero (the start is the goal), all are equally good.
    return 1.0 if best == 0 else figure / best
