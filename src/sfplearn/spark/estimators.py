"""The estimators: they fit plain ones to the rows of a Spark data frame."""

from typing import Any, Self

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param.shared import HasProbabilityCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from sfplearn.data.spark import SparkStore
from sfplearn.estimators import SFPClassifier, SFPRegressor
from sfplearn.spark.models import SparkSFPClassificationModel, SparkSFPRegressionModel
from sfplearn.spark.params import SFPClassifierParams, SFPParams, with_accessors


class _SparkSFP(SFPParams, Estimator[Any], DefaultParamsReadable[Any], DefaultParamsWritable):
    """What both estimators share; subclasses name the plain estimator and the model."""

    _plain: Any
    _model: Any

    @keyword_only
    def __init__(self, **params: Any) -> None:
        super().__init__()
        self._start_from(self._plain())
        self._set_all(params)

    @keyword_only
    def setParams(self, **params: Any) -> Self:
        """Set any Params, by name."""
        self._set_all(params)
        return self

    def _fit(self, dataset: Any) -> Any:
        """Fit the plain estimator where the rows are."""
        plain = self._plain(**self._settings(self._plain().get_params()))
        weight = self.getWeightCol() if self.isDefined("weightCol") else None
        store = SparkStore(
            dataset,
            self.getFeaturesCol(),
            self.getLabelCol(),
            weight or None,
            may_lack_labels=plain.unlabeled is not None and plain.unlabeled != plain.unlabeled,
        )
        with store.kept() as rows:
            plain.fit(rows)
        return self._copyValues(self._model(plain))


@with_accessors
class SparkSFPClassifier(_SparkSFP, SFPClassifierParams, HasProbabilityCol):
    """SFPClassifier as an estimator of pyspark.ml.

    Its results are those of `sfplearn.SFPClassifier` on the same rows, up to rounding. Rows are
    kept in the cluster during a fit unless the data frame is persisted already.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, predictionCol, probabilityCol : str
        Names of columns. Features are vectors or arrays of numbers. Labels are numbers, which
        are predicted as doubles, or text. Probabilities are in the order of `model.classes`.
    nClusters, alpha, gamma, lam, loss, scale, divergence, kernel, kernelParams, nLandmarks, \
    expert, expertPenalty, init, nInit, maxIter, tol, classWeight, honest, refine, refinePull, \
    unlabeled, allowNan, verbose, seed
        As in `sfplearn.SFPClassifier`, where they are `n_clusters` and so on. `scale` and
        `classWeight` are "none" in place of None; `init` is a name or a list of centres;
        `unlabeled=float("nan")` lets rows whose label is null count as unlabelled.

    Examples
    --------
    >>> classifier = SparkSFPClassifier(nClusters=8, lam=0.5).setSeed(1)
    >>> classifier.getNClusters(), classifier.getLam(), classifier.getLoss()
    (8, 0.5, 'log_loss')

    With a session, `classifier.fit(frame).transform(frame)` adds the columns `prediction` and
    `probability`.
    """

    _plain = SFPClassifier
    _model = SparkSFPClassificationModel


@with_accessors
class SparkSFPRegressor(_SparkSFP):
    """SFPRegressor as an estimator of pyspark.ml.

    Its results are those of `sfplearn.SFPRegressor` on the same rows, up to rounding. Rows are
    kept in the cluster during a fit unless the data frame is persisted already.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, predictionCol : str
        Names of columns. Features are vectors or arrays of numbers; rows whose label is null
        or NaN count as unlabelled.
    nClusters, alpha, gamma, lam, loss, scale, divergence, kernel, kernelParams, nLandmarks, \
    expert, expertPenalty, init, nInit, maxIter, tol, honest, refine, refinePull, unlabeled, \
    allowNan, verbose, seed
        As in `sfplearn.SFPRegressor`, where they are `n_clusters` and so on. `scale` is "none"
        in place of None; `init` is a name or a list of centres.

    Examples
    --------
    >>> regressor = SparkSFPRegressor(nClusters=20, loss="huber", labelCol="price")
    >>> regressor.getLoss(), regressor.getLabelCol(), regressor.getAlpha()
    ('huber', 'price', 10.0)

    With a session, `regressor.fit(frame).transform(frame)` adds the column `prediction`.
    """

    _plain = SFPRegressor
    _model = SparkSFPRegressionModel
