"""SFP as a classifier."""

from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from sfplearn.core import CLASSIFICATION_LOSSES, Prototype
from sfplearn.core.experts import Prototypes
from sfplearn.core.linear import LocalLogistic
from sfplearn.core.terms import Expert
from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.callbacks import FitWatch, looked_at
from sfplearn.estimators.checks import check_switch, unchanged_on_error
from sfplearn.estimators.classes import batch_of, check_warm_classes, encoded, labelled_table
from sfplearn.estimators.coding import Labels
from sfplearn.estimators.locals import (
    ask,
    check_linear,
    check_warm_expert,
    is_linear,
    join,
    keep_logistic,
)
from sfplearn.estimators.losses import check_labels_of, find_loss
from sfplearn.estimators.placed import labels_of, where_rows_are
from sfplearn.estimators.plugin import class_rules, iterations_of, refined_clusters, refines_well
from sfplearn.estimators.refinement import check_refinement
from sfplearn.estimators.streaming import Batch, streams, take_in
from sfplearn.estimators.table import Table


def _gives_probabilities(estimator: "SFPClassifier") -> bool:
    loss = getattr(estimator, "loss_", estimator.loss)
    known = CLASSIFICATION_LOSSES.get(loss) if isinstance(loss, str) else loss
    return getattr(known, "gives_probabilities", False)


