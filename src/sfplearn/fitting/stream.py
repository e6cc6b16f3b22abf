"""Streams: rows come once, leave their sums behind, and are forgotten at a chosen pace.

All that is kept of a stream is the sums of its rows, each gathered under the parameters of its
time: parameters are what these sums ask for. Sums of a cluster add to those of another, so
clusters can be fused; and a row alone makes sums, so that clusters can be born.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Objective, Rows, Stats, decay, distances, merge, params_at
from sfplearn.core.objective import DEAD, least_distances, params_of, summarizer
from sfplearn.core.state import fuse, join_clusters
from sfplearn.fitting.scale import CONSTANT, Spread
from sfplearn.fitting.start import draw_rows, least_label_costs

# Where rows are forgotten, a cluster of which less than this many rows are left is dropped.
FORGOTTEN = 0.5

# A label is starved if it has fewer than this share of the clusters that its mass deserves.
STARVED = 2 / 3


def stream(
    objective: Objective, rows: Rows, memory: Stats, *, kept: float = 1.0, watchful: bool = False
) -> Stats:
    """Take in a block of rows; what was known before counts `kept` times.

    Labels keep rows away from clusters of other labels, so that a cluster hardly notices when
    labels change around it. `watchful` clusters count the labels of all rows near by.
    """
    params = params_of(objective, memory)
    fresh = summarizer(objective, params)(rows)
    if watchful:
        blind = objective._replace(alpha=0.0)
        fresh = fresh._replace(expert=summarizer(blind, params)(rows).expert)
    return merge(decay(memory, kept), fresh)


def renew(
    objective: Objective,
    rows: Rows,
    memory: Stats,
    k: int,
    random: np.random.Generator,
    *,
    least: float = 0.0,
) -> tuple[Stats, Rows]:
    """Drop clusters of no more than the least mass and let others be born, at most k in all.

    One is born at a row of each label that was never met, or has too few clusters for its mass:
    where there is no room, the lightest cluster joins its neighbour. One is born at a row that
    costs much, if there is room. Rows that clusters are born at have been counted then.
    """
    gone = memory.mass <= max(least, DEAD * memory.mass.mean())
    if gone.any() and not gone.all():
        memory = _without(memory, gone)
    labels = [*_new_labels(rows, memory), *_starved_labels(rows, memory, k)][: k - 1]
    among = [rows.y == label for label in labels]
    if len(memory.mass) + len(labels) < k:
        among.append(rows.weight > 0)
    chosen = _costly_rows(objective, rows, memory, among, random) if among else []
    while chosen and len(memory.mass) > max(1, k - len(chosen)):
        memory = _without_lightest(memory)
    weight = rows.weight.copy()
    for row in dict.fromkeys(chosen[: k - len(memory.mass)]):
        memory = join_clusters(memory, _born(objective, rows.take([row])))
        weight[row] = 0.0
    return memory, rows._replace(weight=weight)


def moved(memory: Stats, by: NDArray[np.float64]) -> Stats:
    """Return the same sums relative to an origin that is moved by so much."""
    moments = memory.divergence
    first = moments.first - moments.seen * by
    second = moments.second - 2.0 * by * moments.first + by * by * moments.seen
    return memory._replace(divergence=moments._replace(first=first, second=second))


def spread_of(memory: Stats, origin: NDArray[np.float64], eps: float) -> Spread:
    """Return location and scale of the rows behind sums."""
    moments = memory.divergence
    seen = np.maximum(moments.seen.sum(axis=0), np.finfo(np.float64).tiny)
    first, second = moments.first.sum(axis=0) / seen, moments.second.sum(axis=0) / seen
    variances = np.maximum(second - first * first, 0.0)
    noise = CONSTANT * eps * (np.abs(origin) + np.abs(first))
    constant = ~(variances > noise * noise)
    return Spread(
        weight=float(moments.mass.sum()),
        variance=float(variances[~constant].mean()) if not constant.all() else 1.0,
        magnitude=float(second.mean()),
        origin=origin,
        variances=variances,
        constant=constant,
    )


def _born(objective: Objective, row: Rows) -> Stats:
    """Return the sums of a row alone; Gaussians are as wide as all rows at first."""
    sums = summarizer(objective, params_at(objective, row))(row)._replace(energy=0.0)
    width = getattr(objective.divergence, "start", None)
    if width is None:
        return sums
    moments = sums.divergence
    second = moments.second + moments.seen * width
    return sums._replace(divergence=moments._replace(second=second))


def _new_labels(rows: Rows, memory: Stats) -> NDArray[Any]:
    """Return the codes of labels that no cluster has met."""
    met = np.append(memory.expert.sums.sum(axis=0) > 0, True)  # nothing is new in no label
    codes = np.unique(rows.y[rows.weight > 0])
    return codes[~met[codes]]


def _starved_labels(rows: Rows, memory: Stats, k: int) -> list[Any]:
    """Return a label of these rows that has far fewer clusters than its mass deserves."""
    sums = memory.expert.sums
    if sums.shape[1] < 2 or not sums.any():
        return []
    seats = np.bincount(sums.argmax(axis=1), minlength=sums.shape[1])
    deserved = k * sums.sum(axis=0) / sums.sum()
    starved = (seats > 0) & (seats < STARVED * deserved)
    here = np.unique(rows.y[(rows.weight > 0) & (rows.y >= 0)])
    return [code for code in here if starved[code]][:1]


def _costly_rows(
    objective: Objective,
    rows: Rows,
    memory: Stats,
    among: list[NDArray[np.bool_]],
    random: np.random.Generator,
) -> list[Any]:
    """Draw a row among each of these, likely one that costs much; none if none costs anything."""
    params = params_of(objective, memory)
    least = least_label_costs(objective, rows) + least_distances(objective, params)
    cost = (distances(objective, params, rows) - least).min(axis=1)
    chances = [np.where(some, rows.weight * np.maximum(cost, 0.0), 0.0) for some in among]
    return [draw_rows(chance, random) for chance in chances if chance.any()]


def _without(memory: Stats, gone: NDArray[np.bool_]) -> Stats:
    return fuse(memory, np.where(gone, -1, np.cumsum(~gone) - 1), int((~gone).sum()))


def _without_lightest(memory: Stats) -> Stats:
    """Let the cluster of least mass join the one whose centre is nearest."""
    lightest = int(np.argmin(memory.mass))
    centers = memory.divergence.first / memory.mass[:, None]
    apart = np.sum((centers - centers[lightest]) ** 2, axis=1)
    apart[lightest] = np.inf
    into = np.arange(len(apart))
    into[lightest] = int(np.argmin(apart))
    return fuse(memory, into - (into > lightest), len(apart) - 1)
