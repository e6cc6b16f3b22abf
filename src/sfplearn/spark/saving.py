"""Models on disk: Params as Spark writes them, and the plain estimator in the format of skops.

Unlike a pickle, a skops file cannot bring code that runs when it is read.
"""

from importlib import import_module
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter
from pyspark.sql.utils import is_remote


class EstimatorWriter(MLWriter):
    """Writes a model, to any file system that Spark can write to."""

    def __init__(self, model: Any, estimator: Any) -> None:
        super().__init__()
        self._saved, self._estimator = model, estimator

    def saveImpl(self, path: str) -> None:
        """Write Params and the estimator below a path."""
        stored = _skops().dumps(self._estimator)
        DefaultParamsWriter.saveMetadata(self._saved, path, self.sparkSession)
        row = self.sparkSession.createDataFrame([(bytearray(stored),)], "estimator binary")
        row.coalesce(1).write.parquet(f"{path}/estimator")

    def _handleOverwrite(self, path: str) -> None:
        """Remove what is there; MLWriter itself cannot under Spark Connect."""
        if is_remote():
            connect: Any = import_module("pyspark.ml.connect.readwrite")
            connect.RemoteMLWriter.handleOverwrite(path, True)
        else:
            super()._handleOverwrite(path)


class EstimatorReader(MLReader[Any]):
    """Reads a model of a class whose plain estimator is of a given type, and no other types."""

    def __init__(self, model: Any, plain: Any) -> None:
        super().__init__()
        self._class, self._plain = model, plain

    def load(self, path: str) -> Any:
        """Read what was written below a path."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/estimator").first()
        trusted = [f"{self._plain.__module__}.{self._plain.__qualname__}"]
        model = self._class(_skops().loads(bytes(row[0]), trusted=trusted))  # type: ignore[index]
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _skops() -> Any:
    try:
        return import_module("skops.io")
    except ImportError:
        raise ImportError("Models are saved and loaded by skops: pip install skops") from None
