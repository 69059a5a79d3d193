"""What processes counted is brought together, written, read again, and added to reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ascendify.emulation import audit, audit_text
from ascendify.emulation.codes import CODES
from ascendify.emulation.run_report import findings, report, with_audit
from ascendify.errors import UsageError
from ascendify.findings import Effort, Finding, Span, Status
from ascendify.reports import RENDERERS, json_, render
from ascendify.reports.model import ApiUse, Report


def operator(root: Path, **changes: Any) -> dict[str, Any]:
    """An operator as a process counts it."""
    return {
        "kind": "operator",
        "operator": "aten::mm",
        "dtype": "float32",
        "api": "torch.mm",
        "support": "partial",
        "note": "",
        "path": str(root / "net" / "model.py"),
        "line": 7,
        "rank": 0,
        "count": 3,
        **changes,
    }


def entries(root: Path, rank: int) -> list[dict[str, Any]]:
    """Everything one process tells."""
    at = {"path": str(root / "train.py"), "line": 5, "rank": rank, "count": 2}
    return [
        {"kind": "process", "rank": rank, "steps": 4, "peak_bytes": 2048 * (rank + 1)},
        operator(root, rank=rank),
        operator(root, rank=rank, operator="aten::mode", api="torch.mode", support="unsupported"),
        operator(root, rank=rank, api="", support="", path="", line=0, operator="aten::detach"),
        {"kind": "move", "direction": "to device", "bytes": 100, **at},
        {"kind": "wait", "what": "a value is read", **at},
        {"kind": "cuda", "what": "torch.cuda.is_available", **at},
        {"kind": "variable", "name": "CUDA_HOME", "access": "read", **at},
    ]


FOUND = Finding(
    "EMU-TORCH-OP-1",
    Status.MANUAL,
    "train.py",
    Span(5, 1, 6, 1),
    "torch.mode runs",
    todo="Use another.",
    effort=Effort.MINUTES,
)


@pytest.fixture
def made(tmp_path: Path) -> audit.Audit:
    """The audit of two ranks, of which one was stopped while it wrote."""
    files = []
    for rank in range(2):
        file = tmp_path / f"audit-{rank}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in entries(tmp_path, rank)))
        files.append(file)
    files[1].write_text(files[1].read_text() + '{"kind": "ope')
    return audit.gather(
        [*files, tmp_path / "never-written"],
        tmp_path,
        command=("python", "train.py"),
        soc="910B",
        devices=2,
        seconds=1.23456,
        findings=(FOUND,),
    )


def test_ranks_are_brought_together(made: audit.Audit) -> None:
    assert [(one.rank, one.steps, one.peak_bytes) for one in made.processes] == [
        (0, 4, 2048),
        (1, 4, 4096),
    ]
    mm = next(use for use in made.operators if use.operator == "aten::mm")
    assert (mm.path, mm.line, mm.count, mm.ranks) == ("net/model.py", 7, 6, (0, 1))
    (move,) = made.moves
    assert (move.direction, move.bytes, move.count, move.path) == ("to device", 200, 4, "train.py")
    assert [event.what for event in (*made.waits, *made.cuda, *made.variables)] == [
        "a value is read",
        "torch.cuda.is_available",
        "CUDA_HOME read",
    ]
    assert made.summary == "18 calls of 3 operators at 1 lines, 4 optimizer steps"


def test_it_is_written_by_the_schema_and_read_again(made: audit.Audit, tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(audit.schema())
    jsonschema.validate(audit.to_dict(made), audit.schema())
    file = tmp_path / "audit.json"
    file.write_text(audit.to_json(made))
    assert audit.load(file) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, "No such file", id="missing"),
        pytest.param("nothing", "is no JSON", id="text"),
        pytest.param("[]", "is no audit", id="list"),
        pytest.param('{"schema_version": "1.0", "findings": []}', "is no audit", id="a-report"),
        pytest.param('{"schema_version": "2.0", "operators": []}', "is no audit", id="newer"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "audit.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError, match=message):
        audit.load(file)


def test_operators_become_apis(made: audit.Audit) -> None:
    assert [(use.api, use.support, use.vendor, use.count) for use in made.apis] == [
        ("torch.mm", "supported", "partial", 6),
        ("torch.mode", "unsupported", "unsupported", 6),
    ]


def test_it_joins_the_report_on_the_sources(made: audit.Audit, tmp_path: Path) -> None:
    own = ApiUse("torch.mm", "partial", "partial", "of the sources", 1)
    sources = Report("check", "0.1", str(tmp_path), None, files=(), findings=(), apis=(own,))
    joined = with_audit(sources, made)
    assert joined.findings == (FOUND,)
    assert {use.api: use.note for use in joined.apis} == {
        "torch.mm": "of the sources",
        "torch.mode": "",
    }
    assert set(joined.rules) == {"EMU-TORCH-OP-1"}
    jsonschema.validate(json_.to_dict(joined), json_.schema())
    for format_ in RENDERERS:
        assert render(joined, format_)


def test_a_report_on_a_run_says_what_was_seen_and_no_readiness(
    made: audit.Audit, tmp_path: Path
) -> None:
    reported = report([tmp_path / "none"], tmp_path, ranks=2, audit=made)
    text = str(render(reported, "text"))
    assert "Seen      what 2 ranks ran (18 calls of 3 operators" in text
    assert "eadiness" not in text
    assert "unsupported torch.mode x6" in text
    assert "eadiness" not in str(render(reported, "github"))
    assert "Readiness" in str(render(replace(reported, seen=""), "text"))


def test_what_is_printed(made: audit.Audit) -> None:
    lines = list(audit_text.lines(made))
    assert lines[0].endswith("4 optimizer steps, at most 4.0 KiB on a device")
    assert any(line.split() == ["6", "aten::mm", "float32", "net/model.py:7"] for line in lines)
    assert any("[unsupported]" in line for line in lines)
    assert any("(no line of yours)" in line for line in lines)


def test_a_run_without_pytorch_says_so(tmp_path: Path) -> None:
    nothing = audit.gather((), tmp_path, command=("true",), soc="910B", devices=1, seconds=0)
    (line,) = audit_text.lines(nothing)
    assert "nothing was counted" in line


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (3 << 20, "3.0 MiB")],
)
def test_sizes(number: int, expected: str) -> None:
    assert audit_text.size(number) == expected


def device(rank: int, number: str, server: int = 0) -> dict[str, Any]:
    """Which device a rank trains on, as it writes it."""
    place = {"path": "/elsewhere/train.py", "line": 4}
    return {"device": {"server": server, "device": number}, "rank": rank, **place}


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        pytest.param([device(0, "0"), device(1, "1")], None, id="own"),
        pytest.param([device(0, "0"), device(1, "0", server=1)], None, id="other-server"),
        pytest.param(
            [device(0, "0"), device(1, "0")], "ranks 0 and 1 all train on device 0", id="same"
        ),
    ],
)
def test_devices_of_ranks_are_compared(
    tmp_path: Path, reported: list[dict[str, Any]], expected: str | None
) -> None:
    file = tmp_path / "findings-0.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in reported))
    found = findings([file], tmp_path, ranks=2)
    assert [one.found for one in found] == ([expected] if expected else [])
    assert all(Status(one.status) in CODES[one.code].statuses for one in found)


def test_ranks_that_share_a_file_are_reported_apart(tmp_path: Path) -> None:
    entry = {"code": "EMU-TORCH-OP-1", "status": "manual", "path": "", "line": 0, "todo": ""}
    lines = [{**entry, "found": "here", "rank": 1}, {**entry, "found": "both", "rank": 0}]
    lines.append({**entry, "found": "both", "rank": 1})
    file = tmp_path / "findings-0.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    found = findings([file], tmp_path, ranks=2)
    assert sorted(one.found for one in found) == ["both", "here (rank 1 of 2)"]
