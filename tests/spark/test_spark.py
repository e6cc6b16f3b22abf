"""SFP on Spark: the same results, and the manners of pyspark.ml."""

import os
import subprocess
import sys

import numpy as np
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator, RegressionEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import DenseVector, Vectors, VectorUDT
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql.types import ArrayType, DoubleType, StringType, StructType

from sfplearn import SFPClassifier, SFPRegressor
from sfplearn.data.spark import SparkStore, is_stored
from sfplearn.spark import (
    SparkSFPClassificationModel,
    SparkSFPClassifier,
    SparkSFPRegressionModel,
    SparkSFPRegressor,
)
from tests.conftest import three_blobs

X, CODES = three_blobs(240)
WEIGHT = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
TARGET = X[:, 0] * X[:, 1] + CODES
CENTERS = X[:3] + 0.1
# Few passes: each is a job, and what is learned is compared, not how well.
FEW = {"maxIter": 2, "tol": 0.0, "refine": 0}
FEW_PLAIN = {"max_iter": 2, "tol": 0.0, "refine": 0}
SCHEMA = (
    StructType()
    .add("features", VectorUDT())
    .add("array", ArrayType(DoubleType()))
    .add("label", DoubleType())
    .add("text", StringType())
    .add("target", DoubleType())
    .add("weight", DoubleType())
)


@pytest.fixture(scope="module")
def frame(spark):
    """Rows in four partitions, one of them empty."""
    rows = zip(X, CODES, TARGET, WEIGHT, strict=True)
    made = spark.createDataFrame(
        [
            (Vectors.dense(x), x.tolist(), float(c), "abc"[c], float(t), float(w))
            for x, c, t, w in rows
        ],
        SCHEMA,
    )
    return made.repartition(3).union(made.limit(0).repartition(1)).cache()


@pytest.fixture(scope="module")
def model(frame):
    return SparkSFPClassifier(nClusters=3, init=CENTERS, **FEW).fit(frame)


@pytest.fixture(scope="module")
def plain():
    return SFPClassifier(3, init=CENTERS, **FEW_PLAIN).fit(X, CODES)


