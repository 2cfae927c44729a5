"""How each kind of policy orders the open list: `choose` takes a vertex out, `take_in` hears of every open successor.

Numba picks the bodies by the class of the policy's arrays when it compiles the loop.
"""

from __future__ import annotations

import math

from numba.extending import overload

from sailplan.kernels.arrays import (
    CHEAPER,
    ENTERED,
    EUCLIDEAN,
    EXPANSIONS,
    FROZEN,
    FULL,
    LAZY,
    NO_VERTEX,
    NON_FINITE_SCORES,
    NONE,
    OBSTACLE,
    ON_TOUCH,
    OPEN,
    POLICY_EVALUATIONS,
    TABLE,
    TOUCHED,
    KeyArrays,
    LearnedArrays,
    MixtureArrays,
    PolicyArrays,
    SampleArrays,
)
from sailplan.kernels.compile import inlined, inlined_overload, piece
from sailplan.kernels.edges import distance
from sailplan.kernels.features import fill_row
from sailplan.kernels.heap import NO_TAG, number_of, offer, pop, pop_entry, queue_count, rank_of, vertex_of
from sailplan.kernels.network import forward
from sailplan.kernels.obstacles import closest_invalid
from sailplan.kernels.random import uniform

NOTHING_INVALID_KNOWN = 1e9
"""Distance to the closest known invalid vertex before there is one."""


def queues_needed(policy: PolicyArrays) -> int:
    """How many queues the policy keeps."""
    if isinstance(policy, KeyArrays):
        return len(policy.heuristic)
    return 2 if isinstance(policy, MixtureArrays) else 1


def needs_of(policy: PolicyArrays) -> tuple[bool, bool]:
    """Whether the policy asks for the closest invalid vertices, and whether for walls."""
    if isinstance(policy, KeyArrays):
        return OBSTACLE in policy.heuristic, False
    if isinstance(policy, MixtureArrays):
        first, second = needs_of(policy.first), needs_of(policy.second)
        return first[0] or second[0], first[1] or second[1]
    return policy.features.needs_obstacles, policy.features.needs_walls


def choose(graph, policy, queue, obstacles, state, start, goal):
    """Take out the vertex to expand next, NO_VERTEX where none is open."""


def take_in(graph, policy, queue, obstacles, state, start, goal, vertex, change):
    """Key an open vertex after an expansion that ENTERED it, made it CHEAPER or TOUCHED it."""


def keys_alone(policy):
    """Whether a vertex's key depends on no other successor, so that it can be given before these are updated."""


@inlined_overload(keys_alone)
def _keys_alone(policy):
    alone = policy.instance_class is KeyArrays
    return lambda policy: alone


@inlined_overload(choose)
def _choose(graph, policy, queue, obstacles, state, start, goal):
    return {
        KeyArrays: lambda graph, policy, queue, obstacles, state, start, goal: _pop_in_turn(queue, state),
        LearnedArrays: lambda graph, policy, queue, obstacles, state, start, goal: _pop_learned(
            graph, policy, queue, 0, obstacles, state, start, goal
        ),
        MixtureArrays: lambda graph, policy, queue, obstacles, state, start, goal: _pop_mixed(
            graph, policy, queue, obstacles, state, start, goal
        ),
        SampleArrays: lambda graph, policy, queue, obstacles, state, start, goal: _replay(
            graph, policy, obstacles, state, start, goal
        ),
    }[policy.instance_class]


@inlined_overload(take_in)
def _take_in(graph, policy, queue, obstacles, state, start, goal, vertex, change):
    return {
        KeyArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: _offer_all(
            graph, policy, queue, obstacles, state, goal, vertex, change
        ),
        LearnedArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: _offer_learned(
            graph, policy, queue, 0, obstacles, state, start, goal, vertex, change
        ),
        MixtureArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: _offer_both(
            graph, policy, queue, obstacles, state, start, goal, vertex, change
        ),
        SampleArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: _list(
            policy, queue, vertex, change
        ),
    }[policy.instance_class]


# Keys made of g and a heuristic, a queue each


@inlined
def _pop_in_turn(queue, state):
    """Pop from the queue whose turn it is; vertices closed by way of another queue are passed over."""
    return pop(queue, state.counts[EXPANSIONS] % queue_count(queue), state.status, OPEN)


@inlined
def _offer_all(graph, keys, queue, obstacles, state, goal, vertex, change):
    if change != TOUCHED:
        for key_index in range(queue_count(queue)):
            _offer_key(graph, keys, key_index, queue, key_index, obstacles, state, goal, vertex, change)


@inlined
def _offer_key(graph, keys, key_index, queue, row, obstacles, state, goal, vertex, change):
    """Key a vertex; one that is there already is keyed again only where its cost counts."""
    if change == CHEAPER and keys.cost_weight[key_index] == 0.0:
        return
    key = keys.cost_weight[key_index] * state.cost[vertex]
    if keys.heuristic_weight[key_index] != 0.0:
        key += keys.heuristic_weight[key_index] * _heuristic(graph, keys, obstacles, state, key_index, vertex, goal)
    offer(queue, row, vertex, _counted(state, key))


@inlined
def _counted(state, key):
    """Count a score; one that is not finite sorts last."""
    state.counts[POLICY_EVALUATIONS] += 1
    if math.isfinite(key):
        return key
    state.counts[NON_FINITE_SCORES] += 1
    return math.inf


@inlined
def _heuristic(graph, keys, obstacles, state, key_index, vertex, goal):
    kind = keys.heuristic[key_index]
    if kind == TABLE:
        return keys.table[vertex]
    if kind == OBSTACLE:
        closest = closest_invalid(obstacles, graph, state, vertex)
        if closest == NONE:
            return NOTHING_INVALID_KNOWN
        return distance(graph, EUCLIDEAN, vertex, state.invalid[closest])
    return distance(graph, kind, vertex, goal)


