"""Believed costs in sparse rows, where they are computed before the search."""

from __future__ import annotations

from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.policies.replanning.kernel.edges import NO_WAY, multiplier_of, remove_edge, reverse, step_cost


@step_cost.register(CsrArrays)
def _step_in_rows(graph, plan, state, vertex, place, slot, target):
    return NO_WAY if plan.removed[place[0] + slot] else plan.steps[place[0] + slot]


@reverse.register(CsrArrays)
def _reverse_in_rows(graph, plan, state, place, slot, target, source):
    edge = plan.edge_of[place[0] + slot]
    first = graph.first[source]
    cost = plan.steps[edge] * multiplier_of(plan, (first, first), edge - first, target)
    return (NO_WAY if plan.removed[edge] else cost), edge - first


@remove_edge.register(CsrArrays)
def _remove_in_rows(graph, plan, source, target):
    place = locate(graph, source)
    for slot in range(slot_count(graph, place)):
        if successor(graph, place, slot) == target:
            plan.removed[place[0] + slot] = True
