"""Models of all kinds come back from disk as they were."""

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, load_model, save_model
from sfplearn.persist.trust import OWN, strangers, trusted_types
from tests.persist.models import (
    CODES,
    MODELS,
    NAMES,
    NUMBERS,
    answers,
    classifier,
    fitted,
    streamed,
)
from tests.persist.models import X as ROWS


@pytest.mark.parametrize("kind", MODELS)
def test_a_loaded_model_says_the_same_bit_for_bit(kind, tmp_path):
    model, rows = fitted(kind), MODELS[kind][1]
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    assert type(loaded) is type(model)
    assert vars(loaded).keys() == vars(model).keys()
    before, after = answers(model, rows), answers(loaded, rows)
    assert before.keys() == after.keys()
    assert before
    for name in before:
        assert before[name].dtype == after[name].dtype
        assert_array_equal(before[name], after[name])


def test_the_list_of_types_holds_none_that_no_model_needs():
    needed = set()
    for kind in MODELS:
        data = skops.io.dumps(fitted(kind))
        assert strangers(data) == []
        needed.update(skops.io.get_untrusted_types(data=data))
    assert needed >= OWN
    assert set(trusted_types()) >= needed


STREAMS = {
    "classes": (lambda: SFPClassifier(3, half_life=50.0, random_state=0), (NAMES,)),
    "numbers": (lambda: SFPRegressor(3, half_life=50.0, random_state=0), (NUMBERS,)),
    "bins": (lambda: SFPRegressor(3, loss="absolute_error", random_state=0), (NUMBERS,)),
    "rows": (lambda: SFPClusterer(3, random_state=0), ()),
}


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("pieces", [1, 4])
def test_a_stream_goes_on_after_loading_as_it_would_have(kind, pieces, tmp_path):
    make, labels = STREAMS[kind]
    model = streamed(make(), *labels, size=len(ROWS) // pieces)
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    model, loaded = (streamed(each, *labels, size=15) for each in (model, loaded))
    assert_array_equal(loaded.cluster_centers_, model.cluster_centers_)
    assert_array_equal(loaded.cluster_mass_, model.cluster_mass_)


def test_a_grown_stream_goes_on_after_loading(tmp_path):
    model = SFPClassifier(3, random_state=0)
    random = np.random.default_rng(0)
    many = random.standard_normal((2100, 2))
    model.partial_fit(many, many[:, 0] > 0)  # more than are kept: sums are all there is
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    for each in (model, loaded):
        each.partial_fit(many[:50] + 1.0, many[:50, 0] > 0)
    assert_array_equal(loaded.cluster_centers_, model.cluster_centers_)


@pytest.mark.parametrize("refine", [0, 3])
def test_a_warm_start_goes_on_after_loading_as_it_would_have(refine, tmp_path):
    model = classifier(warm_start=True, refine=refine)
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    assert_array_equal(
        loaded.fit(ROWS, CODES).cluster_centers_, model.fit(ROWS, CODES).cluster_centers_
    )


def test_a_stream_goes_on_from_a_loaded_model_that_was_refined(tmp_path):
    model = SFPClassifier(3, max_iter=5, tol=0, random_state=0).fit(ROWS, CODES)
    assert hasattr(model, "refine_path_")
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    for each in (model, loaded):
        each.partial_fit(ROWS, CODES)
    assert_array_equal(loaded.cluster_centers_, model.cluster_centers_)


def test_callbacks_stay_behind(tmp_path):
    monitor = pytest.importorskip("sklearn.callback").ScoringMonitor(scoring="accuracy")
    model = SFPClassifier(4, random_state=0).set_callbacks(monitor).fit(ROWS, CODES)
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    assert_array_equal(loaded.predict_proba(ROWS), model.predict_proba(ROWS))
