"""What candidates share, and what is let go."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.core import LogLoss
from sfplearn.tuning.plan import make_plan
from sfplearn.tuning.trials import Trial
from tests.tuning.test_search import X, Y

PLAIN = {"n_clusters": 3, "refine": 0}


class Counted(TransformerMixin, BaseEstimator):
    """Counts the fits of all its clones."""

    fits = 0

    def fit(self, X, y=None):
        type(self).fits += 1
        return self

    def transform(self, X):
        return np.asarray(X) * 2.0


class Shy(Counted):
    """Treats the rows it is fitted to in another way, as encoders of targets do."""

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X) + 0.1 * np.arange(len(X))[:, None] % 3


class Duck(BaseEstimator):
    """Fits and transforms, but never both at once."""

    def fit(self, X, y=None):
        self.mean_ = np.mean(X, axis=0)
        return self

    def transform(self, X):
        return X - self.mean_


def trials_of(space, **settings):
    return make_plan(SFPSearchCV(space=space, cv=3, **settings), X, Y, None, None).trials


def test_one_transformer_of_several_candidates_is_fitted_once_a_fold():
    Counted.fits, prepare = 0, Counted()
    space = [{**PLAIN, "gamma": g, "prepare": prepare} for g in (0.1, 0.2, 0.3)]
    SFPSearchCV(space=space, ensemble=2, cv=3, random_state=0).fit(X, Y)
    assert Counted.fits == 3


def test_a_second_round_fits_a_transformer_once_a_fold_more():
    Counted.fits, both = 0, (Counted(), Counted())
    space = [{"n_clusters": k, "refine": 0, "prepare": both[k % 2]} for k in range(2, 12)]
    SFPSearchCV(space=space, ensemble=2, halving=True, cv=10, random_state=0).fit(X, Y)
    assert Counted.fits == 10 * 3 + 2 * 7  # a transformer a candidate in turn, then one by one


def test_what_prepares_gets_weights_if_it_takes_any():
    counts = np.arange(len(Y)) % 3
    space, folds = [{**PLAIN, "prepare": StandardScaler()}], [(np.arange(len(Y)), np.arange(60))]
    for estimator in (SFPClassifier(), make_pipeline(SFPClassifier())):
        search = SFPSearchCV(estimator, space, cv=folds, ensemble=1, random_state=0)
        member = search.fit(X, Y, sample_weight=counts).best_estimator_.members[0].members[0]
        again = StandardScaler().fit(np.repeat(X, counts, axis=0))
        assert_allclose(member.named_steps["prepare"].mean_, again.mean_)
        one = SFPSearchCV(estimator, space, cv=folds, ensemble=None, random_state=0)
        model = one.fit(X, Y, sample_weight=counts).best_estimator_
        assert_allclose(model.named_steps["prepare"].mean_, again.mean_)


def test_transformers_of_their_own_are_let_go():
    space = [{**PLAIN, "gamma": g, "prepare": StandardScaler()} for g in (0.1, 0.2, 0.3)]
    trials = trials_of(space)
    for candidate in space:
        trials.run(Trial(candidate))
    assert len(trials._held) == 3


@pytest.mark.parametrize("prepare", [StandardScaler(), Shy()])
def test_what_is_prepared_once_is_as_if_prepared_each_time(prepare):
    space = [{**PLAIN, "gamma": g, "prepare": clone(prepare)} for g in (0.1, 0.2)]
    trials = trials_of(space, random_state=0)
    for candidate in (*space, *space):
        found = trials.run(Trial(candidate)).probabilities
        for train, test in trials.folds:
            alone = trials.refit(trials.model(candidate), train)
            assert_array_equal(found[test], alone.predict_proba(X[test]))


def test_transformers_need_not_fit_and_transform_at_once():
    search = SFPSearchCV(space=[{**PLAIN, "prepare": Duck()}], cv=3, random_state=0)
    assert search.fit(X, Y).score(X, Y) > 0.9


def test_candidates_do_not_change_settings_of_the_next():
    first = {"gamma": 0.3, "loss__smoothing": 500.0}
    estimator = SFPClassifier(4, refine=0, loss=LogLoss(), random_state=0)
    search = SFPSearchCV(estimator, space=[first, {"gamma": 0.3}], cv=3, scoring="neg_log_loss")
    scores = search.fit(X, Y).cv_results_["mean_test_score"]
    assert scores[1] > scores[0] + 0.1


def test_candidates_do_not_share_a_generator():
    estimator = SFPClassifier(4, refine=0, random_state=np.random.RandomState(0))
    space = [{"gamma": 0.3}, {"gamma": 0.3}]
    scores = SFPSearchCV(estimator, space=space, cv=3).fit(X, Y).cv_results_["mean_test_score"]
    assert scores[0] == scores[1]
