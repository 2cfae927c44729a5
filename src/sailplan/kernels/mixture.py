"""Two policies with a queue each, and a coin that decides at each step who selects."""

from __future__ import annotations

from sailplan.kernels.arrays import EXPANSIONS, OPEN, TOUCHED
from sailplan.kernels.compile import inlined, inlined_overload
from sailplan.kernels.heap import pop
from sailplan.kernels.keyed import offer_key
from sailplan.kernels.learned import offer_learned, pop_learned
from sailplan.kernels.policy_arrays import KeyArrays, LearnedArrays, RandomArrays
from sailplan.kernels.random import uniform
from sailplan.kernels.random_order import list_member, pop_any


def pop_from(graph, policy, queue, row, obstacles, state, start, goal):
    """Take out the first vertex of one policy's queue."""


@inlined_overload(pop_from)
def _pop_from(graph, policy, queue, row, obstacles, state, start, goal):
    return {
        KeyArrays: lambda graph, policy, queue, row, obstacles, state, start, goal: pop(queue, row, state.status, OPEN),
        LearnedArrays: lambda graph, policy, queue, row, obstacles, state, start, goal: pop_learned(
            graph, policy, queue, row, obstacles, state, start, goal
        ),
        RandomArrays: lambda graph, policy, queue, row, obstacles, state, start, goal: pop_any(policy, state),
    }[policy.instance_class]


def offer_to(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    """Key a vertex in one policy's queue."""


@inlined_overload(offer_to)
def _offer_to(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    return {
        KeyArrays: _offer_single_key,
        LearnedArrays: lambda graph, policy, queue, row, obstacles, state, start, goal, vertex, change: offer_learned(
            graph, policy, queue, row, obstacles, state, start, goal, vertex, change
        ),
        RandomArrays: lambda graph, policy, queue, row, obstacles, state, start, goal, vertex, change: list_member(
            policy, queue, vertex, change
        ),
    }[policy.instance_class]


def _offer_single_key(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    if change != TOUCHED:
        offer_key(graph, policy, 0, queue, row, obstacles, state, goal, vertex, change)


@inlined
def pop_mixed(graph, mixture, queue, obstacles, state, start, goal):
    """Let the coin of this step decide whose first vertex is taken out."""
    if uniform(mixture.seed, state.counts[EXPANSIONS]) < mixture.probability:
        return pop_from(graph, mixture.first, queue, 0, obstacles, state, start, goal)
    return pop_from(graph, mixture.second, queue, 1, obstacles, state, start, goal)


@inlined
def offer_both(graph, mixture, queue, obstacles, state, start, goal, vertex, change):
    """Key a vertex in both queues."""
    offer_to(graph, mixture.first, queue, 0, obstacles, state, start, goal, vertex, change)
    offer_to(graph, mixture.second, queue, 1, obstacles, state, start, goal, vertex, change)
