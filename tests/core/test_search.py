from __future__ import annotations

import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Outcome, StopRule, compiled_engine, open_search, search
from sailplan.core.search import EngineName
from sailplan.datasets import World
from sailplan.errors import EngineError, PolicyError, SailplanError
from sailplan.graphs import MOVINGAI_MOVES, CallbackGraph, ExplicitGraph, GridGraph, Problem, grid_problem
from sailplan.policies import a_star, dijkstra, greedy, load_policy, mha_star
from sailplan.testing import draw_problem, random_problem
from tests.core.odd_policies import DepthFirst
from tests.same import assert_same_result, assert_same_state
from tests.strategies import ON_ANY_GRAPH, explicit_problems, grid_problems

ENGINES: list[EngineName] = ["reference", "compiled"]
both_engines = pytest.mark.parametrize("engine", ENGINES)

CORNER = """
    .#G
    S..
"""
WALLED_OFF = """
    ..#G
    S.#.
"""
Point = tuple[int, int]


def _lattice(state: Point) -> list[tuple[Point, float]]:
    x, y = state
    return [((x + dx, y + dy), 1.0) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]


@both_engines
def test_it_stops_when_the_goal_enters_the_open_list(engine: EngineName) -> None:
    result = search(draw_problem(CORNER), greedy("euclidean"), engine=engine)
    assert (result.outcome, result.engine, result.found) == (Outcome.GOAL_GENERATED, engine, True)
    assert result.trace.expanded.tolist() == [0, 1]
    assert result.path == (0, 1, 5)
    assert result.cost == 1.0 + math.sqrt(2.0)
    # Edges to 1, 3, 4 (blocked), then to 2, 5, 3: 0 is closed and 4 known to be blocked.
    assert result.edge_evaluations == 6
    # Keys of 0, 1, 3, then of 2 and 5: the way to 3 by 1 is no cheaper.
    assert (result.policy_evaluations, result.non_finite_scores) == (5, 0)


@both_engines
def test_corners_that_may_not_be_cut_are_invalid_edges(engine: EngineName) -> None:
    session = open_search(draw_problem(CORNER, MOVINGAI_MOVES), greedy("euclidean"), engine=engine)
    result = session.run()
    assert result.path == (0, 1, 2, 5)
    assert session.state.invalid.tolist() == [4]
    assert session.state.invalid_edges.tolist() == [[1, 5], [1, 3]]
    assert (result.edge_evaluations, result.expansions) == (7, 3)


@both_engines
def test_or_when_the_goal_is_selected_which_is_then_not_expanded(engine: EngineName) -> None:
    session = open_search(draw_problem("S.G"), greedy("euclidean"), stop=StopRule.GOAL_EXPANDED, engine=engine)
    result = session.run()
    assert (result.outcome, result.expansions) == (Outcome.GOAL_EXPANDED, 2)
    assert session.state.frontier.tolist() == [2]
    assert_same_result(session.run(), result)


@both_engines
def test_the_stop_rule_may_come_as_a_word(engine: EngineName) -> None:
    for rule in StopRule:
        assert search(draw_problem("S.G"), a_star(), stop=rule.value, engine=engine).outcome == rule.value  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="no stop rule 'goal_seen'; there are goal_generated, goal_expanded"):
        search(draw_problem("S.G"), a_star(), stop="goal_seen", engine=engine)  # type: ignore[arg-type]


@both_engines
@pytest.mark.parametrize("stop", StopRule)
def test_it_stops_when_nothing_is_left(engine: EngineName, stop: StopRule) -> None:
    session = open_search(draw_problem(WALLED_OFF), a_star(), stop=stop, engine=engine)
    result = session.run()
    assert (result.outcome, result.path, result.cost) == (Outcome.FRONTIER_EMPTY, (), math.inf)
    assert (result.expansions, len(session.state.frontier)) == (4, 0)
    assert_same_result(session.run(Limits(expansions=0)), result)