# What a network makes of the features


@piece
def _score(graph, learned, obstacles, state, start, goal, vertex):
    fill_row(graph, learned.features, obstacles, state, start, goal, vertex)
    return _counted(state, forward(learned.network, learned.features.row))


@inlined
def _put(learned, queue, row, state, vertex, score):
    offer(queue, row, vertex, score)
    if learned.rescore != FROZEN:
        learned.current[vertex] = queue.issued[0]
    if learned.rescore == LAZY:
        learned.scored[vertex] = state.counts[EXPANSIONS]


@piece
def _offer_learned(graph, learned, queue, row, obstacles, state, start, goal, vertex, change):
    if learned.rescore == FULL:
        if change == ENTERED:
            learned.members[learned.member_count[0]] = vertex
            learned.member_count[0] += 1
            # Numbered as if it were put in a queue: ties go to the first that came.
            queue.issued[0] += 1
            learned.current[vertex] = queue.issued[0]
    elif change == ENTERED or learned.rescore == ON_TOUCH:
        _put(learned, queue, row, state, vertex, _score(graph, learned, obstacles, state, start, goal, vertex))


@piece
def _pop_learned(graph, learned, queue, row, obstacles, state, start, goal):
    if learned.rescore == FULL:
        return _best_member(graph, learned, obstacles, state, start, goal)
    while True:
        rank, tag = pop_entry(queue, row, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        vertex = vertex_of(tag)
        if learned.rescore == FROZEN:
            return vertex
        if number_of(tag) != learned.current[vertex]:
            continue
        if learned.rescore == ON_TOUCH or learned.scored[vertex] == state.counts[EXPANSIONS]:
            return vertex
        score = _score(graph, learned, obstacles, state, start, goal, vertex)
        if rank_of(score) <= rank:
            return vertex
        _put(learned, queue, row, state, vertex, score)


@piece
def _best_member(graph, learned, obstacles, state, start, goal):
    """Score the whole open list and take out the vertex with the smallest (score, insertion number)."""
    best, least, place, index = NO_VERTEX, math.inf, NONE, 0
    members, count = learned.members, learned.member_count
    while index < count[0]:
        vertex = members[index]
        if state.status[vertex] != OPEN:
            # Closed by way of another queue.
            count[0] -= 1
            members[index] = members[count[0]]
            continue
        score = _score(graph, learned, obstacles, state, start, goal, vertex)
        first = best == NO_VERTEX or score < least
        if first or (score == least and learned.current[vertex] < learned.current[best]):
            best, least, place = vertex, score, index
        index += 1
    if best != NO_VERTEX:
        count[0] -= 1
        members[place] = members[count[0]]
    return best


# Two policies and a coin


def pop_from(graph, policy, queue, row, obstacles, state, start, goal):
    """Take out the first vertex of one policy's queue."""


@overload(pop_from)
def _pop_from(graph, policy, queue, row, obstacles, state, start, goal):
    if policy.instance_class is KeyArrays:
        return lambda graph, policy, queue, row, obstacles, state, start, goal: pop(queue, row, state.status, OPEN)
    return lambda graph, policy, queue, row, obstacles, state, start, goal: _pop_learned(
        graph, policy, queue, row, obstacles, state, start, goal
    )


def offer_to(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    """Key a vertex in one policy's queue."""


@overload(offer_to)
def _offer_to(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    if policy.instance_class is KeyArrays:
        return _offer_single_key
    return lambda graph, policy, queue, row, obstacles, state, start, goal, vertex, change: _offer_learned(
        graph, policy, queue, row, obstacles, state, start, goal, vertex, change
    )


def _offer_single_key(graph, policy, queue, row, obstacles, state, start, goal, vertex, change):
    if change != TOUCHED:
        _offer_key(graph, policy, 0, queue, row, obstacles, state, goal, vertex, change)


@inlined
def _pop_mixed(graph, mixture, queue, obstacles, state, start, goal):
    if uniform(mixture.seed, state.counts[EXPANSIONS]) < mixture.probability:
        return pop_from(graph, mixture.first, queue, 0, obstacles, state, start, goal)
    return pop_from(graph, mixture.second, queue, 1, obstacles, state, start, goal)


@inlined
def _offer_both(graph, mixture, queue, obstacles, state, start, goal, vertex, change):
    offer_to(graph, mixture.first, queue, 0, obstacles, state, start, goal, vertex, change)
    offer_to(graph, mixture.second, queue, 1, obstacles, state, start, goal, vertex, change)


# A replay that takes samples


@inlined
def _replay(graph, sampler, obstacles, state, start, goal):
    step, members, count = state.counts[EXPANSIONS], sampler.members, sampler.member_count
    while sampler.taken[0] < len(sampler.steps) and sampler.steps[sampler.taken[0]] == step:
        taken = sampler.taken[0]
        vertex = members[int(sampler.picks[taken] * count[0])]
        fill_row(graph, sampler.features, obstacles, state, start, goal, vertex)
        sampler.vertices[taken] = vertex
        for index in range(len(sampler.features.row)):
            sampler.rows[taken, index] = sampler.features.row[index]
        sampler.taken[0] += 1
    if step >= len(sampler.order):
        return NO_VERTEX
    vertex = sampler.order[step]
    count[0] -= 1
    last = members[count[0]]
    members[sampler.places[vertex]] = last
    sampler.places[last] = sampler.places[vertex]
    return vertex


@inlined
def _list(sampler, queue, vertex, change):
    if change == ENTERED:
        queue.issued[0] += 1
        sampler.places[vertex] = sampler.member_count[0]
        sampler.members[sampler.member_count[0]] = vertex
        sampler.member_count[0] += 1
