"""Releases that the emulation was tried with: what is promised, and that nothing else is."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation import releases
from ascendify.emulation.paths import PACKAGES
from ascendify.emulation.releases import ExamplesResult, OpInfoResult, SuiteResult, TriedRelease
from support.interpreters import user_environment

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    # has releases of other packages
    *sorted(
        {*(ROOT / "docs").glob("*.md")}
        - {ROOT / "docs" / name for name in ("cuda-packages.md", "libraries.md")}
    ),
]
PROMISE = (
    r"torch\W{1,3}2\.\d+ (?:to|and|-) 2\.\d+"
    r"|(?:TensorFlow|npu_device)\W{1,3}(?:[12]\.\d+\W+(?:or |and )?)*[12]\.\d+ (?:to|-) 2\.\d+"
)
"""Ranges of releases that a page may have between markers only."""
OPINFO = OpInfoResult(99, ("to_sparse",), 0, "2026-01-01")
EXAMPLES = ExamplesResult(("amp",), (), {}, "2026-01-01")


def row(version: str = "2.13.0", **fields: object) -> TriedRelease:
    made = {"framework": "torch", "build": "cpu", "python": "3.11", "machine": "x86_64"}
    made.update(path="fast", version=version)
    tried = {"opinfo": OPINFO, "examples": EXAMPLES}
    return TriedRelease(**{**made, **tried, **fields})  # type: ignore[arg-type]  # rows name real fields


def examples(*failed: str, **needs: str) -> ExamplesResult:
    return ExamplesResult(("amp",), failed, needs, "2026-01-01")


@pytest.mark.parametrize(
    ("tried", "holds"),
    [
        pytest.param(row(), True, id="OpInfo passes, examples verify"),
        pytest.param(row(examples=None), False, id="no example tried"),
        pytest.param(row(examples=ExamplesResult((), (), {}, "")), False, id="no example verified"),
        pytest.param(row(examples=examples(trainer="transformers")), True, id="one not tried"),
        pytest.param(row(examples=examples("amp")), False, id="an example fails"),
        pytest.param(row(opinfo=None), False, id="OpInfo not run"),
        pytest.param(row(opinfo=OpInfoResult(97, ("a", "b", "c"), 0, "")), False, id="97 %, fast"),
        pytest.param(
            row(opinfo=OpInfoResult(97, ("a", "b", "c"), 0, ""), path="portable"), True,
            id="97 %, portable",
        ),
        pytest.param(row(opinfo=OpInfoResult(0, (), 9, "")), False, id="nothing compared"),
        pytest.param(row(tests=SuiteResult(9, ("a",), 0, "")), False, id="a test fails"),
        pytest.param(row(note="no DLPack"), False, id="path that is not possible"),
        pytest.param(
            row("1.15.0", framework="tensorflow", path="", tests=SuiteResult(9, (), 1, "")), True,
            id="TensorFlow, tests pass",
        ),
        pytest.param(
            row("1.15.0", framework="tensorflow", path="", tests=SuiteResult(9, ("a",), 0, "")),
            False,
            id="TensorFlow, a test fails",
        ),
    ],
)  # fmt: skip
def test_what_may_be_promised(tried: TriedRelease, holds: bool) -> None:
    assert tried.holds is holds


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        pytest.param("", "", id="none"),
        pytest.param("2.13.0", "2.13", id="one"),
        pytest.param("2.13.0 2.12.1", "2.12 and 2.13", id="two"),
        pytest.param("2.9.0 2.10.0 2.11.0", "2.9 to 2.11", id="by number, not by letter"),
        pytest.param("2.1.0 2.3.1 2.4.0 2.5.1", "2.1 and 2.3 to 2.5", id="one is missing"),
        pytest.param("2.1.0 2.3.1 2.5.1", "2.1, 2.3 and 2.5", id="alone"),
        pytest.param("2.13.0 2.13.1", "2.13", id="twice"),
    ],
)
def test_releases_in_words(versions: str, expected: str) -> None:
    assert releases.promised_text([row(version) for version in versions.split()]) == expected


def test_a_row_takes_the_place_of_the_one_with_its_key() -> None:
    before = [row(), row("2.12.0"), row(path="portable"), row(build="cuda13.0"), row(python="3.9")]
    after = releases.with_row(before, row(stands_for="2.13.0"))
    assert [one for one in after if one.key == row().key] == [row(stands_for="2.13.0")]
    assert len(after) == len(before)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        row("2.9.0", tests=SuiteResult(3, ("test_a::b[c]",), 1, "2026-01-01")),
        row("2.10.0", examples=examples("amp", trainer="transformers")),
        row("2.10.0", path="portable", opinfo=None, note='it says "no"'),
        row("1.15.0", framework="tensorflow", path="", opinfo=None, examples=None),
    ]
    file = tmp_path / "releases.json"
    file.write_text(releases.text(rows[::-1]), encoding="utf-8")
    assert releases.read(file) == rows, "sorted by release and path"


# --- what the repository says ----------------------------------------------------------------


def test_the_file_is_as_the_tool_writes_it() -> None:
    rows = releases.read()
    assert releases.FILE.read_text(encoding="utf-8") == releases.text(rows)
    assert len({one.key for one in rows}) == len(rows)


def test_the_stand_in_knows_the_same_releases() -> None:
    wanted = releases.runtime_text(releases.read())
    assert releases.RUNTIME_FILE.read_text(encoding="utf-8") == wanted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_promises_another_range(page: Path) -> None:
    """Ranges stand between the markers that tools/build_docs.py fills, nowhere else."""
    text = page.read_text(encoding="utf-8")
    for framework in ("torch", "tensorflow"):
        marked = rf"<!-- {framework} releases -->(.*?)<!-- end -->"
        assert {*re.findall(marked, text, re.S)} <= {
            releases.promised_text(releases.read(), framework)
        }
        text = re.sub(marked, "", text, flags=re.S)
    assert re.findall(PROMISE, text, re.I) == []


@pytest.mark.parametrize(
    "text",
    [
        "with TensorFlow 2.6 to 2.15",
        "have TensorFlow 1.15, or 2.6 to 2.15",
        "a stand-in for `npu_device` (2.6 to 2.15)",
        "PyTorch 2.1 to 2.15",
    ],
)
def test_a_range_is_recognised(text: str) -> None:
    assert re.search(PROMISE, text, re.I)


@pytest.mark.parametrize(
    ("framework", "pages"),
    [
        ("torch", {"emulation-torch.md", "pytorch.md"}),
        ("tensorflow", {"emulation-tf2.md"}),
    ],
)
def test_the_versions_are_said_where_people_look(framework: str, pages: set[str]) -> None:
    marker = f"<!-- {framework} releases -->"
    marked = {page.name for page in PAGES if marker in page.read_text("utf-8")}
    assert marked == {"README.md", "CHANGELOG.md", "running.md", *pages}


@pytest.mark.parametrize("file", ["emulation/failures.py", "jobs/emulated.py"])
def test_messages_name_a_tensorflow_that_is_promised(file: str) -> None:
    text = (releases.FILE.parents[2] / file).read_text(encoding="utf-8")
    promised = {".".join(map(str, one.line)) for one in releases.supported_rows(
        releases.read(), "tensorflow")}  # fmt: skip
    named = {*re.findall(r"TensorFlow (\d+\.\d+)", text)}
    assert named
    assert named <= promised


CHECK = """
from importlib import util
spec = util.spec_from_file_location("compatible", {packages!r} + "/torch_npu/_torch_version.py")
compatible = util.module_from_spec(spec)
spec.loader.exec_module(compatible)
compatible.check_torch({version!r})
"""


def _check(python: str, version: str) -> subprocess.CompletedProcess[str]:
    return _run(python, CHECK.format(packages=str(PACKAGES), version=version))


def _run(python: str, source: str) -> subprocess.CompletedProcess[str]:
    shell = {**user_environment(), "PYTHONWARNINGS": "default", "PYTHONPATH": str(PACKAGES)}
    return subprocess.run(
        [python, "-c", source], env=shell, capture_output=True, text=True, check=False
    )


def _other(version: str, by: int) -> str:
    major, minor = version.split(".")[:2]
    return f"{major}.{int(minor) + by}.0"


def _tried() -> tuple[str, list[str]]:
    """The oldest release, and every line."""
    reported = json.loads(releases.RUNTIME_FILE.read_text(encoding="utf-8"))["torch"]
    return reported["oldest"], reported["lines"]


def test_an_older_torch_is_refused_with_the_nearest_that_works(bare_python: str) -> None:
    oldest, _ = _tried()
    version = _other(oldest, -1)
    ended = _check(bare_python, version)
    assert ended.returncode == 1
    said = ended.stderr.splitlines()[-1]
    assert (
        f"not possible with torch {version}; the nearest release that supports it is torch" in said
    )
    assert f'pip install "torch=={oldest}"' in said


def test_a_torch_that_was_not_tried_is_named_and_goes_on(bare_python: str) -> None:
    _, lines = _tried()
    every = [f"2.{minor}" for minor in range(1, int(lines[-1].partition(".")[2]) + 2)]
    missing = [line for line in every if line not in lines]
    assert missing == ["2.2", every[-1]]
    for line in missing:
        ended = _check(bare_python, f"{line}.0")
        assert ended.returncode == 0, ended.stderr
        assert f"was not tried with torch {line}.0, but with {', '.join(lines)}." in ended.stderr


@pytest.mark.parametrize("version", ["{}.0", "{}.9", "{}.0+cpu", "{}.0a0"])
def test_a_torch_of_a_line_that_was_tried_is_taken_without_a_word(
    bare_python: str, version: str
) -> None:
    _, lines = _tried()
    for line in (lines[0], lines[-1]):
        ended = _check(bare_python, version.format(line))
        assert (ended.returncode, ended.stderr) == (0, "")


UNTRIED_TENSORFLOW = """
from ascendify_runtime import tried
tried.lines = lambda framework: ["1.14", "1.99", "2.98"]
from ascendify_runtime import framework
print(framework.missing("Estimator: it was removed"))
"""


def test_a_tensorflow_that_was_not_tried_is_named_and_goes_on(interpreter: str) -> None:
    ended = _run(interpreter, UNTRIED_TENSORFLOW)
    assert ended.returncode == 0, ended.stderr
    said = [line for line in ended.stderr.splitlines() if "was not tried with TensorFlow" in line]
    assert len(said) == 1, ended.stderr
    assert ", but with 1.14, 1.99, 2.98. The emulation continues;" in said[0]
    assert "has no Estimator: it was removed. The nearest release that has it is 1.99." in (
        ended.stdout
    )
