"""SFP as a regressor."""

from copy import deepcopy
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.metaestimators import available_if

from sfplearn.core import Means, Prototype, Quantile
from sfplearn.core.experts import Prototypes
from sfplearn.core.linear import LocalRegression
from sfplearn.core.terms import Expert
from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.callbacks import FitWatch, looked_at
from sfplearn.estimators.checks import (
    check_switch,
    unchanged_on_error,
)
from sfplearn.estimators.coding import (
    Labels,
    NumberCoding,
    TargetCoding,
)
from sfplearn.estimators.locals import (
    ask,
    check_linear,
    check_warm_expert,
    is_linear,
    join,
    split,
)
from sfplearn.estimators.losses import (
    find_loss,
    is_squared_error,
    same_loss,
)
from sfplearn.estimators.numbers import (
    batch_of,
    encoded,
    labelled_table,
    meet_labels,
)
from sfplearn.estimators.placed import labels_of, where_rows_are
from sfplearn.estimators.plugin import (
    CLUSTERS_OF_NUMBERS,
    iterations_of,
    number_rules,
    refines_well,
)
from sfplearn.estimators.refinement import check_refinement
from sfplearn.estimators.streaming import Batch, streams, take_in
from sfplearn.estimators.table import Table

# Below this weight of labels, clusters are hardly shaped by them.
WEAK_LABELS = 0.1


