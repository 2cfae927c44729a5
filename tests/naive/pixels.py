"""Pixels of a grid and mixtures of typical worlds from their definitions: loops over cells, areas and components."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, hypot, log

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.policies.replanning.beliefs.mixture import Recall
from sailplan.policies.replanning.beliefs.prior import Penalty

Numbers = NDArray[np.float64]
Statuses = NDArray[np.uint8]


def cells_of(pixel: int, pixels: int, cells: int) -> list[int]:
    """The cells along one axis from that in which a pixel begins to that in which the next one does; at least one."""
    begin, end = Fraction(pixel * cells, pixels), Fraction((pixel + 1) * cells, pixels)
    return [cell for cell in range(cells) if floor(begin) <= cell < floor(end)] or [floor(begin)]


def pixel_of(cell: int, pixels: int, cells: int) -> int:
    """The pixel along one axis in which the centre of a cell lies."""
    return floor((cell + Fraction(1, 2)) / cells * pixels)


def area_of(row: int, column: int, pixels: int, across: int) -> int:
    """The area in which a pixel begins; areas are numbered row by row."""
    return floor(Fraction(row, pixels) * across) * across + floor(Fraction(column, pixels) * across)


def pool(blocked: NDArray[np.bool_], pixels: int) -> Numbers:
    """The share of blocked cells of each pixel."""
    rows, columns = ([cells_of(pixel, pixels, size) for pixel in range(pixels)] for size in blocked.shape)
    return np.array([[np.mean([blocked[y, x] for y in ys for x in xs]) for xs in columns] for ys in rows])


def evidence_of(
    status: Statuses, shares: Numbers, of_blocked: float, of_free: float, across: int, rarest: float = 0.02
) -> Numbers:
    """The log likelihood of all known cells, in each area (row) and under each component (column).

    The shares have shape (components, pixels, pixels). None is closer to 0 or 1 than the rarest one.
    """
    (height, width), pixels = status.shape, shares.shape[1]
    evidence = np.zeros((across**2, len(shares)))
    for y, x in np.argwhere(status != UNSEEN).tolist():
        row, column = pixel_of(y, pixels, height), pixel_of(x, pixels, width)
        for component, share in enumerate(shares[:, row, column].tolist()):
            kept = min(max(share, rarest), 1.0 - rarest)
            likely = of_blocked * log(kept) if status[y, x] == INVALID else of_free * log(1.0 - kept)
            evidence[area_of(row, column, pixels, across), component] += likely
    return evidence


def carried(recall: Recall, pixels: int, across: int) -> Numbers:
    """The share of the evidence of another area (column) that counts in an area (row)."""
    places = [divmod(area, across) for area in range(across**2)]
    side = pixels / across
    return np.array([[exp(-side * hypot(y - v, x - u) / recall.reach) for v, u in places] for y, x in places])


def weigh(evidence: Numbers, prior: Numbers, carried: Numbers, local: float) -> Numbers:
    """The weight of each component (column) in each area (row): posteriors by all evidence and by what is carried."""
    everywhere = _posterior(prior, evidence.sum(axis=0))
    here = [_posterior(prior, sum(share * one for share, one in zip(row, evidence, strict=True))) for row in carried]
    return np.array([local * one + (1.0 - local) * everywhere for one in here])


def _posterior(prior: Numbers, logs: Numbers) -> Numbers:
    likely = [weight * exp(one - logs.max()) for weight, one in zip(prior.tolist(), logs.tolist(), strict=True)]
    return np.array([one / sum(likely) for one in likely])


def blend(shares: Numbers, weights: Numbers, least: float, frequencies: Numbers, prior: float) -> Numbers:
    """The mean of the shares by the weights of the area of each pixel, mixed with the frequencies."""
    pixels, across = shares.shape[1], round(len(weights) ** 0.5)
    blocked = np.empty((pixels, pixels))
    for row, column in np.ndindex(pixels, pixels):
        here = weights[area_of(row, column, pixels, across)]
        kept = [weight * share for weight, share in zip(here, shares[:, row, column], strict=True) if weight >= least]
        blocked[row, column] = prior * frequencies[row, column] + (1.0 - prior) * sum(kept)
    return blocked


def recall_weights(status: Statuses, shares: Numbers, prior: Numbers, recall: Recall, across: int) -> Numbers:
    """The weight of each component in each area after the known cells were compared, whatever the order."""
    pixels = shares.shape[1]
    side = min(1.0, pixels / max(status.shape))
    evidence = evidence_of(status, shares, side * recall.of_blocked, side * recall.of_free, across)
    return weigh(evidence, prior / prior.sum(), carried(recall, pixels, across), recall.local)


def penalise(blocked: Numbers, frequencies: Numbers, extra: Numbers, penalty: Penalty) -> Numbers:
    """The multiplier of each pixel."""
    multipliers = np.empty(blocked.shape)
    for place in np.ndindex(*blocked.shape):
        surprise = -log(1.0 - penalty.certainty * min(1.0, float(blocked[place])) ** penalty.sharpness)
        steady = penalty.prior_weight * frequencies[place]
        multipliers[place] = 1.0 + steady + extra[place] + penalty.surprise * surprise
    return multipliers


def spread(values: Numbers, status: Statuses, least_step: float, before: Numbers) -> Numbers:
    """The value of its pixel for each unseen cell whose multiplier changes enough, and 1 for cells that are known."""
    (height, width), pixels = status.shape, len(values)
    after = before.copy()
    for y, x in np.ndindex(height, width):
        value = values[pixel_of(y, pixels, height), pixel_of(x, pixels, width)]
        if status[y, x] != UNSEEN:
            after[y, x] = 1.0
        elif abs(value - before[y, x]) > least_step * before[y, x]:
            after[y, x] = value
    return after


def collect(gradient: Numbers, status: Statuses, pixels: int) -> Numbers:
    """The sum of the gradient over the unseen cells of each pixel."""
    height, width = status.shape
    values = np.zeros((pixels, pixels))
    for y, x in np.argwhere(status == UNSEEN).tolist():
        values[pixel_of(y, pixels, height), pixel_of(x, pixels, width)] += gradient[y, x]
    return values
