"""A reproduction that takes seconds: small worlds, two families, few systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.systems import SYSTEMS

FAMILIES = ("shifting_gaps", "single_bugtrap")
TRAINED = ("sail", "sl", "cem", "ql", "sail_default")
FEW = tuple(one for one in SYSTEMS if one.name in (*TRAINED, "h_euc", "a_star", "weighted_a_star", "oracle"))
SIZE = 21


def write_worlds(folder: Path, families: tuple[str, ...] = FAMILIES) -> Path:
    """Write a folder a family, each with its splits."""
    for family in families:
        for seed, (split, count) in enumerate((("train", 4), ("validation", 2), ("test", 5))):
            for index, world in enumerate(GeneratedWorlds(family, count, seed, width=SIZE, height=SIZE)):
                write_png(world, folder / family / split / f"{index}.png")
    return folder


def tiny(out: Path, data: Path, **changes: object) -> Reproduction:
    """A quick reproduction on such worlds, in this process."""
    asked = Reproduction(out, data, families=FAMILIES, jobs=1, quick=True, systems=FEW)
    return replace(asked, **changes)  # type: ignore[arg-type]
