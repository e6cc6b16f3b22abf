"""Models on disk: Params as Spark writes them, and the plain estimator as `persist` packs it.

Unlike a pickle, that cannot bring code which runs when it is read.
"""

from importlib import import_module
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter
from pyspark.sql.utils import is_remote

from sfplearn.persist.packing import pack, unpack


class EstimatorWriter(MLWriter):
    """Writes a model, to any file system that Spark can write to."""

    def __init__(self, model: Any, estimator: Any) -> None:
        super().__init__()
        self._saved, self._estimator = model, estimator

    def saveImpl(self, path: str) -> None:
        """Write Params and the estimator below a path."""
        stored = pack(self._estimator)
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
    """Reads a model of a class whose plain estimator is of a given type."""

    def __init__(self, model: Any, plain: Any) -> None:
        super().__init__()
        self._class, self._plain = model, plain

    def load(self, path: str) -> Any:
        """Read what was written below a path."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/estimator").first()
        estimator = unpack(bytes(row[0]), path).model  # type: ignore[index]
        if type(estimator) is not self._plain:
            found, wanted = type(estimator).__name__, self._plain.__name__
            raise ValueError(f"{path} holds a {found}; {self._class.__name__} reads a {wanted}.")
        model = self._class(estimator)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
