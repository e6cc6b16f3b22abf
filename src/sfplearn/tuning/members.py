"""Which candidates begin with a share of a committee, by what they said of rows not trained on.

The few that do best, in equal parts, at most half of them of one kind; or greedy ensemble selection
(Caruana and others, 2004): again and again add the candidate that makes the mean of probabilities
best on such rows. Doing so on random halves of the candidates, and averaging, keeps chance hits
small.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.calibrate import LEAST_PROBABILITY

Array = NDArray[np.float64]

# Greedy selection: picks, random parts of the candidates to pick from, and how large each is.
PICKS = 25
BAGS = 10
PART = 0.5

# Members of one kind that a small committee may have all the same. On 45 tables, a fold each, at
# most two of four of one kind gained 0.40 points of accuracy (standard error 0.19; 12 tables
# better, 3 worse) and left log-loss as it was; at most one of four lost 0.13. Many ways were
# compared there, of which this was the best: elsewhere it will gain less.
LEAST_OF_A_KIND = 2

# What a unit of log-loss is worth, in shares of rows that are right.
LOSS_WORTH = 2.0


def best_members(worth: Array, kinds: Sequence[str], count: int) -> Array:
    """Return equal weights of the candidates that are worth most, and none of the others.

    At most half of them are of one kind, as long as there are others: those of one kind err alike.

    >>> best_members(np.array([0.7, 0.9, 0.8]), ["a", "b", "b"], 2).tolist()
    [0.0, 0.5, 0.5]
    >>> best_members(np.array([0.6, 0.7, 0.8, 0.9]), ["a", "b", "b", "b"], 3).round(2).tolist()
    [0.33, 0.0, 0.33, 0.33]
    """
    most = max(LEAST_OF_A_KIND, count // 2)
    taken: Counter[str] = Counter()
    first: list[int] = []
    spare: list[int] = []
    for place in np.argsort(-worth, kind="stable").tolist():
        taken[kinds[place]] += 1
        (first if taken[kinds[place]] <= most else spare).append(place)
    chosen = np.zeros(len(worth))
    chosen[[*first, *spare][:count]] = 1.0
    return chosen / chosen.sum()


def greedy_members(
    probabilities: Array, codes: NDArray[Any], weight: Array, *, random: np.random.Generator
) -> Array:
    """Return weights of candidates whose mean predicts rows that they were not trained on.

    `probabilities` are those of each candidate, of shape (candidates, n, classes).
    """
    count = len(probabilities)
    part = max(1, round(PART * count))
    chosen = np.zeros(count)
    for _ in range(BAGS):
        pool = random.choice(count, part, replace=False)
        chosen[pool] += _greedy(probabilities[pool], codes, weight, PICKS)
    return chosen / chosen.sum()


def _greedy(probabilities: Array, codes: NDArray[Any], weight: Array, picks: int) -> Array:
    """Return how often each candidate is picked, one after the other, with replacement."""
    counts = np.zeros(len(probabilities))
    total = np.zeros(probabilities.shape[1:])
    for pick in range(1, picks + 1):
        worth = worth_of((total + probabilities) / pick, codes, weight)
        chosen = int(np.argmax(worth))
        counts[chosen] += 1
        total += probabilities[chosen]
    return counts


def worth_of(probabilities: Array, codes: NDArray[Any], weight: Array) -> Array:
    """Return the share of rows that are right, less log-loss as far as it counts."""
    right = probabilities.argmax(axis=2) == codes
    own = probabilities[:, np.arange(len(codes)), codes]
    gain = right + LOSS_WORTH * np.log(np.maximum(own, LEAST_PROBABILITY))
    return gain @ weight / weight.sum()
