"""Gaps among categories are filled, whatever a data frame calls them."""

import numpy as np
import pandas as pd
import pytest

from sfplearn.estimators.gaps import FillCategories

FORMS = {
    "None": pd.Series(["a", None, "b", "a"], dtype=object),
    "NaN": pd.Series(["a", np.nan, "b", "a"], dtype=object),
    "NA": pd.Series(["a", pd.NA, "b", "a"], dtype=object),
    "text": pd.Series(["a", None, "b", "a"], dtype="str"),
    "nullable text": pd.Series(["a", None, "b", "a"], dtype="string"),
    "categories": pd.Series(["a", None, "b", "a"], dtype="category"),
}


@pytest.mark.parametrize("output", ["default", "pandas"])
@pytest.mark.parametrize("form", FORMS)
def test_gaps_of_any_form_are_filled(form, output):
    frame = pd.DataFrame({"word": FORMS[form]})
    fill = FillCategories(strategy="most_frequent").set_output(transform=output)
    filled = fill.fit_transform(frame)
    assert np.asarray(filled).ravel().tolist() == ["a", "a", "b", "a"]
    assert list(fill.get_feature_names_out()) == ["word"]


def test_codes_stay_numbers():
    frame = pd.DataFrame({"code": pd.Series([7, None, 7, 8], dtype="Int64")})
    filled = FillCategories(strategy="most_frequent").fit_transform(frame)
    assert filled.ravel().tolist() == [7, 7, 7, 8]


def test_the_frame_of_the_user_is_left_alone():
    frame = pd.DataFrame({"word": FORMS["None"]})
    FillCategories(strategy="most_frequent").fit_transform(frame)
    pd.testing.assert_frame_equal(frame, pd.DataFrame({"word": FORMS["None"]}))
