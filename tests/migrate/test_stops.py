"""When the code of a finding stops the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.migrate.pipeline import check
from ascendify.migrate.settings import load
from ascendify.reports import json_, sarif
from ascendify.reports.model import Report
from ascendify.reports.text import to_text


def _checked(folder: Path, **files: str) -> Report:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return check(load(folder))


def _stops(report: Report) -> list[tuple[int, str]]:
    return [
        (finding.span.line, finding.stops.value)
        for finding in sorted(report.findings, key=lambda item: item.span)
        if finding.code in ("TORCH-LIB-1", "TORCH-CUDA-4", "TORCH-CUDA-5", "TORCH-CUDA-1")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\nimport flash_attn\n", [(2, "import")]),
        (
            "import torch\ntry:\n    import flash_attn\nexcept ImportError:\n    pass\n",
            [(3, "never")],
        ),
        ("import torch\ndef f():\n    import flash_attn\n", [(3, "step")]),
        ("import torch\nif fast:\n    import flash_attn\n", [(3, "step")]),
        (
            "import torch\nif torch.cuda.get_device_capability()[0] > 5:\n    x = 1\n",
            [(2, "import")],
        ),
        ("import torch\ndef f():\n    return torch.cuda.comm.broadcast(x, d)\n", [(3, "step")]),
        ("import torch\ntorch.cuda.synchronize()\n", [(2, "never")]),
    ],
    ids=["import", "caught", "in a function", "conditional", "a condition", "a call", "rewritten"],
)
def test_a_finding_says_when_its_code_stops_the_program(
    tmp_path: Path, text: str, expected: list[tuple[int, str]]
) -> None:
    # another file imports it, so that it is no program itself
    report = _checked(tmp_path, net=text, main="import net\n")
    assert _stops(report) == expected
    assert report.readiness < 50 or expected[0][1] != "import"


def test_the_top_level_of_a_program_is_the_training_itself(tmp_path: Path) -> None:
    text = (
        "import torch\nx = torch.cuda.comm.broadcast(y, d)\nif __name__ == '__main__':\n    f()\n"
    )
    assert _stops(_checked(tmp_path, train=text)) == [(2, "step")]


def test_reports_say_it(tmp_path: Path) -> None:
    report = _checked(tmp_path, net="import torch\nimport flash_attn\n")
    data = json_.to_dict(report)
    assert [item["stops"] for item in data["findings"]] == ["import"]
    assert data["summary"]["by_stop"] == {"import": 1, "step": 0, "never": 0}
    results = sarif.to_dict(report)["runs"][0]["results"]
    assert [item["properties"]["stops"] for item in results] == ["import"]
    text = to_text(report)
    assert "Stops     1 at import" in text
    assert "(stops the program at import)" in text
