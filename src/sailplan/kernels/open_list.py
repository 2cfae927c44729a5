"""How each kind of policy orders the open list: `choose` takes a vertex out, `take_in` hears of every open successor.

Numba picks the bodies by the class of the policy's arrays when it compiles the loop.
"""

from __future__ import annotations

from sailplan.kernels.arrays import CLEARANCE, OBSTACLE
from sailplan.kernels.compile import inlined_overload
from sailplan.kernels.keyed import offer_all, pop_in_turn
from sailplan.kernels.learned import offer_learned, pop_learned
from sailplan.kernels.mixture import offer_both, pop_mixed
from sailplan.kernels.policy_arrays import (
    KeyArrays,
    LearnedArrays,
    MixtureArrays,
    PolicyArrays,
    RandomArrays,
    ReplanningArrays,
    SampleArrays,
    SteeredArrays,
    TransitionArrays,
    WidthArrays,
)
from sailplan.kernels.random_order import list_member, pop_any
from sailplan.kernels.replanning import belief_due, offer_replanned, pop_replanned
from sailplan.kernels.sampler import list_entered, replay_step
from sailplan.kernels.steered import list_candidates, pop_chosen
from sailplan.kernels.transitions import list_scored, replay_transition
from sailplan.kernels.width import offer_by_novelty, pop_novel


def queues_needed(policy: PolicyArrays) -> int:
    """How many queues the policy keeps."""
    if isinstance(policy, KeyArrays):
        return len(policy.heuristic)
    if isinstance(policy, SteeredArrays):
        return queues_needed(policy.keys)
    return 2 if isinstance(policy, MixtureArrays | WidthArrays) else 1


def needs_of(policy: PolicyArrays) -> tuple[bool, bool]:
    """Whether the policy asks for the closest invalid vertices, and whether for walls."""
    if isinstance(policy, KeyArrays):
        return OBSTACLE in policy.heuristic or CLEARANCE in policy.heuristic, False
    if isinstance(policy, WidthArrays | RandomArrays | ReplanningArrays):
        return False, False
    if isinstance(policy, MixtureArrays):
        first, second = needs_of(policy.first), needs_of(policy.second)
        return first[0] or second[0], first[1] or second[1]
    if isinstance(policy, TransitionArrays):
        return needs_of(policy.learned)
    closest, walls = policy.features.needs_obstacles, policy.features.needs_walls
    if isinstance(policy, SteeredArrays):
        closest |= needs_of(policy.keys)[0]
    return closest, walls


def choose(graph, policy, queue, obstacles, state, start, goal):
    """Take out the vertex to expand next, NO_VERTEX where none is open."""


def take_in(graph, policy, queue, obstacles, state, start, goal, vertex, change):
    """Key an open vertex after an expansion that ENTERED it, made it CHEAPER or TOUCHED it."""


def look_round(graph, policy, queue, obstacles, state, start, goal):
    """What the policy does before the engine goes back to Python: a steered one lists its candidates."""


def is_due(policy, state):
    """Whether the policy has something to do in Python before it can choose."""


def keys_alone(policy):
    """Whether a vertex's key depends on no other successor, so that it can be given before these are updated."""


@inlined_overload(keys_alone)
def _keys_alone(policy):
    alone = policy.instance_class in (KeyArrays, SteeredArrays, ReplanningArrays)
    return lambda policy: alone


@inlined_overload(is_due)
def _is_due(policy, state):
    if policy.instance_class is ReplanningArrays:
        return lambda policy, state: belief_due(policy, state)
    return lambda policy, state: False


@inlined_overload(look_round)
def _look_round(graph, policy, queue, obstacles, state, start, goal):
    if policy.instance_class is SteeredArrays:
        return lambda graph, policy, queue, obstacles, state, start, goal: list_candidates(
            graph, policy, queue, obstacles, state, start, goal
        )
    return lambda graph, policy, queue, obstacles, state, start, goal: None


@inlined_overload(choose)
def _choose(graph, policy, queue, obstacles, state, start, goal):
    return {
        KeyArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_in_turn(queue, state),
        WidthArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_novel(queue, state),
        LearnedArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_learned(
            graph, policy, queue, 0, obstacles, state, start, goal
        ),
        MixtureArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_mixed(
            graph, policy, queue, obstacles, state, start, goal
        ),
        RandomArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_any(policy, state),
        SampleArrays: lambda graph, policy, queue, obstacles, state, start, goal: replay_step(
            graph, policy, obstacles, state, start, goal
        ),
        TransitionArrays: lambda graph, policy, queue, obstacles, state, start, goal: replay_transition(
            graph, policy, obstacles, state, start, goal
        ),
        SteeredArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_chosen(policy, queue, state),
        ReplanningArrays: lambda graph, policy, queue, obstacles, state, start, goal: pop_replanned(
            graph, policy, queue, state, goal
        ),
    }[policy.instance_class]


@inlined_overload(take_in)
def _take_in(graph, policy, queue, obstacles, state, start, goal, vertex, change):
    return {
        KeyArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_all(
            graph, policy, queue, obstacles, state, goal, vertex, change
        ),
        WidthArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_by_novelty(
            graph, policy, queue, state, goal, vertex, change
        ),
        LearnedArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_learned(
            graph, policy, queue, 0, obstacles, state, start, goal, vertex, change
        ),
        MixtureArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_both(
            graph, policy, queue, obstacles, state, start, goal, vertex, change
        ),
        RandomArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: list_member(
            policy, queue, vertex, change
        ),
        SampleArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: list_entered(
            policy, queue, vertex, change
        ),
        TransitionArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: list_scored(
            graph, policy, queue, obstacles, state, start, goal, vertex, change
        ),
        SteeredArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_all(
            graph, policy.keys, queue, obstacles, state, goal, vertex, change
        ),
        ReplanningArrays: lambda graph, policy, queue, obstacles, state, start, goal, vertex, change: offer_replanned(
            graph, policy, queue, state, goal, vertex, change
        ),
    }[policy.instance_class]
