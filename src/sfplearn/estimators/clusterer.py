"""SFP without labels: entropy-fuzzy, feature-weighted k-means."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from sklearn.base import ClusterMixin
from sklearn.utils.metaestimators import available_if

from sfplearn.core import Objective, Params, Rows, Silent, distances
from sfplearn.core.experts import Prototypes
from sfplearn.core.state import UNLABELLED
from sfplearn.data import find_store
from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.callbacks import looked_at, without_callbacks
from sfplearn.estimators.checks import check_rows, check_weight, unchanged_on_error
from sfplearn.estimators.coding import Labels
from sfplearn.estimators.placed import where_rows_are
from sfplearn.estimators.streaming import Batch, check_in_memory, is_streaming, streams, take_in
from sfplearn.estimators.survey import survey
from sfplearn.estimators.table import Table


class SFPClusterer(ClusterMixin, BaseSFP):
    """Fuzzy clusters, each with feature weights of its own: SFP without labels (alpha = 0).

    Memberships are fuzzy by entropy, as in maximum-entropy clustering, and every cluster learns
    the features in which its rows are alike, as in entropy-weighted k-means (EWKM).

    Features should be on comparable scales: put a StandardScaler before it.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters k. "auto" takes the square root of the number of distinct rows.
    gamma : float, default=0.1
        Fuzziness of memberships, above 0. Small values make them crisp.
    lam : float, default=1.0
        Evenness of feature weights, above 0. Small values pick a few features.
    scale : {"auto", None}, default="auto"
        Units of gamma and lam. With "auto", gamma is in units of the mean variance of the
        features and lam in units of that variance times the rows of an average cluster. None
        takes them as they stand in the paper's objective.
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
    init : str, array or callable, default="k-means++"
        Where to start: "k-means++", "random", k row indices, centres of shape
        (k, n_features), or a function `init(X, y, n_clusters, random_state)`.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one that ends lowest is kept. "auto" means 10 for random
        starts and 1 for the others.
    max_iter : int, default=100
        Largest number of passes over the data.
    tol : float, default=1e-4
        Stop when a pass lowers the objective by less than this share of the variance of the
        data. 0 makes exactly `max_iter` passes.
    half_life : float or None, default=None
        For `partial_fit`: after so many rows a row counts half. None never forgets.
    checkpoint : path or None, default=None
        A folder in which every pass of `fit` leaves the parameters, until it is finished: the
        same fit then goes on after a crash, with the same end. Trust what is in it: a pickle.
    allow_nan : bool, default=False
        Whether cells may be missing (NaN): distances then run over the features that a row
        has, their weights renormalised, and a row without any gets the prior.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. None takes as many as the linear algebra
        library may use. The result does not depend on it.
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
    labels_ : ndarray of shape (n_samples,)
        The cluster that each training row belongs to most; lazy, and not kept in pickles, for
        Dask collections.
    partition_coefficient_ : float
        Mean of sum_j u_ij^2: 1 for crisp clusters, 1 / n_clusters where all is fuzzy.
    partition_entropy_ : float
        Mean of -sum_j u_ij ln u_ij: 0 for crisp clusters, ln n_clusters where all is fuzzy.
    xie_beni_ : float
        Mean of sum_j u_ij^2 D_ij over the least distance between two centres: small for clusters
        that are compact and apart, infinite where none are apart. Distances between centres
        take the mean of their weights. Not for Gaussians.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        Rows that span the space of a kernel; `cluster_centers_` then lie in it.
    covariances_ : ndarray of shape (n_clusters, n_features)
        Variances, for diagonal Gaussians.
    cluster_shares_ : ndarray of shape (n_clusters,)
        Mixing proportions, for diagonal Gaussians.
    cluster_mass_ : ndarray of shape (n_clusters,)
        Sum of memberships of each cluster in the last pass.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the feature weights, each cluster counting by its mass.
    objective_path_ : ndarray of shape (n_iter_,)
        The exact objective at the start of each pass.
    gamma_, lam_ : float
        The hyperparameters as they stand in the paper's objective.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.

    Examples
    --------
    >>> from sfplearn import SFPClusterer
    >>> model = SFPClusterer(2, random_state=0).fit([[0.0], [0.2], [5.0], [5.1]])
    >>> first, second, third, fourth = model.labels_
    >>> bool(first == second and third == fourth and first != third)
    True
    """

    alpha = 0.0

    labels_: NDArray[np.intp]

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        gamma: float = 0.1,
        lam: float = 1.0,
        scale: str | None = "auto",
        divergence: str = "weighted_euclidean",
        kernel: Any = "rbf",
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | str = "auto",
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
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

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit clusters to rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows. float32 stays float32, sparse rows are never made dense. Or rows
            elsewhere: from `open_rows`, or a Dask array or data frame.
        y : Ignored
            For pipelines.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts; a weight of 2 equals writing the row twice.

        Returns
        -------
        self : SFPClusterer
            The fitted estimator. If fit fails, the estimator stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> SFPClusterer(2, random_state=0).fit([[0], [1], [9]]).partition_coefficient_ > 0.9
        True
        """
        with looked_at(self, X, y, sample_weight) as watch:
            table = self._training_table(X, sample_weight)
            self._fit_partition(table, Silent(), watch=watch)
            self.labels_ = self._map_table(table, without_callbacks(self)._closest)
            self._keep_validity(table)
        return self

    @available_if(streams)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from some rows of a stream, in one pass over them.

        The first 2000 rows, or 20 for each cluster, are kept, and clusters found anew whenever
        their number has grown by a quarter. After that, time and memory do not depend on how
        many rows have been seen. With `half_life`, old rows are forgotten and the stream is
        followed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, one or many.
        y : Ignored
            For pipelines.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        self : SFPClusterer
            The estimator. `labels_` are those of the rows given last. If anything fails, it
            stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(2, random_state=0)
        >>> for x in range(10):
        ...     model = model.partial_fit([[x], [90 + x]])
        >>> sorted(model.cluster_centers_.round(1).ravel().tolist())
        [4.5, 94.5]
        """
        with unchanged_on_error(self):
            check_in_memory(X)
            rows = check_rows(self, X, reset=not is_streaming(self))
            weight = check_weight(sample_weight, rows.shape[0], may_be_zero=True)
            take_in(self, Batch(rows, None, weight))
            for name in ("partition_coefficient_", "partition_entropy_", "xie_beni_"):
                self.__dict__.pop(name, None)
            self.labels_ = self.predict(X)
        return self

    def __getstate__(self) -> Any:
        """Leave lazy labels behind, which hold on to the rows."""
        state = super().__getstate__()
        lazy = not isinstance(state.get("labels_"), np.ndarray)
        return {name: value for name, value in state.items() if name != "labels_" or not lazy}

    def _fit_batch(self, batch: Batch) -> None:
        table = Table(batch.X, None, None, batch.weight)
        self._fit_partition(table.without_empty_rows(self.allow_nan), Silent())

    def _stream_labels(self, batch: Batch) -> Labels:
        return Labels(np.full(len(batch.weight), UNLABELLED, np.int32))

    def _keep_expert(self, params: Any) -> None:
        """Set nothing: clusters say nothing about labels."""

    @where_rows_are
    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the cluster that each row belongs to most.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Positions in `cluster_centers_`.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(2, random_state=0).fit([[0.0], [0.2], [5.0], [5.1]])
        >>> bool((model.predict([[0.1], [5.0]]) == model.labels_[[0, 2]]).all())
        True
        """
        return self._map_rows(X, self._closest)

    def _training_table(self, X: Any, sample_weight: Any) -> Any:
        """Return validated rows; labels that a store brings are left alone."""
        store = find_store(X, None, sample_weight)
        if store is not None:
            return survey(self, store).table(store, self, None)
        X = check_rows(self, X, reset=True)
        weight = check_weight(sample_weight, X.shape[0])
        return Table(X, None, None, weight).without_empty_rows(self.allow_nan)

    def _keep_validity(self, table: Any) -> None:
        """Set the indices of how good the partition is."""
        objective, params, origin = self._model(None if table.is_sparse else table.dtype)
        source = self._source(table, len(self.cluster_centers_)).relative_to(origin)
        bare = without_callbacks(self)
        with source as near:
            sums = near.map_reduce(lambda rows: bare._validity(objective, params, rows), np.add)
        squares, entropy, compactness = sums[:-1] / sums[-1]
        self.partition_coefficient_ = float(squares)
        self.partition_entropy_ = float(entropy)
        apart = least_separation(self.cluster_centers_, self.feature_weights_)
        if self.divergence == "diagonal_gaussian":  # whose distances are no squares
            self.__dict__.pop("xie_beni_", None)
            return
        self.xie_beni_ = float(compactness / apart) if 0 < apart < np.inf else np.inf

    def _closest(self, objective: Objective, params: Params, rows: Rows) -> NDArray[np.intp]:
        return self._memberships(objective, params, rows).argmax(axis=1)

    def _validity(self, objective: Objective, params: Params, rows: Rows) -> NDArray[np.float64]:
        """Weighted sums of u^2, of -u ln u, of u^2 D and of 1 over a block."""
        u = self._memberships(objective, params, rows).astype(np.float64)
        d = np.maximum(distances(objective, params, rows), 0.0)
        by_row = [(u * u).sum(axis=1), -xlogy(u, u).sum(axis=1), (u * u * d).sum(axis=1)]
        return np.stack([*by_row, np.ones(len(u))]) @ rows.weight

    def _expert(self) -> Silent:
        return Silent()

    def _expert_params(self, origin: NDArray[np.float64]) -> Prototypes:
        return Prototypes(z=np.zeros((len(self.cluster_centers_), 0)))


def least_separation(v: NDArray[np.float64], w: NDArray[np.float64]) -> float:
    """Return the least distance between two centres, under the mean of their weights."""
    least = np.inf
    for j in range(1, len(v)):
        between = (w[:j] + w[j]) / 2.0 * (v[:j] - v[j]) ** 2
        least = min(least, float(between.sum(axis=1).min()))
    return least
