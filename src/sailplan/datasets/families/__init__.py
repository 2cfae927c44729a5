"""Seeded generators of the eight families of the paper."""

from sailplan.datasets.families.family import FAMILIES, MAYBE_UNSOLVABLE, Family
from sailplan.datasets.families.generate import GeneratedWorlds, generate_world

__all__ = ["FAMILIES", "MAYBE_UNSOLVABLE", "Family", "GeneratedWorlds", "generate_world"]
