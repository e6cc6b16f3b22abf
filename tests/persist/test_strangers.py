"""No code of a stranger runs, and none of a user's is saved."""

import json
import operator
import os
import zipfile
from functools import partial

import numpy as np
import pytest
import skops.io
from sklearn.metrics import f1_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sfplearn import Loss, load_model, save_model
from sfplearn.persist import UnsafeModelError, describe_model
from tests.core.losses import Brier, log_cosh
from tests.persist.models import CODES, X, classifier, regressor, searched

RAN = []


def shout(*words):
    RAN.append(words)


class Trap:
    """Runs code when it is made again, as a pickle's content can."""

    def __reduce__(self):
        return shout, ("hello",)

    def __setstate__(self, state):
        shout(state)

    def __getstate__(self):
        return {"a": 1}


class Constructor:
    """Made again by calling its class."""

    def __init__(self, *words):
        shout(*words)

    def __reduce__(self):
        return Constructor, ("hello",)


TRAPS = {
    "an object": (Trap, "tests.persist.test_strangers.Trap"),
    "a constructor": (
        lambda: Constructor("made here"),
        "tests.persist.test_strangers.Constructor",
    ),
    "a function": (lambda: shout, "tests.persist.test_strangers.shout"),
    "a command": (lambda: os.system, "posix.system"),
    "a builtin": (lambda: eval, "builtins.eval"),
    "a partial function": (lambda: partial(shout, "hello"), "functools.partial"),
    "a caller of methods": (
        lambda: operator.methodcaller("write_text", "hello"),
        "operator.methodcaller",
    ),
    "a method": (lambda: RAN.append, "append"),
    "a type": (lambda: Trap, "tests.persist.test_strangers.Trap"),
}


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()


@pytest.mark.parametrize("kind", TRAPS)
@pytest.mark.parametrize("place", ["attribute", "setting", "step"])
def test_a_hostile_file_is_refused_by_name_and_nothing_runs(kind, place, tmp_path):
    make, name = TRAPS[kind]
    model, trap = classifier(), make()
    RAN.clear()
    if place == "attribute":
        model._origin = trap
    elif place == "setting":
        model.init = {"centers": [trap]}
    else:
        model = make_pipeline(FunctionTransformer(trap), model)
    file = tmp_path / "model.skops"
    skops.io.dump(model, file)
    refusal = rf"^[^\n]*{name}[^\n]*nothing of it was loaded: ask for [^\n]*\.$"
    with pytest.raises(UnsafeModelError, match=refusal):
        load_model(file)
    assert describe_model(file) == {}
    assert RAN == []


def schema_with(file, change):
    """Change the schema of a file by hand, as no library would write it."""
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(content["schema.json"])
    change(schema)
    content["schema.json"] = json.dumps(schema)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


FORGED = {
    "another class": lambda schema: schema.update(
        __module__="tests.persist.test_strangers", __class__="Trap"
    ),
    "a class of no module": lambda schema: schema.update(__module__="", __class__="eval"),
    "a call": lambda schema: schema.update(
        __loader__="ConstructorFromReduceNode",
        __module__="tests.persist.test_strangers",
        __class__="shout",
    ),
    "an operator": lambda schema: schema.update(
        __loader__="OperatorFuncNode", __module__="operator", __class__="call", attrs={}
    ),
    "a method": lambda schema: schema.update(
        __loader__="MethodNode", content={"func": "fit", "obj": dict(schema)}
    ),
    "an unknown kind": lambda schema: schema.update(__loader__="PickleNode"),
    "an old protocol": lambda schema: schema.update(
        protocol=0, __module__="tests.persist.test_strangers", __class__="Trap"
    ),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_schema_is_refused_and_nothing_runs(kind, tmp_path):
    file = save_model(classifier(), tmp_path / "model.skops")
    schema_with(file, FORGED[kind])
    with pytest.raises(ValueError, match=r"^[^\n]*\.$"):
        load_model(file)
    assert RAN == []


class Own(Loss):
    """A user's loss, with a setting."""

    def __init__(self, power=2.0):
        self.power = power

    def cost(self, y, z):
        return np.abs(z[:, None] - np.eye(z.shape[1])[y]).sum(axis=2) ** self.power


def own_kernel(rows, others, **settings):
    return np.asarray(rows) @ np.asarray(others).T


USERS = {
    "a loss": (lambda: classifier(loss=Brier()), "tests.core.losses.Brier"),
    "a loss with settings": (lambda: classifier(loss=Own()), "tests.persist.test_strangers.Own"),
    "a function as loss": (lambda: regressor(loss=log_cosh), "tests.core.losses.log_cosh"),
    "a kernel": (
        lambda: classifier(divergence="kernel", kernel=own_kernel, refine=0),
        "tests.persist.test_strangers.own_kernel",
    ),
    "a start": (lambda: classifier(init=lambda X, y, **settings: [0, 1, 2]), "<lambda>"),
    "a scorer": (
        lambda: searched(
            CODES, space=[{"n_clusters": 2}], scoring=make_scorer(f1_score, average="macro")
        ),
        "f1_score",
    ),
    "a step": (
        lambda: make_pipeline(FunctionTransformer(abs_of), classifier()).fit(X, CODES),
        "tests.persist.test_strangers.abs_of",
    ),
}


def abs_of(rows):
    return np.abs(rows)


@pytest.mark.parametrize("kind", USERS)
def test_code_of_a_user_is_refused_when_it_is_saved(kind, tmp_path):
    make, name = USERS[kind]
    with pytest.raises(
        UnsafeModelError, match=rf"^The model holds [^\n]*{name}[^\n]*code cannot be saved[^\n]*\.$"
    ):
        save_model(make(), tmp_path / "model.skops")
    assert os.listdir(tmp_path) == []


def test_what_skops_cannot_write_is_refused_in_one_sentence(tmp_path):
    model = classifier()
    model.init = (row for row in X)
    refusal = r"^The model holds what cannot be saved \([^\n]*\); fit it with [^\n]*\.$"
    with pytest.raises(ValueError, match=refusal):
        save_model(model, tmp_path / "model.skops")
    assert os.listdir(tmp_path) == []
