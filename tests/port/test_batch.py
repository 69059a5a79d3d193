"""Halving the batch size that stands in a program's code or settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.port.batch import halve_in_files

CHANGED = {
    "a variable": ("batch_size = 64  # samples\n", "batch_size = 32  # samples\n"),
    "a constant": ("_BATCH_SIZE = 64\n", "_BATCH_SIZE = 32\n"),
    "an annotated variable": ("batch_size: int = 8\n", "batch_size: int = 4\n"),
    "one of several": ("epochs, batch_size = 10, 64\n", "epochs, batch_size = 10, 32\n"),
    "of a class": ("class C:\n    batch_size = 64\n", "class C:\n    batch_size = 32\n"),
    "an attribute": ("self.batch_size = 64\n", "self.batch_size = 32\n"),
    "a key": ("p = {'epochs': 3, 'batch_size': 64}\n", "p = {'epochs': 3, 'batch_size': 32}\n"),
    "an item": ("p['batch_size'] = 64\n", "p['batch_size'] = 32\n"),
    "a keyword": ("model.fit(x, y, batch_size=64)\n", "model.fit(x, y, batch_size=32)\n"),
    "a parameter": (
        "def f(x, n=2, batch_size=64): pass\n",
        "def f(x, n=2, batch_size=32): pass\n",
    ),
    "a flag": (
        "DEFINE_integer('train_batch_size', 64, '')\n",
        "DEFINE_integer('train_batch_size', 32, '')\n",
    ),
    "an option": (
        "p.add_argument('--batch-size', default=64)\n",
        "p.add_argument('--batch-size', default=32)\n",
    ),
    "of a dataset": ("data = data.batch(64)\n", "data = data.batch(32)\n"),
    "all of one name": (
        "batch_size = 64\nf(batch_size=16)\n",
        "batch_size = 32\nf(batch_size=8)\n",
    ),
    "behind other characters": ("s = '网'; batch_size = 64\n", "s = '网'; batch_size = 32\n"),
    "not that of an evaluation": (
        "batch_size = 64\ntest_batch_size = 8\n",
        "batch_size = 32\ntest_batch_size = 8\n",
    ),
    "an odd one stays": ("batch_size = 8\nbatch = 1\n", "batch_size = 4\nbatch = 1\n"),
}
NONE = {
    "none at all": "x = 64\n",
    "an odd one": "batch_size = 7\n",
    "zero": "batch_size = 0\n",
    "computed": "batch_size = 2 * n\n",
    "a truth value": "batch_size = True\n",
    "only of an evaluation": "eval_batch_size = 8\nnum_batches = 4\nbatch_norm = 2\n",
    "Python 2": "batch_size = 64\nprint batch_size\n",
}


@pytest.mark.parametrize(("text", "expected"), CHANGED.values(), ids=CHANGED)
def test_the_batch_size_of_code_is_halved(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    halved = halve_in_files(tmp_path, ["train.py"])
    assert halved is not None
    assert [(path, data.decode()) for path, data in halved.files] == [("train.py", expected)]


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_code_without_a_batch_size_to_halve(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.py").write_text(text)
    assert halve_in_files(tmp_path, ["train.py"]) is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("p.json", '{"lr": 1,\n "batch_size": 64}', '"batch_size": 32}', id="json"),
        pytest.param("p.yaml", "lr: 1\ntrain_batch_size: 64\n", "size: 32\n", id="yaml"),
        pytest.param("p.ini", "[net]\nbatch=64\n", "batch=32\n", id="ini"),
    ],
)
def test_settings_files_count_where_the_code_has_no_batch_size(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    (tmp_path / "train.py").write_text("size = load().batch_size\n")
    (tmp_path / name).write_text(text)
    halved = halve_in_files(tmp_path, ["train.py"])
    assert halved is not None
    [(path, data)] = halved.files
    assert path == name
    assert data.decode().endswith(expected)


def test_what_was_halved_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\nBATCH = 64\n")
    (tmp_path / "b.py").write_text("def f(batch_size=10): pass\n")
    halved = halve_in_files(tmp_path, ["a.py", "b.py"])
    assert halved is not None
    assert halved.note == (
        "with BATCH 32 instead of 64 on each, changed for this in a.py:2 and 1 more"
    )
