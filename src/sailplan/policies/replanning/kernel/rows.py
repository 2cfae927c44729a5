"""Believed costs in sparse rows, where they are computed before the search unless there is a lower bound."""

from __future__ import annotations

import math

import numpy as np

from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.roadmap.kernel import MetricCsrArrays
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


@inlined
def _whole_cost(graph, plan, edge):
    """Return the cost of an edge; with a lower bound, it is computed here.

    It is rounded up and one more, so that bounds are consistent although distances are computed with rounding errors.
    """
    if plan.from_lower_bound:
        return np.int64(math.ceil(graph.costs[edge] * plan.scale)) + 1
    return plan.steps[edge]


@step_cost.register(MetricCsrArrays)
def _step_in_metric_rows(graph, plan, state, vertex, place, slot, target):
    return NO_WAY if plan.removed[place[0] + slot] else _whole_cost(graph, plan, place[0] + slot)


@reverse.register(MetricCsrArrays)
def _reverse_in_metric_rows(graph, plan, state, place, slot, target, source):
    edge = plan.edge_of[place[0] + slot]
    first = graph.first[source]
    if plan.removed[edge]:
        return NO_WAY, edge - first
    return _whole_cost(graph, plan, edge) * multiplier_of(plan, (first, first), edge - first, target), edge - first
