from __future__ import annotations

import pytest

from sailplan.errors import TrainingError
from sailplan.learning.roadmaps import features_of_roadmap
from sailplan.policies.features import RoadmapColumns
from tests.learning.tiny import tiny_problems
from tests.roadmaps import random_roadmap


def test_the_features_of_a_roadmap_store_its_worlds() -> None:
    worlds = random_roadmap(0, dimensions=3)
    (columns,) = features_of_roadmap([worlds.problem(world) for world in range(4)]).features
    assert isinstance(columns, RoadmapColumns)
    assert columns.dimensions == 3
    stored = 1 - columns.belief.memory.by_world
    assert stored.tolist() == [worlds.valid(world).astype(int).tolist() for world in range(4)]


def test_what_is_not_one_roadmap_is_refused() -> None:
    with pytest.raises(TrainingError, match="need worlds of a roadmap"):
        features_of_roadmap(tiny_problems())
    with pytest.raises(TrainingError, match="worlds of one roadmap"):
        features_of_roadmap([random_roadmap(seed).problem(0) for seed in (0, 1)])