class SFPClassifier(ClassifierMixin, BaseSFP):
    """Supervised Fuzzy Partitioning: a supervised k-means that classifies.

    Rows are shared out between clusters, each with a centre, a label prototype and feature
    weights of its own, so that rows of a cluster are alike in the features that matter to it
    and in their labels. A new row takes the label that the prototypes of its clusters, mixed
    by membership, favour.

    Features should be on comparable scales: put a StandardScaler before it.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters k. "auto": 4 a class, joined where alike; more for many rows, unrefined.
    alpha : float or "auto", default="auto"
        Weight of the labels, at least 0: large for clusters of one class each. "auto" is 1.
    gamma : float or "auto", default="auto"
        Fuzziness, above 0: small for crisp clusters. "auto" is 1 / classes if refined, or 0.1.
    lam : float or "auto", default="auto"
        Evenness of feature weights, above 0: small to pick few. "auto" is 1.
    loss : str, callable or Loss, default="log_loss"
        Loss of label prototypes: "log_loss", "logistic", "hinge", "squared_hinge", "zero_one",
        "ordinal" (labels are ranks), a `CostMatrix`, or your own: a convex function
        `loss(y, z)` that maps label codes (m,) and prototypes (k, n_classes) to a table of
        losses (k, m), or a `Loss`.
    scale : {"auto", None}, default="auto"
        Units of alpha, gamma and lam. With "auto", alpha and gamma are in units of the mean
        variance of the features and lam in units of that variance times the rows of an average
        cluster, so that the same values suit tables of any size and scale. None takes them as
        they stand in the paper's objective.
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
        "log_loss" and "logistic". Linear experts keep k (p + 1)^2 sums
        and make blocks of sparse rows dense.
    expert_penalty : float, default=1.0
        Weight of the squared slopes of linear experts, in rows of mean variance.
    init : str, array or callable, default="auto"
        Where to start. "auto" is "stratified" where clusters are refined, else "k-means++".
        "k-means++" spreads rows out, labels counting as distance; "random"
        takes random rows as the paper does; "stratified" shares clusters out between classes;
        k row indices take those rows; an array of shape (k, n_features) gives centres; a
        function `init(X, y, n_clusters, random_state)` returns any of these.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one that ends lowest is kept. "auto" means 10 for random
        starts and 1 for the others.
    max_iter : int, default=100
        Largest number of passes over the data.
    tol : float, default=1e-4
        Stop when a pass lowers the objective by less than this share of the variance of the
        data. 0 makes exactly `max_iter` passes.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with sample weights.
    refine : int or "auto", default="auto"
        Iterations of L-BFGS that go on from where the descent ends, down the mean loss of
        predictions itself, over centres, feature weights, prototypes and a bias a cluster.
        "auto" makes 50 for log-loss and logistic loss with weighted Euclidean distances, if all
        rows are labelled; none with `scale=None`, nor where more than 100,000 rows have over 10
        million memberships of as many clusters as are asked for.
    refine_pull : float or "auto", default="auto"
        How strongly a refinement is pulled back to where it starts, at least 0. "auto": more
        for more parameters a row, from 0.03 to 0.5.
    honest : bool or "auto", default="auto"
        In a fit the label of a row helps to choose its clusters, so that labels of a cluster
        look more alike than those of new rows there will. True estimates prototypes once
        more at the end, from memberships by features alone. "auto" does so if some rows are
        unlabelled, and before a refinement; False keeps the prototypes of the paper's objective.
    unlabeled : object, default=None
        Label of rows whose class is not known; -1 is usual. They shape clusters but meet no
        label cost. None: all rows are labelled.
    half_life : float or None, default=None
        For `partial_fit`: after so many rows a row counts half. None never forgets.
    checkpoint : path or None, default=None
        A folder in which every pass of `fit` leaves the parameters, until it is finished: the
        same fit then goes on after a crash, with the same end. Trust what is in it: a pickle.
    allow_nan : bool, default=False
        Whether cells may be missing (NaN): distances then run over the features that a row
        has, their weights renormalised, and a row without any gets the prior.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors, None for as many as BLAS may use.
    warm_start : bool, default=False
        Start where the last fit ended, before a refinement.
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
    prototypes_ : ndarray of shape (n_clusters, n_classes)
        Label prototypes z: class probabilities for log-loss, centred log-odds for logistic,
        margins for hinge, votes for zero-one and cost matrices; for ordinal loss one column,
        ranks.
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
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the feature weights, each cluster counting by its mass.
    objective_path_ : ndarray of shape (n_iter_,)
        The exact objective at the start of each pass.
    alpha_, gamma_, lam_ : float
        The hyperparameters as they stand in the paper's objective.
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
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sfplearn import SFPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SFPClassifier(random_state=0)).fit(X, y)
    >>> model.predict(X[[0, 75, 149]]).tolist()
    [0, 1, 2]
    """

    _is_watchful = True

    classes_: NDArray[Any]
    prototypes_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        alpha: float | str = "auto",
        gamma: float | str = "auto",
        lam: float | str = "auto",
        loss: Any = "log_loss",
        scale: str | None = "auto",
        divergence: str = "weighted_euclidean",
        kernel: Any = "rbf",
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | str = "auto",
        expert: str = "constant",
        expert_penalty: float = 1.0,
        init: Any = "auto",
        n_init: int | str = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
        class_weight: Any = None,
        honest: bool | str = "auto",
        refine: int | str = "auto",
        refine_pull: float | str = "auto",
        unlabeled: Any = None,
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
        self.class_weight = class_weight
        self.expert = expert
        self.expert_penalty = expert_penalty
        self.honest = honest
        self.refine = refine
        self.refine_pull = refine_pull
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the partition to labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows. float32 stays float32, sparse rows are never made dense. Or rows
            elsewhere: from `open_rows`, or a Dask array or data frame.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts; a weight of 2 equals writing the row twice. Weights that
            add up to less than the distinct rows count by their ratios alone.

        Returns
        -------
        self : SFPClassifier
            The fitted estimator. If fit fails, the estimator stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, random_state=0)
        >>> model.fit([[0], [1], [9]], [0, 0, 1], sample_weight=[1, 1, 2]).n_features_in_
        1
        """
        with looked_at(self, X, y, sample_weight) as watch:
            self._fit_table(*labelled_table(self, X, y, sample_weight), watch)
        return self

    @available_if(streams)
    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from some rows of a stream, in one pass over them.

        The first 2000 rows, or 20 for each cluster, are kept, and clusters found anew whenever
        their number has grown by a quarter. After that, time and memory do not depend on how
        many rows have been seen. With `half_life`, old rows are forgotten. A refinement is let go.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, one or many.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like or None, default=None
            All labels that may ever come, in the first call; if None, those of its rows. A class
            that comes late takes a cluster of its own.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        self : SFPClassifier
            The estimator. If anything fails, it stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, half_life=1000, random_state=0)
        >>> for x in range(10):
        ...     model = model.partial_fit([[x], [9 + x]], ["a", "b"], classes=["a", "b"])
        >>> model.predict([[0], [18]]).tolist()
        ['a', 'b']
        """
        with unchanged_on_error(self):
            take_in(self, batch_of(self, X, y, classes, sample_weight))
        return self

    @where_rows_are
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class: minus its loss under the mixed prototypes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, the score of the second minus that of the first: log-odds for
            log-loss and logistic loss.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, loss="hinge", random_state=0).fit([[0], [9]], ["a", "b"])
        >>> model.decision_function([[0], [9]]).round(2).tolist()
        [-2.0, 2.0]
        """
        scores = self._map_memberships(X, ask("scores"))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of least loss under the mixed prototypes (eq. 8).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
        >>> model.predict([[1], [8]]).tolist()
        ['a', 'b']
        """
        codes = self._map_memberships(X, ask("decide"))
        return self.classes_[codes]

    @available_if(_gives_probabilities)
    @where_rows_are
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities; losses that give none do not have this method.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
        >>> model.predict_proba([[0]]).round(2).tolist()
        [[0.99, 0.01]]
        """
        return self._map_memberships(X, ask("probabilities"))

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: Any = None) -> float:
        """Return the accuracy of the predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, which bring labels and weights of their own if they come from `open_rows`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        score : float
            Share of rows whose label is predicted.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
        >>> model.score([[1], [8]], ["a", "b"])
        1.0
        """
        y, sample_weight = labels_of(X, y, sample_weight)
        predicted = np.asarray(self.predict(X))
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _fit_table(self, table: Any, classes: NDArray[Any], watch: FitWatch) -> None:
        """Check settings against validated rows, and fit."""
        check_refinement(self)
        check_labels_of(find_loss(self.loss, "classes"), classes, np.arange(len(classes)))
        if is_linear(self):
            check_linear(self, ("log_loss", "logistic"))
        if self.warm_start and hasattr(self, "classes_"):
            check_warm_expert(self)
            check_warm_classes(self, classes)
        self._fit_classes(table, classes, watch)

    def _fit_classes(self, table: Any, classes: Any, watch: FitWatch | None = None) -> None:
        """Fit to validated rows whose codes are those of classes."""
        constant = Prototype(find_loss(self.loss, "classes"), len(classes))
        expert: Any = LocalLogistic(len(classes), 1.0) if is_linear(self) else constant
        self.classes_, self.loss_ = classes, deepcopy(self.loss)
        self._fit_partition(table, expert, watch=watch)

    def _fit_batch(self, batch: Batch) -> None:
        codes, _, factor = self._stream_labels(batch)
        table = Table(batch.X, self.classes_[codes], codes, batch.weight * factor)
        self._fit_classes(table.without_empty_rows(self.allow_nan), self.classes_)

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return labelled_table(self, X, y, sample_weight)[0]

    def _stream_labels(self, batch: Batch) -> Labels:
        return encoded(self, batch)

    def _refinement(self, table: Any) -> int:
        return iterations_of(self, table)

    def _rules(self, classes: int) -> Any:
        return class_rules(self, classes)

    def _is_honest(self, table: Table, expert: Expert) -> bool:
        auto = table.is_partly_labelled or refines_well(self)
        return check_switch("honest", self.honest, auto=auto)

    def _auto_clusters(self, n: int, expert: Expert) -> int:
        """Return a few clusters for each class; more for more rows, if none are refined."""
        if refines_well(self):
            return refined_clusters(n, expert.n_codes)
        return max((1 if is_linear(self) else 4) * expert.n_codes, int(np.sqrt(n)))

    def _keep_expert(self, params: Any) -> None:
        """Set the attributes of what clusters say; linear experts are shown at their centres."""
        for name in ("local_coef_", "local_intercept_"):
            self.__dict__.pop(name, None)
        if is_linear(self):
            keep_logistic(self, params)
        else:
            self.prototypes_ = params.z

    def _expert(self) -> Any:
        if hasattr(self, "local_coef_"):
            return LocalLogistic(len(self.classes_), 1.0)
        return Prototype(find_loss(self.loss_, "classes"), len(self.classes_))

    def _expert_params(self, origin: NDArray[np.float64]) -> Any:
        if hasattr(self, "local_coef_"):
            return join(self.local_coef_, self.local_intercept_, origin)
        return Prototypes(z=self.prototypes_)