@both_engines
@pytest.mark.parametrize("stop", StopRule)
def test_the_start_may_be_the_goal(engine: EngineName, stop: StopRule) -> None:
    graph = draw_problem("S.G").graph
    result = search(Problem(graph, 1, 1), a_star(), stop=stop, engine=engine)
    assert (result.outcome, result.path, result.cost) == (stop.value, (1,), 0.0)
    # Nothing is scored before something has to be selected.
    scored = int(stop is StopRule.GOAL_EXPANDED)
    assert (result.expansions, result.edge_evaluations, result.policy_evaluations) == (0, 0, scored)


@both_engines
def test_a_budget_is_kept_exactly(engine: EngineName) -> None:
    problem = draw_problem("S....G")
    for budget in range(5):
        result = search(problem, a_star(), Limits(expansions=budget), engine=engine)
        assert (result.outcome, result.expansions) == (Outcome.EXPANSIONS_SPENT, budget)
        assert (result.path, result.cost) == ((), math.inf)
    assert search(problem, a_star(), Limits(expansions=6), engine=engine).outcome is Outcome.GOAL_EXPANDED
    enough = search(problem, greedy("manhattan"), Limits(expansions=5), engine=engine)
    assert (enough.outcome, enough.expansions) == (Outcome.GOAL_GENERATED, 5)


@both_engines
def test_a_goal_that_is_there_already_needs_no_budget(engine: EngineName) -> None:
    here = Problem(draw_problem("S.G").graph, 0, 0)
    for limits in (Limits(expansions=0), Limits(seconds=0.0), Limits(expansions=0, seconds=0.0)):
        assert search(here, greedy("euclidean"), limits, engine=engine).outcome is Outcome.GOAL_GENERATED
    assert search(here, a_star(), Limits(expansions=0), engine=engine).outcome is Outcome.EXPANSIONS_SPENT
    assert search(here, a_star(), Limits(seconds=0.0), engine=engine).outcome is Outcome.TIME_SPENT


@both_engines
@pytest.mark.parametrize("name", ["a_star", "mha_star", "h_man"])
def test_a_search_in_steps_is_the_search_in_one_go(engine: EngineName, name: str) -> None:
    policy = load_policy(name)
    problem = random_problem(np.random.default_rng(5), MOVINGAI_MOVES, largest=15)
    steps, whole = open_search(problem, policy, engine=engine), search(problem, policy, engine=engine)
    for expansions in count():
        result = steps.run(Limits(expansions=expansions))
        fresh = open_search(problem, policy, engine=engine)
        assert_same_result(result, fresh.run(Limits(expansions=expansions)))
        assert_same_state(steps.state, fresh.state)
        if result.outcome.final:
            break
    assert_same_result(result, whole)
    assert whole.expansions > 10


@both_engines
@settings(max_examples=30)
@given(drawn=st.one_of(grid_problems(12, 12), explicit_problems(30)), data=st.data())
def test_budgets_that_grow_by_leaps_change_nothing(
    engine: EngineName, drawn: tuple[Problem, GridGraph | ExplicitGraph], data: st.DataObject
) -> None:
    policy = load_policy(data.draw(st.sampled_from(ON_ANY_GRAPH)))
    session = open_search(drawn[0], policy, engine=engine)
    for budget in sorted(data.draw(st.lists(st.integers(0, 100), max_size=4))):
        session.run(Limits(expansions=budget))
    assert_same_result(session.run(), search(drawn[0], policy, engine=engine))


def test_a_time_limit_is_kept_where_checks_are_slow_and_the_search_goes_on_after_it() -> None:
    def slow(here: Point, there: Point) -> bool:
        time.sleep(0.001)
        return True

    graph = CallbackGraph(_lattice, slow)
    session = open_search(graph.problem((0, 0), (9, 0)), dijkstra())
    cut = session.run(Limits(seconds=0.05))
    assert (cut.outcome, cut.path) == (Outcome.TIME_SPENT, ())
    assert cut.timing.total < 1.0
    assert cut.timing.evaluate > cut.timing.select
    assert session.run(Limits(seconds=0.05)).expansions == cut.expansions
    whole = search(CallbackGraph(_lattice).problem((0, 0), (9, 0)), dijkstra())
    assert_same_result(session.run(), whole)


