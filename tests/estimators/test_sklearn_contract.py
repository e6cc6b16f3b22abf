"""Every scikit-learn check passes, for every estimator and loss, with nothing expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sfplearn import (
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSearchCV,
    SFPSelector,
    SFPTransformer,
)
from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES

ESTIMATORS = [
    # Labels that are text have no ranks, and one of the checks fits them.
    *(SFPClassifier(loss=loss) for loss in CLASSIFICATION_LOSSES if loss != "ordinal"),
    *(SFPClassifier(init=init) for init in ("random", "stratified")),
    SFPClassifier(unlabeled=-9),
    *(SFPRegressor(loss=loss) for loss in REGRESSION_LOSSES),
    SFPRegressor(init="random"),
    SFPClusterer(3),
    SFPClusterer("auto"),
    *(
        estimator(divergence=divergence)
        for estimator in (SFPClassifier, SFPRegressor)
        for divergence in ("shared_weights", "diagonal_gaussian", "kernel")
    ),
    SFPClusterer(3, divergence="shared_weights"),
    SFPClusterer(3, divergence="kernel"),
    SFPClusterer(3, divergence="diagonal_gaussian", gamma=1.0),
    SFPClassifier(expert="linear"),
    SFPRegressor(expert="linear"),
    SFPClassifier(refine=5),
    SFPRegressor(refine=5),
    SFPTransformer(),
    SFPTransformer(output="memberships"),
    SFPSelector(),
    *(
        estimator(allow_nan=True)
        for estimator in (SFPClassifier, SFPRegressor, SFPTransformer, SFPSelector)
    ),
    SFPClusterer(3, allow_nan=True),
    *(
        SFPSearchCV(space=[{"n_clusters": k, "refine": 0} for k in (2, 3)], ensemble=picks, cv=2)
        for picks in (None, 3)
    ),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
