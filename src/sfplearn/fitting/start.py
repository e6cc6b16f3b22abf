"""Where a descent starts: rows that become centres, their labels that become prototypes.

All choices are made on a sample of distinct rows in an order by content, by inverting cumulative
weights. So row order does not matter, and weights equal repetition, also for starts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Objective, Params, Rows, distances, merge, params_at, update
from sfplearn.core.objective import least_distances, summarizer
from sfplearn.core.state import keep

# A start looks at this many rows for each cluster and in all, or at fewer if they are long.
ROWS_A_CLUSTER = 5
SAMPLE_ROWS = 2_000
SAMPLE_NUMBERS = 8_000_000

# Costs between sampled rows are computed at once up to so many.
COST_TABLE = 4_000_000

# Steps of experts without a closed form towards the labels around them.
HONEST_STEPS = 30

# Total costs that differ by less, relatively, are equal: symmetric data have many of these.
TIES = 1e-9

Chooser = Callable[[Objective, Rows, int, np.random.Generator], NDArray[np.intp]]


def start_rows(source: Any, p: int, k: int, random: np.random.Generator) -> Rows:
    """Draw the rows that starts choose from."""
    enough = max(SAMPLE_ROWS, ROWS_A_CLUSTER * k)
    return source.sample(max(2 * k, min(enough, SAMPLE_NUMBERS // p)), random)


def initial_params(
    method: str, objective: Objective, source: Any, rows: Rows, k: int, random: np.random.Generator
) -> Params:
    """Choose k of the sampled rows by a named method and start from them."""
    chosen = rows.take(STARTS[method](objective, rows, k, random))
    return params_from_rows(objective, source, chosen)


def params_from_rows(objective: Objective, source: Any, chosen: Rows) -> Params:
    """Start from given rows.

    A row without a label says nothing about labels, and a prototype that says nothing would
    keep labelled rows away for ever: then prototypes come from a pass over all rows.
    """
    if (chosen.y < 0).any() and objective.expert.n_codes:
        return params_from_centers(objective, source, chosen.dense())
    return params_at(objective, chosen)


def params_from_centers(objective: Objective, source: Any, centers: NDArray[np.float64]) -> Params:
    """Start from given centres, relative to the origin: labels come from one pass without them."""
    targets = np.zeros((len(centers), objective.expert.n_targets))
    params = params_at(objective, Rows.of(centers, targets=targets))
    return with_honest_labels(objective, source, params)


def with_honest_labels(objective: Objective, source: Any, params: Params) -> Params:
    """Return parameters whose prototypes come from memberships that do not know labels."""
    blind = objective._replace(alpha=0.0)
    # Experts that only step towards their minimum take a few steps.
    for _ in range(1 if getattr(objective.expert, "is_exact", True) else HONEST_STEPS):
        stats = source.map_reduce(summarizer(blind, params), merge)
        params = params._replace(expert=update(blind, params, stats).expert)
    return params


def reseed(
    objective: Objective,
    rows: Rows,
    random: np.random.Generator,
    params: Params,
    dead: NDArray[np.bool_],
) -> Params:
    """Place dead clusters at rows that cost much under the living ones."""
    cost = distances(objective, params, rows)[:, ~dead].min(axis=1)
    chance = rows.weight * np.maximum(cost - cost.min(), 0.0)
    chosen = np.zeros(len(dead), int)
    chosen[dead] = draw_rows(chance if chance.any() else rows.weight, random, int(dead.sum()))
    placed = params_at(objective, rows.take(chosen))
    return keep(dead, placed, params, shared_is_new=False)


def random_rows(
    objective: Objective, rows: Rows, k: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Choose k rows at random, as the paper does: different ones until all are taken."""
    # Rows that arrive first at the rate of their weights are drawn as if one after the other.
    counting = np.flatnonzero(rows.weight > 0)
    arrival = random.exponential(size=len(rows.weight))[counting] / rows.weight[counting]
    chosen = counting[np.argsort(arrival, kind="stable")[:k]]
    again = draw_rows(rows.weight, random, k - len(chosen))
    return np.concatenate([chosen, again])


