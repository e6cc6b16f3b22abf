"""Rows in Spark: the classifier comes to the partitions, and a plain model comes back.

    python examples/07_spark.py

Needs `pip install "sfplearn[spark]"` and Java 17. The session is local here; a cluster or Spark
Connect does as well, and nothing else changes.
"""

import os
import sys

import numpy as np
from pyspark.ml import Pipeline
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession

from sfplearn.spark import SparkSFPClassifier

FEATURES = ["age", "income", "visits"]


def draw(spark: SparkSession, n: int = 3000, seed: int = 0) -> DataFrame:
    """Draw customers: the young who come often return, and so do the old who earn well."""
    random = np.random.default_rng(seed)
    old = random.random(n) < 0.5
    age = np.where(old, 1.0, -1.0) + 0.4 * random.standard_normal(n)
    income, visits = random.standard_normal((2, n))
    returns = np.where(old, income, visits) > 0
    table = np.column_stack([age, income, visits, returns])
    return spark.createDataFrame(table.tolist(), [*FEATURES, "label"])


def main() -> None:
    # Workers should run the Python of this program.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", False)
    spark = builder.getOrCreate()
    train, test = draw(spark), draw(spark, seed=1)
    stages = [
        VectorAssembler(inputCols=FEATURES, outputCol="features"),
        SparkSFPClassifier(nClusters=4, lam=0.3, seed=0),
    ]
    model = Pipeline(stages=stages).fit(train)
    answers = model.transform(test)
    accuracy = MulticlassClassificationEvaluator(metricName="accuracy").evaluate(answers)
    plain = model.stages[-1].toEstimator()
    spark.stop()

    print(f"share of new customers told right: {accuracy:.2f}")
    print("each cluster, the chance to return there, and what it looks at:")
    for weights, (_, chance) in zip(plain.feature_weights_, plain.prototypes_, strict=True):
        looks = ", ".join(f"{name} {w:.2f}" for name, w in zip(FEATURES, weights, strict=True))
        print(f"  {chance:4.0%}   {looks}")


if __name__ == "__main__":
    main()
