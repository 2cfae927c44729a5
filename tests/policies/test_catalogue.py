from __future__ import annotations

import pytest

from sailplan.errors import PolicyError
from sailplan.policies import CATALOGUE, OraclePolicy, a_star, dijkstra, greedy, make_policy, mha_star, weighted_a_star
from sailplan.testing import check_policy


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_policy_keeps_the_contract(name: str) -> None:
    check_policy(make_policy(name), clairvoyant=name == "oracle")


def test_what_each_name_stands_for() -> None:
    assert {name: make_policy(name) for name in CATALOGUE} == {
        "a_star": a_star(),
        "a_star_octile": a_star("octile"),
        "weighted_a_star": weighted_a_star(11.0),
        "h_euc": greedy("euclidean"),
        "h_man": greedy("manhattan"),
        "h_oct": greedy("octile"),
        "mha_star": mha_star(),
        "dijkstra": dijkstra(),
        "oracle": OraclePolicy(),
    }
    assert all(entry.summary for entry in CATALOGUE.values())


@pytest.mark.parametrize("spelling", ["A*", "a-star", "A_Star", " astar ", "a star"])
def test_spelling_is_forgiven(spelling: str) -> None:
    assert make_policy(spelling) == a_star()


@pytest.mark.parametrize(
    ("name", "weight"), [("weighted_a_star:3", 3.0), ("Weighted-A*:0.5", 0.5), ("weighted_a_star: 0", 0.0)]
)
def test_weighted_a_star_takes_its_weight(name: str, weight: float) -> None:
    assert make_policy(name) == weighted_a_star(weight)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("b_star", "no policy 'b_star'; there are a_star, a_star_octile"),
        ("", "no policy ''"),
        ("a_star:3", "'a_star:3': only weighted_a_star takes a number after the colon"),
        ("weighted_a_star:heavy", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:-1", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:nan", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:inf", "the weight must be a finite number that is not negative"),
    ],
)
def test_bad_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        make_policy(name)