def plus_plus(
    objective: Objective, rows: Rows, k: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Choose rows one by one, each likely to cost much under those chosen before (k-means++).

    The cost is the objective's own, so labels count too. Of a few candidates drawn in each
    round, the one that lowers the total cost most is taken.
    """
    trials = 2 + int(np.log(k))
    cost_of = _cost_function(objective, rows, k * trials)
    chosen = [draw_rows(rows.weight, random)]
    cost = cost_of(np.array(chosen))[:, 0]
    for _ in range(k - 1):
        chance = rows.weight * cost
        candidates = draw_rows(chance if chance.any() else rows.weight, random, trials)
        costs = np.minimum(cost[:, None], cost_of(candidates))
        best = _first_least(rows.weight @ costs)
        chosen.append(candidates[best])
        cost = costs[:, best]
    return np.array(chosen)


def _cost_function(
    objective: Objective, rows: Rows, asked: int
) -> Callable[[NDArray[np.intp]], NDArray[np.floating]]:
    """Return a function from rows to what all rows cost under a cluster at each, (n, asked).

    If about as many will be asked for as there are rows, one product gives them all.
    """
    floor = least_label_costs(objective, rows)

    def cost_of(candidates: NDArray[np.intp]) -> NDArray[np.floating]:
        params = params_at(objective, rows.take(candidates))
        least = floor + least_distances(objective, params)
        return np.maximum(distances(objective, params, rows) - least, 0.0)

    n = len(rows.y)
    if not n <= asked or n * n > COST_TABLE:
        return cost_of
    table = cost_of(np.arange(n))
    return lambda candidates: table[:, candidates]


def stratified(
    objective: Objective, rows: Rows, k: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Share the clusters out between labels by weight, and choose by k-means++ inside each."""
    code = np.unique(rows.y, return_inverse=True)[1]
    counts = _share_out(k, np.bincount(code, rows.weight), np.bincount(code))
    chosen = []
    for label, count in enumerate(counts):
        if count:
            members = np.flatnonzero(code == label)
            chosen.append(members[plus_plus(objective, rows.take(members), int(count), random)])
    return np.concatenate(chosen)


STARTS: dict[str, Chooser] = {
    "k-means++": plus_plus,
    "random": random_rows,
    "stratified": stratified,
}


def _first_least(totals: NDArray[np.floating]) -> int:
    """Index of the first number that is least up to rounding, which must not decide."""
    return int(np.argmax(totals <= totals.min() * (1 + TIES)))


def _share_out(k: int, weight: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.intp]:
    """Give seats one by one to the label with the most weight a seat, at most one a row.

    The first seat of a label comes before the second of any other.
    """
    counts = np.zeros(len(weight), int)
    for _ in range(k):
        claim = np.where(counts == 0, weight.sum() + weight, weight / np.maximum(counts, 1))
        claim = np.where(counts < rows, claim, -1.0)
        counts[np.argmax(claim >= claim.max() * (1 - TIES))] += 1
    return counts


def least_label_costs(objective: Objective, rows: Rows) -> NDArray[np.float64]:
    """Label cost of each row under its own label's prototype, (n, 1); 0 without a label."""
    costs = np.append(objective.expert.least_costs(), 0.0)
    return objective.alpha * costs[rows.y][:, None]


def draw_rows(
    chance: NDArray[np.floating], random: np.random.Generator, size: int | None = None
) -> Any:
    """Draw indices with probability proportional to chance, by inverting its cumulative sum."""
    total = np.cumsum(chance, dtype=np.float64)
    index = np.searchsorted(total, random.random(size) * total[-1], side="right")
    return np.minimum(index, len(chance) - 1)
