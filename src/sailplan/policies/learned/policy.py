"""Policies that order the open list by a learned score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import inf, isfinite
from typing import Any, Protocol

import numpy as np

from sailplan.core.graph import FloatArray, Problem, is_compiled, is_finite
from sailplan.core.kernel.arrays import OPEN
from sailplan.core.policy import CompiledForm, Discovery, Policy
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import ModelError, PolicyError
from sailplan.files import fault_line
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features import feature_set
from sailplan.policies.features.feature import FeatureSet, Tensors, allocate_features, build_features, plane_coordinates
from sailplan.policies.learned.kernel import FROZEN, FULL, LAZY, ON_TOUCH, LearnedArrays
from sailplan.policies.learned.network import DenseNetwork, Scaling

MOST_PARTS = 1000
"""Largest number of policies in a model file."""
RESCORE_CODES: dict[str, int] = {"frozen": FROZEN, "touched": ON_TOUCH, "lazy": LAZY, "full": FULL}


class Model(Protocol):
    """A model that computes scores from features."""

    def predict(self, rows: FloatArray) -> FloatArray:
        """Return the score of each row of features; the vertex with the smallest score is expanded first."""


@dataclass(frozen=True, eq=False)
class LearnedPolicy:
    """A policy that expands the open vertex with the smallest learned score.

    Raises
    ------
    PolicyError
        If there is no such rescore rule, or the network has another number of columns than the feature set.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.policies import feature_set
    >>> from sailplan.testing import draw_problem
    >>> features = feature_set("paper17")
    >>> class Distance:
    ...     def predict(self, rows):
    ...         return rows[:, features.columns.index("h_euc")]
    >>> search(draw_problem("S..G"), LearnedPolicy(features, Distance())).expansions
    3
    """

    features: FeatureSet
    """The features that the model is applied to."""
    model: Model
    """A `DenseNetwork`, which can run in the compiled engine, or any object with `predict`."""
    rescore: str = "frozen"
    """When scores are computed. "frozen": on insertion, as in the paper; "touched": also when a neighbour is expanded;
    "lazy": also when the vertex is selected, which is inserted again if its score has increased; "full": for all open
    vertices at each step."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if self.rescore not in RESCORE_CODES:
            raise PolicyError(f"no rescore rule {self.rescore!r}; there are {', '.join(RESCORE_CODES)}")
        if isinstance(self.model, DenseNetwork) and self.model.columns != len(self.features.columns):
            raise PolicyError(
                f"the network takes {self.model.columns} columns, {self.features.name} has {len(self.features.columns)}"
            )

    def open(self, problem: Problem, state: SearchState) -> LearnedFrontier:
        """Create the open list of a search."""
        return LearnedFrontier(self, problem, state)

    def scores(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
        """Return the current scores of open vertices; a score that is not finite becomes infinity."""
        rows = self.features(problem, state, vertices)
        try:
            scores: list[float] = np.asarray(self.model.predict(rows), np.float64).reshape(-1).tolist()
        except (TypeError, ValueError) as error:
            raise PolicyError(f"the model must return a number for each vertex ({fault_line(error)})") from error
        if len(scores) != len(vertices):
            raise PolicyError(f"the model returned {len(scores)} scores for {len(vertices)} vertices")
        state.count_scores(len(scores), sum(not isfinite(score) for score in scores))
        return [score if isfinite(score) else inf for score in scores]

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return features and network for the compiled engine; None if it cannot compute them."""
        codes = compiled_columns(self.features, problem)
        if codes is None or not isinstance(self.model, DenseNetwork) or not is_finite(problem.graph):
            return None
        vertices, rule = problem.graph.vertex_count, RESCORE_CODES[self.rescore]
        features = allocate_features(codes)
        arrays = LearnedArrays(
            features=features,
            network=self.model.arrays(),
            rescore=rule,
            current=np.empty(0 if rule == FROZEN else vertices, np.int64),
            scored=np.empty(vertices if rule == LAZY else 0, np.int64),
            members=np.empty(vertices if rule == FULL else 0, np.int32),
            member_count=np.zeros(1, np.int64),
        )
        return CompiledForm(
            arrays, needs_obstacles=features.needs_obstacles, needs_walls=features.needs_walls, notes=self.notes
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """A remark on model files of the former default of SaIL, in which a hand-made estimate did most of the work."""
        model = self.model
        if self.features.name != "walls" or not isinstance(model, DenseNetwork):
            return ()
        if not any(weights.any() for weights, _ in model.layers):
            return ()
        learned = "a learned part" if model.unit else "a learned part of weight 0"
        return (Note("sail", f"the default of an earlier version: the rule of the policy `walls` and {learned}"),)

    def held_out(self, problem: Problem) -> LearnedPolicy:
        """Return the policy for training on a problem, whose world its features may not have stored."""
        return replace(self, features=self.features.held_out(problem))

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the header and tensors for a model file; raises ModelError if the policy cannot be saved."""
        return describe_policies([self], seed=None)


def describe_policies(policies: Sequence[Policy], seed: int | None) -> tuple[dict[str, Any], Tensors]:
    """Return the header and tensors of one policy, or of several of which one is drawn by a seed."""
    parts, tensors = [_checked(policy) for policy in policies], Tensors()
    for number, (_, network) in enumerate(parts):
        tensors.update({f"{number}.{name}": tensor for name, tensor in network.describe().items()})
    sets = {policy.features.name: policy.features for policy, _ in parts}
    if any(not sets[policy.features.name].is_saved_as(policy.features) for policy, _ in parts):
        raise ModelError("policies that store different worlds cannot be saved in one file")
    header = {
        "seed_of_mixture": seed,
        "columns": {name: list(features.columns) for name, features in sets.items()},
        "policies": [
            {"features": policy.features.name, "rescore": policy.rescore, "layers": len(network.layers)}
            for policy, network in parts
        ],
    }
    described = {name: features.describe() for name, features in sets.items()}
    facts = {name: own for name, (own, _) in described.items() if own}
    tensors.update({f"{name}.{key}": tensor for name, (_, own) in described.items() for key, tensor in own.items()})
    return {**header, **({"feature_facts": facts} if facts else {})}, tensors


def build_policies(header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> tuple[LearnedPolicy, ...]:
    """Create the policies from what `describe_policies` returned."""
    if not 0 < len(header["policies"]) <= MOST_PARTS:
        raise ModelError(f"{len(header['policies'])} policies")
    sets = {name: _build_set(name, header, tensors) for name in {facts["features"] for facts in header["policies"]}}
    policies = []
    for number, facts in enumerate(header["policies"]):
        network = DenseNetwork.build(tensors, int(facts["layers"]), prefix=f"{number}.")
        policies.append(LearnedPolicy(sets[facts["features"]], network, facts["rescore"], stop))
    return tuple(policies)


def _build_set(name: str, header: Mapping[str, Any], tensors: Tensors) -> FeatureSet:
    own = {key.removeprefix(f"{name}."): tensor for key, tensor in tensors.items() if key.startswith(f"{name}.")}
    features = build_features(name, header.get("feature_facts", {}).get(name, {}), own)
    if list(features.columns) != header["columns"][name]:
        raise ModelError(f"{name} has other columns than in this version")
    return features


def _checked(policy: Policy) -> tuple[LearnedPolicy, DenseNetwork]:
    if not isinstance(policy, LearnedPolicy) or not isinstance(policy.model, DenseNetwork):
        raise ModelError("only policies with a dense network can be saved")
    DenseNetwork.build(policy.model.describe(), len(policy.model.layers))
    return policy, policy.model


def compiled_columns(features: FeatureSet, problem: Problem) -> tuple[int, ...] | None:
    """Return the codes of the columns; None if the compiled engine cannot compute all of them on this graph."""
    if features.kernel_columns is None or not is_compiled(problem.graph):
        return None
    plane_coordinates(problem, [problem.goal])
    return features.kernel_columns if isinstance(problem.graph, GridGraph) or not features.needs_grid else None


def around_walls() -> LearnedPolicy:
    """Return the policy of a rule that nobody has trained: the empty-grid distance plus detours around known walls.

    Returns
    -------
    LearnedPolicy
        A score of the features `walls` with fixed weights, which is computed again when a vertex is selected.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S#.G ...."), around_walls()).found
    True
    """
    features = feature_set("walls")
    width = len(features.columns)
    nothing = np.zeros((width, 1), np.float32), np.zeros(1, np.float32)
    linear = np.array([dict(features.estimate).get(name, 0.0) for name in features.columns])
    return LearnedPolicy(features, DenseNetwork((nothing,), Scaling.none(width), linear), "lazy")


class LearnedFrontier:
    """The open list of the reference engine under a learned policy."""

    def __init__(self, policy: LearnedPolicy, problem: Problem, state: SearchState) -> None:
        self.notes = policy.notes
        self._policy, self._rescore = replace(policy, features=policy.features.follow(problem)), policy.rescore
        self._problem, self._state = problem, state
        self._entries: list[tuple[float, int, int]] = []
        self._current: dict[int, int] = {}
        """The insertion number of the current entry of each vertex."""
        self._scored: dict[int, int] = {}
        """The number of expansions when each vertex was last scored."""
        self._insertions = 0

    def observe(self, discovery: Discovery) -> None:
        """Score the open neighbours again if the rule is "touched"."""
        if self._rescore == "touched":
            self._insert(discovery.successors)

    def add(self, vertices: Sequence[int]) -> None:
        """Score new vertices."""
        new = [vertex for vertex in vertices if vertex not in self._current]
        if self._rescore != "full":
            self._insert(new)
            return
        for vertex in new:
            self._insertions += 1
            self._current[vertex] = self._insertions

    def select(self) -> int | None:
        """Remove and return the vertex with the smallest (score, insertion number)."""
        if self._rescore == "full":
            return self._select_from_all()
        status = self._state.status
        while self._entries:
            key, number, vertex = heappop(self._entries)
            if status[vertex] != OPEN or number != self._current[vertex]:
                continue
            if self._rescore != "lazy" or self._scored[vertex] == self._state.expansions:
                return vertex
            (score,) = self._scores([vertex])
            if score <= key:
                return vertex
            self._put(vertex, score)
        return None

    def _select_from_all(self) -> int | None:
        members = [vertex for vertex in self._current if self._state.status[vertex] == OPEN]
        if not members:
            return None
        self._current = {vertex: self._current[vertex] for vertex in members}
        scores = self._scores(members)
        _, _, vertex = min(zip(scores, self._current.values(), members, strict=True))
        del self._current[vertex]
        return vertex

    def _insert(self, vertices: Sequence[int]) -> None:
        if not vertices:
            return
        for vertex, score in zip(vertices, self._scores(vertices), strict=True):
            self._put(vertex, score)

    def _put(self, vertex: int, score: float) -> None:
        self._insertions += 1
        self._current[vertex] = self._insertions
        self._scored[vertex] = self._state.expansions
        heappush(self._entries, (score, self._insertions, vertex))

    def _scores(self, vertices: Sequence[int]) -> list[float]:
        return self._policy.scores(self._problem, self._state, vertices)
