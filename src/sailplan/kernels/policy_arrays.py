"""The records of arrays that a policy hands to the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.kernels.arrays import QueueArrays


class KeyArrays(NamedTuple):
    """The key of each queue: cost_weight * g + heuristic_weight * h."""

    heuristic: NDArray[np.int64]
    cost_weight: NDArray[np.float64]
    heuristic_weight: NDArray[np.float64]
    table: NDArray[np.float64]
    """Shape (queues, vertices): values for the queues whose heuristic is TABLE; empty where there is none."""


class WidthArrays(NamedTuple):
    """A queue of novel vertices and one of the others; see `width.py`."""

    heuristic: int
    """ZERO, EUCLIDEAN, MANHATTAN or OCTILE."""
    atoms: NDArray[np.int64]
    """Shape (vertices, axes): the number of each atom of each vertex; empty on a grid: there it is x or width + y."""
    least: NDArray[np.float64]
    """The least distance to the goal at which each atom was met; infinity before it was."""


class NetworkArrays(NamedTuple):
    """Dense layers with ReLU between them, and a linear term beside them."""

    sizes: NDArray[np.int64]
    """Inputs of the first layer, then outputs of each; the last is 1."""
    weights: NDArray[np.float32]
    """Those of all layers, one after the other, each (inputs, outputs)."""
    biases: NDArray[np.float32]
    """Those of all layers, one after the other."""
    linear: NDArray[np.float64]
    """What each input adds to the output by itself."""
    scratch: NDArray[np.float32]
    """Shape (2, widest layer)."""


class FeatureArrays(NamedTuple):
    """What to compute of a vertex."""

    columns: NDArray[np.int64]
    """Codes of the columns, as in `features.py`."""
    needs_obstacles: bool
    """Whether a column is about the closest invalid vertices."""
    needs_walls: bool
    """Whether a column is about the walls that invalid cells make up."""
    values: NDArray[np.float64]
    """Scratch: every named column."""
    row: NDArray[np.float64]
    """Scratch: the columns asked for, in their order."""


class LearnedArrays(NamedTuple):
    """A queue ordered by what a network makes of the features."""

    features: FeatureArrays
    network: NetworkArrays
    rescore: int
    """FROZEN: on insertion; ON_TOUCH: when a neighbour is expanded; LAZY: when popped; FULL: all, each step."""
    current: NDArray[np.int64]
    """The insertion number of each vertex's entry that counts; empty where scores are frozen."""
    scored: NDArray[np.int64]
    """The number of expansions at which each vertex was scored last; empty unless LAZY."""
    members: NDArray[np.int32]
    """The open vertices, and some closed ones, in no order; empty unless FULL."""
    member_count: NDArray[np.int64]


class RandomArrays(NamedTuple):
    """Any open vertex, each as likely as the others."""

    members: NDArray[np.int32]
    """The open vertices, and some closed ones, in no order."""
    member_count: NDArray[np.int64]
    draws: NDArray[np.int64]
    """How many random numbers were used, in a single entry."""
    seed: int


class MixtureArrays(NamedTuple):
    """Two policies with a queue each; a coin decides at each step who selects."""

    first: KeyArrays | LearnedArrays | RandomArrays
    """With a single key; so is the second."""
    second: KeyArrays | LearnedArrays | RandomArrays
    probability: float
    """Of the first."""
    seed: int


class SampleArrays(NamedTuple):
    """A replay that looks at random open vertices before some of its steps."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of expansions after which to look, ascending."""
    picks: NDArray[np.float64]
    """Which open vertex to look at each time, as a share below 1 of the open list."""
    features: FeatureArrays
    vertices: NDArray[np.int32]
    """Output: the vertex looked at each time."""
    rows: NDArray[np.float64]
    """Output: its features."""
    taken: NDArray[np.int64]
    """How many were looked at, in a single entry."""
    members: NDArray[np.int32]
    """The open list, in no order."""
    places: NDArray[np.int32]
    """Where each open vertex is in it."""
    member_count: NDArray[np.int64]


class TransitionArrays(NamedTuple):
    """A replay that looks at what some of its steps led to."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of the steps to look at, ascending."""
    learned: LearnedArrays
    """What scores each vertex when it enters the open list."""
    scores: NDArray[np.float64]
    """That score of each vertex."""
    numbers: NDArray[np.int64]
    """When each vertex entered, as a number."""
    members: NDArray[np.int32]
    """The open vertices, and some closed ones, in no order."""
    member_count: NDArray[np.int64]
    rows: NDArray[np.float64]
    """Output: features of the vertex that each step expands, before it does."""
    next_vertices: NDArray[np.int32]
    """Output: the open vertex with the least score after it, NO_VERTEX where the replay ends with that step."""
    next_rows: NDArray[np.float64]
    """Output: features of that vertex, then."""
    taken: NDArray[np.int64]
    """How many steps were looked at, and how many of these to their end."""


class SteeredArrays(NamedTuple):
    """Queues whose first vertices are listed for somebody outside, who names the one to expand."""

    keys: KeyArrays
    """Without a weight of the cost, so that a vertex is in each queue once."""
    features: FeatureArrays
    candidates: NDArray[np.int64]
    """Output, shape (queues, places): the first open vertices of each queue, NO_VERTEX where there are fewer."""
    rows: NDArray[np.float64]
    """Output, shape (queues * places, columns): the features of each; zeros where there is no vertex."""
    choice: NDArray[np.int64]
    """Which of the candidates to expand, counted through all queues; NONE leaves it to the queues, in turn."""
    popped: NDArray[np.int64]
    """Scratch, shape (2, places): ranks and tags."""


class ReplanningArrays(NamedTuple):
    """Lower bounds of each vertex's distance to the goal in the world as it is believed to be; see `replanning.py`.

    Distances are whole numbers, so that the order in which they are added up does not matter.
    """

    steps: NDArray[np.int64]
    """What an edge costs where nothing is charged for it: by slot on a grid, by edge in sparse rows."""
    charges: NDArray[np.int64]
    """By how much each vertex multiplies what edges into it cost; empty where it is UNCHARGED by all."""
    removed: NDArray[np.bool_]
    """In sparse rows: the edges known to be invalid; else empty."""
    bounds: NDArray[np.int64]
    """The lower bound of each vertex; NO_WAY where it is known that no way leads to the goal."""
    from_empty_grid: bool
    """Whether a bound that is 0 is still to be set, to the distance in an empty grid."""
    onward: NDArray[np.int32]
    """One more than the slot that leads on from each vertex; 0 where none is known."""
    confirmed: NDArray[np.int64]
    """The epoch in which the chain from each vertex was last seen to hold, or its negative if it was seen not to."""
    numbers: NDArray[np.int64]
    """The insertion number of each open vertex."""
    clock: NDArray[np.int64]
    """See `replanning.py` for what its places hold."""
    travelled: NDArray[np.int64]
    """In a repair: the distance from the open vertex to each vertex reached; this and the rest is scratch."""
    phases: NDArray[np.int64]
    """In a repair: whether each vertex was reached, or done with."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]
    """The vertex and the slot by which each was reached."""
    done: NDArray[np.int32]
    """The vertices done with."""
    waiting: QueueArrays
    """The vertices reached."""


PolicyArrays = (
    KeyArrays
    | WidthArrays
    | LearnedArrays
    | RandomArrays
    | MixtureArrays
    | SampleArrays
    | TransitionArrays
    | SteeredArrays
    | ReplanningArrays
)
"""What the compiled engine can follow."""
