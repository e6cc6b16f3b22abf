"""Files are written whole or not at all, and bad ones are refused in one sentence."""

import io
import json
import os
import pickle
import stat
import struct
import sys
import zipfile

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from sfplearn import SFPClassifier, __version__, load_model, save_model
from sfplearn.persist import SavedModel, describe_model
from sfplearn.persist.archive import LARGEST_GROWTH
from sfplearn.persist.packing import pack
from tests.persist.models import X, classifier

ABOUT = {"columns": ["a", "é"], "rows": 60, "score": 0.9, "nothing": None}


@pytest.fixture(scope="module")
def model():
    return classifier()


@pytest.fixture
def file(model, tmp_path):
    return save_model(model, tmp_path / "model.skops", about=ABOUT)


def entries(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(file, content):
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def sentence_of(file, read=load_model):
    with pytest.raises(ValueError) as caught:
        read(file)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(file))
    assert message.endswith(".")
    return message


def test_what_is_said_about_a_model_is_read_with_it_and_without(file):
    saved = load_model(str(file))
    assert isinstance(saved, SavedModel)
    assert saved.about == describe_model(file) == ABOUT


def test_a_file_says_what_wrote_it(file):
    header = json.loads(entries(file)["sfplearn.json"])
    assert header["format"] == 1
    assert header["sfplearn"] == __version__
    assert header["numpy"] == np.__version__
    assert header["skops"] == skops.__version__
    assert header["python"] == ".".join(map(str, sys.version_info[:3]))
    assert header["saved"].endswith("+00:00")
    assert "scikit-learn" in header


