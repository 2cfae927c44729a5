from __future__ import annotations

import numpy as np
import pytest

from sailplan.core import Limits, Policy, search
from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.learning import Examples
from sailplan.learning.algorithms.sail import collect
from sailplan.policies import greedy
from sailplan.policies.features import feature_set
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replay.samples import draw_steps, take_samples
from tests.learned_policies import random_policy
from tests.learning.tiny import pocket_problem, tiny_problems


def _labelled() -> list[LabelledProblem]:
    return label_problems(tiny_problems()).solvable


def _collect(
    probability: float, *, seed: int = 0, jobs: int = 1, samples: int = 9, features: str = "relative"
) -> Examples:
    problems = _labelled()
    return collect(
        problems,
        random_policy(4, "relative"),
        feature_set(features),
        oracle_probability=probability,
        samples=samples,
        max_expansions=50,
        seeds=np.random.SeedSequence(seed).spawn(len(problems)),
        jobs=jobs,
    )


def _alone(policy: Policy | None, features: str, samples: int) -> Examples:
    """Sample the roll-outs of one policy, step by step as `collect` should; None stands for the oracle."""
    parts, chosen = [], feature_set(features)
    for labelled, seed in zip(_labelled(), np.random.SeedSequence(0).spawn(len(_labelled())), strict=True):
        rng = np.random.default_rng(seed)
        rng.integers(1 << 62)
        trace = search(labelled.problem, policy or OraclePolicy(), Limits(50), engine="reference").trace
        steps = draw_steps(len(trace.expanded), samples, rng)
        vertices, rows = take_samples(labelled.problem, trace, chosen, steps, rng.random(len(steps)), "reference")
        parts.append(Examples(rows, labelled.table[vertices] / chosen.span(labelled.problem)))
    return Examples.concatenate(parts)


@pytest.mark.parametrize(("features", "samples"), [("relative", 9), ("paper17", 0)])
def test_all_oracle_and_all_learner(features: str, samples: int) -> None:
    for probability, policy in ((1.0, None), (0.0, random_policy(4, "relative"))):
        found = _collect(probability, features=features, samples=samples)
        expected = _alone(policy, features, samples)
        assert found.rows.tolist() == expected.rows.tolist()
        assert found.labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize("probability", [0.0, 0.4, 1.0])
def test_the_number_of_jobs_changes_nothing(probability: float) -> None:
    one, two = _collect(probability), _collect(probability, jobs=2)
    assert one.rows.tolist() == two.rows.tolist()
    assert one.labels.tolist() == two.labels.tolist()


def test_the_seeds_do() -> None:
    assert _collect(0.4).rows.tolist() == _collect(0.4).rows.tolist()
    assert _collect(0.4).rows.tolist() != _collect(0.4, seed=1).rows.tolist()


def test_a_mixture_is_neither_of_the_two() -> None:
    mixed = _collect(0.5, samples=0)
    assert len(mixed) not in (len(_collect(1.0, samples=0)), len(_collect(0.0, samples=0)))


def test_so_many_samples_of_each_world() -> None:
    assert len(_collect(0.5, samples=7)) == 7 * len(_labelled())
    lengths = [search(one.problem, OraclePolicy(), Limits(50)).expansions for one in _labelled()]
    assert len(_collect(1.0, samples=0)) == sum(lengths)


def test_labels_are_in_the_unit_of_the_features() -> None:
    in_cells, in_spans = (_collect(1.0, features=name) for name in ("paper17", "relative"))
    span = feature_set("relative").span(tiny_problems()[0])
    assert span == pytest.approx(18 * np.sqrt(2))
    assert in_spans.labels * span == pytest.approx(in_cells.labels)


def test_a_directed_graph_has_labels_beyond_its_pocket() -> None:
    problems = label_problems([pocket_problem()]).solvable
    examples = collect(
        problems,
        greedy("euclidean"),
        feature_set("relative"),
        oracle_probability=0.5,
        samples=40,
        max_expansions=50,
        seeds=np.random.SeedSequence(2).spawn(1),
    )
    assert np.isfinite(examples.labels).all()
    assert (examples.labels * 6.0).max() == pytest.approx(14.0)
