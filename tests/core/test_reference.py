"""The NumPy pass takes sparse rows as it takes dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp

from sfplearn.core import Rows
from sfplearn.core.kernel import reference
from tests.core.blocks import assert_same, block


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_reference_equals_dense_reference(dtype):
    rows, coefficients = block(60, 8, 3, 2, dtype)
    X = np.where(np.abs(rows.X) < 3, 0, rows.X)
    dense = Rows.of(X, rows.y, rows.weight)
    sparse = dense._replace(X=sp.csr_array(X))
    rtol = 1e-12 if dtype == np.float64 else 1e-4
    assert_same(
        reference.summarize(sparse, coefficients), reference.summarize(dense, coefficients), rtol
    )
