from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Trace, open_search, replay, search
from sailplan.errors import PolicyError, SailplanError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import a_star, greedy, load_policy
from sailplan.testing import draw_problem
from tests.same import assert_same_state
from tests.strategies import ON_ANY_GRAPH, explicit_problems, grid_problems

PICTURE = """
    ..#G
    .#..
    S...
"""


@settings(max_examples=30)
@given(st.one_of(grid_problems(6, 6), explicit_problems(15)), st.sampled_from(ON_ANY_GRAPH))
def test_a_replay_passes_through_the_same_states(drawn: tuple[Problem, GridGraph | ExplicitGraph], name: str) -> None:
    problem, policy = drawn[0], load_policy(name)
    session = open_search(problem, policy)
    trace = search(problem, policy).trace
    by_edges = len(trace.evaluated) > 0
    for steps in range(max(len(trace.expanded), len(trace.evaluated)) + 1):
        session.run(Limits(evaluations=steps) if by_edges else Limits(expansions=steps))
        assert_same_state(replay(problem, trace, steps), session.state)
    assert_same_state(replay(problem, trace), session.state)


def test_a_replay_ends_with_its_trace() -> None:
    problem = draw_problem(PICTURE)
    trace = search(problem, a_star()).trace
    assert_same_state(replay(problem, trace, 1000), replay(problem, trace))
    with pytest.raises(SailplanError, match="a limit of expansions"):
        replay(problem, trace, -1)


def test_a_saved_trace_is_the_same_when_loaded(tmp_path: Path) -> None:
    trace = search(draw_problem(PICTURE), a_star()).trace
    trace.save(tmp_path / "new" / "trace.npz")
    loaded = Trace.load(tmp_path / "new" / "trace.npz")
    assert (loaded.start, loaded.goal) == (trace.start, trace.goal)
    assert loaded.expanded.tolist() == trace.expanded.tolist()
    assert loaded.expanded.dtype == np.int32


def test_a_trace_stays_as_it_was_when_the_search_goes_on() -> None:
    session = open_search(draw_problem(PICTURE), a_star())
    before = session.run(Limits(expansions=1))
    session.run()
    assert before.trace.expanded.tolist() == [0]


def test_a_trace_of_other_ends_or_of_another_world_is_refused() -> None:
    trace = search(draw_problem("S.G"), greedy("euclidean")).trace
    with pytest.raises(SailplanError, match=r"^drawing: the trace was recorded between other vertices$"):
        replay(draw_problem("SG."), trace)
    with pytest.raises(PolicyError, match="the policy selected vertex 1, which is not open"):
        replay(draw_problem("S#G"), trace)
    for vertex in (-1, 3):
        with pytest.raises(SailplanError, match="the trace has vertices that the graph does not have"):
            replay(draw_problem("S.G"), Trace(0, 2, np.array([0, vertex], np.int32)))


def test_every_damaged_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    search(draw_problem(PICTURE), a_star()).trace.save(path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(SailplanError, match=r"^[^\n]*trace.npz: not a trace, or a damaged one"):
            Trace.load(path)


@given(place=st.integers(0, 10**4), byte=st.integers(0, 255))
def test_a_changed_byte_is_refused_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.npz"
    trace = search(draw_problem(PICTURE), a_star()).trace
    trace.save(path)
    contents = bytearray(path.read_bytes())
    contents[place % len(contents)] = byte
    path.write_bytes(contents)
    try:
        loaded = Trace.load(path)
    except SailplanError:
        return
    assert loaded.expanded.tolist() == trace.expanded.tolist()


@pytest.mark.parametrize(
    "arrays",
    [
        {"start": 0, "goal": 1},
        {"start": 0, "goal": 1, "expanded": [[0, 1]]},
        {"start": 0, "goal": 1, "expanded": [0.5, np.nan]},
        {"start": "here", "goal": 1, "expanded": [0]},
        {"start": [0, 1], "goal": 1, "expanded": [0]},
    ],
)
def test_arrays_that_are_no_trace_are_refused(tmp_path: Path, arrays: dict[str, object]) -> None:
    np.savez(tmp_path / "other.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(SailplanError, match=r"other.npz: not a trace, or a damaged one \(.+\)$"):
        Trace.load(tmp_path / "other.npz")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SailplanError, match=r"absent.npz: no such file or directory$"):
        Trace.load(tmp_path / "absent.npz")
