"""Readers on mutated files: the result is a value or a SailplanError of one line, and nothing else."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image
from tests.datasets.formats.test_npz import _arrays as neural_astar_arrays
from tests.datasets.formats.test_primitives import CFG, MPRIM, NAV2
from tests.naive.octomap import encode
from tests.roadmaps import random_roadmap
from tests.robots.arms import TINY_SRDF, TINY_URDF
from tests.robots.test_motion_bench_maker import JOINTS, request, scene

from fuzz.mutations import mutate, mutate_archive, mutate_png
from fuzz.target import check_refusal
from sailplan.core.result import Trace
from sailplan.datasets import (
    GeneratedWorlds,
    read_costs,
    read_edge_worlds,
    read_mprim,
    read_nav2_lattice,
    read_neural_astar,
    read_octomap,
    read_sbpl_environment,
    read_scenarios,
    read_world,
    write_edge_worlds,
    write_world,
)
from sailplan.errors import SailplanError
from sailplan.evaluation.records import Record, read_records, write_records
from sailplan.graphs import Roadmap
from sailplan.learning import ALGORITHMS, Plan, Round, read_metrics, read_plan
from sailplan.learning.run_folder import RunFolder
from sailplan.robots import read_problems
from sailplan.robots.srdf import read_srdf
from sailplan.robots.urdf import read_urdf

Mutate = Callable[[bytes, random.Random, list[bytes]], bytes]


@dataclass(frozen=True)
class Format:
    """A file format: seeds, and how they are changed and read."""

    file: str
    """Path of the file in the folder of its own."""
    seeds: tuple[bytes, ...]
    read: Callable[[Path], object]
    mutations: tuple[Mutate, ...] = (mutate,)
    others: Mapping[str, bytes] | None = None
    """Files that lie beside it."""
    weight: int = 8
    """How often it is drawn."""


class Readers:
    """The target."""

    seconds = 10.0

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None
        self._folder = folder
        self._formats = formats(folder / "seeds")
        self._weights = [one.weight for one in self._formats]
        self._format = self._formats[0]
        for index, one in enumerate(self._formats):
            for name, data in {**(one.others or {}), one.file: one.seeds[0]}.items():
                path = folder / str(index) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            # The seeds are good, and what they need is compiled.
            one.read(folder / str(index) / one.file)

    def check(self, rng: random.Random, number: int) -> bool:
        """Mutate a file and read it."""
        (self._format,) = rng.choices(self._formats, self._weights)
        change = rng.choice(self._format.mutations)
        return self.again(change(rng.choice(self._format.seeds), rng, list(self._format.seeds)))

    def again(self, data: bytes) -> bool:
        """Read a file of the last format with this content."""
        self.last = data
        path = self._folder / str(self._formats.index(self._format)) / self._format.file
        path.write_bytes(data)
        try:
            self._format.read(path)
        except SailplanError as error:
            check_refusal(error)
            return False
        return True


def formats(folder: Path) -> list[Format]:
    """Return the formats with small seeds, which are written to a folder."""
    folder.mkdir()
    world = GeneratedWorlds("mazes", 1, 0, width=9, height=7)[0]
    images = {suffix: _written(partial(write_world, world), folder / f"a{suffix}") for suffix in SUFFIXES}
    gray = np.random.default_rng(0).integers(0, 256, (5, 6), np.uint8)
    kinds = {
        "L": Image.fromarray(gray),
        "1": Image.fromarray(gray).convert("1"),
        "P": Image.fromarray(gray).convert("P"),
    }
    kinds["RGBA"], kinds["I;16"] = kinds["L"].convert("RGBA"), Image.fromarray(gray.astype(np.uint16) * 200)
    pngs = (images[".png"], *(_image(image) for image in kinds.values()))
    scen = b"version 1\n0\ta.map\t9\t7\t0\t0\t2\t0\t2.0\n1\ta.map\t9\t7\t0\t0\t0\t2\t2.0\n"
    plans = tuple(_settings(plan, folder / str(index)) for index, plan in enumerate(_plans()))
    roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 8, neighbours=3)
    return [
        Format("a.png", pngs, read_world, (mutate, mutate_png), weight=4),
        Format("a.pgm", (images[".pgm"], b"P2\n3 2\n255\n0 255 0\n255 9 9\n"), read_world),
        Format("a.bmp", (images[".bmp"],), read_world),
        Format("a.map", (images[".map"],), read_world),
        Format("a.yaml", (images[".yaml"],), read_world, others={"a.pgm": images[".pgm"]}),
        Format("a.scen", (scen,), read_scenarios, others={"a.map": images[".map"]}),
        Format("costs.npy", (_npy(np.ones((3, 4))), _npy(np.ones((3, 4), np.int16))), read_costs),
        Format("edges.npz", _edge_worlds(folder), read_edge_worlds, (mutate, mutate_archive, mutate_archive), weight=2),
        Format(
            "maps.npz",
            (_npz(*neural_astar_arrays()),),
            lambda path: list(read_neural_astar(path, "train")),
            (mutate, mutate_archive, mutate_archive),
            weight=1,
        ),
        Format(
            "roadmap.npz", (_written(roadmap.save, folder / "r.npz"),), Roadmap.load, (mutate, mutate_archive), weight=2
        ),
        Format("a.bt", (encode(np.full((3, 2, 2), 2, np.uint8), (40000, 7, 32768), 0.1),), read_octomap),
        Format("a.json", (json.dumps(NAV2).encode(),), read_nav2_lattice),
        Format("a.mprim", (MPRIM.encode(),), read_mprim),
        Format("a.cfg", (CFG.encode(),), read_sbpl_environment),
        Format("a.urdf", (TINY_URDF.encode(),), read_urdf),
        Format("a.srdf", (TINY_SRDF.encode(),), read_srdf),
        Format(
            "p/scene0001.yaml",
            (_yaml(scene()),),
            _arm_problems,
            others={"p/request0001.yaml": _yaml(request())},
            weight=1,
        ),
        Format(
            "p/request0001.yaml",
            (_yaml(request()),),
            _arm_problems,
            others={"p/scene0001.yaml": _yaml(scene())},
            weight=1,
        ),
        Format("trace.npz", _traces(folder), Trace.load, (mutate, mutate_archive, mutate_archive), weight=2),
        Format("records.csv", (_records(folder),), read_records),
        Format("settings.json", plans, lambda path: read_plan(path.parent)),
        Format("metrics.csv", (_metrics(),), lambda path: read_metrics(path.parent)),
    ]


SUFFIXES = (".png", ".pgm", ".bmp", ".map", ".yaml")


def _written(write: Callable[[Path], object], path: Path) -> bytes:
    write(path)
    return path.read_bytes()


def _image(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(*arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, *arrays)
    return file.getvalue()


def _yaml(document: Any) -> bytes:
    text: str = yaml.safe_dump(document)
    return text.encode()


def _arm_problems(path: Path) -> object:
    return read_problems(path.parent.parent, JOINTS)


def _edge_worlds(folder: Path) -> tuple[bytes, ...]:
    kinds = (random_roadmap(0, vertices=6, worlds=3), random_roadmap(1, vertices=5, worlds=2, undirected=False))
    return tuple(_written(partial(write_edge_worlds, one), folder / "e.npz") for one in kinds)


def _traces(folder: Path) -> tuple[bytes, ...]:
    edges = np.array([[0, 1], [1, 2]], np.int32)
    kinds = (Trace(0, 3, np.array([0, 1, 2], np.int32)), Trace(0, 2, np.empty(0, np.int32), edges))
    return tuple(_written(one.save, folder / "t.npz") for one in kinds)


def _records(folder: Path) -> bytes:
    one = Record("mazes", "0", "lazy", "path_confirmed", 5, 9, 7, 12.5, 12.5, 4, 0.25, "compiled", 12.5, 8.0)
    other = Record("forest", "é, 1", "a_star", "unsolvable", 0, 0, 0, np.inf, np.inf, 0, 0.0, "", np.nan)
    return _written(lambda path: write_records([one, other], path), folder / "records.csv")


def _metrics() -> bytes:
    rows = [Round(number, 0.5, 10 * number, 0.25, 40.5 + number, 0.1, 0.2, 0.3, 160.25) for number in (1, 2)]
    names = [*Round.__dataclass_fields__]
    lines = [",".join(names), *(",".join(str(getattr(row, name)) for name in names) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def _settings(plan: Plan, folder: Path) -> bytes:
    RunFolder.begin(folder, plan, "digest")
    return (folder / "settings.json").read_bytes()


def _plans() -> list[Plan]:
    return [
        Plan(name, "worlds", 3, preset)
        for name, entry in ALGORITHMS.items()
        for preset in {id(one): one for one in (*entry.presets.values(), entry.on_roadmaps) if one}.values()
    ]