class SFPRegressor(RegressorMixin, BaseSFP):
    """Supervised Fuzzy Partitioning: a supervised k-means that predicts numbers.

    Rows are shared out between clusters, each with a centre, a label prototype (for squared
    error, a mean) and feature weights of its own, so that rows of a cluster are alike in the
    features that matter to it and in their labels. A new row takes the prototypes of its
    clusters, mixed by membership.

    Features should be on comparable scales: put a StandardScaler before it.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters k. "auto" takes 8 if they are refined, of which those that end up
        alike are joined; else the square root of the number of distinct rows.
    alpha : float, default=10.0
        Weight of the labels, at least 0. Large values make clusters of nearly equal labels.
    gamma : float or "auto", default="auto"
        Fuzziness of memberships, above 0. Small values make them crisp. "auto": 1 if clusters
        are refined, else 0.3.
    lam : float, default=1.0
        Evenness of feature weights, above 0. Small values pick a few features.
    loss : str, callable or Loss, default="squared_error"
        Loss of label prototypes: "squared_error" (also several outputs), "absolute_error",
        "huber", "quantile" (the median), "poisson" (counts); `Huber(delta)`, `Quantile(levels)`
        for one or several levels that never cross; or your own: a convex function `loss(y, z)`
        that maps labels (m,) and prototypes (k, 1) to a table of losses (k, m), or a `Loss`.
        Losses other than squared error put labels into bins of equal weight if more than
        1024 differ.
    scale : {"auto", None}, default="auto"
        Units of alpha, gamma and lam. With "auto", gamma is in units of the mean variance of
        the features, alpha in units of it over the mean loss of the best constant, and lam in
        units of it times the rows of an average cluster, so that the same values suit tables
        of any size and scale. None takes them as they stand in the paper's objective.
    divergence : str, default="weighted_euclidean"
        How far rows are from clusters: "weighted_euclidean", each cluster with feature weights
        of its own; "shared_weights", one weight vector for all; "diagonal_gaussian", minus the
        logarithm of a normal density times a mixing proportion (lam is not used, and alpha and
        gamma are in units of log-likelihood: gamma=1 makes memberships posteriors); "kernel",
        Euclidean in the space of a kernel, spanned by landmarks, where centres then are.
    kernel : {"rbf", "laplacian", "anova", "polynomial", "sigmoid"} or callable, default="rbf"
        For `divergence="kernel"`; a function maps rows (n, p) and landmarks (m, p) to (n, m).
        "anova" compares rows feature by feature: for functions of few features at a time.
    kernel_params : dict or None, default=None
        Settings of the kernel: gamma, degree, coef0, as in scikit-learn. Unless given, gamma of
        "rbf" is one over p times the mean variance of the features, of "laplacian" its root, and
        of "anova" one over the root; its `interaction`, 2, is how much products of features count.
    n_landmarks : int or "auto", default="auto"
        Rows that span the space, spread out by k-means++; "auto" takes 100.
    expert : {"constant", "linear"}, default="constant"
        What a cluster says about labels: a prototype, or a linear model of the features, for
        "squared_error". Linear experts keep k (p + 1)^2 sums
        and make blocks of sparse rows dense.
    expert_penalty : float, default=1.0
        Weight of the squared slopes of linear experts, in rows of mean variance.
    init : str, array or callable, default="k-means++"
        Where to start. "k-means++" spreads rows out, labels counting as distance; "random"
        takes random rows as the paper does; "stratified" is for classes; k row indices take
        those rows; an array of shape (k, n_features) gives centres; a function
        `init(X, y, n_clusters, random_state)` returns any of these.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one that ends lowest is kept. "auto" means 10 for random
        starts and 1 for the others.
    max_iter : int, default=100
        Largest number of passes over the data.
    tol : float, default=1e-4
        Stop when a pass lowers the objective by less than this share of the variance of the
        data. 0 makes exactly `max_iter` passes.
    refine : int or "auto", default="auto"
        Iterations of L-BFGS that go on from where the descent ends, down the mean loss of
        predictions itself, over centres, feature weights, prototypes and a bias a cluster.
        "auto" makes 50 for all named losses but quantiles, with weighted Euclidean distances,
        if all rows are labelled; none with `scale=None`, the paper's objective, nor where more
        than 100,000 rows have over 10 million memberships of as many clusters as are asked for.
    refine_pull : float or "auto", default="auto"
        How strongly a refinement is pulled back to where it starts, at least 0. "auto": more
        for more parameters a row, from 0.03 to 0.5.
    honest : bool or "auto", default="auto"
        In a fit the label of a row helps to choose its clusters, so that labels of a cluster
        look more alike than those of new rows there will. True estimates prototypes once
        more at the end, from memberships by features alone. "auto" does so for quantiles,
        which would be too close together, and if some rows are unlabelled; False keeps the
        prototypes of the paper's objective.
    unlabeled : float or None, default=NaN
        Label of rows whose number is not known. They shape clusters but meet no label cost; a
        row of several labels counts as unlabelled if one is missing. None: all are labelled.
    half_life : float or None, default=None
        For `partial_fit`: after so many rows a row counts half. None never forgets.
    checkpoint : path or None, default=None
        A folder in which every pass of `fit` leaves the parameters, until it is finished: the
        same fit then goes on after a crash, with the same end. Trust what is in it: a pickle.
    allow_nan : bool, default=False
        Whether cells of X may be missing (NaN): distances then run over the features that a
        row has, their weights renormalised, and a row without any gets the prior.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors, None for as many as BLAS may use.
    warm_start : bool, default=False
        Start where the last fit ended.
    verbose : int, default=0
        Print the objective of every pass if not 0.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres v.
    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Feature weights w; those of a cluster sum to 1.
    prototypes_ : ndarray of shape (n_clusters, n_outputs)
        Label prototypes z, in units of y: means, medians, rates, or a column for each quantile.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        Rows that span the space of a kernel; `cluster_centers_` then lie in it.
    covariances_ : ndarray of shape (n_clusters, n_features)
        Variances, for diagonal Gaussians.
    cluster_shares_ : ndarray of shape (n_clusters,)
        Mixing proportions, for diagonal Gaussians.
    local_coef_, local_intercept_ : ndarray of shape (n_clusters, n_features, d), (n_clusters, d)
        Linear experts; `prototypes_` is then what they say at the centres.
    cluster_mass_ : ndarray of shape (n_clusters,)
        Sum of memberships of each cluster in the last pass.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the feature weights, each cluster counting by its mass.
    objective_path_ : ndarray of shape (n_iter_,)
        The exact objective at the start of each pass.
    alpha_, gamma_, lam_ : float
        The hyperparameters as they stand in the paper's objective; for squared error that of
        standardised labels, unless `scale` is None.
    loss_ : str, callable or Loss
        The loss that was fitted.
    n_iter_ : int
        Number of passes.
    refine_path_ : ndarray
        Mean loss of predictions plus pull, before and after each iteration of a refinement.
    cluster_biases_, cluster_scales_ : ndarray of shape (n_clusters,)
        After a refinement, what is added to distances, and what feature weights are times.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sfplearn import SFPRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SFPRegressor(random_state=0)).fit(X, y)
    >>> model.predict(X).shape
    (442,)

    Several quantiles at once, in order for every row:

    >>> from sfplearn import Quantile
    >>> model = SFPRegressor(5, loss=Quantile([0.1, 0.5, 0.9]), random_state=0).fit(X, y)
    >>> low, middle, high = model.predict(X).T
    >>> bool((low <= middle).all() and (middle <= high).all())
    True
    """

    prototypes_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        alpha: float = 10.0,
        gamma: float | str = "auto",
        lam: float = 1.0,
        loss: Any = "squared_error",
        scale: str | None = "auto",
        divergence: str = "weighted_euclidean",
        kernel: Any = "rbf",
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | str = "auto",
        expert: str = "constant",
        expert_penalty: float = 1.0,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
        honest: bool | str = "auto",
        refine: int | str = "auto",
        refine_pull: float | str = "auto",
        unlabeled: float | None = np.nan,
        half_life: float | None = None,
        checkpoint: Any = None,
        allow_nan: bool = False,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            gamma=gamma,
            lam=lam,
            scale=scale,
            divergence=divergence,
            kernel=kernel,
            kernel_params=kernel_params,
            n_landmarks=n_landmarks,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            half_life=half_life,
            checkpoint=checkpoint,
            allow_nan=allow_nan,
            n_jobs=n_jobs,
            warm_start=warm_start,
            verbose=verbose,
            random_state=random_state,
        )
        self.alpha = alpha
        self.loss = loss
        self.expert = expert
        self.expert_penalty = expert_penalty
        self.honest = honest
        self.refine = refine
        self.refine_pull = refine_pull
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.loss == "squared_error"
        tags.target_tags.positive_only = self.loss == "poisson"
        # Clusters that labels hardly shape are those of the features alone. scikit-learn's check
        # of scores sets alpha to 0.01, taking it for a penalty.
        tags.regressor_tags.poor_score = isinstance(self.alpha, Real) and self.alpha < WEAK_LABELS
        return tags

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the partition to labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows. float32 stays float32, sparse rows are never made dense. Or rows
            elsewhere: from `open_rows`, or a Dask array or data frame.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels; NaN where a label is not known. Several outputs for squared error only.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts; a weight of 2 equals writing the row twice. Weights that
            add up to less than the distinct rows count by their ratios alone.

        Returns
        -------
        self : SFPRegressor
            The fitted estimator. If fit fails, the estimator stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPRegressor
        >>> model = SFPRegressor(2, random_state=0)
        >>> model.fit([[0], [1], [9]], [0.0, 1.0, float("nan")]).n_features_in_
        1
        """
        with looked_at(self, X, y, sample_weight) as watch:
            check_refinement(self)
            if is_linear(self):
                check_linear(self, ("squared_error",))
            table, expert, unit = labelled_table(self, X, y, sample_weight)
            if self.warm_start and hasattr(self, "prototypes_"):
                check_warm_expert(self)
                self._check_warm_start(expert)
            self._fit_numbers(table, expert, unit, watch)
        return self

    @available_if(streams)
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from some rows of a stream, in one pass over them.

        The first 2000 rows, or 20 for each cluster, are kept, and clusters found anew whenever
        their number has grown by a quarter; the units of labels are theirs. After that, time
        and memory do not depend on how many rows have been seen. With `half_life`, old rows are
        forgotten and the stream is followed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, one or many.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        self : SFPRegressor
            The estimator. If anything fails, it stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPRegressor
        >>> model = SFPRegressor(2, gamma=0.01, random_state=0)
        >>> for x in range(10):
        ...     model = model.partial_fit([[x], [90 + x]], [1.0, 5.0])
        >>> model.predict([[1], [98]]).round(1).tolist()
        [1.0, 5.0]
        """
        with unchanged_on_error(self):
            take_in(self, batch_of(self, X, y, sample_weight))
        return self

    def _fit_numbers(
        self, table: Any, expert: Any, unit: float, watch: FitWatch | None = None
    ) -> None:
        """Fit to validated rows with labels as the core takes them."""
        self.loss_ = deepcopy(self.loss)
        self._fit_partition(table, expert, unit, watch)

    def _fit_batch(self, batch: Batch) -> None:
        self._fit_numbers(*encoded(self, find_loss(self.loss, "numbers"), batch))

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return labelled_table(self, X, y, sample_weight)[0]

    def _meet_labels(self, batch: Batch, kept: float) -> None:
        meet_labels(self, batch, kept)

    def _stream_labels(self, batch: Batch) -> Labels:
        if is_squared_error(find_loss(self.loss_, "numbers")):
            return TargetCoding(self._standard, np.nan)(batch.y)
        return NumberCoding(self._labels, self._labels, self._upper, 0, np.nan)(batch.y)

    @where_rows_are
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number of least loss under the mixed prototypes (eq. 8).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_levels)
            Means, medians, rates or quantiles.

        Examples
        --------
        >>> from sfplearn import SFPRegressor
        >>> model = SFPRegressor(2, gamma=0.01, random_state=0).fit([[0], [9]], [1.0, 5.0])
        >>> model.predict([[1], [8]]).round(2).tolist()
        [1.0, 5.0]
        """
        y = self._map_memberships(X, ask("decide"))
        y = self._standard.undo(y)
        return y[:, 0] if y.ndim == 2 and self._flat else y

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: Any = None) -> float:
        """Return R^2 of the predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        score : float
            1 for perfect predictions, 0 for those of the mean.

        Examples
        --------
        >>> from sfplearn import SFPRegressor
        >>> model = SFPRegressor(2, gamma=0.01, random_state=0).fit([[0], [9]], [1.0, 5.0])
        >>> round(model.score([[0], [9]], [1.0, 5.0]), 3)
        1.0
        """
        loss = find_loss(getattr(self, "loss_", self.loss), "numbers")
        if isinstance(loss, Quantile) and np.size(loss.levels) > 1:
            raise ValueError(
                "R^2 is not defined for several quantiles; score each column of predict with "
                "sklearn.metrics.mean_pinball_loss."
            )
        y, sample_weight = labels_of(X, y, sample_weight)
        predicted = np.asarray(self.predict(X))
        return float(r2_score(y, predicted, sample_weight=sample_weight))

    def _refinement(self, table: Any) -> int:
        return iterations_of(self, table)

    def _rules(self, classes: int) -> Any:
        return number_rules(self)

    def _auto_clusters(self, n: int, expert: Expert) -> int:
        """Return a few clusters if they are refined, else more for more rows."""
        return CLUSTERS_OF_NUMBERS if refines_well(self) else super()._auto_clusters(n, expert)

    def _is_honest(self, table: Table, expert: Expert) -> bool:
        quantiles = isinstance(expert, Prototype) and isinstance(expert.loss, Quantile)
        return check_switch("honest", self.honest, auto=quantiles or table.is_partly_labelled)

    def _check_warm_start(self, expert: Any) -> None:
        """Refuse to continue a fit whose prototypes mean something else."""
        before = self.prototypes_.shape[1]
        outputs = expert.n_targets or before
        if not same_loss(self.loss_, self.loss) or outputs != before:
            raise ValueError(
                f"warm_start=True needs the loss and outputs of the last fit, {self.loss_!r} and "
                f"{before}; got {self.loss!r} and {outputs}. Set warm_start=False to fit anew."
            )

    def _keep_expert(self, params: Any) -> None:
        """Set the attributes of what clusters say; linear experts are shown at their centres."""
        for name in ("local_coef_", "local_intercept_"):
            self.__dict__.pop(name, None)
        if not is_linear(self):
            self.prototypes_ = self._standard.undo(params.z)
            return
        slopes, intercepts = split(params, self._origin)
        self.local_coef_ = slopes * self._standard.scale
        self.local_intercept_ = self._standard.undo(intercepts)
        at_centers = np.einsum("kp,kpd->kd", self.cluster_centers_, self.local_coef_)
        self.prototypes_ = at_centers + self.local_intercept_

    def _expert(self) -> Any:
        if hasattr(self, "local_coef_"):
            return LocalRegression(self.prototypes_.shape[1], 1.0)
        loss = find_loss(self.loss_, "numbers")
        if is_squared_error(loss):
            return Means(self.prototypes_.shape[1])
        return Prototype(loss, self._labels)

    def _expert_params(self, origin: NDArray[np.float64]) -> Any:
        if hasattr(self, "local_coef_"):
            slopes = self.local_coef_ / self._standard.scale
            return join(slopes, self._standard.apply(self.local_intercept_), origin)
        return Prototypes(z=self._standard.apply(self.prototypes_))
