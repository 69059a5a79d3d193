"""Notebooks: cells become one text and come back, magics survive, every other byte stays."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from ascendify.findings import Finding, Span, Status
from ascendify.migrate.notebook import Notebook
from ascendify.migrate.pipeline import migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import FileAction
from ascendify.source.text import SourceError


def _code(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "outputs": [],
        "source": source,
        **more,
    }


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [source]}


def _file(*cells: dict[str, Any], **style: Any) -> str:
    document = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    return json.dumps(document, **{"indent": 1, "ensure_ascii": False, **style}) + "\n"


def _sources(raw: str) -> list[str]:
    cells = json.loads(raw)["cells"]
    return ["".join(cell["source"]) for cell in cells]


MAGICS = {
    "plain": "x = 1\ny = 2",
    "line magic": "%matplotlib inline\nx = 1",
    "shell": "!pip install tensorflow\nx = 1",
    "shell in a block": "if x:\n    !ls\n    y = 1",
    "only magic in a block": "if x:\n    %time f()",
    "assigned": "files = !ls\nout = %timeit -o f()",
    "unpacked": "a, b = !ls",
    "help": "tf.Session?\n?tf.Session\ntf.Session??",
    "continued": "!wget -q \\\n    http://a/b \\\n  -O c\nx = 1",
    "continued at the end": "!python train.py \\\n  --a=1",
    "continued in a block": "if x:\n    !ls \\\n  -l\n    y = 1",
    "cell magic of Python": "%%time\nx = 1",
    "cell magic with an argument": "%%capture out\nprint(1)",
    "carriage returns": "%matplotlib inline\r\nx = 1\r\n",
    "a per cent sign in brackets": "x = (a\n     % b)",
    "a per cent sign after a backslash": "x = a \\\n  % b",
    "a per cent sign in a string": 's = """\n%d\n!no\n"""\nx = 1',
    "quotes that look open": "s = 'it\\'s'\nt = \"(\"\n%time f()",
    "a quote in a remark": "x = 1  # it's\n!ls",
    "three quotes that end a string": "s = 'a'''\n!ls",
    "an open bracket in a magic": "!echo '('\nx = 1",
    "empty": "",
    "only a remark": "# nothing",
    "trailing newline": "x = 1\n",
}


@pytest.mark.parametrize("source", MAGICS.values(), ids=MAGICS)
def test_a_cell_parses_and_comes_back(source: str) -> None:
    raw = _file(_code(source), _code("z = 3"))
    notebook = Notebook.read(raw)
    ast.parse(notebook.text)
    assert notebook.unreadable == ()
    assert notebook.write(notebook.text) == raw
    changed = notebook.write(notebook.text.replace("z = 3", "z = 4"))
    assert _sources(changed) == [source, "z = 4"]


@pytest.mark.parametrize("source", MAGICS.values(), ids=MAGICS)
def test_magics_survive_a_change_of_their_cell(source: str) -> None:
    raw = _file(_code(source + "\nz = 3"))
    notebook = Notebook.read(raw)
    (changed,) = _sources(notebook.write(notebook.text.replace("z = 3", "z = 4")))
    assert changed == source + "\nz = 4"


OTHER_LANGUAGES = {
    "bash": "%%bash\npip install x\nif [ 1 ]; then ls; fi",
    "html": "%%html\n<b>x</b>",
    "javascript": "%%javascript\nvar x = 1;",
    "below a remark": "# Install\n%%bash\ncd x && ls",
    "below empty lines": "\n\n%%writefile a.py\nprint 'x'",
}


@pytest.mark.parametrize("source", OTHER_LANGUAGES.values(), ids=OTHER_LANGUAGES)
def test_cells_in_other_languages_are_not_looked_at(source: str) -> None:
    notebook = Notebook.read(_file(_code(source), _code("x = 1")))
    assert notebook.text.count("\n") == 2
    assert notebook.unreadable == ()
    assert _sources(notebook.write(notebook.text.replace("x = 1", "x = 2"))) == [source, "x = 2"]


def test_a_cell_that_is_not_python_does_not_cost_the_others() -> None:
    notebook = Notebook.read(_file(_code("print 'old'"), _code("x = 1"), _code("cd models")))
    assert [(cell, error.line) for cell, error in notebook.unreadable] == [(0, 1), (2, 1)]
    assert "Python 2" in notebook.unreadable[0][1].reason
    assert _sources(notebook.write(notebook.text.replace("x = 1", "x = 2")))[1] == "x = 2"


STYLES: dict[str, dict[str, Any]] = {
    "as nbformat writes": {},
    "two spaces": {"indent": 2},
    "four spaces": {"indent": 4},
    "tabs": {"indent": "\t"},
    "one line": {"indent": None},
    "compact": {"indent": None, "separators": (",", ":")},
    "odd separators": {"indent": 3, "separators": (" ,", " : ")},
    "escaped": {"ensure_ascii": True},
}
OUTPUT = {
    "output_type": "stream",
    "name": "stdout",
    "text": ["\u4e2d\u6587 <b> & \u2028 \x1b[0m\n"],
    "numbers": [1e-05, 1.0, 10000000000000000000000],
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("as_list", [True, False], ids=["lines", "text"])
def test_only_the_source_of_a_changed_cell_is_written(style: dict[str, Any], as_list: bool) -> None:
    source: Any = ["# \u4e2d\n", "x = 1\n", "y = 2"] if as_list else "# \u4e2d\nx = 1\ny = 2"
    cells = [_markdown("# T\u00eftle"), _code("a = 0"), _code(source, outputs=[OUTPUT])]
    raw = _file(*cells, **style)
    notebook = Notebook.read(raw)
    changed = notebook.write(notebook.text.replace("x = 1", "x = 3\nz = 4"))
    source = (
        ["# \u4e2d\n", "x = 3\n", "z = 4\n", "y = 2"]
        if as_list
        else "# \u4e2d\nx = 3\nz = 4\ny = 2"
    )
    cells[2] = _code(source, outputs=[OUTPUT])
    assert changed == _file(*cells, **style)


def test_spellings_no_serialiser_would_choose_stay() -> None:
    raw = (
        '{"cells": [ {"source": ["x = 1\\n",\n\t"s = \\"\\u003ca\\/\\u003e\\""], "n": 1.50e+1,\r\n'
        '"cell_type" : "code", "outputs": [{"data": 0.000010}]} ,'
        '{"cell_type": "raw", "source": []} ],\n"nbformat": 4 }'
    )
    notebook = Notebook.read(raw)
    assert notebook.write(notebook.text.replace("x = 1", "x = 2")) == raw.replace("x = 1", "x = 2")


def test_a_line_added_to_a_cell_of_one_line_gets_the_layout_of_the_list() -> None:
    raw = _file(_code(["x = 1"]))
    notebook = Notebook.read(raw)
    expected = _file(_code(["x = 1\n", "y = 2"]))
    assert notebook.write(notebook.text.replace("x = 1", "x = 1\ny = 2")) == expected


NO_NOTEBOOKS = {
    "not JSON": "{",
    "a list": "[]",
    "format 3": '{"worksheets": []}',
    "cells that are none": '{"cells": [1]}',
}


@pytest.mark.parametrize("raw", NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_says_so(raw: str) -> None:
    with pytest.raises(SourceError, match="not a notebook of format 4"):
        Notebook.read(raw)


def test_places_are_counted_inside_the_cell() -> None:
    notebook = Notebook.read(_file(_markdown("#"), _code("a\nb"), _code("c\nd\ne")))
    line = notebook.text.split("\n").index("d") + 1
    found = notebook.place(Finding("X-1", Status.INFO, "a.ipynb", Span(line, 1, line + 1, 2), "f"))
    assert (found.cell, found.span) == (2, Span(2, 1, 3, 2))


def _migrated(root: Path, raw: bytes) -> tuple[bytes, list[Finding]]:
    project = root / "in"
    project.mkdir()
    (project / "a.ipynb").write_bytes(raw)
    report = migrate(load(project, output=root / "out", select=("TF1-SESS-1",)))
    assert report.files[0].action in (FileAction.CHANGED, FileAction.UNCHANGED)
    return (root / "out/a.ipynb").read_bytes(), list(report.findings)


def test_a_notebook_is_migrated_with_names_from_earlier_cells(tmp_path: Path) -> None:
    raw = _file(
        _markdown("# Train"),
        _code(["%matplotlib inline\n", "import tensorflow as tf"]),
        _code(["%%time\n", "sess = tf.Session()\n", "!ls"], outputs=[OUTPUT]),
    )
    after, findings = _migrated(tmp_path, raw.encode())
    assert _sources(after.decode()) == [
        "# Train",
        "%matplotlib inline\nimport tensorflow as tf\n"
        "from npu_bridge.npu_init import npu_config_proto",
        "%%time\nsess = tf.Session(config=npu_config_proto())\n!ls",
    ]
    assert [(item.cell, item.span.line) for item in findings] == [(2, 2)]


def test_an_import_without_a_place_goes_below_the_magic_of_its_cell(tmp_path: Path) -> None:
    raw = _file(_code("%%time\ntf = __import__('x')\nfrom tensorflow import *\nSession()"))
    after, _ = _migrated(tmp_path, raw.encode())
    assert _sources(after.decode())[0].startswith("%%time\n")


def test_byte_order_mark_and_cells_that_cannot_be_read(tmp_path: Path) -> None:
    raw = _file(_code("import tensorflow as tf\ntf.Session()"), _code("print 'x'"))
    after, findings = _migrated(tmp_path, raw.encode("utf-8-sig"))
    assert after.startswith(b"\xef\xbb\xbf{")
    reported = next(item for item in findings if item.cell == 1)
    assert (reported.code, reported.status) == ("ASCENDIFY", Status.MANUAL)
    assert "cannot be read as Python" in reported.found


def test_commands_are_migrated_as_scripts_are(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(
        _file(
            _code("import torch\n!nvidia-smi"),
            _code(
                "x = torch.zeros(1).cuda()\n"
                "if x:\n"
                "    output = !CUDA_VISIBLE_DEVICES=0 python demo.py \\\n"
                "        --device cuda --lr 1"
            ),
            _code("!ls\n!nvidia-docker run image"),
        ),
        encoding="utf-8",
    )
    report = migrate(load(tmp_path, output=tmp_path.parent / "out", jobs=1))
    assert _sources((tmp_path.parent / "out" / "a.ipynb").read_text(encoding="utf-8")) == [
        "import torch\nimport torch_npu  # noqa: F401\n!npu-smi info",
        "x = torch.zeros(1).npu()\n"
        "if x:\n"
        "    output = !ASCEND_RT_VISIBLE_DEVICES=0 python demo.py \\\n"
        "        --device npu --lr 1",
        "!ls\n!nvidia-docker run image",
    ]
    reported = {
        item.code: (item.cell, item.span.line, item.span.column) for item in report.findings
    }
    assert reported["SH-NVSMI-1"] == (0, 2, 2)
    assert reported["TORCH-SH-1"] == (1, 4, 18)
    assert reported["SH-DOCKER-1"] == (2, 2, 2)
