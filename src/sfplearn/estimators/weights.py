"""What weights of rows count, where they are too small to be numbers of rows."""

from typing import Any

from sfplearn.data import count_distinct


def in_rows(estimator: Any, table: Any) -> Any:
    """Return a table whose weights add up to its distinct rows, at least.

    A weight of 2 equals writing a row twice, and 0.5 half of it; but no distinct row can be there
    less than once. So weights that add up to less count by their ratios alone, such as those of
    boosting, which add up to 1: else many rows would be taken for few, and fits held back as those
    of few are. With scale=None weights stand as they are, as all else does.
    """
    total = table.total_weight
    if estimator.scale is None or total >= table.n_counting:
        return table
    with table.source(n_jobs=estimator.n_jobs) as source:
        distinct = count_distinct(source)
    return table.with_weights_over(min(1.0, total / distinct))
