"""The objective of SFP, and the two verbs that minimise it: one pass, one step.

    minimise  sum_ij u_ij D(x_i; nu_j) + alpha sum_ij u_ij l(y_i; theta_j)
              + gamma sum_ij u_ij ln u_ij + P(nu) + alpha P(theta)

A pass (`summarize`) computes the best memberships of a block of rows, adds up what the terms
need, and forgets the memberships. A step (`update`) computes the best parameters from those
sums. Sums of blocks add (`merge`), so rows may live in as many places as they like.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import kernel
from sfplearn.core.simplex import softmin
from sfplearn.core.state import Params, Rows, Stats, keep
from sfplearn.core.terms import Divergence, LabelSums, Moments

# A cluster is dead when it holds less than this share of an average cluster's mass.
DEAD = 1e-10


class Objective(NamedTuple):
    """Two terms and two numbers.

    Examples
    --------
    Rows in three places, fitted by adding their sums:

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> X, y = np.array([[0.0], [0.2], [0.9], [1.1], [0.1], [1.0]]), [0, 0, 1, 1, 0, 1]
    >>> places = [Rows.of(X[i : i + 2], y[i : i + 2]) for i in (0, 2, 4)]
    >>> objective = Objective(WeightedEuclidean(lam=1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> params = params_at(objective, Rows.of(X[[0, 3]], [0, 1]))
    >>> for _ in range(5):
    ...     first, second, third = (summarize(objective, params, rows) for rows in places)
    ...     params = update(objective, params, merge(merge(first, second), third))
    >>> params.divergence.v.round(2).ravel().tolist()
    [0.1, 1.0]
    """

    divergence: Divergence
    """D and its penalty."""
    expert: Any
    """l and its penalty: an `Expert`, or one of `linear`."""
    alpha: float
    """Weight of the labels."""
    gamma: float
    """Weight of the entropy of memberships: large for fuzzy partitions."""


def summarize(objective: Objective, params: Params, rows: Rows) -> Stats:
    """Return the sums of a block under its best memberships (eqs. 10 to 14): the one pass.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> params = params_at(objective, rows.take([0, 2]))
    >>> summarize(objective, params, rows).mass.round(2).tolist()
    [2.0, 1.0]
    """
    _check_labels(objective, rows)
    return summarizer(objective, params)(rows)


def summarizer(objective: Objective, params: Params) -> Callable[[Rows], Stats]:
    """Return `summarize` for these parameters, what all blocks share worked out once."""
    if _says_more_than_labels(objective.expert):
        return _linear_summarizer(objective, params)
    coefficients = _coefficients(objective, params)

    def summarize_block(rows: Rows) -> Stats:
        sums = kernel.summarize(rows if rows.missing else rows.with_targets(), coefficients)
        p = rows.X.shape[1]
        expert = LabelSums(sums=sums.class_sums[:, :-1], targets=sums.first[:, p:])
        return Stats(_moments(sums, p), expert, sums.energy)

    return summarize_block


def _linear_summarizer(objective: Objective, params: Params) -> Callable[[Rows], Stats]:
    """Return the pass for experts whose costs depend on features: memberships between two halves.

    Distances and moments are the kernel's, as ever.
    """
    coefficients = _coefficients(objective, params, labelled=False)

    def summarize_block(rows: Rows) -> Stats:
        blind = rows.without_labels()
        d = kernel.costs(blind, coefficients) + _expert_costs(objective, params, rows)
        u, free_energy = softmin(d.astype(np.float64, copy=False), objective.gamma)
        u *= rows.weight[:, None]
        sums = kernel.gather(blind, coefficients, u)
        return Stats(
            divergence=_moments(sums, rows.X.shape[1]),
            expert=objective.expert.gather(rows, u, params.expert),
            energy=float(rows.weight @ free_energy),
        )

    return summarize_block


def _expert_costs(objective: Objective, params: Params, rows: Rows) -> NDArray[np.floating]:
    """Return alpha l(y_i, x_i; theta_j), (n, k); 0 for rows without a label."""
    if not objective.alpha or (rows.y < 0).all():
        return np.zeros((len(rows.y), 1))
    costs = objective.expert.costs(rows, params.expert)
    return np.where(rows.y[:, None] >= 0, objective.alpha * costs, 0.0)


def _moments(sums: kernel.Sums, p: int) -> Moments:
    """Return the sums of a pass as the divergence takes them."""
    mass, complete = sums.class_sums.sum(axis=1), sums.seen is None
    return Moments(
        mass=mass,
        first=sums.first[:, :p],
        second=sums.second[:, :p],
        seen=mass[:, None] if complete else sums.seen,
        expected=np.zeros((len(mass), 1)) if complete else sums.expected,
    )


def _says_more_than_labels(expert: Any) -> bool:
    """Tell whether an expert's costs depend on features."""
    return hasattr(expert, "costs")


def update(objective: Objective, params: Params, stats: Stats) -> Params:
    """Return the best parameters given the sums of a pass; dead clusters keep theirs.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> params = params_at(objective, rows.take([0, 2]))
    >>> step = update(objective, params, summarize(objective, params, rows))
    >>> step.divergence.v.round(2).tolist()
    [[0.1], [1.0]]
    """
    dead = dead_clusters(stats)
    if dead.any() and isinstance(stats.expert, LabelSums):
        # Any sums will do where the result is not used, but losses may not like zeros.
        living = LabelSums(*(0 * sums + sums[~dead].sum(axis=0) for sums in stats.expert))
        stats = stats._replace(expert=keep(~dead, stats.expert, living))
    new = Params(
        divergence=objective.divergence.update(stats.divergence, params.divergence),
        expert=objective.expert.update(stats.expert, params.expert),
    )
    return keep(~dead, new, params) if dead.any() else new


def params_of(objective: Objective, stats: Stats) -> Params:
    """Return the best parameters given sums, where none came before.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> stats = summarize(objective, params_at(objective, rows.take([0, 2])), rows)
    >>> params_of(objective, stats).divergence.v.round(2).tolist()
    [[0.1], [1.0]]
    """
    return Params(
        divergence=objective.divergence.update(stats.divergence),
        expert=objective.expert.update(stats.expert),
    )


def halfway(objective: Objective, last: Params, params: Params) -> Params:
    """Return parameters halfway back to the last, for steps that turned out too long."""
    return params._replace(
        divergence=objective.divergence.halfway(last.divergence, params.divergence)
    )


def value(objective: Objective, params: Params, stats: Stats) -> float:
    """Return the objective at the parameters whose pass left these sums, exactly.

    With the best memberships the first three sums of the objective are the free energy
    -gamma sum_i ln sum_j exp(-d_ij / gamma), which the pass has at hand.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> params = params_at(objective, rows.take([0, 2]))
    >>> stats = summarize(objective, params, rows)
    >>> step = update(objective, params, stats)
    >>> after = value(objective, step, summarize(objective, step, rows))
    >>> after < value(objective, params, stats)
    True
    """
    total = stats.energy + objective.divergence.penalty(params.divergence)
    if objective.alpha > 0:
        total += objective.alpha * objective.expert.penalty(params.expert)
    return float(total)


def memberships(objective: Objective, params: Params, rows: Rows) -> NDArray[np.floating]:
    """Return u of a block, (n, k): by eq. 10 for labelled rows, eq. 7 for unlabelled ones.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> params = params_at(objective, rows.take([0, 2]))
    >>> memberships(objective, params, Rows.of(rows.X)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    _check_labels(objective, rows)
    if _says_more_than_labels(objective.expert):
        u, _ = softmin(distances(objective, params, rows), objective.gamma)
    else:
        u = kernel.memberships(*_bound(objective, params, rows))
    # Where a row is so far that no distance is a number, all clusters are as good.
    u[~(u.sum(axis=1) > 0)] = 1 / u.shape[1]
    return u


def distances(objective: Objective, params: Params, rows: Rows) -> NDArray[np.floating]:
    """Return d_ij = D(x_i; nu_j) + alpha l(y_i; theta_j) of a block, (n, k).

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.2], [1.0]]), y=[0, 0, 1])
    >>> params = params_at(objective, rows.take([0, 2]))
    >>> distances(objective, params, Rows.of(rows.X)).round(2).tolist()
    [[0.0, 1.0], [0.04, 0.64], [1.0, 0.0]]
    """
    _check_labels(objective, rows)
    if _says_more_than_labels(objective.expert):
        d = kernel.costs(rows.without_labels(), _coefficients(objective, params, labelled=False))
        return d + _expert_costs(objective, params, rows).astype(d.dtype, copy=False)
    return kernel.costs(*_bound(objective, params, rows))


def params_at(objective: Objective, rows: Rows) -> Params:
    """Return one cluster a row: centred on it, with its label's prototype and equal weights.

    This is the start of the paper's algorithm 1. A row without a label takes the prototype of
    equally frequent labels.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> params_at(objective, Rows.of(np.array([[0.0, 3.0]]), y=[1])).divergence
    Balls(v=array([[0., 3.]]), w=array([[0.5, 0.5]]))
    """
    x, codes = rows.dense(), np.arange(objective.expert.n_codes)
    sums = np.where(rows.y[:, None] < 0, 1 / max(len(codes), 1), rows.y[:, None] == codes)
    targets = np.zeros((len(x), 0)) if rows.targets is None else rows.targets
    labels = LabelSums(sums=np.asarray(sums, np.float64), targets=targets)
    if _says_more_than_labels(objective.expert):
        expert = objective.expert.at(labels, x.shape[1])
    else:
        expert = objective.expert.update(labels)
    return Params(divergence=objective.divergence.at(x), expert=expert)


def least_distances(objective: Objective, params: Params) -> NDArray[np.float64]:
    """Return the distance of each cluster from its own centre, (k,)."""
    quadratic = objective.divergence.view(params.divergence)
    return quadratic.bias + np.broadcast_to(quadratic.offsets, quadratic.centers.shape).sum(axis=1)


def dead_clusters(stats: Stats) -> NDArray[np.bool_]:
    """Return a mask of the clusters that have next to no mass."""
    mass = stats.mass
    return mass <= DEAD * (mass.sum() / len(mass))


def _coefficients(
    objective: Objective, params: Params, labelled: bool = True
) -> kernel.Coefficients:
    """Return d_ij as the kernel takes it: the divergence expanded, labels as a table."""
    quadratic = objective.divergence.view(params.divergence)
    linear, square, constant = quadratic.expand()
    table = np.repeat(quadratic.bias[:, None], objective.expert.n_codes + 1, axis=1)
    if labelled and objective.alpha > 0:
        labels = objective.expert.view(params.expert)
        table[:, :-1] += objective.alpha * labels.table
        if objective.expert.n_targets:
            linear = np.hstack([linear, objective.alpha * labels.linear])
            square = np.hstack([square, objective.alpha * labels.square])
    elif labelled and objective.expert.n_targets:
        nothing = np.zeros((len(linear), objective.expert.n_targets))
        linear, square = np.hstack([linear, nothing]), np.hstack([square, nothing])
    return kernel.Coefficients(
        linear,
        square,
        table + constant.sum(axis=1, keepdims=True),
        objective.gamma,
        label_table=table,
        constant=constant,
        is_mean=quadratic.is_mean,
    )


def _bound(objective: Objective, params: Params, rows: Rows) -> tuple[Rows, kernel.Coefficients]:
    """Return rows, and the coefficients of what is known of them."""
    labelled = rows.targets is not None or bool((rows.y >= 0).any())
    coefficients = _coefficients(objective, params, labelled)
    if rows.missing:
        return rows, coefficients
    rows = rows.with_targets() if labelled else rows
    p = rows.X.shape[1]
    if coefficients.linear.shape[1] != p:  # labelled rows whose targets are not given
        coefficients = replace(
            coefficients, linear=coefficients.linear[:, :p], square=coefficients.square[:, :p]
        )
    return rows, coefficients


def _check_labels(objective: Objective, rows: Rows) -> None:
    last = objective.expert.n_codes - 1
    if len(rows.y) and not -1 <= rows.y.min() <= rows.y.max() <= last:
        raise ValueError(
            f"Labels must be codes from 0 to {last}, or -1 for none; got some from "
            f"{rows.y.min()} to {rows.y.max()}."
        )
