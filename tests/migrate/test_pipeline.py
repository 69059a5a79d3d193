"""End to end on small projects: files that are read, findings, output, and what never happens."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascendify.errors import UsageError
from ascendify.findings import Status
from ascendify.migrate import workers
from ascendify.migrate.discovery import files
from ascendify.migrate.passes import migrate_python
from ascendify.migrate.pipeline import check, migrate
from ascendify.migrate.settings import Settings, load
from ascendify.migrate.survey import survey
from ascendify.reports.model import FileAction, Report
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from support.fake_rules import done, install, rule

SESSION = "import tensorflow as tf\nsess = tf.Session()\n"
MIGRATED = (
    "import tensorflow as tf\nfrom npu_bridge.npu_init import npu_config_proto\n"
    "sess = tf.Session(config=npu_config_proto())\n"
)


def _write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def _settings(project: Path, **given: Any) -> Settings:
    return load(project, **{"select": ("TF1-SESS-1",), "jobs": 1, **given})


def _migrated(tmp_path: Path, files: dict[str, str | bytes], **given: Any) -> Report:
    project = _write(tmp_path / "in", files)
    return migrate(_settings(project, output=tmp_path / "out", **given))


def _actions(report: Report) -> dict[str, FileAction]:
    return {entry.path: entry.action for entry in report.files}


TORCH = "import torch\nloss = torch.nn.Linear(1, 1).cuda()(x).mean()\nloss.backward()\n"
TRAINING = "import tensorflow as tf\nstep = tf.train.AdamOptimizer().minimize(loss)\n"


@pytest.mark.parametrize(
    ("text", "given", "offered"),
    [
        pytest.param(TRAINING, {}, True, id="a training on one device"),
        pytest.param(TRAINING, {"distributed": "add"}, False, id="asked for"),
        pytest.param(TRAINING, {"distributed": "none"}, False, id="not wanted"),
        pytest.param(SESSION, {}, False, id="no training"),
        pytest.param(f"import horovod.tensorflow as hvd\n{TRAINING}", {}, False, id="Horovod"),
        pytest.param(f"{TRAINING}tower_grads = []\n", {}, False, id="towers"),
        pytest.param(f"from npu_bridge.hccl import hccl_ops\n{TRAINING}", {}, False, id="ported"),
        pytest.param(TORCH, {}, True, id="PyTorch on one device"),
        pytest.param("import torch\ntorch.zeros(1).cuda()\n", {}, False, id="PyTorch, no training"),
        pytest.param(f"import torch.distributed\n{TORCH}", {}, False, id="PyTorch on several"),
        pytest.param(f"import npu_ddp\n{TORCH}", {}, False, id="PyTorch, added"),
    ],
)
def test_data_parallel_training_is_offered_in_one_line(
    tmp_path: Path, text: str, given: dict[str, Any], offered: bool
) -> None:
    report = check(_settings(_write(tmp_path, {"train.py": text}), **given))
    assert report.offer.startswith("one; --distributed add") if offered else report.offer == ""


# what is read and how it comes out

ENCODED = {
    "crlf": (SESSION.replace("\n", "\r\n").encode(), MIGRATED.replace("\n", "\r\n").encode()),
    "byte order mark": (SESSION.encode("utf-8-sig"), MIGRATED.encode("utf-8-sig")),
    "gbk": (
        ("# coding: gbk\n# \u4e2d\u6587\n" + SESSION).encode("gbk"),
        ("# coding: gbk\n# \u4e2d\u6587\n" + MIGRATED).encode("gbk"),
    ),
    "latin-1": (
        ("# -*- coding: latin-1 -*-\n" + SESSION + "# caf\u00e9\n").encode("latin-1"),
        ("# -*- coding: latin-1 -*-\n" + MIGRATED + "# caf\u00e9\n").encode("latin-1"),
    ),
    "no final newline": (SESSION.rstrip().encode(), MIGRATED.rstrip().encode()),
    "tabs and trailing spaces": (
        b"import tensorflow as tf\nif x:\t\n\tsess = tf.Session()  \n",
        b"import tensorflow as tf\nfrom npu_bridge.npu_init import npu_config_proto\n"
        b"if x:\t\n\tsess = tf.Session(config=npu_config_proto())  \n",
    ),
    "carriage returns alone": (
        SESSION.replace("\n", "\r").encode(),
        MIGRATED.replace("\n", "\r").encode(),
    ),
    "wide characters before the place": (
        SESSION.replace("sess", "s = '\u4e2d\U0001f600'; sess").encode(),
        MIGRATED.replace("sess", "s = '\u4e2d\U0001f600'; sess").encode(),
    ),
}


@pytest.mark.parametrize(("before", "after"), ENCODED.values(), ids=ENCODED)
def test_bytes_are_kept(tmp_path: Path, before: bytes, after: bytes) -> None:
    _migrated(tmp_path, {"a.py": before})
    assert (tmp_path / "out/a.py").read_bytes() == after


UNREADABLE = {
    "Python 2": (b"import tensorflow as tf\nprint 'x'\n", 2, "Python 2 source (print statement"),
    "broken": (b"import tensorflow as tf\ndef (:\n", 2, "invalid syntax"),
    "undeclared encoding": (b"import tensorflow\n# caf\xe9\n", 2, "byte 0xe9 is not valid utf-8"),
    "unknown encoding": (b"# coding: nonsense\nimport tensorflow\n", 1, "unknown encoding"),
    "a null byte": (b"import tensorflow\nx = '\0'\n", 1, "null byte"),
}


@pytest.mark.parametrize(("raw", "line", "reason"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_parsed_is_copied_and_told(
    tmp_path: Path, raw: bytes, line: int, reason: str
) -> None:
    report = _migrated(tmp_path, {"bad.py": raw, "good.py": SESSION})
    assert (tmp_path / "out/bad.py").read_bytes() == raw
    assert (tmp_path / "out/good.py").read_text(encoding="utf-8") == MIGRATED
    (entry,) = report.unreadable
    assert (entry.path, entry.line) == ("bad.py", line)
    assert reason in entry.reason


def test_very_deep_nesting_is_no_crash(tmp_path: Path) -> None:
    deep = SESSION + "x = a" + "[0]" * 100_000 + "\n"
    report = _migrated(tmp_path, {"deep.py": deep, "good.py": SESSION})
    assert [entry.path for entry in report.unreadable] == ["deep.py"]
    assert "nested too deeply" in report.unreadable[0].reason
    assert _actions(report)["good.py"] is FileAction.CHANGED


def test_a_notebook_that_does_not_fit_in_memory_is_reported_and_copied(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": SESSION + "#" * 1_600_000}
    huge = json.dumps({"cells": [cell, cell], "nbformat": 4, "metadata": {}})
    report = _migrated(tmp_path, {"huge.ipynb": huge, "good.py": SESSION})
    (entry,) = report.unreadable
    assert entry.path == "huge.ipynb"
    assert "too large to analyse" in entry.reason
    assert "lines" in entry.reason
    assert _actions(report)["good.py"] is FileAction.CHANGED


def test_generated_code_of_some_depth_is_migrated(tmp_path: Path) -> None:
    report = _migrated(tmp_path, {"long.py": SESSION + "x = " + "1 + " * 900 + "1\n"})
    assert _actions(report) == {"long.py": FileAction.CHANGED}


def test_files_that_concern_no_rule_are_only_copied(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": "def (: not even Python\n", "b.bin": b"\0\1"}
    report = _migrated(tmp_path, files)
    assert set(_actions(report).values()) == {FileAction.COPIED}


def test_scripts_without_a_suffix_are_known_by_their_first_line(tmp_path: Path) -> None:
    report = _migrated(
        tmp_path, {"train": "#!/usr/bin/env python3\n" + SESSION, "data": "tensorflow"}
    )
    assert _actions(report) == {"train": FileAction.CHANGED, "data": FileAction.COPIED}


def test_files_given_one_by_one(tmp_path: Path) -> None:
    project = _write(tmp_path, {"a.py": SESSION, "b.py": SESSION, "c/d.py": SESSION})
    report = check(load(project / "a.py", project / "c", select=("TF1-SESS-1",)))
    assert sorted(_actions(report)) == ["a.py", "c/d.py"]


# what is left alone


def test_excluded_files_are_copied(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = dict.fromkeys(
        ("a.py", "third_party/b.py", "x/gen_c.py", "x/d.py"), SESSION
    )
    report = _migrated(tmp_path, files, exclude=("third_party", "gen_*.py"))
    changed = [entry.path for entry in report.rewritten_files]
    assert changed == ["a.py", "x/d.py"]
    assert (tmp_path / "out/third_party/b.py").read_text(encoding="utf-8") == SESSION


def test_files_git_ignores_are_copied(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitignore": "build/\n*.gen.py\n!kept.gen.py\n",
        "build/a.py": SESSION,
        "b.gen.py": SESSION,
        "kept.gen.py": SESSION,
        "sub/.gitignore": "/c.py\n",
        "sub/c.py": SESSION,
        "sub/deep/c.py": SESSION,
    }
    report = _migrated(tmp_path, files)
    assert [entry.path for entry in report.rewritten_files] == ["kept.gen.py", "sub/deep/c.py"]
    assert (tmp_path / "out/build/a.py").exists()


def test_a_file_that_git_has_is_not_ignored(tmp_path: Path) -> None:
    names = ("a.gen.py", "b.gen.py")
    project = _write(tmp_path / "in", {".gitignore": "*.gen.py\n", **dict.fromkeys(names, SESSION)})
    for command in (["init", "-q"], ["add", "-f", "a.gen.py"]):
        subprocess.run(["git", "-C", str(project), *command], check=True)
    changed = [entry.path for entry in check(_settings(project)).rewritten_files]
    assert changed == ["a.gen.py"]


def test_an_ignore_file_that_leads_nowhere_is_no_crash(tmp_path: Path) -> None:
    project = _write(tmp_path / "in", {"a.py": SESSION})
    (project / ".gitignore").symlink_to("nowhere")
    assert check(_settings(project)).by_action[FileAction.CHANGED] == 1


def test_suppressed_lines_stay(tmp_path: Path) -> None:
    text = SESSION.replace("Session()", "Session()  # ascendify: skip[TF1-SESS-1]")
    report = _migrated(tmp_path, {"a.py": text})
    assert (tmp_path / "out/a.py").read_text(encoding="utf-8") == text
    assert report.findings == ()


def test_a_migrated_project_stays_as_it_is(tmp_path: Path) -> None:
    report = _migrated(tmp_path, {"a.py": MIGRATED})
    assert _actions(report) == {"a.py": FileAction.UNCHANGED}
    assert report.already_migrated == 1


def test_the_second_run_changes_nothing(tmp_path: Path) -> None:
    _migrated(
        tmp_path, {"a.py": SESSION, "b/c.py": SESSION.replace("Session()", "Session(config=c)")}
    )
    again = migrate(_settings(tmp_path / "out", output=tmp_path / "again"))
    assert again.rewritten_files == ()
    for name in ("a.py", "b/c.py"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_check_writes_nothing(tmp_path: Path) -> None:
    project = _write(tmp_path / "in", {"a.py": SESSION})
    report = check(_settings(project))
    assert report.output is None
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert (project / "a.py").read_text(encoding="utf-8") == SESSION


def test_nothing_of_the_project_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = f"open({str(tmp_path / 'trapped')!r}, 'w')\n"
    names = ("a", "conftest", "setup", "sitecustomize", "tensorflow", "npu_options", "typing")
    files: dict[str, str | bytes] = {f"{name}.py": trap + SESSION for name in names}
    files["pyproject.toml"] = "[build-system]\nrequires = []\n"
    project = _write(tmp_path / "in", files)
    monkeypatch.chdir(project)
    monkeypatch.setattr(workers, "_WORTH_A_PROCESS", 0)
    migrate(_settings(project, output=tmp_path / "out", jobs=2))
    assert not (tmp_path / "trapped").exists()


def test_modules_of_the_project_are_not_taken_for_ours(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'trapped')!r}, 'w')\n"
    names = ("difflib", "fnmatch", "rich", "typer", "pathspec")
    files: dict[str, str | bytes] = {f"{name}.py": trap + SESSION for name in names}
    project = _write(tmp_path / "in", {**files, ".gitignore": "x\n"})
    command = (sys.executable, "-m", "ascendify", "check", ".", "--select", "TF1-SESS-1")
    ended = subprocess.run(command, cwd=project, capture_output=True, check=False, timeout=300)
    assert ended.returncode == 1
    assert not (tmp_path / "trapped").exists()


# what the report says


def test_findings_name_places_of_the_input(tmp_path: Path) -> None:
    report = _migrated(tmp_path, {"x/a.py": "\n\n" + SESSION})
    (finding,) = report.findings
    assert (finding.path, finding.span.line, finding.span.column) == ("x/a.py", 4, 8)
    assert finding.status is Status.AUTO
    assert list(report.rules) == ["TF1-SESS-1"]


def test_progress_counts_every_file_once(tmp_path: Path) -> None:
    project = _write(tmp_path, {"a.py": SESSION, "b.py": SESSION, "c.txt": "x"})
    seen: list[tuple[int, int, str]] = []
    check(_settings(project), lambda *step: seen.append(step))
    assert seen == [(1, 2, "a.py"), (2, 2, "b.py")]


def test_a_crash_in_a_rule_is_told_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        if site.file.path == "bad.py":
            raise KeyError("missing")
        fix = site.fix()
        fix.replace(site.node, "new()")
        yield done(site, made, fix)

    install(monkeypatch, rule("A-1", "tf.Session", crash))
    report = _migrated(tmp_path, {"bad.py": SESSION, "good.py": SESSION}, select=())
    assert _actions(report) == {"bad.py": FileAction.UNCHANGED, "good.py": FileAction.CHANGED}
    reported = next(finding for finding in report.findings if finding.path == "bad.py")
    assert (reported.code, reported.status, reported.span.line) == ("A-1", Status.MANUAL, 2)
    assert "KeyError" in reported.found


def test_a_crash_of_the_tool_on_one_file_is_told_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(analyser: Any, module: Any) -> Any:
        if module.path == "bad.py":
            raise ZeroDivisionError("of ours")
        return migrate_python(analyser, module)

    monkeypatch.setattr("ascendify.migrate.file_migrator.migrate_python", crash)
    report = _migrated(tmp_path, {"bad.py": SESSION, "good.py": SESSION})
    (entry,) = report.unreadable
    assert "ZeroDivisionError: of ours" in entry.reason
    assert _actions(report)["good.py"] is FileAction.CHANGED
    assert (tmp_path / "out/bad.py").read_text(encoding="utf-8") == SESSION


def _many(count: int) -> dict[str, str | bytes]:
    """A project whose files know each other, with something of everything."""
    files: dict[str, str | bytes] = {"pkg/__init__.py": "from .util import make\n"}
    files["pkg/util.py"] = (
        "import tensorflow as tf\ndef make(config=None):\n    return tf.Session(config=config)\n"
    )
    files["run.sh"] = "python train_0.py\n"
    for number in range(count):
        files[f"train_{number}.py"] = (
            "import tensorflow as tf\nimport pkg\nfrom pkg.util import make as m\n"
            f"class Model{number}:\n    def __init__(self):\n        self.sess = m()\n"
            "    def run(self, given=None):\n        with tf.Session(config=given or None) as s:\n"
            "            pass\n"
        )
    files["broken.py"] = "import tensorflow\ndef (:\n"
    return files


def test_the_number_of_processes_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _write(tmp_path, _many(12))
    alone = check(load(project, jobs=1))
    monkeypatch.setattr(workers, "_WORTH_A_PROCESS", 0)
    together = check(load(project, jobs=2))
    assert together == alone
    assert alone.by_action[FileAction.CHANGED] > 0


def test_a_worker_that_dies_is_an_error_not_a_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _write(tmp_path, _many(2))
    monkeypatch.setattr(workers, "_WORTH_A_PROCESS", 0)
    monkeypatch.setattr(workers, "_migrate", _die)
    with pytest.raises(UsageError, match="worker process was killed"):
        check(_settings(project, jobs=2))


def _die(_task: Path, _paths: list[str]) -> None:
    import os

    os._exit(9)


OPTIONS = {
    "beside the script that is run, and above all that it imports, where -m runs it": (
        {
            "tools/train.py": "if __name__ == '__main__':\n    import net.model\n",
            "net/model.py": "",
        },
        ["npu_options.py", "tools/npu_options.py"],
    ),
    "not beside scripts that do not come to it": (
        {
            "train.py": "import model\nif __name__ == '__main__': pass\n",
            "model.py": "",
            "data/convert.py": "import tensorflow\nif __name__ == '__main__': pass\n",
        },
        ["npu_options.py"],
    ),
    "beside a program that uses the framework only through another file": (
        {
            "dqn/run_this.py": "from brain import Agent\nAgent().learn()\n",
            "dqn/brain.py": f"{SESSION}class Agent: pass\n",
            "pg/run_this.py": "from brain import Agent\nAgent().learn()\n",
            "pg/brain.py": f"{SESSION}class Agent: pass\nif __name__ == '__main__': pass\n",
            "pg/test_brain.py": "from brain import Agent\n",
        },
        ["dqn/npu_options.py", "pg/npu_options.py"],
    ),
    "beside a loose file": ({"a/loose.py": ""}, ["a/npu_options.py"]),
    "above a package whose modules are run by name only": (
        {
            "ocr/__init__.py": "# a package\n",
            "ocr/__main__.py": f"from . import data\n{SESSION}if __name__ == '__main__': pass\n",
            "ocr/data.py": "",
        },
        ["npu_options.py"],
    ),
    "above a package and beside a script in it": (
        {
            "lib/ocr/__init__.py": "# a package\n",
            "lib/ocr/tools/__init__.py": "# a package\n",
            "lib/ocr/tools/train.py": f"{SESSION}if __name__ == '__main__': pass\n",
        },
        ["lib/npu_options.py", "lib/ocr/tools/npu_options.py"],
    ),
    "not outside of the project": (
        {"__init__.py": "# a package\n", "train.py": "", "ocr/__init__.py": "#\n", "ocr/a.py": ""},
        ["npu_options.py", "ocr/npu_options.py"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), OPTIONS.values(), ids=OPTIONS)
def test_where_the_options_module_goes(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    project = {name: text or SESSION for name, text in files.items()}
    report = _migrated(tmp_path, {**project}, npu={"precision_mode": "allow_mix_precision"})
    added = [entry.path for entry in report.files if entry.action is FileAction.ADDED]
    assert added == expected


def test_a_notebook_gets_the_options_module_beside_it(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "source": "import tensorflow as tf\\ntf.Session()"}'
    report = _migrated(
        tmp_path,
        {"books/a.ipynb": f'{{"cells": [{cell}]}}'},
        npu={"precision_mode": "allow_mix_precision"},
    )
    added = [entry.path for entry in report.files if entry.action is FileAction.ADDED]
    assert added == ["books/npu_options.py"]
    ast.parse((tmp_path / "out/books/npu_options.py").read_text(encoding="utf-8"))


# whatever the program

HEADS = (
    "import tensorflow as tf\n",
    "from tensorflow import Session  # head\n",
    '"""Doc."""\n',
    "",
)
PIECES = (
    "sess = tf.Session()\n",
    "with tf.Session(config=c) as sess:  # with\n    sess.run(x)\n",
    "with tf.Session(\n    target,  # target\n    config=c,  # config\n) as sess:\n\tpass\n",
    "def f(c=None):  # def\n    # inside\n    return tf.Session(config=c)\n",
    "if x: tf.Session()  # one line\nelse: tf.InteractiveSession()\n",
    "tf.Session(*a); tf.Session(**k)  # stars\n",
    "class T(tf.test.TestCase):\n    def g(self):\n        with self.test_session() as s: pass\n",
    "s = '''\n# not a comment\ntf.Session()\n'''\n",
    "tf.Session(x for x in y)\n",
    "tf.Session(config=(  # why\n    c\n))\n",
    "f = lambda: (tf.Session)()  # lambda\n",
    "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:  # old\n    tf = None\n",
    "Session(config=Session(config=None))  # nested\n",
    "\n\n# free\n",
    "x = [tf.Session() for tf in y]\n",
)


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_the_program_the_result_is_sound(
    tmp_path_factory: pytest.TempPathFactory, head: str, pieces: list[str], newline: str
) -> None:
    text = head + "".join(pieces)
    root = tmp_path_factory.mktemp("program")
    project = _write(root / "in", {"a.py": text.replace("\n", newline)})
    report = check(load(project, jobs=1))
    entry = report.files[0]
    assert entry.action is not FileAction.UNREADABLE
    if entry.after is None:
        return
    after = entry.after
    compile(after, "a.py", "exec", dont_inherit=True)
    assert after.count("\r\n") == (after.count("\n") if newline == "\r\n" else 0)
    after = after.replace("\r\n", "\n")
    assert _comments(text) - _comments(after) == Counter()
    _write(root / "in", {"a.py": after})
    assert check(load(project, jobs=1)).files[0].after is None


DISTRIBUTED = {
    "horovod": ("import horovod.tensorflow as hvd\n", "horovod"),
    "a strategy": ("import tensorflow as tf\ntf.distribute.MirroredStrategy()\n", "tf_strategy"),
    "towers": ("import tensorflow as tf\ntower_grads = []\n", "tf_strategy"),
    "towers by a longer name": (
        "import tensorflow as tf\ntower_grads_and_vars = []\n",
        "tf_strategy",
    ),
    "towers that were already taken over": (
        "import tensorflow as tf\nfrom npu_bridge.hccl import hccl_ops\ntower_grads = []\n",
        "none",
    ),
    "neither": (SESSION, "none"),
}


@pytest.mark.parametrize(("text", "expected"), DISTRIBUTED.values(), ids=DISTRIBUTED)
def test_how_training_is_distributed(tmp_path: Path, text: str, expected: str) -> None:
    project = _write(tmp_path, {"a.py": text})
    for requested, reported in (("auto", expected), ("horovod", "horovod")):
        asking = _settings(project, distributed=requested)
        assert survey(asking, files(asking)).facts.distributed == reported