def assert_same(left, right):
    for name in ("cluster_centers_", "feature_weights_", "prototypes_"):
        np.testing.assert_allclose(
            getattr(left, name), getattr(right, name), rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_a_classifier_fits_as_in_memory_from_given_centers(model, plain):
    assert_same(model.toEstimator(), plain)


def test_a_classifier_fits_as_in_memory_from_a_seeded_start_with_weights(frame):
    there = SparkSFPClassifier(nClusters=4, seed=3, weightCol="weight", **FEW).fit(frame)
    here = SFPClassifier(4, random_state=3, **FEW_PLAIN).fit(X, CODES, WEIGHT)
    assert_same(there.toEstimator(), here)


def test_a_regressor_fits_as_in_memory(frame):
    there = SparkSFPRegressor(
        nClusters=4, seed=3, labelCol="target", weightCol="weight", featuresCol="array", **FEW
    ).fit(frame)
    here = SFPRegressor(4, random_state=3, **FEW_PLAIN).fit(X, TARGET, WEIGHT)
    assert_same(there.toEstimator(), here)
    evaluator = RegressionEvaluator(labelCol="target", metricName="r2")
    score = evaluator.evaluate(there.transform(frame))
    np.testing.assert_allclose(score, here.score(X, TARGET), rtol=1e-8)


def test_sparse_vectors_are_rows_like_others(spark, plain):
    rows = [
        (Vectors.sparse(4, dict(enumerate(x))), float(c)) for x, c in zip(X, CODES, strict=True)
    ]
    sparse = spark.createDataFrame(rows, ["features", "label"])
    there = SparkSFPClassifier(nClusters=3, init=CENTERS, **FEW).fit(sparse)
    assert_same(there.toEstimator(), plain)


def test_predictions_are_those_of_the_plain_estimator(frame, model, plain):
    answers = model.transform(frame)
    assert isinstance(answers.schema["prediction"].dataType, DoubleType)
    assert isinstance(answers.schema["probability"].dataType, VectorUDT)
    rows = answers.select("array", "prediction", "probability").collect()
    x = np.array([row["array"] for row in rows])
    assert isinstance(rows[0]["probability"], DenseVector)
    np.testing.assert_array_equal([row["prediction"] for row in rows], plain.predict(x))
    probabilities = np.array([row["probability"].toArray() for row in rows])
    np.testing.assert_allclose(probabilities, plain.predict_proba(x), rtol=1e-8)


def test_text_labels_are_predicted_as_text(frame):
    there = SparkSFPClassifier(nClusters=3, init=CENTERS, labelCol="text", **FEW).fit(frame)
    answers = there.transform(frame)
    assert there.classes == ["a", "b", "c"]
    assert isinstance(answers.schema["prediction"].dataType, StringType)
    right = [row["text"] == row["prediction"] for row in answers.collect()]
    assert np.mean(right) > 0.7


def test_losses_without_probabilities_add_no_column(frame):
    plain = SFPClassifier(3, loss="hinge", random_state=0).fit(X, CODES)
    columns = SparkSFPClassificationModel.fromEstimator(plain).transform(frame).columns
    assert "prediction" in columns
    assert "probability" not in columns


def test_a_pipeline_is_cross_validated_saved_and_loaded(spark, tmp_path):
    rows = [(*x.tolist(), float(c)) for x, c in zip(X, CODES, strict=True)]
    table = spark.createDataFrame(rows, ["a", "b", "c", "d", "label"]).coalesce(1).cache()
    classifier = SparkSFPClassifier(nClusters=3, init=CENTERS, maxIter=1, tol=0, refine=0)
    assembler = VectorAssembler(inputCols=["a", "b", "c", "d"], outputCol="features")
    search = CrossValidator(
        estimator=Pipeline(stages=[assembler, classifier]),
        estimatorParamMaps=ParamGridBuilder().addGrid(classifier.lam, [0.01, 1.0]).build(),
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        parallelism=2,
        seed=0,
    ).fit(table)
    assert max(search.avgMetrics) > 0.6
    best = search.bestModel
    assert best.stages[-1].toEstimator().feature_names_in_.tolist() == ["a", "b", "c", "d"]
    best.save(str(tmp_path / "pipeline"))
    copy = PipelineModel.load(str(tmp_path / "pipeline"))
    assert copy.transform(table).collect() == best.transform(table).collect()


def test_estimators_are_saved_and_loaded(spark, tmp_path):
    before = SparkSFPClassifier(nClusters=3, init=CENTERS, scale=None, unlabeled=np.nan)
    before.save(str(tmp_path / "classifier"))
    after = SparkSFPClassifier.load(str(tmp_path / "classifier"))
    assert after.uid == before.uid
    assert after.getScale() == "none"
    np.testing.assert_array_equal(after.getInit(), CENTERS)
    assert after._settings({"scale", "init", "random_state", "n_clusters"})["scale"] is None


def test_models_are_saved_and_loaded_without_pickle(model, tmp_path):
    renamed = model.copy({model.predictionCol: "answer"})
    for _ in range(2):
        renamed.write().overwrite().save(str(tmp_path / "model"))
    loaded = SparkSFPClassificationModel.load(str(tmp_path / "model"))
    assert loaded.getPredictionCol() == "answer"
    assert model.getPredictionCol() == "prediction"
    assert_same(loaded.toEstimator(), model.toEstimator())


def test_refined_models_are_saved_and_loaded_without_pickle(spark, tmp_path):
    refined = SFPClassifier(3, random_state=0).fit(X, CODES)
    SparkSFPClassificationModel.fromEstimator(refined).save(str(tmp_path / "model"))
    loaded = SparkSFPClassificationModel.load(str(tmp_path / "model")).toEstimator()
    assert_same(loaded, refined)
    np.testing.assert_array_equal(loaded.predict_proba(X), refined.predict_proba(X))


def test_regressors_are_saved_and_loaded_and_not_taken_for_classifiers(spark, tmp_path):
    regressor = SFPRegressor(3, random_state=0).fit(X, TARGET)
    SparkSFPRegressionModel.fromEstimator(regressor).save(str(tmp_path / "model"))
    loaded = SparkSFPRegressionModel.load(str(tmp_path / "model")).toEstimator()
    np.testing.assert_array_equal(loaded.predict(X), regressor.predict(X))
    with pytest.raises(ValueError, match="holds a SFPRegressor"):
        SparkSFPClassificationModel.load(str(tmp_path / "model"))


def test_plain_estimators_become_models_and_return(frame, plain):
    there = SparkSFPClassificationModel.fromEstimator(plain, predictionCol="p", probabilityCol="")
    rows = there.transform(frame).select("array", "p").collect()
    predicted = plain.predict(np.array([row["array"] for row in rows]))
    np.testing.assert_array_equal([row["p"] for row in rows], predicted)
    assert_same(there.toEstimator(), plain)
    assert there.toEstimator().n_features_in_ == 4
    with pytest.raises(TypeError, match=r"takes a SFPRegressor; got SFPClassifier\."):
        SparkSFPRegressionModel.fromEstimator(plain)


def test_params_are_set_and_got_as_is_usual_in_spark():
    classifier = SparkSFPClassifier(nClusters="auto").setNClusters(5).setClassWeight("balanced")
    assert (classifier.getNClusters(), classifier.getClassWeight()) == (5, "balanced")
    assert classifier.copy({classifier.lam: 0.5}).getLam() == 0.5
    assert classifier.setParams(maxIter=7).getMaxIter() == 7
    assert classifier.getAlpha() == SFPClassifier().alpha
    with pytest.raises(TypeError, match=r"has no param 'n_clusters'"):
        SparkSFPClassifier(n_clusters=5)


@pytest.mark.parametrize("role", ["featuresCol", "labelCol", "weightCol"])
def test_a_missing_column_is_named(frame, role):
    with pytest.raises(ValueError, match=r"^The data frame has no column 'x'; it has 'features',"):
        SparkSFPClassifier(**{role: "x"}).fit(frame)


def test_a_column_of_another_type_is_named(frame):
    with pytest.raises(TypeError, match=r"^Column 'label' must hold vectors or arrays"):
        SparkSFPClassifier(featuresCol="label").fit(frame)


def rows_with(spark, features, label):
    """Return a hundred good rows and then one of a kind."""
    good = [([float(i), 1.0 - i], float(i % 2)) for i in range(100)]
    kind = "features array<double>, label double"
    return spark.createDataFrame([*good, (features, label)], kind).coalesce(1)


@pytest.mark.parametrize(
    ("features", "label", "message"),
    [
        ([1.0, float("nan")], 0.0, r"^partition 0: row 101, column 1 holds NaN; [^\n]*\.$"),
        ([1.0, None], 0.0, r"^partition 0: row 101, column 1 holds NaN; [^\n]*\.$"),
        ([1.0], 0.0, r"features[^\n]*all must have as many\.$"),
        (None, 0.0, r"^partition 0, rows from 101 on: the column of features holds null"),
        ([1.0, 2.0], None, r"^partition 0, rows from 101 on: column 'label' holds null"),
    ],
)
def test_rows_that_cannot_be_used_are_an_error_in_one_sentence(spark, features, label, message):
    with pytest.raises(ValueError, match=message):
        SparkSFPClassifier(nClusters=2).fit(rows_with(spark, features, label))


def test_rows_without_a_label_count_where_that_is_asked_for(spark):
    some = rows_with(spark, [0.5, 0.5], None)
    there = SparkSFPClassifier(nClusters=2, unlabeled=float("nan"), seed=0, **FEW).fit(some)
    assert there.classes == [0.0, 1.0]


def test_no_rows_are_an_error(frame):
    with pytest.raises(
        ValueError, match=r"^The Spark data frame has no rows; give at least one\.$"
    ):
        SparkSFPClassifier().fit(frame.limit(0))


def test_a_task_that_fails_once_is_run_again_and_nothing_changes(frame, model, tmp_path):
    marker = str(tmp_path / "failed")

    def fail_once(batches):
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == 1 and not os.path.exists(marker):
            open(marker, "w").close()
            raise OSError("the disk is gone")
        yield from batches

    shaky = frame.select("array", "label").mapInArrow(
        fail_once, "array array<double>, label double"
    )
    there = SparkSFPClassifier(nClusters=3, init=CENTERS, featuresCol="array", **FEW).fit(shaky)
    assert os.path.exists(marker)
    np.testing.assert_array_equal(
        there.toEstimator().cluster_centers_, model.toEstimator().cluster_centers_
    )


def test_estimators_take_a_store_and_leave_predictions_to_models(frame):
    store = SparkStore(frame, "features", "label")
    fitted = SFPClassifier(3, init=CENTERS, max_iter=1, tol=0, refine=0).fit(store)
    assert fitted.cluster_centers_.shape == (3, 4)
    with pytest.raises(TypeError, match=r"call transform of one"):
        fitted.predict(store)


def test_rows_are_kept_in_the_cluster_during_a_fit_only(spark):
    store = SparkStore(rows_with(spark, [0.5, 0.5], 0.0), "features", "label")
    with store.kept():
        assert is_stored(store._rows)
    assert not is_stored(store._rows)


CONNECT = """
import sys
import numpy as np
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from sfplearn import SFPClassifier
from sfplearn.spark import SparkSFPClassificationModel, SparkSFPClassifier
from tests.conftest import three_blobs

X, codes = three_blobs(240)
spark = (
    SparkSession.builder.remote("local[2]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
assert "connect" in type(spark).__module__
rows = [(*x.tolist(), float(c)) for x, c in zip(X, codes)]
table = spark.createDataFrame(rows, ["a", "b", "c", "d", "label"])
assembler = VectorAssembler(inputCols=["a", "b", "c", "d"], outputCol="features")
frame = assembler.transform(table)
model = SparkSFPClassifier(nClusters=3, init=X[:3], maxIter=2, tol=0, refine=0).fit(frame)
plain = SFPClassifier(3, init=X[:3], max_iter=2, tol=0, refine=0).fit(X, codes)
np.testing.assert_allclose(
    model.toEstimator().cluster_centers_, plain.cluster_centers_, rtol=1e-9, atol=1e-9
)
for _ in range(2):
    model.write().overwrite().save(sys.argv[1])
model = SparkSFPClassificationModel.load(sys.argv[1])
answers = model.transform(frame)
predicted = [row[0] for row in answers.select("prediction").collect()]
np.testing.assert_array_equal(predicted, plain.predict(X))
assert MulticlassClassificationEvaluator(metricName="accuracy").evaluate(answers) > 0.6
print("the same")
spark.stop()
"""


def test_spark_connect_gives_the_same(tmp_path):
    pytest.importorskip("grpc")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, str(tmp_path / "model")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.strip().endswith("the same"), done.stderr[-3000:]
