"""What ranks recorded becomes findings and a report; the tables behind strict mode are right."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ascendify.catalog import support
from ascendify.emulation.codes import CODES
from ascendify.emulation.run_report import findings, report
from ascendify.findings import Effort, Status
from ascendify.reports import RENDERERS, json_, render

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ROOT / "src" / "ascendify" / "emulation" / "packages"
DATA = PACKAGES / "ascendify_runtime/data"
OPERATORS = json.loads((DATA / "operators.json").read_text())
EAGER_OPERATORS = json.loads((DATA / "operators_tf2.json").read_text())


def entry(root: Path, **changes: Any) -> dict[str, Any]:
    """A finding as a rank writes it."""
    return {
        "code": "EMU-SHAPE-1",
        "status": "manual",
        "path": str(root / "net" / "model.py"),
        "line": 7,
        "found": "open shape",
        "todo": "Close it.",
        "rank": 0,
        **changes,
    }


def graph(
    names: list[str], operators: dict[str, int] | None = None, line: int = 5
) -> dict[str, Any]:
    """What a rank runs, as it writes it."""
    collectives = [[name, "float32(3,)", "/elsewhere/train.py", line] for name in names]
    content = {"collectives": collectives, "operators": operators or {}}
    return {"graph": content, "path": "/elsewhere/train.py", "line": 9, "rank": 0}


def written(root: Path, *ranks: list[dict[str, Any]] | str) -> list[Path]:
    """The findings files of the ranks; a text is written as it is."""
    files = []
    for number, entries in enumerate(ranks):
        file = root / f"findings-{number}.jsonl"
        text = entries if isinstance(entries, str) else "".join(map(_line, entries))
        file.write_text(text, encoding="utf-8")
        files.append(file)
    return files


def _line(one: dict[str, Any]) -> str:
    return json.dumps(one) + "\n"


def test_a_finding(tmp_path: Path) -> None:
    (found,) = findings(written(tmp_path, [entry(tmp_path)]), tmp_path)
    assert (found.code, found.status, found.path) == ("EMU-SHAPE-1", Status.MANUAL, "net/model.py")
    assert (found.span.line, found.found, found.todo) == (7, "open shape", "Close it.")
    assert (found.done, found.effort) == ("", Effort.MINUTES)


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        pytest.param([True], "open shape", id="one-rank"),
        pytest.param([True, True], "open shape", id="all-ranks"),
        pytest.param([False, True], "open shape (rank 1 of 2)", id="one-of-two"),
        pytest.param([True, False, True], "open shape (ranks 0 and 2 of 3)", id="two-of-three"),
    ],
)
def test_the_same_on_several_ranks(tmp_path: Path, ranks: list[bool], sentence: str) -> None:
    files = written(tmp_path, *([entry(tmp_path)] * 2 if reported else [] for reported in ranks))
    assert [found.found for found in findings(files, tmp_path)] == [sentence]


def test_a_rank_that_wrote_nothing_and_one_that_was_stopped(tmp_path: Path) -> None:
    files = written(tmp_path, _line(entry(tmp_path)) + '{"code": "EMU-SH')
    found = findings([*files, tmp_path / "never-written"], tmp_path)
    assert [one.found for one in found] == ["open shape (rank 0 of 2)"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("", ".", id="no-file"),
        pytest.param("/elsewhere/train.py", "/elsewhere/train.py", id="outside"),
    ],
)
def test_places_outside_the_project(tmp_path: Path, path: str, expected: str) -> None:
    (found,) = findings(written(tmp_path, [entry(tmp_path, path=path, line=0)]), tmp_path)
    assert (found.path, found.span.line) == (expected, 1)


ADD = {"Add": 2, "MatMul": 1}


@pytest.mark.parametrize(
    ("ranks", "code", "sentence"),
    [
        pytest.param([[graph(["a", "b"], ADD)]] * 2, None, "", id="equal"),
        pytest.param([[graph(["a"], ADD)], []], None, "", id="one-rank-runs-none-yet"),
        pytest.param(
            [[graph(["a"], line=5)], [graph(["a"], line=8)]], None, "", id="written-elsewhere"
        ),
        pytest.param(
            [[graph(["a"], ADD), graph(["a"])], [graph(["a"], ADD)]], None, "", id="run-twice"
        ),
        pytest.param(
            [[graph(["a", "b"])], [graph(["a"])]],
            "EMU-RANK-1",
            "rank 0 runs b of float32(3,) where rank 1 runs no further collective",
            id="more-on-one",
        ),
        pytest.param(
            [[graph(["a", "b"])], [graph(["b", "a"])]],
            "EMU-RANK-1",
            "rank 0 runs a of float32(3,) where rank 1 runs b of float32(3,)",
            id="another-order",
        ),
        pytest.param(
            [[graph(["a"], {**ADD, "Add": 3})], [graph(["a"], ADD)]],
            "EMU-RANK-2",
            "the training step of rank 0 differs from that of rank 1: 3 instead of 2 Add",
            id="another-graph",
        ),
    ],
)
def test_ranks_are_compared(
    tmp_path: Path, ranks: list[list[dict[str, Any]]], code: str | None, sentence: str
) -> None:
    found = findings(written(tmp_path, *ranks), tmp_path)
    assert [(one.code, one.found) for one in found] == ([(code, sentence)] if code else [])


@pytest.mark.parametrize("command", ["run", "verify"])
def test_every_format_shows_it(tmp_path: Path, command: str) -> None:
    files = written(tmp_path, [entry(tmp_path), entry(tmp_path, path="", code="EMU-ENV-1")])
    made = report(files, tmp_path, command)
    assert set(made.rules) == {"EMU-SHAPE-1", "EMU-ENV-1"}
    jsonschema.validate(json_.to_dict(made), json_.schema())
    for format_ in RENDERERS:
        assert render(made, format_)
    text = str(render(made, "text"))
    assert f"ascendify {command} " in text
    assert CODES["EMU-SHAPE-1"].title in text
    assert "analysed" not in text


def test_a_clean_run(tmp_path: Path) -> None:
    text = str(render(report([tmp_path / "nothing"], tmp_path), "text"))
    assert "Findings  none" in text


def test_the_option_table_is_that_of_the_catalogue() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "build_runtime_data.py"), "--check"]
    result = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("row", OPERATORS["refused"], ids=lambda row: row["operators"][0])
def test_refused_operators_are_those_of_the_catalogue(row: dict[str, Any]) -> None:
    assert Status(row["status"]) in CODES[row["code"]].statuses
    for api in row["apis"]:
        verdict = support.lookup(api)
        assert verdict is not None, api
        assert verdict.effective in ("unsupported", "manual"), api


@pytest.mark.parametrize("row", EAGER_OPERATORS["refused"], ids=lambda row: row["operators"][0])
def test_operators_of_eager_code_have_verdicts_of_tensorflow_2(row: dict[str, Any]) -> None:
    assert Status(row["status"]) in CODES[row["code"]].statuses
    verdicts = {support.lookup(api.replace("tf.", "tf2.", 1)) for api in row["apis"]}
    expected = {"manual": {"unsupported"}, "info": {"manual"}}[row["status"]]
    assert {one.effective for one in verdicts if one is not None} == (
        expected if verdicts else set()
    )


@pytest.mark.parametrize(
    ("operator", "sessions", "eager"),
    [
        ("IsNan", "manual", None),  # supported in TensorFlow 2
        ("CTCLoss", "manual", None),
        ("SparseReduceSum", "manual", None),
        ("TensorStridedSliceUpdate", None, "manual"),
        ("Zeta", None, "info"),
        ("Einsum", None, None),  # MultiHeadAttention is supported, and uses it
        ("DepthwiseConv2dNative", None, None),
        ("PyFunc", "manual", "info"),  # the adapter of TensorFlow 2 splits the graph by itself
        ("StringToNumber", None, "info"),
    ],
)
def test_each_adapter_has_its_own_verdicts(
    operator: str, sessions: str | None, eager: str | None
) -> None:
    for table, expected in ((OPERATORS, sessions), (EAGER_OPERATORS, eager)):
        rows = [
            row["status"]
            for row in table["refused"]
            if any(fnmatch.fnmatchcase(operator, pattern) for pattern in row["operators"])
        ]
        assert rows == ([expected] if expected else [])


def test_every_code_the_stand_ins_record_is_explained() -> None:
    files = [*PACKAGES.rglob("*.py"), *PACKAGES.with_name("startup").rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in files]
    recorded = {code for text in texts for code in re.findall(r'"(EMU(?:-[A-Z]+)+-\d+)"', text)}
    recorded |= {row["code"] for row in OPERATORS["refused"]}
    compared = {"EMU-RANK-1", "EMU-RANK-2", "EMU-TORCH-RANK-1"}  # seen by nobody alone
    assert recorded | compared == set(CODES)


def test_the_report_says_how_often_the_host_waits(tmp_path: Path) -> None:
    train, other = str(tmp_path / "train.py"), str(tmp_path / "other.py")
    few = {"steps": 4, "lines": [[train, 3, 4]]}
    most = {"steps": 4, "lines": [[train, 3, 4], [train, 9, 2], [train, 3, 4], [other, 1, 0]]}
    files = written(tmp_path, [{"waits": few, "rank": 0}], [{"waits": most, "rank": 1}])
    assert report(files, tmp_path).seen.endswith(
        "; the host waits for the device 2.5 times a step: train.py:3 (2), train.py:9 (0.5), "
        "other.py:1 (0)"
    )
    assert not report(files, tmp_path).findings
    many = {"steps": 1, "lines": [[train, line, 1] for line in range(9)]}
    files = written(tmp_path, [{"waits": many, "rank": 0}])
    assert report(files, tmp_path).seen.endswith("train.py:4 (1) and 4 more lines")
    assert "waits" not in report([], tmp_path).seen
