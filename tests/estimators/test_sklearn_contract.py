"""Every scikit-learn check passes, for every loss, with nothing expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sfplearn import SFPClassifier
from sfplearn.core import LOSSES

ESTIMATORS = [SFPClassifier(loss=loss) for loss in LOSSES]
ESTIMATORS += [SFPClassifier(init=init) for init in ("random", "stratified")]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
