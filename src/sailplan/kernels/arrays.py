"""The records of arrays that cross the border between Python and the kernels, and the codes they hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, INVALID = 0, 1, 2, 3
"""What a search knows of a vertex."""

VALID_EDGE, INVALID_EDGE, INVALID_TARGET = 0, 1, 2
"""What an edge check can say."""

RUNNING, GOAL_GENERATED, GOAL_EXPANDED, FRONTIER_EMPTY, QUEUE_FULL, EDGE_LOG_FULL = range(6)
"""Why the search kernel came back."""

EXPANSIONS, EDGE_EVALUATIONS, POLICY_EVALUATIONS, NON_FINITE_SCORES, INVALID_VERTICES, INVALID_EDGES = range(6)
"""Places in `StateArrays.counts`."""
COUNTS = 6

SELECT, EXPAND, EVALUATE = range(3)
"""Places in `StateArrays.cycles`."""
PHASES = 3

NEAR, FAR, LIMIT, SPAN = range(4)
"""Places in a row of `QueueArrays.levels`."""

ZERO, EUCLIDEAN, MANHATTAN, OCTILE, OBSTACLE, TABLE = range(6)
"""What `KeyArrays.heuristic` may name."""

ENTERED, CHEAPER, TOUCHED = range(3)
"""What an expansion did to an open vertex: let it in, found a cheaper path to it, or neither."""

FROZEN, ON_TOUCH, LAZY, FULL = range(4)
"""When a learned score is computed; see `LearnedArrays.rescore`."""

NO_VERTEX = -1
NONE = -1
"""No entry of a list."""


class GridArrays(NamedTuple):
    """A grid whose edges are implied by its cells; vertex = y * width + x."""

    blocked: NDArray[np.bool_]
    """Shape (height * width,)."""
    width: int
    height: int
    directions: int
    """4 or 8."""
    corner_cutting: bool
    diagonal_cost: float
    """2, the cost of the two straight moves, where there are no diagonal ones."""


class CsrArrays(NamedTuple):
    """A graph as compressed sparse rows: the edges of vertex v are first[v] .. first[v + 1] - 1."""

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    costs: NDArray[np.float64]
    verdicts: NDArray[np.uint8]
    """What a check of each edge says."""
    coordinates: NDArray[np.float64]
    """Shape (vertices, dimensions)."""


class StateArrays(NamedTuple):
    """Everything a search has uncovered; a vertex's entries mean nothing while it is UNSEEN."""

    status: NDArray[np.uint8]
    """UNSEEN, OPEN, CLOSED or INVALID for each vertex."""
    cost: NDArray[np.float64]
    """Cost of the best path found from the start (g)."""
    parent: NDArray[np.int32]
    """The vertex before it on that path; NO_VERTEX at the start."""
    depth: NDArray[np.int32]
    """Number of edges on that path."""
    expanded: NDArray[np.int32]
    """Vertices in the order of their expansion (C)."""
    invalid: NDArray[np.int32]
    """Vertices found invalid, in the order of discovery."""
    invalid_edges: NDArray[np.int32]
    """Edges (source, target) found invalid although the target may not be, in the order of discovery."""
    counts: NDArray[np.int64]
    cycles: NDArray[np.int64]


class QueueArrays(NamedTuple):
    """Priority queues over the same vertices, one a row; see `heap.py`."""

    ranks: NDArray[np.int64]
    tags: NDArray[np.int64]
    levels: NDArray[np.int64]
    """Shape (queues, 4): NEAR, FAR, LIMIT and SPAN of each queue."""
    issued: NDArray[np.int64]
    """The insertion number last given out, in a single entry."""


class SingleQueueArrays(QueueArrays):
    """The same where there is only one, a kind of its own so that kernels are compiled without loops over queues."""


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


class NoObstacles(NamedTuple):
    """Nothing is kept about invalid vertices: no policy of this search asks where they are."""

    unused: int = 0


class ListedObstacles(NamedTuple):
    """Invalid vertices anywhere in space, looked through one by one."""

    unused: int = 0


class GridObstacles(NamedTuple):
    """Invalid cells by place, so that the closest is found without a look at all of them; see `obstacles.py`.

    A cell goes by its number in the order of discovery.
    """

    cells: NDArray[np.int32]
    """Shape (vertices, 2): the x and y of each."""
    heads: NDArray[np.int32]
    """Shape (bucket rows, bucket columns): the last one discovered in each bucket, or NONE."""
    links: NDArray[np.int32]
    """The one discovered before it in the same bucket, or NONE."""
    columns: NDArray[np.int32]
    """The first one discovered in each column, or NONE."""
    rows: NDArray[np.int32]
    """The first one discovered in each row, or NONE."""
    roots: NDArray[np.int32]
    """A step from each invalid cell towards the one that stands for its wall, NONE for other cells; see `walls.py`.
    Empty where no policy asks for walls, and so are the next two."""
    sizes: NDArray[np.int32]
    """How many cells the wall has, at the cell that stands for it."""
    extremes: NDArray[np.int32]
    """Shape (vertices, 8), at the cell that stands for a wall: its farthest cells in eight directions."""


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


PolicyArrays = (
    KeyArrays
    | WidthArrays
    | LearnedArrays
    | RandomArrays
    | MixtureArrays
    | SampleArrays
    | TransitionArrays
    | SteeredArrays
)
"""What the compiled engine can follow."""
