"""Large files are migrated in pieces, with the same result, and what was not followed is said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ascendify.findings import Finding, Status
from ascendify.migrate import large_files, workers
from ascendify.migrate.cache import Cache
from ascendify.migrate.large_files import Sizes
from ascendify.migrate.pipeline import check, migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import FileAction, Report

CALLS = "".join(f"x = torch.ones({i}).cuda()\n" for i in range(30))
SMALL = Sizes(whole=400, piece=150, head=60, listed=1000)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_files, "SIZES", SMALL)


def _migrated(folder: Path, text: str, **given: Any) -> Report:
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_bytes(text.encode())
    return migrate(load(folder, diff=True, jobs=1), **given)


def _about(report: Report) -> list[Finding]:
    return [item for item in report.findings if item.code == "ASCENDIFY"]


def _by_rules(report: Report) -> list[tuple[object, ...]]:
    """What rules say, but for names in texts that only a whole file has."""
    return sorted(
        (item.code, item.status.value, item.span, item.found)
        for item in report.findings
        if item.code != "ASCENDIFY"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import torch\n" + CALLS, id="calls"),
        pytest.param(f'"""Doc."""\nimport torch\nd = torch.device("cuda")\n{CALLS}', id="a head"),
        pytest.param("import torch\r\n" + CALLS.replace("\n", "\r\n"), id="Windows"),
        pytest.param("import torch\nx = 1\n" * 40 + CALLS, id="imports again"),
        pytest.param("x = 1\n" * 20 + "import torch\n" + CALLS, id="an import behind the head"),
        pytest.param(
            "import torch\n" + "def f(x):\n    # why\n    return x.cuda()\n\n\n" * 30,
            id="functions and remarks",
        ),
        pytest.param(
            "import torch\n"
            + "with torch.cuda.amp.autocast(\n    # why\n):\n    x = torch.ones(1, device='cuda')\n"
            * 20,
            id="remarks inside",
        ),
        pytest.param(
            "import tensorflow as tf\n"
            + "x = tf.nn.relu(1)\n" * 40
            + "with tf.Session() as s:\n    s.run(x)\n",
            id="an import that the last piece needs",
        ),
        pytest.param(
            f"import torch\ns = '''\n{'import os' + chr(10) * 2}{CALLS[:250]}'''\n{CALLS}",
            id="a long string behind the head",
        ),
        pytest.param("import torch\n" + CALLS + "x = 1", id="no line end at the end"),
        pytest.param("import torch\nà = 'é'\n" + CALLS, id="not ASCII"),
    ],
)
def test_pieces_give_what_the_whole_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    whole = _migrated(tmp_path / "p", text)
    monkeypatch.setattr(large_files, "SIZES", SMALL)
    pieces = _migrated(tmp_path / "p", text)
    assert len(_about(pieces)) == 1
    assert pieces.files[0].after == whole.files[0].after
    assert whole.files[0].after is not None
    assert _by_rules(pieces) == _by_rules(whole)
    assert [(use.api, use.count, use.places) for use in pieces.apis] == [
        (use.api, use.count, use.places) for use in whole.apis
    ]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("import torch\n" + CALLS, "", id="none"),
        pytest.param("import torch\ny = 1\n" + CALLS + "print(y)\n", "", id="of the head"),
        pytest.param("import torch\n" + CALLS + "print(x)\n", "", id="bound in the piece"),
        pytest.param("import torch\n" + CALLS + "print(nowhere)\n", "", id="bound nowhere"),
        pytest.param(
            "import torch\n" + CALLS + "y = torch.ones(1)\n" + CALLS + "z = y.cuda()\n", "y",
            id="bound before",
        ),
        pytest.param(
            "x = 1\n" * 80 + "import torch\n" + CALLS, "torch", id="an import far below"
        ),
        pytest.param(
            "import torch\n" + "x = x.cuda()\n" * 50, "x", id="each binding reads the last"
        ),
        pytest.param(
            "import torch\n" + CALLS + "def f():\n    g()\n" + CALLS + "def g(): pass\n", "g",
            id="bound after",
        ),
        pytest.param(
            "import torch\n" + CALLS + "y = 1\n" + CALLS + "def f(y):\n    return y\n", "",
            id="a parameter of that name",
        ),
        pytest.param(
            "import torch\n" + "t = [" + "1, " * 200 + "]\n" + CALLS + "print(t)\n", "t",
            id="bound by a statement that is passed over",
        ),
        pytest.param(
            "import torch\n"
            + "".join(f"{n} = 1\n" for n in "abcdefg")
            + CALLS
            + "print(a, b, c, d, e, f, g)\n",
            "",
            id="many of the head",
        ),
        pytest.param(
            "import torch\n"
            + CALLS
            + "".join(f"{n} = 1\n" for n in "abcdefg")
            + CALLS
            + "print(a, b, c, d, e, f, g)\n",
            "a, b, c, d, e and 2 more",
            id="many",
        ),
    ],
)  # fmt: skip
def test_names_that_pieces_share_are_named(tmp_path: Path, text: str, names: str) -> None:
    about = _about(_migrated(tmp_path / "p", text))[0]
    assert "pieces, each by itself" in about.found
    assert about.found.partition("not followed: ")[2] == names
    assert about.status is (Status.MANUAL if names else Status.INFO)
    assert bool(about.todo) is bool(names)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("statement", "status"),
    [
        pytest.param("t = [\n" + "    (1, 2.5, 'a', None),\n" * 40 + "]\n", "info", id="data"),
        pytest.param("t: list = [\n" + "    -1e5,  # one\n" * 40 + "]\n", "info", id="remarks"),
        pytest.param("t = [\n" + "    'cuda:0',\n" * 60 + "]\n", "manual", id="texts for a rule"),
        pytest.param("t = [\n" + "    torch.ones(1),\n" * 40 + "]\n", "manual", id="calls"),
        pytest.param("def f(x):\n" + "    x = x.cuda()\n" * 40, "manual", id="a function"),
    ],
)
def test_a_statement_that_is_too_large_is_left_and_reported(
    tmp_path: Path, statement: str, status: str
) -> None:
    report = _migrated(tmp_path / "p", "import torch\n" + statement + CALLS[:26])
    about = [item for item in _about(report) if "too large to analyse" in item.found]
    assert [(item.status.value, item.span.line) for item in about] == [(status, 2)]
    after = report.files[0].after or ""
    assert statement in after
    assert ".npu()" in after


@pytest.mark.usefixtures("small")
def test_the_head_of_a_table_is_migrated(tmp_path: Path) -> None:
    head, table = "import torch\nx = torch.ones(1).cuda()\n", "t = [\n" + "    1,\n" * 90 + "]\n"
    report = _migrated(tmp_path / "p", head + table)
    expected = "import torch\nimport torch_npu  # noqa: F401\nx = torch.ones(1).npu()\n"
    assert report.files[0].after == expected + table
    assert "in 1 piece, each" in _about(report)[0].found


@pytest.mark.usefixtures("small")
def test_a_syntax_error_has_its_line_in_the_file(tmp_path: Path) -> None:
    (entry,) = _migrated(tmp_path / "p", "import torch\n" + CALLS + "x = = 1\n" + CALLS).unreadable
    assert (entry.line, entry.action) == (32, FileAction.UNREADABLE)


def test_findings_past_a_number_are_only_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_files, "SIZES", Sizes(whole=400, piece=150, head=60, listed=3))
    report = _migrated(tmp_path / "p", "import torch\n" + CALLS)
    found = [item for item in report.findings if item.code == "TORCH-DEV-4"]
    assert [(item.span.line, item.unlisted) for item in found] == [(2, 0), (3, 0), (4, 0), (5, 26)]
    assert found[-1].found.endswith("; 26 more places of this rule are not listed")
    assert sum(item.places for item in found) == 30
    assert ".cuda()" not in (report.files[0].after or "")
    assert report.by_path["train.py"] == 30 + len(report.findings) - 4


@pytest.mark.usefixtures("small")
def test_a_check_is_remembered(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "train.py").write_text("import torch\n" + CALLS, encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    first = check(load(project, jobs=1), cache=cache)
    reported: list[float] = []
    again = check(load(project, jobs=1), lambda done, *_: reported.append(done), cache)
    assert again.findings == first.findings
    assert again.files == first.files
    assert reported == []


@pytest.mark.usefixtures("small")
def test_progress_moves_within_the_file(tmp_path: Path) -> None:
    reported: list[tuple[float, int, str]] = []
    _migrated(
        tmp_path / "p", "import torch\n" + CALLS, progress=lambda *step: reported.append(step)
    )
    parts = [done for done, _, _ in reported]
    assert parts == sorted(parts)
    assert len(parts) > 5
    assert 0 < parts[0] < 0.5
    assert reported[0][1:] == (1, "train.py, line 9 of 32")
    assert reported[-1] == (1, 1, "train.py")


@pytest.mark.usefixtures("small")
def test_beside_worker_processes_it_is_migrated_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # threads are enough to see who migrates what, and start at once
    monkeypatch.setattr(workers, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    monkeypatch.setattr(workers, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(workers, "_migrator", None)
    project = tmp_path / "p"
    project.mkdir()
    for name, text in {"large.py": CALLS, "small.py": "x = torch.ones(1).cuda()\n"}.items():
        (project / name).write_text("import torch\n" + text, encoding="utf-8")
    reported: list[str] = []
    report = migrate(load(project, diff=True, jobs=2), lambda _, __, shown: reported.append(shown))
    assert [entry.action for entry in report.files] == [FileAction.CHANGED] * 2
    assert reported[0] == "small.py"
    assert reported[1].startswith("large.py, line ")
    assert reported[-1] == "large.py"
