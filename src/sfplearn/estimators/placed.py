"""Answers where the rows are: block by block for rows on disk, lazily for lazy collections."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sfplearn.data import Block, find_store
from sfplearn.estimators.callbacks import without_callbacks
from sfplearn.estimators.checks import check_threads
from sfplearn.estimators.coding import split_labels
from sfplearn.estimators.survey import as_features, check_block_names

Method = TypeVar("Method", bound=Callable[..., Any])


def where_rows_are(method: Method) -> Method:
    """Let a method of rows in memory answer for rows in a store, too."""

    @wraps(method)
    def answer(self: Any, X: Any) -> Any:
        store = find_store(X)
        if store is None:
            return method(self, X)
        check_is_fitted(self)
        check_threads(self.n_jobs)
        check_names(self, store.names)
        one = without_callbacks(self).set_params(n_jobs=1)  # it has workers of its own
        names = store.names
        # Names are checked, and blocks may be arrays that have none.
        vars(one).pop("feature_names_in_", None)
        store.start(self.n_jobs)
        try:
            return store.map_rows(partial(_on_block, method, one, names))
        finally:
            store.stop()

    return answer  # type: ignore[return-value]


def check_names(estimator: Any, names: list[str] | None) -> None:
    """Refuse rows whose features have other names than those of the fit."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None and list(known) != list(names):
        missing = [name for name in known if name not in names]
        what = f"lack {missing[0]!r}" if missing else "are others, or in another order"
        raise ValueError(
            f"The columns {what}; the model was fitted to {', '.join(map(repr, known))}."
        )


def labels_of(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return labels and weights, of rows in a store those that they bring, in memory."""
    store = find_store(X, y, sample_weight)
    if store is None:
        return y, sample_weight
    if not store.has_labels:
        raise ValueError(
            "The rows bring no labels to compare with; name them by target, or give y."
        )
    weight = np.asarray(store.map_rows(_weights)) if store.has_weights else None
    return np.asarray(store.map_rows(_labels)), weight


def _labels(block: Block) -> Any:
    return split_labels(block.y, None)[0]


def _weights(block: Block) -> Any:
    return np.asarray(block.weight, np.float64)


def _on_block(
    method: Callable[..., Any], estimator: Any, names: list[str] | None, block: Block
) -> Any:
    """Answer for a block, or say where it is if that cannot be done."""
    try:
        check_block_names(names, block)
        return method(estimator, as_features(block.X))
    except (TypeError, ValueError) as error:
        where = f"{block.place}: " if block.place else ""
        raise ValueError(f"{where}{error}") from None
