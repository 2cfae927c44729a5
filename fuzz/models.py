"""Model files with changed bytes: refused in one line, or a policy that searches without a fault.

The header has a checksum: a change of a tensor must be refused.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.learned_policies import random_policy

from fuzz.mutations import mutate
from fuzz.target import WrongAnswerError, check_refusal
from sailplan.core import Limits, Policy, search
from sailplan.datasets import generate_world
from sailplan.errors import SailplanError
from sailplan.graphs import grid_problem
from sailplan.policies import load_policy, optimistic, save_policy
from sailplan.policies.catalogue import read_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.mixture.policy import OneOfMany

LENGTH_BYTES = 8
SEARCHED = 0.02
"""Share of the policies that a search is run with."""
LIMITS = Limits(expansions=20, evaluations=100)


class Models:
    """The target."""

    seconds = 10.0

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None
        self._path = folder / "model.safetensors"
        self._seeds = [_contents(policy, self._path) for policy in _policies()]
        self._problem = grid_problem(generate_world("mazes", 0, 0, width=9, height=7))
        self._searches = True
        for seed in self._seeds:
            self.again(seed)

    def check(self, rng: random.Random, number: int) -> bool:
        """Change a model file, read it and search with it."""
        # Large files are drawn less often, because they take longer.
        (index,) = rng.choices(range(len(self._seeds)), [1.0 / (len(seed) + 1000) for seed in self._seeds])
        seed = self._seeds[index]
        body = LENGTH_BYTES + int.from_bytes(seed[:LENGTH_BYTES], "little")
        if rng.random() < 0.5 and body < len(seed):
            at = rng.randrange(body, len(seed))
            changed = seed[:at] + bytes([seed[at] ^ (1 << rng.randrange(8))]) + seed[at + 1 :]
        else:
            changed = mutate(seed, rng, self._seeds)
        self._searches = rng.random() < SEARCHED
        accepted = self.again(changed)
        in_tensors = len(changed) == len(seed) and changed[:body] == seed[:body] and changed != seed
        if accepted and in_tensors:
            raise WrongAnswerError("a model file was accepted although a tensor has changed")
        return accepted

    def again(self, data: bytes) -> bool:
        """Read a model file with this content and search with it."""
        self.last = data
        self._path.write_bytes(data)
        try:
            policy = read_policy(self._path)
            if self._searches:
                search(self._problem, policy, LIMITS)
        except SailplanError as error:
            check_refusal(error)
            return False
        return True


def _policies() -> list[Policy]:
    learned = [random_policy(0, "relative"), random_policy(1, "paper17")]
    return [
        *learned,
        optimistic(),
        LazyPolicy(1.5),
        OneOfMany(tuple(learned), 3),
        load_policy("belief:shifting_gaps"),
        load_policy("lazy-belief:single_bugtrap"),
        load_policy("sail:shifting_gaps"),
    ]


def _contents(policy: Policy, path: Path) -> bytes:
    save_policy(policy, path, {"author": "fuzz", "seed": 3})
    return path.read_bytes()
