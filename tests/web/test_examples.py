from __future__ import annotations

import numpy as np
import pytest

import sailplan
from sailplan.web.examples import EXAMPLES, SIDE


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_path_and_is_the_same_in_every_run(name: str) -> None:
    example = EXAMPLES[name]
    world = example.world(name)
    np.testing.assert_array_equal(world.blocked, example.world(name).blocked)
    assert (world.width, world.height, world.name) == (SIDE, SIDE, name)
    assert sailplan.plan(world, example.start, example.goal, policy="a_star_octile").found


def test_the_examples_differ_in_how_hard_they_are() -> None:
    straight = {name: float(np.hypot(*np.subtract(one.goal, one.start))) for name, one in EXAMPLES.items()}
    costs = {
        name: sailplan.plan(one.world(name), one.start, one.goal, policy="a_star_octile").cost / straight[name]
        for name, one in EXAMPLES.items()
    }
    assert costs["open"] == 1.0
    assert 1.2 < costs["office"] < 2.0
    assert all(costs[name] > 2.0 for name in ("bug_trap", "spiral", "two_gaps"))
