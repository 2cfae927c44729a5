"""One policy for every kind of map: made from the policies of the families, trained, and compared.

    python benchmarks/any_map.py train --out any.safetensors
    python benchmarks/any_map.py table --policy sail:any
    python benchmarks/any_map.py other --policy sail:any --data ../shared/data

`train` unites the typical worlds of all families, with their regrets, and some components without structure, which take
over if a map is of none of these kinds. Direct search then chooses the numbers that weigh them, on worlds of all
families between corners and between random cells, and on generated rooms, offices, caves and streets. `table` compares
the result with the policy of each family, `other` with optimistic replanning on maps of other origins between random
cells.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imitation import LIMITS, compare, expansions, fresh, print_table, solvable, validation_half
from sailplan.core import search
from sailplan.core.graph import Problem
from sailplan.datasets import FAMILIES, GeneratedWorlds
from sailplan.datasets.formats.read import read_world
from sailplan.graphs import grid_problem
from sailplan.graphs.grid.world import World
from sailplan.learning.algorithms.planner.components import fit_mixture, fit_regrets
from sailplan.learning.algorithms.planner.direct_search import DirectSearch
from sailplan.learning.algorithms.planner.rollouts import between_random_cells, reduced
from sailplan.learning.algorithms.planner.settings import DEFAULT
from sailplan.policies import ReplanningPolicy, load_policy, optimistic
from sailplan.policies.catalogue import save_policy
from sailplan.policies.replanning.beliefs.learned import Elsewhere, LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import PixelMixture
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, blocked_shares, world_of

Blocked = NDArray[np.bool_]
COMPONENTS = 24
"""Typical worlds of each family; fewer than in its own policy, so that the union remains fast."""
DENSITIES = (0.03, 0.1, 0.25, 0.45)
"""Shares of blocked cells of the components without structure."""
PLAIN_SHARE = 0.8
"""The weight of these, before anything is known."""
UNION_SEED = 9
OTHER_PROBLEMS = 300
"""Problems on rooms, offices, caves and streets; those of the families are about 800."""
_COMPARED = 300
"""Problems on which the rounds are compared."""
SIDE = 201


def rooms(rng: np.random.Generator, least: int = 30, door: int = 8) -> Blocked:
    """Rectangles divided by walls, each wall with a door."""
    blocked = np.zeros((SIDE, SIDE), np.bool_)

    def divide(left: int, bottom: int, right: int, top: int) -> None:
        wide, high = right - left, top - bottom
        if max(wide, high) < 2 * least:
            return
        upright = wide > high
        low, end = (left, right) if upright else (bottom, top)
        wall = int(rng.integers(low + least - 5, end - least + 6))
        across = (bottom, top) if upright else (left, right)
        gap = int(rng.integers(across[0], max(across[0] + 1, across[1] - door)))
        for place in range(*across):
            if not gap <= place < gap + door:
                blocked[(place, slice(wall, wall + 3)) if upright else (slice(wall, wall + 3), place)] = True
        if upright:
            divide(left, bottom, wall, top)
            divide(wall + 3, bottom, right, top)
        else:
            divide(left, bottom, right, wall)
            divide(left, wall + 3, right, top)

    divide(0, 0, SIDE, SIDE)
    return blocked


def offices(rng: np.random.Generator) -> Blocked:
    """Small rooms."""
    return rooms(rng, 14, 5)


def caves(rng: np.random.Generator) -> Blocked:
    """Smoothed noise."""
    noise = rng.random((SIDE, SIDE)) < rng.uniform(0.4, 0.5)
    blocked = np.repeat(np.repeat(noise[: SIDE // 3 + 1, : SIDE // 3 + 1], 3, axis=0), 3, axis=1)[:SIDE, :SIDE]
    for _ in range(4):
        padded = np.pad(blocked.astype(np.int64), 3, mode="edge")
        parts = [padded[3 + y : 3 + y + SIDE, 3 + x : 3 + x + SIDE] for y in (-3, 0, 3) for x in (-3, 0, 3)]
        blocked = np.sum(parts, axis=0) > 4
    return blocked


def streets(rng: np.random.Generator) -> Blocked:
    """Blocks of houses between straight streets."""
    blocked = np.ones((SIDE, SIDE), np.bool_)
    for axis in (0, 1):
        place = int(rng.integers(0, 15))
        while place < SIDE:
            wide = int(rng.integers(3, 9))
            blocked[
                (slice(place, place + wide), slice(None)) if axis else (slice(None), slice(place, place + wide))
            ] = False
            place += wide + int(rng.integers(12, 40))
    for _ in range(int(rng.integers(0, 20))):
        x, y = rng.integers(0, SIDE - 12, 2)
        blocked[y : y + 12, x : x + 12] = rng.random() < 0.5
    return blocked


OTHERS: tuple[Callable[[np.random.Generator], Blocked], ...] = (rooms, offices, caves, streets)


def other_problems(count: int, rng: np.random.Generator) -> Iterator[Problem]:
    """Reduced problems between random cells of rooms, offices, caves and streets."""
    for index in range(count):
        blocked = OTHERS[index % len(OTHERS)](rng)
        blocked[0, 0] = blocked[-1, -1] = False
        yield between_random_cells(reduced(grid_problem(World(blocked))), rng)


def family_problems(count: int) -> list[Problem]:
    """Reduced problems of all families, between the corners."""
    return solvable(
        [
            reduced(grid_problem(world))
            for family in FAMILIES
            for world in GeneratedWorlds(family, count, UNION_SEED + 1)
        ]
    )


def untrained() -> LearnedMultipliers:
    """The typical worlds of all families with their regrets, and components without structure."""
    mixtures, regrets = [], []
    for family in FAMILIES:
        problems = [grid_problem(world) for world in GeneratedWorlds(family, 1000, UNION_SEED)]
        shares = np.stack([blocked_shares(world_of(problem)) for problem in problems])
        mixtures.append(fit_mixture(shares, COMPONENTS, np.random.default_rng(UNION_SEED)))
        regrets.append(fit_regrets(mixtures[-1], solvable([reduced(problem) for problem in problems]), 2))
    return LearnedMultipliers(
        PixelMixture.union(mixtures, DENSITIES, PLAIN_SHARE),
        frame=PixelFrame.of(problems[0]),
        offsets=np.full((PIXELS, PIXELS), -3.0, np.float32),
        regrets=np.concatenate([*regrets, np.zeros((len(DENSITIES), PIXELS, PIXELS), np.uint8)]),
    )


def train(out: Path, rounds: int, steps: int) -> None:
    belief, rng = untrained(), np.random.default_rng(UNION_SEED)
    inside, others = family_problems(100), solvable(list(other_problems(OTHER_PROBLEMS, rng)))
    problems = [*inside, *others]
    problems = [problems[index] for index in rng.permutation(len(problems))]
    scale = expansions(optimistic(), problems).mean()

    def spent(one: LearnedMultipliers, problem: Problem) -> float:
        return float(search(problem, ReplanningPolicy(one), LIMITS).expansions / scale)

    direct = DirectSearch(problems, spent, DEFAULT.changed(search_steps=steps, random_endpoints=0.2), 2)
    belief = direct.best_of(direct.weighted(replace(belief, elsewhere=Elsewhere(belief.recall, belief.penalty))))
    best = direct.mean(belief, _COMPARED)
    print(f"before direct search {best:.3f} of optimistic", flush=True)
    for number in range(rounds):
        belief = direct.descend(belief, (1.0 - number / rounds, 1.0 - (number + 0.8) / rounds), rng)
        mean = direct.mean(belief, _COMPARED)
        print(f"round {number + 1}: {mean:.3f} of optimistic", flush=True)
        if mean < best:
            best = mean
            save_policy(ReplanningPolicy(belief), out, {"algorithm": "sail", "data": "any"})


def maps_of(data: Path) -> dict[str, list[World]]:
    """Maps of other origins, by name."""
    paths = [path for part in ("movingai/*.map", "maps/*.yaml", "ros_map/*.yaml") for path in sorted(data.glob(part))]
    found = {path.stem: [cropped(read_world(path))] for path in paths}
    for path in sorted((data / "neural_astar").glob("*.npz")):
        with np.load(path) as arrays:
            found[path.stem] = [World(one.reshape(one.shape[-2:])[::-1] < 0.5) for one in arrays["arr_4"]]
    return found


def cropped(world: World) -> World:
    """The smallest rectangle with all free cells: most of some maps is unknown."""
    rows, columns = (np.flatnonzero((~world.blocked).any(axis=axis)) for axis in (1, 0))
    return World(world.blocked[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def other(policy: str, data: Path, count: int) -> None:
    rows, names = [], ["optimistic", "any"]
    for name, worlds in maps_of(data).items():
        rng = np.random.default_rng(UNION_SEED)
        problems = []
        for index in range(count):
            world = worlds[index % len(worlds)]
            problems.append(between_random_cells(_somewhere(world), rng))
        counts = [expansions(load_policy(one), problems) for one in ("optimistic", policy)]
        rows.append((name, counts))
        print(name, f"{counts[1].mean() / counts[0].mean():.3f}", flush=True)
    print_table(f"Maps of other origins, {count} random starts and goals each", names, rows)


def _somewhere(world: World) -> Problem:
    y, x = (int(one[0]) for one in np.nonzero(~world.blocked))
    return grid_problem(world, (x, y), (x, y))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "table", "other"])
    parser.add_argument("--out", type=Path, default=Path("any.safetensors"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60, help="steps of direct search in each round")
    parser.add_argument("--policy", default="sail:any")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--count", type=int, default=500)
    arguments = parser.parse_args()
    if arguments.what == "train":
        train(arguments.out, arguments.rounds, arguments.steps)
    elif arguments.what == "other":
        other(arguments.policy, arguments.data, arguments.count)
    else:
        names: dict[str, Callable[[str], str]] = {
            "oracle": lambda family: "oracle",
            "optimistic": lambda family: "optimistic",
            "SaIL": lambda family: f"sail:{family}",
            "any": lambda family: arguments.policy,
        }
        maps = arguments.data / "motion_planning_datasets"
        compare("Second half of the validation maps", names, list(FAMILIES), lambda one: validation_half(maps, one))
        compare("200 generated worlds", names, list(FAMILIES), lambda family: fresh(family, 200))


if __name__ == "__main__":
    main()