WIDE = grid_problem(World(np.zeros((1500, 1500), np.bool_)))


@pytest.mark.parametrize("steps_before", [0, 60])
def test_a_time_limit_is_kept_by_the_compiled_loop(steps_before: int) -> None:
    session = open_search(WIDE, dijkstra(), engine="compiled")
    for expansions in range(steps_before):
        session.run(Limits(expansions=expansions))
    result = session.run(Limits(seconds=0.01))
    assert result.outcome is Outcome.TIME_SPENT
    assert result.expansions < 1500 * 1500 / 2


def test_a_time_limit_is_kept_after_a_long_run_without_one() -> None:
    session = open_search(WIDE, dijkstra(), engine="compiled")
    before = session.run(Limits(expansions=200_000))
    after = session.run(Limits(seconds=before.timing.total + 0.001))
    assert after.outcome is Outcome.TIME_SPENT
    assert after.expansions < before.expansions + 1_000_000


@both_engines
def test_the_phases_sum_to_the_total(engine: EngineName) -> None:
    timing = search(random_problem(np.random.default_rng(0)), a_star(), engine=engine).timing
    assert timing.total > 0
    assert min(timing.select, timing.expand, timing.evaluate) >= 0
    assert timing.set_up + timing.select + timing.expand + timing.evaluate == pytest.approx(timing.total)


@pytest.mark.parametrize(
    "fields",
    [{"expansions": -1}, {"expansions": 2.5}, {"seconds": -0.1}, {"seconds": math.nan}, {"seconds": 10**400}],
)
def test_limits_that_make_no_sense_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(SailplanError, match="a limit of"):
        Limits(**fields)  # type: ignore[arg-type]


def test_auto_picks_the_compiled_engine_where_it_can() -> None:
    problem = draw_problem("S.G")
    assert search(problem, a_star()).engine == "compiled"
    assert search(problem, DepthFirst()).engine == "reference"
    assert search(CallbackGraph(_lattice).problem((0, 0), (1, 0)), a_star()).engine == "reference"


def test_a_forced_engine_that_cannot_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, cannot = draw_problem("S.G"), "the compiled engine cannot run this search"
    with pytest.raises(EngineError, match=f"^drawing: {cannot}: DepthFirst has no compiled form for this problem$"):
        search(problem, DepthFirst(), engine="compiled")
    with pytest.raises(EngineError, match=rf"^lattice: {cannot}: CallbackGraph has no arrays\(\)$"):
        search(CallbackGraph(_lattice).problem((0, 0), (1, 0), name="lattice"), a_star(), engine="compiled")
    monkeypatch.setattr(compiled_engine, "VERTEX_BITS", 1)
    with pytest.raises(EngineError, match=f"^drawing: {cannot}: the graph has 3 vertices, more than 2$"):
        search(problem, a_star(), engine="compiled")
    assert search(problem, a_star()).engine == "reference"


def test_an_engine_that_is_not_there_is_refused() -> None:
    with pytest.raises(EngineError, match="no engine 'quick'; there are auto, reference, compiled"):
        search(draw_problem("S.G"), a_star(), engine="quick")  # type: ignore[arg-type]


def test_a_search_cut_short_by_an_exception_is_not_run_on() -> None:
    def interrupted(here: int, there: int) -> bool:
        raise KeyboardInterrupt

    graph = CallbackGraph(lambda state: [(state + 1, 1.0)], interrupted)
    session = open_search(graph.problem(0, 5), dijkstra())
    with pytest.raises(KeyboardInterrupt):
        session.run()
    with pytest.raises(SailplanError, match="an exception interrupted this search; open a new one"):
        session.run()


