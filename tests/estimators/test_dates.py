"""Dates become days since 1970, however they are written."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sfplearn.estimators.dates import DaysSince1970

DAYS = [19723.0, 19753.75, np.nan]
TEXT = ["2024-01-01", "2024-01-31 18:00", None]
FORMS = {
    "text": np.array(TEXT, dtype=object),
    "empty text": np.array([*TEXT[:2], ""], dtype=object),
    "datetimes": np.array(["2024-01-01", "2024-01-31T18:00", "NaT"], dtype="datetime64[ns]"),
    "days": np.array(DAYS),
    "days as objects": np.array([19723, 19753.75, None], dtype=object),
}


@pytest.mark.parametrize("form", FORMS)
def test_dates_of_any_form_are_the_same_days(form):
    for table in (FORMS[form][:, None], pd.DataFrame({"since": FORMS[form]})):
        assert_allclose(DaysSince1970().fit_transform(table)[:, 0], DAYS)


def test_timestamps_of_pandas_and_text_from_a_file_are_the_same_days(tmp_path):
    frame = pd.DataFrame({"since": pd.to_datetime(TEXT, format="ISO8601"), "until": DAYS})
    assert_allclose(DaysSince1970().fit_transform(frame), np.column_stack([DAYS, DAYS]))
    frame.to_csv(tmp_path / "a.csv", index=False)
    read = pd.read_csv(tmp_path / "a.csv")
    assert_allclose(DaysSince1970().fit_transform(read), np.column_stack([DAYS, DAYS]))


def test_names_of_columns_are_kept():
    frame = pd.DataFrame({"since": FORMS["text"]})
    made = DaysSince1970().set_output(transform="pandas").fit_transform(frame)
    assert list(made.columns) == ["since"]


def test_what_is_no_date_is_named():
    with pytest.raises(ValueError, match="holds 'soon' or something like it; write dates as"):
        DaysSince1970().fit_transform(np.array([["soon"]], dtype=object))
    with pytest.raises(ValueError, match="table of rows and columns"):
        DaysSince1970().fit(np.zeros(3))
