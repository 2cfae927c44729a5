"""Gradients of distances in the believed world with respect to cost multipliers."""

from __future__ import annotations

from sailplan.core.kernel.arrays import CLOSED, NO_VERTEX
from sailplan.core.kernel.compile import kernel
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.policies.replanning.kernel.edges import NO_WAY, believed_cost, step_cost


@kernel
def add_path_gradients(graph, plan, state, vertices, weights, gradient):
    """Add to the gradient of each multiplier its share of the weighted sum of the distances of some vertices.

    The derivative of a distance with respect to the multiplier of a vertex is the length of the edge by which its path
    enters the vertex. All bounds of the plan must be distances.
    """
    for index in range(len(vertices)):
        here = vertices[index]
        while here != plan.goal:
            place, following = locate(graph, here), NO_VERTEX
            for slot in range(slot_count(graph, place)):
                target = successor(graph, place, slot)
                if target == NO_VERTEX or state.status[target] >= CLOSED or plan.bounds[target] >= NO_WAY:
                    continue
                cost = believed_cost(graph, plan, state, here, place, slot, target)
                if cost < NO_WAY and plan.bounds[here] == cost + plan.bounds[target]:
                    length = step_cost(graph, plan, state, here, place, slot, target) / plan.scale
                    gradient[target] += weights[index] * length
                    following = target
                    break
            if following == NO_VERTEX:
                break
            here = following
