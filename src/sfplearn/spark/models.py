"""The models: plain fitted estimators that answer for rows of Spark data frames."""

from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.ml import Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param.shared import HasFeaturesCol, HasPredictionCol, HasProbabilityCol
from pyspark.ml.util import MLReadable, MLWritable
from pyspark.sql.functions import col
from pyspark.sql.pandas.functions import pandas_udf
from sklearn.utils.validation import check_is_fitted

from sfplearn.data.spark import as_array, matrix
from sfplearn.estimators import SFPClassifier, SFPRegressor
from sfplearn.spark.params import with_accessors
from sfplearn.spark.saving import EstimatorReader, EstimatorWriter

# A column that exists only while answers are taken apart.
ANSWER = "__sfp_answer"


class _SparkSFPModel(Model, HasFeaturesCol, HasPredictionCol, MLReadable[Any], MLWritable):
    """What both models share; subclasses name the plain estimator and what they answer."""

    plain: Any
    """The class of the plain estimator."""

    def __init__(self, estimator: Any) -> None:
        super().__init__()
        self._estimator = estimator

    @classmethod
    def fromEstimator(cls, estimator: Any, **columns: str) -> Self:
        """Return a model of a fitted plain estimator, with names of columns such as featuresCol."""
        if not isinstance(estimator, cls.plain):
            raise TypeError(
                f"{cls.__name__} takes a {cls.plain.__name__}; got {type(estimator).__name__}."
            )
        check_is_fitted(estimator)
        model = cls(deepcopy(estimator))
        model._check_outputs()
        return model._set(**columns)

    def toEstimator(self) -> Any:
        """Return the plain fitted estimator, with no Spark inside."""
        return deepcopy(self._estimator)

    @property
    def numFeatures(self) -> int:
        """Number of features seen in fit."""
        return int(self._estimator.n_features_in_)

    def write(self) -> EstimatorWriter:
        """Return a writer of this model."""
        return EstimatorWriter(self, self._estimator)

    @classmethod
    def read(cls) -> EstimatorReader:
        """Return a reader of models of this class."""
        return EstimatorReader(cls, cls.plain)

    def _transform(self, dataset: Any) -> Any:
        """Add what the model answers, lazily; nothing is computed here."""
        answers = self._answers()
        if not answers:
            return dataset
        taken = [name for name in answers if name in dataset.columns]
        if taken:
            raise ValueError(
                f"The data frame has a column {taken[0]!r} already; drop it, or name another "
                "for the answers."
            )
        features = as_array(dataset, self.getFeaturesCol())
        asked = dataset.withColumn(ANSWER, _asking(self._estimator, answers)(features))
        columns = {name: col(ANSWER)[name] for name in answers}
        for name, (_, kind) in answers.items():
            if kind == "array<double>":
                columns[name] = array_to_vector(columns[name])
        return asked.withColumns(columns).drop(ANSWER)

    def _answers(self) -> dict[str, tuple[str, str]]:
        """Return the method and the type behind each column that is added."""
        name = self.getPredictionCol()
        return {name: ("predict", self._prediction_type())} if name else {}

    def _prediction_type(self) -> str:
        return "double"

    def _check_outputs(self) -> None:
        """Refuse what one column of predictions cannot hold."""


@with_accessors
class SparkSFPClassificationModel(_SparkSFPModel, HasProbabilityCol):
    """A fitted classifier for Spark data frames.

    `transform` adds the column of predictions, doubles, or text where labels were text, and
    that of probabilities, vectors in the order of `classes`, if the loss gives any. An empty
    name leaves a column out.

    Examples
    --------
    >>> from sfplearn import SFPClassifier
    >>> plain = SFPClassifier(2, random_state=0).fit([[0.0], [9.0]], ["a", "b"])
    >>> model = SparkSFPClassificationModel.fromEstimator(plain, featuresCol="x")
    >>> model.classes, model.numFeatures, model.getFeaturesCol()
    (['a', 'b'], 1, 'x')
    >>> model.toEstimator().predict([[8.0]]).tolist()
    ['b']
    """

    plain = SFPClassifier

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of probabilities."""
        return self._estimator.classes_.tolist()

    @property
    def numClasses(self) -> int:
        """Number of labels."""
        return len(self._estimator.classes_)

    def _answers(self) -> dict[str, tuple[str, str]]:
        answers, name = super()._answers(), self.getProbabilityCol()
        if name and hasattr(self._estimator, "predict_proba"):
            answers[name] = ("predict_proba", "array<double>")
        return answers

    def _prediction_type(self) -> str:
        return "string" if self._estimator.classes_.dtype.kind in "OUS" else "double"


@with_accessors
class SparkSFPRegressionModel(_SparkSFPModel):
    """A fitted regressor for Spark data frames: `transform` adds the column of predictions.

    Examples
    --------
    >>> from sfplearn import SFPRegressor
    >>> plain = SFPRegressor(2, random_state=0).fit([[0.0], [9.0]], [1.0, 2.0])
    >>> model = SparkSFPRegressionModel.fromEstimator(plain, predictionCol="price")
    >>> model.getPredictionCol(), model.toEstimator().n_features_in_
    ('price', 1)
    """

    plain = SFPRegressor

    def _check_outputs(self) -> None:
        outputs = self._estimator.prototypes_.shape[1]
        if outputs > 1:
            raise ValueError(
                f"The regressor predicts {outputs} numbers a row, and predictionCol holds one; fit "
                "one regressor for each."
            )


def _asking(estimator: Any, answers: dict[str, tuple[str, str]]) -> Callable[..., Any]:
    """Return a function of columns that asks an estimator, which travels along with it."""
    one = copy(estimator).set_params(n_jobs=1)  # Spark has workers of its own
    vars(one).pop("feature_names_in_", None)  # arrays have no names

    def ask(features: pd.Series) -> pd.DataFrame:  # Spark reads these types
        if not len(features):
            return pd.DataFrame({name: [] for name in answers})
        X = matrix(pa.Array.from_pandas(features))
        return pd.DataFrame(
            {
                name: _values(getattr(one, method)(X), kind)
                for name, (method, kind) in answers.items()
            }
        )

    fields = ", ".join(f"`{name}` {kind}" for name, (_, kind) in answers.items())
    make: Any = pandas_udf  # its declared types want the deprecated functionType
    return make(ask, fields)


def _values(answer: Any, kind: str) -> Any:
    """Return answers as one value for each row."""
    if kind == "string":
        return answer.astype(str).astype(object)
    values = np.asarray(answer, np.float64)
    return list(values) if kind == "array<double>" else values.ravel()
