from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sailplan.evaluation.metrics import bootstrap_interval, normalised, summarise
from sailplan.evaluation.records import UNSOLVABLE
from tests.evaluation.test_records import RECORD


@pytest.mark.parametrize(("mean", "score"), [(0, 0), (200, 0), (2600, 0.5), (5000, 1), (20000, 1)])
def test_the_papers_score_by_hand(mean: float, score: float) -> None:
    assert normalised(mean) == pytest.approx(score)


def test_means_leave_out_what_cannot_be_solved() -> None:
    records = [
        replace(RECORD, expansions=100, clairvoyant_expansions=50, cost=30.0, optimal_cost=20.0, edge_evaluations=10),
        replace(RECORD, expansions=300, clairvoyant_expansions=150, cost=20.0, optimal_cost=20.0, edge_evaluations=30),
        replace(RECORD, outcome=UNSOLVABLE, expansions=0, cost=math.inf, optimal_cost=math.inf),
    ]
    (summary,) = summarise(records)
    assert (summary.worlds, summary.unsolvable, summary.solved) == (2, 1, 2)
    assert summary.mean_expansions == 200
    assert summary.ratio_to_clairvoyant == 2.0
    assert summary.mean_cost_ratio == pytest.approx(1.25)
    assert summary.mean_edge_evaluations == 20


def test_a_search_that_gave_up_counts_its_expansions_but_not_its_cost() -> None:
    gave_up = replace(RECORD, outcome="expansions_spent", expansions=400, cost=math.inf)
    (summary,) = summarise([replace(RECORD, expansions=200, cost=RECORD.optimal_cost), gave_up])
    assert (summary.worlds, summary.solved) == (2, 1)
    assert summary.mean_expansions == 300
    assert summary.mean_cost_ratio == 1.0


def test_each_policy_and_family_is_apart_and_in_order() -> None:
    records = [replace(RECORD, family=family, policy=policy) for policy in "ba" for family in "zy"]
    assert [(one.family, one.policy) for one in summarise(records)] == [("z", "b"), ("y", "b"), ("z", "a"), ("y", "a")]


def test_listed_costs_are_compared() -> None:
    records = [
        replace(RECORD, cost=10.0, listed_cost=10.0001),
        replace(RECORD, cost=10.0, listed_cost=9.0),
        replace(RECORD, listed_cost=math.nan),
    ]
    (summary,) = summarise(records)
    assert (summary.listed_costs, summary.listed_costs_met) == (2, 1)


def test_nothing_solvable_gives_no_figures_and_no_warning() -> None:
    (summary,) = summarise([replace(RECORD, outcome=UNSOLVABLE)])
    assert math.isnan(summary.mean_expansions)
    assert math.isnan(summary.ci95[0])


def test_the_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        low, high = bootstrap_interval(rng.normal(10.0, 3.0, 60), rng)
        hits += low <= 10.0 <= high
    assert 0.89 <= hits / 200 <= 0.99


def test_start_beside_goal_is_as_good_as_the_oracle() -> None:
    (summary,) = summarise([replace(RECORD, expansions=0, edge_evaluations=0, clairvoyant_expansions=0)])
    assert summary.ratio_to_clairvoyant == 1.0
    assert not summary.requests_edges
    assert summary.normalised == 0.0


def test_a_search_by_edges_is_compared_with_the_fewest_edges_of_a_path() -> None:
    by_edges = replace(RECORD, policy="lazy", outcome="path_confirmed", expansions=0)
    records = [
        replace(by_edges, edge_evaluations=300, fewest_edges=100.0),
        replace(by_edges, edge_evaluations=500, fewest_edges=300.0),
    ]
    (summary,) = summarise(records)
    assert summary.requests_edges
    assert math.isnan(summary.normalised)
    assert summary.mean_edge_evaluations == 400
    assert summary.ratio_to_clairvoyant == summary.ratio_to_fewest_edges == 2.0
    assert summary.ci95 == (0.0, 0.0)
    assert summary.ci95_edge_evaluations == (300.0, 500.0)


def test_a_search_by_vertices_has_both_ratios() -> None:
    (summary,) = summarise([replace(RECORD, expansions=420, edge_evaluations=1000, fewest_edges=200.0)])
    assert (summary.ratio_to_clairvoyant, summary.ratio_to_fewest_edges) == (2.0, 5.0)


def test_a_limit_that_was_not_recorded_is_no_figure() -> None:
    (summary,) = summarise([replace(RECORD, expansions=0, fewest_edges=math.nan)])
    assert math.isnan(summary.ratio_to_clairvoyant)
