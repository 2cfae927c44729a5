"""Threads and processes that share one policy and one problem find what a single search finds."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache

import pytest

from sailplan.core import Policy, SearchResult, search
from sailplan.core.graph import Problem
from sailplan.datasets import generate_world
from sailplan.graphs import grid_problem
from sailplan.policies import CATALOGUE, PRETRAINED, load_policy
from tests.same import assert_same_result

THREADS, PROCESSES = 8, 4


@cache
def _problem() -> Problem:
    return grid_problem(generate_world("mazes", 3, 0, width=41, height=41))


def _all_searches(policies: list[Policy]) -> list[SearchResult]:
    return [search(_problem(), policy) for policy in policies]


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


@pytest.mark.parametrize("name", [*CATALOGUE, *PRETRAINED])
def test_threads_share_a_policy_and_a_problem(name: str, threads: Executor) -> None:
    policy, problem = load_policy(name), _problem()
    expected = search(problem, load_policy(name))
    results = threads.map(lambda _: search(problem, policy), range(THREADS))
    for result in results:
        assert_same_result(result, expected)


def test_processes_find_the_same() -> None:
    policies = [load_policy(name) for name in [*CATALOGUE, *PRETRAINED]]
    expected = _all_searches(policies)
    # Not forked: the threads of this process may hold locks.
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        for results in pool.map(_all_searches, [policies] * PROCESSES):
            for result, one in zip(results, expected, strict=True):
                assert_same_result(result, one)
