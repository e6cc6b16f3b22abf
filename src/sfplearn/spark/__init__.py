"""SFP for Spark: estimators and models of pyspark.ml, for data frames of any size.

`SparkSFPClassifier` and `SparkSFPRegressor` take part in pipelines and cross-validation, are saved
and loaded, and need nothing but data frames, so Spark Connect will do. Rows stay where they are:
each pass sends the parameters to the partitions and gets sums back.

    from sfplearn.spark import SparkSFPClassifier

    model = SparkSFPClassifier(nClusters=8, seed=0).fit(frame)
    model.transform(frame).select("prediction", "probability").show()
    model.toEstimator()  # a plain SFPClassifier, for places without Spark

Every worker needs sfplearn installed.
"""

try:
    import pyspark.ml  # noqa: F401
except ImportError:
    raise ImportError('sfplearn.spark needs pyspark: pip install "sfplearn[spark]"') from None

from sfplearn.spark.estimators import SparkSFPClassifier, SparkSFPRegressor
from sfplearn.spark.models import SparkSFPClassificationModel, SparkSFPRegressionModel

__all__ = [
    "SparkSFPClassificationModel",
    "SparkSFPClassifier",
    "SparkSFPRegressionModel",
    "SparkSFPRegressor",
]
