"""Time limits hold in set-up, repairs and evaluations in Python; what is interrupted continues to the same result.

Time is counted by a clock of the test, so that nothing depends on the speed of the machine.
"""

from __future__ import annotations

import math
import pickle
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sailplan.core import Limits, Outcome, Policy, compiled_engine, open_search, search
from sailplan.core.anytime import improve
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import MOST_WORK
from sailplan.core.kernel.compile import compilation, kernel
from sailplan.core.kernel.loop import advance
from sailplan.core.result import check_time
from sailplan.core.search import EngineName, Search
from sailplan.core.state import SearchState
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem, grid_problem
from sailplan.graphs.grid.world import World
from sailplan.policies import LazyPolicy, OraclePolicy, ReplanningPolicy, a_star, load_policy, optimistic
from sailplan.policies.lazy.policy import LazySession
from sailplan.policies.replanning.beliefs.belief import Refresh
from sailplan.policies.replanning.kernel.edges import DONE, ReplanningArrays
from tests.same import assert_same_result

both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])


class Clock:
    """A clock that advances by `tick` whenever it is read, and by what the test adds."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 100.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        # Like the time of the machine, it goes on while kernels are compiled.
        return self.now + compilation.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("sailplan.core.result.perf_counter", made)
    return made


def _roadmap(clock: Clock | None = None, seconds: float = 0.0, log: list[Any] | None = None) -> Problem:
    """A graph of 64 vertices whose edges are evaluated in Python, each in as many seconds of the clock."""
    rng = np.random.default_rng(0)
    places = rng.random((64, 2))
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    edges = [(a, int(b), math.sqrt(squares[a, b])) for a in range(64) for b in squares[a].argsort()[1:9]]
    invalid = set(rng.choice(len(edges), len(edges) // 3, replace=False).tolist())
    blocked = {edges[number][:2] for number in invalid}

    def evaluate(sources: list[int], targets: list[int]) -> list[bool]:
        if log is not None:
            log.append(list(zip(sources, targets, strict=True)))
        if clock:
            clock.now += seconds * len(sources)
        return [pair not in blocked for pair in zip(sources, targets, strict=True)]

    graph = ExplicitGraph.from_edges(64, edges, coordinates=places, evaluate_edges=evaluate)
    return Problem(graph, int(places.sum(axis=1).argmin()), int(places.sum(axis=1).argmax()))


def _maze(side: int = 120) -> Problem:
    """A square grid, in which walls from the left and from the right alternate."""
    blocked, step = np.zeros((side, side), bool), side // 6
    blocked[step : -step // 2 : step, :-step], blocked[step + step // 2 : -step // 2 : step, step:] = True, True
    return grid_problem(World(blocked))


@both_engines
def test_the_clock_is_read_between_evaluations_of_a_vertex(clock: Clock, engine: EngineName) -> None:
    log: list[Any] = []
    result = search(_roadmap(clock, 0.5, log), a_star(), Limits(seconds=0.1), engine=engine)
    assert (result.outcome, result.edge_evaluations) == (Outcome.TIME_SPENT, 1)
    assert [len(batch) for batch in log] == [1]
    assert result.timing.total == pytest.approx(0.5)


def test_the_clock_is_read_between_evaluations_of_a_callback_graph(clock: Clock) -> None:
    def is_valid(state: int, target: int) -> bool:
        clock.now += 0.5
        return True

    graph = CallbackGraph(lambda n: [(n + step, 1.0) for step in range(1, 9)], is_valid)
    result = search(graph.problem(0, 100), load_policy("dijkstra"), Limits(seconds=1.2))
    assert (result.outcome, result.edge_evaluations, result.expansions) == (Outcome.TIME_SPENT, 3, 0)


@both_engines
def test_a_batch_is_cut_at_the_deadline(clock: Clock, engine: EngineName) -> None:
    log: list[Any] = []
    problem = _roadmap(clock, 0.5, log)
    policy = LazyPolicy(batch=8)
    session = open_search(problem, policy, engine=engine)
    result = session.run(Limits(seconds=1.2))
    assert (result.outcome, result.edge_evaluations) == (Outcome.TIME_SPENT, 3)
    assert [edge for batch in log for edge in batch] == [
        tuple(edge) for edge in session.state.evaluated[:, :2].tolist()
    ]


@both_engines
@pytest.mark.parametrize("policy", [a_star(), LazyPolicy(batch=4), LazyPolicy(1.0, batch=3), load_policy("smha_star")])
def test_an_interrupted_search_evaluates_each_edge_once_and_ends_the_same(
    clock: Clock, policy: Policy, engine: EngineName
) -> None:
    whole = search(_roadmap(), policy, engine=engine)
    log: list[Any] = []
    session = open_search(_roadmap(clock, 0.5, log), policy, engine=engine)
    result = session.run(Limits(seconds=0.3))
    stops, evaluated = 0, 0
    while not result.outcome.final:
        stops += 1
        assert result.edge_evaluations == sum(map(len, log)) > evaluated
        evaluated = result.edge_evaluations
        result = session.run(Limits(seconds=session.seconds + 0.3))
    assert stops > 3
    assert_same_result(whole, result)
    edges = [edge for batch in log for edge in batch]
    assert len(edges) == len(set(edges)) == whole.edge_evaluations


def test_without_a_time_limit_batches_are_passed_whole() -> None:
    log: list[Any] = []
    search(_roadmap(log=log), LazyPolicy(batch=8))
    assert max(map(len, log)) > 1


_SOMETIMES = Refresh(100, 50)


@dataclass(frozen=True)
class Rising:
    """A belief whose multipliers change with every update, up and down."""

    name: str = "rising"
    refresh: Refresh = _SOMETIMES

    def why_unsupported(self, problem: Problem) -> str:
        return ""

    def multipliers(self, problem: Problem) -> FloatArray:
        return self.at(problem, 0)

    def at(self, problem: Problem, number: int) -> FloatArray:
        count = problem.graph.vertex_count  # type: ignore[attr-defined]
        return np.asarray(1.0 + np.random.default_rng(number).random(count))

    def follow(self, problem: Problem) -> Any:
        class Follower:
            number = 0

            def update(self, state: SearchState) -> FloatArray:
                self.number += 1
                return belief.at(problem, self.number)

        belief = self
        return Follower()


POLICIES: dict[str, Policy] = {
    "optimistic": optimistic(),
    "replanning": ReplanningPolicy(Rising()),
    "lazy": LazyPolicy(),
    "lazy with a bound": LazyPolicy(1.5),
    "lazy with a belief": LazyPolicy(4.0, Rising()),
    "oracle": OraclePolicy(),
    "smha_star": load_policy("smha_star"),
}


@both_engines
@pytest.mark.parametrize("name", POLICIES)
def test_a_search_that_time_interrupts_often_ends_the_same(clock: Clock, name: str, engine: EngineName) -> None:
    whole = search(_maze(30), POLICIES[name], engine=engine)
    clock.tick = 0.001
    session = open_search(_maze(30), POLICIES[name], engine=engine)
    result, stops = session.run(Limits(seconds=session.seconds)), 0
    while not result.outcome.final:
        assert result.outcome is Outcome.TIME_SPENT
        stops += 1
        result = session.run(Limits(seconds=session.seconds + 0.02))
    assert stops > 5
    assert_same_result(whole, result)


@both_engines
def test_an_interrupted_set_up_begins_again(clock: Clock, engine: EngineName) -> None:
    whole = search(_maze(), OraclePolicy(), engine=engine)
    clock.tick = 1.0
    result = search(_maze(), OraclePolicy(), Limits(seconds=0.5), engine=engine)
    assert (result.outcome, result.expansions, result.partial_path) == (Outcome.TIME_SPENT, 0, (0,))
    assert 0.0 < result.timing.set_up <= result.timing.total
    session = open_search(_maze(), OraclePolicy(), engine=engine, seconds=0.5)
    assert not session.prepare(0.5)
    assert_same_result(whole, session.run())


def test_a_set_up_without_time_does_not_begin_again_on_a_large_graph(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On large graphs a part of the time is kept back.
    monkeypatch.setattr(sys.modules[Search.__module__], "MANY", 100)
    begun = []

    def compiled(self: OraclePolicy, problem: Problem) -> Any:
        begun.append(problem)
        clock.now += 1.0
        check_time()
        raise AssertionError("there was no time")

    monkeypatch.setattr(OraclePolicy, "compiled", compiled)
    result = search(_maze(), OraclePolicy(), Limits(seconds=1.01))
    assert (result.outcome, len(begun)) == (Outcome.TIME_SPENT, 1)


@pytest.mark.parametrize("policy", [optimistic(), LazyPolicy(), OraclePolicy()])
def test_the_exploration_of_a_callback_graph_is_limited(clock: Clock, policy: Policy) -> None:
    asked = []

    def successors(state: int) -> list[tuple[int, float]]:
        asked.append(state)
        clock.now += 0.01
        return [((state + step) % 5000, 1.0) for step in (1, 2)]

    result = search(CallbackGraph(successors).problem(0, 4999), policy, Limits(seconds=0.055))
    assert (result.outcome, len(asked)) == (Outcome.TIME_SPENT, 6)
    assert result.timing.total == pytest.approx(0.06)


def test_the_oracle_stops_evaluating_at_the_deadline(clock: Clock) -> None:
    log: list[Any] = []
    result = search(_roadmap(clock, 0.5, log), OraclePolicy(), Limits(seconds=1.2))
    assert (result.outcome, sum(map(len, log))) == (Outcome.TIME_SPENT, 3)


def test_a_call_of_the_kernel_raises_a_limited_number_of_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = np.zeros((300, 300), bool)
    blocked[290, 290:] = blocked[290:, 290] = True
    problem = grid_problem(World(blocked))
    finished = []

    def watched(search: Any, policy: ReplanningArrays, *rest: Any) -> Any:
        code = advance(search, policy, *rest)
        finished.append(int(policy.clock[DONE]))
        return code

    monkeypatch.setattr(compiled_engine, "advance", watched)
    assert search(problem, optimistic()).outcome is Outcome.FRONTIER_EMPTY
    assert max(finished) > 10 * MOST_WORK
    assert min(np.diff(finished)) >= -8 * MOST_WORK


def test_improve_keeps_the_limit(clock: Clock) -> None:
    log: list[Any] = []
    problem = _roadmap(clock, 0.5, log)
    solutions = list(improve(problem, LazyPolicy(), Limits(seconds=12.2)))
    assert solutions
    assert solutions[-1].seconds <= 12.7
    assert 0.5 * sum(map(len, log)) <= 12.7


@both_engines
def test_a_bound_whose_sources_time_interrupts_ends_the_same(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, engine: EngineName
) -> None:
    monkeypatch.setattr("sailplan.policies.lazy.policy._SOURCES_AT_ONCE", 2)
    tighter = Limits(bound=1.2)
    whole = open_search(_maze(30), LazyPolicy(), engine=engine)
    assert whole.run().bound == math.inf
    session = open_search(_maze(30), LazyPolicy(), engine=engine)
    session.run()
    clock.tick, stops, evaluated = 0.001, 0, len(session.state.evaluated)
    while not (result := session.run(Limits(seconds=session.seconds + 0.002 * stops, bound=1.2))).outcome.final:
        stops += 1
    assert stops > 10
    assert len(session.state.evaluated) > evaluated
    assert_same_result(whole.run(tighter), result)
    assert session.lower_bound() == whole.lower_bound() > 0.0


def test_improve_begins_nothing_after_the_limit(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = []

    def lower_bound(self: LazySession, state: SearchState, deadline: float) -> float:
        bounds.append(deadline - clock.now)
        clock.now = deadline
        return 1.0

    def tighten(self: LazySession, *rest: Any) -> Any:
        raise AssertionError("there is no time left")

    monkeypatch.setattr(LazySession, "lower_bound", lower_bound)
    monkeypatch.setattr(LazySession, "tighten", tighten)
    (solution,) = improve(_roadmap(), LazyPolicy(), Limits(seconds=5.0))
    assert bounds == [5.0]
    assert solution.bound == pytest.approx(solution.cost)


def test_the_time_to_compile_a_kernel_is_measured_once() -> None:
    @kernel
    def one_more(number):  # type: ignore[no-untyped-def]
        return number + 1

    before = compilation.seconds
    assert one_more(1) == 2
    compiled = compilation.seconds
    assert compiled > before
    assert one_more(2) == 3
    assert compilation.seconds == compiled


def test_a_search_reports_the_time_to_compile_apart(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    first: list[bool] = []

    def compiling(*arguments: Any) -> Any:
        if not first:
            first.append(True)
            compilation.seconds += 7.0
        return advance(*arguments)

    monkeypatch.setattr(compiled_engine, "advance", compiling)
    result = search(_maze(), a_star(), Limits(seconds=1.0))
    assert result.found
    assert result.timing.compile == pytest.approx(7.0)
    assert result.timing.total < 1.0
    assert result.describe()["compile_seconds"] == pytest.approx(7.0)


@pytest.mark.parametrize("kind", ["grid", "explicit"])
def test_an_unpickled_problem_uses_the_same_kernel(kind: str) -> None:
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], coordinates=np.zeros((3, 2)))
    problem = Problem(graph, 0, 2) if kind == "explicit" else _maze()
    search(problem, a_star())
    known = len(advance.signatures)
    search(pickle.loads(pickle.dumps(problem)), a_star())
    assert len(advance.signatures) == known


@pytest.mark.parametrize("change", ["float32", "strided", "read-only", "reversed"])
def test_any_table_of_the_oracle_uses_the_same_kernel(change: str) -> None:
    problem = _maze()
    table = np.linspace(9.0, 0.0, problem.graph.vertex_count)  # type: ignore[attr-defined]
    expected = search(problem, OraclePolicy(table))
    known = len(advance.signatures)
    if change == "float32":
        table = table.astype(np.float32)
    elif change == "strided":
        table = np.repeat(table, 2)[::2]
    elif change == "read-only":
        table.flags.writeable = False
    else:
        table = table[::-1].copy()[::-1]
    result = search(problem, OraclePolicy(table))
    assert len(advance.signatures) == known
    if change != "float32":
        assert_same_result(expected, result)