@both_engines
def test_searches_that_share_graph_and_policy_do_not_meet(engine: EngineName) -> None:
    graph, policy = random_problem(np.random.default_rng(5), largest=15).graph, mha_star()
    problems = [Problem(graph, goal, 0) for goal in range(8)]
    sessions = [open_search(problem, policy, engine=engine) for problem in problems]
    for expansions in range(30):
        for session in sessions:
            session.run(Limits(expansions=expansions))
    for problem, session in zip(problems, sessions, strict=True):
        assert_same_result(session.run(), search(problem, policy, engine=engine))


@both_engines
@pytest.mark.parametrize("name", ["a_star", "mha_star", "oracle"])
def test_threads_that_share_graph_and_policy_do_not_meet(engine: EngineName, name: str) -> None:
    world = World(np.random.default_rng(1).random((40, 40)) < 0.2)
    graph, policy = GridGraph(world), load_policy(name)
    free = np.flatnonzero(~world.blocked)[:40].tolist()
    problems = [Problem(graph, start, free[0]) for start in free]
    alone = [search(problem, policy, engine=engine) for problem in problems]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda problem: search(problem, policy, engine=engine), problems))
    for one, other in zip(alone, together, strict=True):
        assert_same_result(one, other)


def test_threads_that_share_a_callback_graph_go_the_same_way_through_its_states() -> None:
    goals = [(x, y) for x in range(5) for y in range(5)]

    def states_expanded(graph: CallbackGraph[Point], goal: Point) -> list[Point]:
        result = search(graph.problem((0, 0), goal), greedy("euclidean"), stop=StopRule.GOAL_EXPANDED)
        return [graph.state(vertex) for vertex in result.trace.expanded]

    def with_a_wall(here: Point, there: Point) -> bool:
        return there[0] != 2 or abs(there[1]) > 3

    alone = [states_expanded(CallbackGraph(_lattice, with_a_wall), goal) for goal in goals if goal[0] != 2]
    shared = CallbackGraph(_lattice, with_a_wall)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            reachable = [goal for goal in goals if goal[0] != 2]
            together = list(pool.map(lambda goal: states_expanded(shared, goal), reachable))
    finally:
        sys.setswitchinterval(switch)
    assert together == alone


@both_engines
def test_a_limit_leaves_a_partial_path_to_the_closest_expanded_vertex(engine: EngineName) -> None:
    problem = draw_problem("S.....#..G")
    result = search(problem, dijkstra(), Limits(expansions=4), engine=engine)
    assert (result.path, result.partial_path) == ((), (0, 1, 2, 3))
    assert search(problem, dijkstra(), Limits(expansions=0), engine=engine).partial_path == (0,)
    assert search(problem, dijkstra(), engine=engine).partial_path == ()
    assert search(draw_problem("S..G"), dijkstra(), engine=engine).partial_path == ()


@both_engines
def test_without_coordinates_a_partial_path_ends_where_the_search_did(engine: EngineName) -> None:
    graph = ExplicitGraph.from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])
    assert search(Problem(graph, 0, 3), dijkstra(), Limits(expansions=2), engine=engine).partial_path == (0, 1)


@pytest.mark.parametrize(
    ("problem", "policy", "message"),
    [
        ("map.png", a_star(), "a search needs a Problem, got 'map.png'"),
        (None, a_star(), "a search needs a Problem, got None"),
        (
            draw_problem("SG"),
            "a_star",
            r"a search needs a policy, .* got 'a_star'; load_policy\(name\)",
        ),
        (draw_problem("SG"), 3, "a search needs a policy"),
        (draw_problem("SG"), a_star, "a search needs a policy"),
    ],
)
def test_what_is_no_problem_or_no_policy_is_refused_in_one_line(problem: Any, policy: Any, message: str) -> None:
    with pytest.raises(SailplanError, match=message) as raised:
        search(problem, policy)
    assert "\n" not in str(raised.value)
