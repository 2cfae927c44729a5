"""A replay that looks at random open vertices before some of its steps."""

from __future__ import annotations

from sailplan.kernels.arrays import ENTERED, EXPANSIONS, NO_VERTEX
from sailplan.kernels.compile import inlined
from sailplan.kernels.features import fill_row


@inlined
def replay_step(graph, sampler, obstacles, state, start, goal):
    """Take the samples of this step; then the next vertex of the replay."""
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
def list_entered(sampler, queue, vertex, change):
    """Keep the list of open vertices."""
    if change == ENTERED:
        queue.issued[0] += 1
        sampler.places[vertex] = sampler.member_count[0]
        sampler.members[sampler.member_count[0]] = vertex
        sampler.member_count[0] += 1
