"""Text files as spreadsheets of several countries and systems write them."""

import codecs
import gzip
import io

import pandas as pd
import pytest

from tests.cli.tables import one_line, sfp

ROWS = "".join(f"{i % 7};{(i * 37) % 11};{('schön', 'übel')[i % 7 > 3]}\n" for i in range(40))
TEXT = "größe;z;y\n" + ROWS
WRITTEN = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with a mark": TEXT.encode("utf-8-sig"),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16, the other way round": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "UTF-16 without a mark": TEXT.encode("utf-16-le"),
    "UTF-16 without a mark, the other way round": TEXT.encode("utf-16-be"),
    "UTF-16 that tells its separator": f"sep=;\r\n{TEXT}".encode("utf-16"),
    "Windows-1252": TEXT.encode("cp1252"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", WRITTEN)
def test_names_and_labels_are_read_as_they_were_written(name, packed, tmp_path):
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(WRITTEN[name]) if packed else WRITTEN[name])
    model = tmp_path / "m.skops"
    told = sfp("fit", path, "-t", "y", "-o", model, "--no-score")
    assert told.exit_code == 0, told.output
    result = sfp("predict", model, path, "--copy", "größe", "--copy", "y")
    found = pd.read_csv(io.StringIO(result.stdout))
    assert (found["prediction"] == found["y"]).mean() > 0.9
    assert set(found["y"]) == {"schön", "übel"}
    for each in (told, result):
        assert ("was read as Windows-1252" in each.stderr) == (name == "Windows-1252")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TEXT.encode("cp1252") + b"\x81;1;a\n", "is no text in UTF-8"),
        (TEXT.encode("utf-16") + b"\xd8", "is no text in UTF-8"),
        (b"x;y\n1;a\n" * 200_000 + b"1;\xe9t\xe9\n", "begins as text in UTF-8 and goes on"),
        (b"PK\x03\x04" + bytes(100), "binary data"),
        (TEXT.encode() + b"1;2;\xe9t\xe9\n" + ROWS.encode(), "UTF-8, but not in line 42"),
    ],
    ids=["a byte that Windows-1252 has not", "half a letter", "late", "zip", "one odd letter"],
)
def test_what_is_no_text_is_refused_in_one_sentence(content, words, tmp_path):
    (tmp_path / "table.csv").write_bytes(content)
    result = sfp("fit", tmp_path / "table.csv", "-t", "y", "-o", tmp_path / "model.skops")
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert words in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
