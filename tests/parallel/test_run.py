from __future__ import annotations

import time

import pytest

from sailplan.parallel import run_all, run_in_processes


def _slow_first(number: int) -> int:
    time.sleep(0.02 if number == 0 else 0.0)
    return number * number


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_keep_the_order_of_the_items(jobs: int) -> None:
    assert run_all(_slow_first, range(10), jobs) == [number * number for number in range(10)]


def test_items_are_consumed_lazily() -> None:
    assert run_all(_slow_first, iter([]), 2) == []
    assert run_all(_slow_first, (number for number in (3, 1)), 1) == [9, 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_reaches_the_caller(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError):
        run_all(lambda number: 1 // number, [1, 0, 1], jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_give_every_result(jobs: int) -> None:
    assert sorted(run_in_processes(abs, [-2, -1, 3], jobs)) == [1, 2, 3]