def test_a_description_is_read_without_skops(file, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    assert describe_model(file) == ABOUT
    with pytest.raises(ImportError, match=r"pip install \"sfplearn\[skops\]\"$"):
        load_model(file)
    with pytest.raises(ImportError, match=r"pip install \"sfplearn\[skops\]\"$"):
        save_model(model, file)


def test_skops_opens_our_files_and_we_open_its(file, model, tmp_path):
    theirs = skops.io.load(file, trusted=["sfplearn.estimators.classifier.SFPClassifier"])
    assert_array_equal(theirs.predict_proba(X), model.predict_proba(X))
    plain = tmp_path / "plain.skops"
    skops.io.dump(model, plain)
    saved = load_model(plain)
    assert saved.about == describe_model(plain) == {}
    assert_array_equal(saved.model.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"a,b,label\n1,2,yes\n", "is not a model"),
        (pickle.dumps({"a": 1}), "looks like a pickle"),
        (b"PK\x03\x04 and so on", "is the beginning of a model only"),
    ],
)
@pytest.mark.parametrize("read", [load_model, describe_model])
def test_what_is_no_model_is_named(content, says, read, tmp_path):
    file = tmp_path / "model.skops"
    file.write_bytes(content)
    assert says in sentence_of(file, read)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(file, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    assert "beginning of a model" in sentence_of(file)


def loads_as(file, expected):
    """Tell whether a file is read, which then must say what is expected."""
    try:
        loaded = load_model(file).model
    except ValueError:
        return False
    assert_array_equal(loaded.predict_proba(X), expected)
    return True


def test_a_file_with_a_flipped_byte_is_refused_or_says_the_same(file, model):
    data, expected = file.read_bytes(), model.predict_proba(X)
    read = []
    for place in range(7, len(data), len(data) // 60):
        damaged = bytearray(data)
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        read.append(loads_as(file, expected))
    assert np.mean(read) < 0.5


def test_an_archive_without_a_model_is_refused(file):
    content = entries(file)
    del content["schema.json"]
    rewrite(file, content)
    assert "no model in it" in sentence_of(file)


def test_a_schema_that_is_not_one_is_refused(file):
    for schema in ("{", "[]", "{}", "[" * 100_000, '{"protocol": 2}'):
        rewrite(file, {**entries(file), "schema.json": schema})
        assert "cannot be read" in sentence_of(file)


def test_an_archive_of_something_else_is_refused(tmp_path):
    file = tmp_path / "model.skops"
    skops.io.dump({"a": 1}, file)
    assert "holds no estimator but dict" in sentence_of(file)


@pytest.mark.parametrize("header", ["[]", "null", '{"format": 1}', '{"format": 1, "about": []}'])
def test_a_damaged_description_is_refused(file, header):
    rewrite(file, {**entries(file), "sfplearn.json": header})
    assert "cannot be read" in sentence_of(file, describe_model)


@pytest.mark.parametrize("change", [{"format": 2}, {"sfplearn": "7.1.0"}])
@pytest.mark.parametrize("read", [load_model, describe_model])
def test_a_file_of_another_make_names_both_versions(file, change, read):
    content = entries(file)
    header = {**json.loads(content["sfplearn.json"]), **change}
    rewrite(file, {**content, "sfplearn.json": json.dumps(header)})
    message = sentence_of(file, read)
    assert f"by sfplearn {header['sfplearn']} in format {header['format']}" in message
    assert f"this is sfplearn {__version__}, which reads format 1" in message


def test_a_file_of_the_same_major_version_is_read(file):
    content = entries(file)
    header = {**json.loads(content["sfplearn.json"]), "sfplearn": "0.99.1"}
    rewrite(file, {**content, "sfplearn.json": json.dumps(header)})
    assert load_model(file).about == ABOUT


def bomb(size):
    """Return an archive that unpacks to so many zeros, as its directory says."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1000))
    data = bytearray(buffer.getvalue())
    for place in (data.index(b"PK\x03\x04") + 22, data.index(b"PK\x01\x02") + 24):
        data[place : place + 4] = struct.pack("<I", size)
    return bytes(data)


@pytest.mark.parametrize("nested", [False, True])
def test_an_archive_that_would_fill_the_memory_is_refused(file, nested):
    data = bomb(2**31)
    if not nested:
        file.write_bytes(data)
    else:
        rewrite(file, {**entries(file), "rows.npz": data})
    for read in (load_model, describe_model):
        assert f"more than {LARGEST_GROWTH} times its size" in sentence_of(file, read)


def test_a_model_of_many_zeros_is_not_taken_for_a_trap(monkeypatch, tmp_path):
    monkeypatch.setattr("sfplearn.persist.archive.ALWAYS_ALLOWED", 0)
    wide = np.zeros((4, 20_000))
    wide[2:, 0] = 1.0
    model = SFPClassifier(2, refine=0, random_state=0).fit(wide, [0, 0, 1, 1])
    loaded = load_model(save_model(model, tmp_path / "model.skops")).model
    assert_array_equal(loaded.predict(wide), [0, 0, 1, 1])


def test_a_failing_save_keeps_the_old_file_and_leaves_nothing(file, model):
    before = file.read_bytes()
    for bad in ({"what": object()}, {"what": float("nan")}, {"what": np.zeros(2)}):
        with pytest.raises(ValueError, match=r"^about must hold what JSON can[^\n]*\.$"):
            save_model(model, file, about=bad)
    with pytest.raises(NotFittedError):
        save_model(SFPClassifier(), file)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_a_full_disk_keeps_the_old_file_and_leaves_nothing(file, model, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        OSError, match=r"model\.skops cannot be written: No space left on device\.$"
    ):
        save_model(model, file)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_saving_again_replaces_the_file_and_keeps_who_may_read_it(file, model):
    file.chmod(0o640)
    save_model(model, file, about={"again": True})
    assert describe_model(file) == {"again": True}
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(file.parent) == [file.name]


def test_a_new_file_has_the_usual_mode(file):
    other = file.with_name("other")
    other.write_text("")
    assert file.stat().st_mode == other.stat().st_mode


def test_a_link_stays_a_link(file, model):
    link = file.with_name("latest.skops")
    link.symlink_to(file)
    save_model(model, link, about={"through": "a link"})
    assert link.is_symlink()
    assert describe_model(file) == {"through": "a link"}


def test_bad_paths_are_named(model, tmp_path):
    with pytest.raises(IsADirectoryError, match=r"is a folder; give the name of a file in it\.$"):
        save_model(model, tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^There is no folder .*none; make it first\.$"):
        save_model(model, tmp_path / "none" / "model.skops")
    with pytest.raises(IsADirectoryError, match=r"is a folder; give a file that save_model wrote"):
        load_model(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*none\.skops\.$"):
        load_model(tmp_path / "none.skops")
    with pytest.raises(OSError, match=r"is no file that could be replaced"):
        save_model(model, os.devnull)


def test_only_estimators_are_saved(tmp_path):
    with pytest.raises(TypeError, match=r"^Only fitted estimators can be saved; got dict\.$"):
        save_model({}, tmp_path / "model.skops")


def test_packed_models_are_small(model):
    assert len(pack(model)) < len(skops.io.dumps(model)) / 2
