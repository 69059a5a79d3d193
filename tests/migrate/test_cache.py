"""The cache of ``check``: a cached report is the one that a fresh run gives."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendify.migrate import cache as caches
from ascendify.migrate import workers
from ascendify.migrate.cache import Cache
from ascendify.migrate.discovery import SourceFiles
from ascendify.migrate.file_migrator import FileMigrator
from ascendify.migrate.known_files import KnownFiles
from ascendify.migrate.pipeline import check
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey
from ascendify.reports import render
from ascendify.reports.model import Report
from ascendify.source.module import CallNames, Module
from ascendify.source.project import discover

FILES = {
    "pkg/__init__.py": "from .device import DEVICE, pick\n",
    "pkg/device.py": "import torch\nDEVICE = torch.device('cuda')\ndef pick(n):\n"
    "    return 'cuda:%d' % n\n",
    "pkg/net.py": "import torch\nfrom . import DEVICE\nfrom .device import pick as choose\n"
    "class Net(torch.nn.Module):\n    def __init__(self, where=DEVICE):\n"
    "        super().__init__()\n        self.to(where)\n        self.cuda()\n",
    "train.py": "import torch\nfrom pkg.net import Net\nfrom pkg import pick\n"
    "if __name__ == '__main__':\n    net = Net(pick(0))\n    torch.cuda.set_device(pick(1))\n"
    "    torch.distributed.init_process_group('nccl')\n",
    "old/session.py": "import tensorflow as tf\nfrom util import make\n"
    "with tf.Session(config=make()) as sess:\n    sess.run([])\n",
    "old/util.py": "import tensorflow as tf\ndef make():\n    return tf.ConfigProto()\n",
    "run.sh": "export CUDA_VISIBLE_DEVICES=0\npython train.py\n",
    "requirements.txt": "torch==2.1.0\ntensorflow-gpu==1.15.0\n",
    "config.yaml": "device: cuda\nbackend: nccl\n",
    "README.md": "words\n",
}


def _write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return _write(tmp_path / "project", FILES)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Paths of the files that rules looked at, in this process."""
    seen: list[str] = []
    original = FileMigrator.migrate

    def migrate(self: FileMigrator, paths: list[str]) -> Any:
        seen.extend(paths)
        return original(self, paths)

    monkeypatch.setattr(FileMigrator, "migrate", migrate)
    yield seen


def _run(root: Path, cache: Cache | None = None, **given: Any) -> Report:
    return check(load(root, **{"jobs": 1, **given}), None, cache)


def _same(cached: Report, fresh: Report) -> bool:
    return cached == fresh and render(cached, "json") == render(fresh, "json")


COPY = (
    "loader = torch.utils.data.DataLoader(data, batch_size=8)\n"
    "for x in loader:\n    x = x.to('cuda')\n"
)
"""What copies batches to the device."""


# --- what is looked at again -----------------------------------------------------------------


def test_an_unchanged_project_is_not_analysed(
    project: Path, cache: Cache, analysed: list[str]
) -> None:
    first = _run(project, cache)
    assert "train.py" in analysed
    analysed.clear()
    assert _same(_run(project, cache), first)
    assert analysed == []


@pytest.mark.parametrize(
    ("changes", "again"),
    [
        pytest.param({"README.md": "other words\n"}, [], id="a file nobody reads"),
        pytest.param({"run.sh": "python train.py\n"}, ["run.sh"], id="a script"),
        pytest.param(
            {"old/util.py": FILES["old/util.py"].replace("():", "():\n    x = 1")},
            ["old/session.py", "old/util.py"],
            id="what another file calls",
        ),
        pytest.param(
            {"old/util.py": f"import os\n# a remark\n{FILES['old/util.py']}x = 1\n"},
            ["old/util.py"],
            id="beside what another file calls",
        ),
        pytest.param(
            {"torch_helpers.py": "import torch\n"}, ["torch_helpers.py"], id="a file more"
        ),
        pytest.param({"old/torch.py": "x = 1\n"}, [], id="a file that shadows nothing"),
    ],
)
def test_only_what_a_change_concerns_is_analysed(
    project: Path, cache: Cache, analysed: list[str], changes: dict[str, str], again: list[str]
) -> None:
    _run(project, cache)
    _write(project, changes)
    analysed.clear()
    cached = _run(project, cache)
    assert sorted(analysed) == again
    assert _same(cached, _run(project))


@pytest.mark.parametrize(
    ("edit", "again"),
    [
        pytest.param("x = 1\n", ["b.py"], id="calls as before"),
        pytest.param("def g(make):\n    make()\n", ["b.py", "hub.py"], id="a call of that name"),
    ],
)
def test_a_file_that_was_searched_for_calls_counts_by_its_calls(
    tmp_path: Path, cache: Cache, analysed: list[str], edit: str, again: list[str]
) -> None:
    hub = "import tensorflow as tf\ndef make(config=None):\n    return tf.Session(config=config)\n"
    calls = "import tensorflow as tf\nimport hub\nhub.make(tf.ConfigProto())\n"
    other = "import tensorflow as tf\nimport hub\ntf.reset_default_graph()\n"
    project = _write(tmp_path / "project", {"hub.py": hub, "a.py": calls, "b.py": other})
    _run(project, cache, select=("TF1-SESS-1",))
    _write(project, {"b.py": other + edit})
    analysed.clear()
    cached = _run(project, cache, select=("TF1-SESS-1",))
    assert sorted(analysed) == again
    assert _same(cached, _run(project, select=("TF1-SESS-1",)))


@pytest.mark.parametrize(
    ("changes", "again"),
    [
        pytest.param({"part.py": "x = 1\n"}, ["part.py"], id="the same words"),
        pytest.param({"part.py": COPY}, ["part.py", "train.py"], id="another word"),
        pytest.param({"link.py": "import part\n"}, ["link.py", "train.py"], id="another link"),
    ],
)
def test_files_that_imports_link_count_by_their_words(
    tmp_path: Path, cache: Cache, analysed: list[str], changes: dict[str, str], again: list[str]
) -> None:
    files = {
        "train.py": "import torch\nloader = torch.utils.data.DataLoader(data, batch_size=8)\n",
        "link.py": "import part\nimport train\n",
        "part.py": "import torch\n",
    }
    project = _write(tmp_path / "project", files)
    _run(project, cache, select=("TORCH-TUNE-2",))
    _write(project, {path: f"{files[path]}{text}" if path == "part.py" else text
                     for path, text in changes.items()})  # fmt: skip
    analysed.clear()
    cached = _run(project, cache, select=("TORCH-TUNE-2",))
    assert sorted(analysed) == again
    assert _same(cached, _run(project, select=("TORCH-TUNE-2",)))


HUB = (
    "import tensorflow as tf\nLIMIT = 4\ndef limited():\n    return LIMIT\n"
    "def make(config=None):\n    return tf.Session(config=config)\n"
    "def other():\n    return tf.ConfigProto(inter_op_parallelism_threads=limited())\n"
)
USER = "import tensorflow as tf\nimport hub\nsess = hub.make(hub.other())\n"


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        pytest.param("LIMIT = 4", "LIMIT = 5", True, id="what it stands on"),
        pytest.param("    return LIMIT", "    x = 1\n    return LIMIT", True, id="what that calls"),
        pytest.param("other():\n", "other():\n    x = 1\n", True, id="its body"),
        pytest.param("make(config=None)", "make(config=None, x=1)", True, id="an argument"),
        pytest.param("LIMIT = 4", "LIMIT = 4\nLIMIT = 5", True, id="another value"),
        pytest.param("LIMIT = 4", "LIMIT = 4\nfrom away import *", True, id="a star import"),
        pytest.param("LIMIT = 4", "LIMIT = 4\n# a remark\nMORE = 5", False, id="another name"),
        pytest.param("LIMIT = 4", "LIMIT = 4\nimport os", False, id="an import"),
        pytest.param("LIMIT = 4", "LIMIT = 4\ndef f():\n    g()", False, id="another function"),
        pytest.param("def make", "def make:\n", True, id="no longer Python"),
    ],
)
def test_a_definition_counts_with_what_it_stands_on(
    tmp_path: Path, cache: Cache, analysed: list[str], old: str, new: str, again: bool
) -> None:
    project = _write(tmp_path / "project", {"hub.py": HUB, "user.py": USER})
    chosen: dict[str, Any] = {"select": ("TF1-SESS-1",)}
    _run(project, cache, **chosen)
    _write(project, {"hub.py": HUB.replace(old, new, 1)})
    analysed.clear()
    cached = _run(project, cache, **chosen)
    assert ("user.py" in analysed) == again
    assert _same(cached, _run(project, **chosen))


def test_what_keras_trains_counts_by_words_of_all_that_is_imported(
    tmp_path: Path, cache: Cache, analysed: list[str]
) -> None:
    files = {
        "train.py": "import tensorflow as tf\nimport part\nif __name__ == '__main__':\n"
        "    tf.reset_default_graph()\n    part.run()\n",
        "part.py": "import tensorflow as tf\nimport deep\ndef run():\n    deep.run()\n",
        "deep.py": "import tensorflow as tf\ndef run():\n    model = tf.keras.Sequential([])\n"
        "    print(model)\n",
    }
    project = _write(tmp_path / "project", files)
    chosen: dict[str, Any] = {"select": ("TF1-KERAS-1",)}
    _run(project, cache, **chosen)
    _write(project, {"deep.py": files["deep.py"] + "x = 1\n"})
    analysed.clear()
    cached = _run(project, cache, **chosen)
    assert "train.py" not in analysed
    assert _same(cached, _run(project, **chosen))
    _write(project, {"deep.py": files["deep.py"].replace("print(model)", "model.fit(1)")})
    cached = _run(project, cache, **chosen)
    assert any(finding.path == "train.py" for finding in cached.findings)
    assert _same(cached, _run(project, **chosen))


def test_a_file_that_calls_nothing_of_a_name_is_not_parsed_to_see_that(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = "import tensorflow as tf\ndef make(config=None):\n    return tf.Session(config=config)\n"
    files = {
        "hub.py": hub,
        "calls.py": "import tensorflow as tf\nimport hub\nhub.make(tf.ConfigProto())\n",
        "other.py": "import tensorflow as tf\nimport hub\ntf.reset_default_graph()\n",
    }
    project = _write(tmp_path / "project", files)
    chosen: dict[str, Any] = {"select": ("TF1-SESS-1",)}
    _run(project, cache, **chosen)
    _write(project, {"hub.py": hub + "x = 1\n"})
    parsed: list[str] = []
    original = Module.parse.__func__  # type: ignore[attr-defined]  # of a class method

    def parse(cls: type[Module], path: str, raw: bytes) -> Module:
        parsed.append(path)
        module: Module = original(cls, path, raw)
        return module

    monkeypatch.setattr(Module, "parse", classmethod(parse))
    cached = _run(project, cache, **chosen)
    assert "calls.py" in parsed
    assert "other.py" not in parsed
    assert _same(cached, _run(project, **chosen))


def test_what_is_known_of_files_comes_back_from_json_as_it_was(tmp_path: Path) -> None:
    files = {path: text for path, text in FILES.items() if path.endswith(".py")}
    chosen = load(_write(tmp_path / "project", files))
    tree = discover(chosen.root)
    sources = SourceFiles.find(chosen, tree)
    calls = {"train.py": CallNames("train.py", "1f", frozenset({"Net", "pick"}))}
    known = KnownFiles(survey(chosen, tree, sources).traits, calls)
    back = KnownFiles.of_rows(json.loads(json.dumps(known.rows(sources))), sources)
    assert back.traits == known.traits
    assert [(item.path, item.digest, item.names) for item in back.calls.values()] == [
        ("train.py", "1f", frozenset({"Net", "pick"}))
    ]


@pytest.mark.parametrize("again", [False, True], ids=["once", "and back"])
def test_a_run_is_not_kept_if_a_file_was_written_meanwhile(
    project: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    original = FileMigrator.migrate

    def migrate(self: FileMigrator, paths: list[str]) -> Any:
        _write(project, {"train.py": "import torch\ntorch.cuda.empty_cache()\n"})
        try:
            return original(self, paths)
        finally:
            if again:
                _write(project, {"train.py": FILES["train.py"]})

    with monkeypatch.context() as patched:
        patched.setattr(FileMigrator, "migrate", migrate)
        _run(project, cache)
    assert cache.load(load(project)) is None
    assert _same(_run(project, cache), _run(project))


def test_a_file_whose_absence_mattered_is_missed(project: Path, cache: Cache) -> None:
    _run(project, cache)
    # nearer than the util.py beside the package, so another function is called
    _write(project, {"old/util/__init__.py": "def make():\n    return None\n"})
    assert _same(_run(project, cache), _run(project))


@pytest.mark.parametrize(
    "given",
    [
        {"select": ("TORCH",)},
        {"ignore": ("TORCH-DEV",)},
        {"style": "transfer"},
        {"fix_drift": True},
        {"tune": True},
        {"exclude": ("old",)},
        {"torch_npu": "2.1.0"},
        {"npu": {"precision_mode": "allow_mix_precision"}},
    ],
    ids=str,
)
def test_settings_have_records_of_their_own(
    project: Path, cache: Cache, given: dict[str, Any]
) -> None:
    _run(project, cache)
    for _ in range(2):
        assert _same(_run(project, cache, **given), _run(project, **given))
    assert _same(_run(project, cache), _run(project))


def test_a_changed_rule_counts_at_once(
    project: Path, cache: Cache, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(project, cache)
    analysed.clear()
    monkeypatch.setattr(caches, "_own_version", lambda: "edited")
    _run(project, Cache(cache.folder))
    assert "train.py" in analysed


def test_the_version_is_that_of_the_files(tmp_path: Path) -> None:
    package = tmp_path / "ascendify"
    for room in caches._ROOMS:
        (package / room).mkdir(parents=True)
    rule = package / "rules/one.py"
    rule.write_text("x = 1\n")
    before = caches._own_version(package)
    assert caches._own_version(package) == before
    os.utime(rule, ns=(1, 1))
    assert caches._own_version(package) != before


def test_processes_record_the_same(
    project: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_WORTH_A_PROCESS", 0)
    _run(project, cache, jobs=2)
    monkeypatch.undo()
    _write(project, {"pkg/device.py": "import torch\nDEVICE = 'cpu'\ndef pick(n):\n    return n\n"})
    assert _same(_run(project, cache), _run(project))


# --- a cache that is of no use ----------------------------------------------------------------


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _garble(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"cuda", b"npu_", 1))


def _remove_lines(file: Path) -> None:
    file.write_text("\n", encoding="utf-8")


def _not_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")


def _make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [_truncate, _garble, _remove_lines, _not_text, _make_folder])
def test_a_damaged_record_is_as_none(
    project: Path, cache: Cache, damage: Callable[[Path], None]
) -> None:
    first = _run(project, cache)
    (record,) = cache.folder.glob("*.record")
    damage(record)
    assert _same(_run(project, cache), first)


def test_a_folder_that_cannot_be_made_is_no_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _same(_run(project, Cache(tmp_path / "file/cache")), _run(project))


def test_no_more_is_kept_than_the_limits_allow(
    project: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_MOST_RECORDS", 2)
    for number, code in enumerate(("TORCH", "TF1", "SH")):
        _run(project, cache, select=(code,))
        for record in cache.folder.glob("*.record"):
            os.utime(record, (number, number)) if record.stat().st_mtime > number + 10 else None
    assert len(list(cache.folder.glob("*.record"))) == 2
    size = max(record.stat().st_size for record in cache.folder.glob("*.record"))
    monkeypatch.setattr(caches, "_MOST_BYTES", size // 2)
    before = {record.name for record in cache.folder.glob("*.record")}
    _run(project, cache)
    assert {record.name for record in cache.folder.glob("*.record")} == before


def test_a_record_is_freed_of_what_edits_have_left_in_it(
    project: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_MOST_UNUSED", 1.02)
    sizes: list[int] = []
    for number in range(6):
        edited = FILES["old/util.py"].replace("():", f"():\n    x = {number}")
        _write(project, {"old/util.py": edited})
        _run(project, cache)
        kept = cache.load(load(project))
        assert kept is not None
        sizes.append(len(kept.rows))
    assert max(sizes) < sizes[0] + len(sizes)
    assert any(later < earlier for earlier, later in zip(sizes, sizes[1:]))


def test_the_folder_of_records_is_no_part_of_a_project(project: Path) -> None:
    kept = caches.in_folder(project)
    assert kept is not None
    fresh = _run(project)
    assert _same(_run(project, kept), fresh)
    assert _same(_run(project, kept), fresh)
    assert (project / ".ascendify_cache/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"XDG_CACHE_HOME": "/caches"}, Path("/caches/ascendify/check")),
        ({"XDG_CACHE_HOME": "relative"}, None),
    ],
    ids=["absolute", "relative"],
)
def test_the_users_folder(variables: dict[str, str], folder: Path | None) -> None:
    assert caches._users_folder(variables) == folder


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", no_home)
    assert caches._users_folder({}) is None


# --- any sequence of changes ------------------------------------------------------------------

_PATHS = sorted({*FILES, "pkg/device/__init__.py", "util.py", "old/pkg.py", "a.ipynb", "tool"})
_NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "source": ["from pkg import pick\n", "x.to(pick(0)).cuda()\n"]}
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
)
_TEXTS = [
    *FILES.values(),
    "import torch\nfrom pkg.device import *\nx = torch.ones(1).to(DEVICE)\n",
    "import torch\nfrom train import net\nnet.cuda()\n",
    "import tensorflow as tf\nDEVICE = '/gpu:0'\nwith tf.device(DEVICE):\n    pass\n",
    "def pick(n, deep=1):\n    return pick(n)\nDEVICE = None\n",
    "import horovod.torch as hvd\nhvd.init()\n",
    "import horovod.tensorflow as hvd\nfrom util import make\nhvd.init()\n",
    "def make(:\n",
    "#!/bin/bash\npython -m pkg.net\n",
    "#!/usr/bin/env python\nimport torch\ntorch.cuda.empty_cache()\n",
    "x = 1\n",
    "import os\nLIMIT = 2\ndef where(n=LIMIT):\n    return pick(n)\n"
    "def pick(n, deep=where):\n    return 'cuda:%d' % (n + LIMIT)\nDEVICE = where()\n",
    "import torch\nfrom pkg import device\nclass Base(torch.nn.Module):\n"
    "    def build(self):\n        return self.place(device.pick(0))\n"
    "    def place(self, where):\n        return self.to(where)\n"
    "class Net(Base):\n    def __init__(self, where=None):\n        super().__init__()\n"
    "        self.build()\n        self.cuda()\n    def place(self, where):\n"
    "        return super().place(where)\nnet = Net(device.DEVICE)\n",
    _NOTEBOOK,
]
_LINES = [
    "# a remark", "x = 1", "import os", "from pkg.device import pick as choose", "LIMIT = 'cuda'",
    "from .device import *", "def pick(n, deep=None):\n    return choose(n)", "DEVICE = pick(0)",
    "def super():\n    return None", "class Base(Net):\n    pass", "del DEVICE", "pick(2)",
    "def make(**options):\n    return tf.ConfigProto(**options)", "global DEVICE",
]  # fmt: skip
"""Statements that are inserted at any line, indented like it."""
_WORDS = ["(n", "(self", "(where", "LIMIT", "DEVICE", "pick", "return", "super()", "def "]
_REPLACED = [
    "(n, extra=1",
    "(self, extra=None",
    "LIMIT",
    "DEVICE",
    "choose",
    "pass\n",
    "return 1 or",
]
_CHANGES = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(_PATHS), st.sampled_from(_TEXTS)),
    st.tuples(st.just("append"), st.sampled_from(_PATHS), st.sampled_from(_TEXTS)),
    st.tuples(st.just("rename"), st.sampled_from(_PATHS), st.sampled_from(_PATHS)),
    st.tuples(st.just("delete"), st.sampled_from(_PATHS), st.just("")),
    st.tuples(
        st.just("insert"),
        st.sampled_from(_PATHS),
        st.tuples(st.integers(0, 14), st.sampled_from(_LINES)),
    ),
    st.tuples(
        st.just("replace"),
        st.sampled_from(_PATHS),
        st.tuples(st.sampled_from(_WORDS), st.sampled_from(_REPLACED)),
    ),
)


def _change(root: Path, how: str, path: str, other: Any) -> None:
    file = root / path
    if how in ("insert", "replace"):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            first, second = other
            edited = _inserted(text, *other) if how == "insert" else text.replace(first, second, 1)
            file.write_text(edited, encoding="utf-8")
        return
    if how in ("write", "append") and not file.is_dir() and _can_hold(root, path):
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_text(encoding="utf-8") if how == "append" and file.exists() else ""
        file.write_text(before + other, encoding="utf-8")
    elif how == "rename" and file.is_file() and not (root / other).is_dir():
        if _can_hold(root, other):
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            file.replace(root / other)
    elif how == "delete" and file.is_file():
        file.unlink()


def _inserted(text: str, number: int, statement: str) -> str:
    """The text with a statement before one of its lines, indented like that line."""
    lines = text.splitlines(keepends=True)
    at = min(number, len(lines))
    line = lines[at] if at < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    return "".join([*lines[:at], f"{textwrap.indent(statement, indent)}\n", *lines[at:]])


def _can_hold(root: Path, path: str) -> bool:
    return not any((root / folder).is_file() for folder in Path(path).parents)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_CHANGES, min_size=1, max_size=3), min_size=1, max_size=4))
def test_after_any_changes_a_cached_report_is_a_fresh_one(
    rounds: list[list[tuple[str, str, Any]]],
) -> None:
    scratch = Path(tempfile.mkdtemp())
    try:
        project, cache = _write(scratch / "project", FILES), Cache(scratch / "cache")
        _run(project, cache)
        for changes in rounds:
            for change in changes:
                _change(project, *change)
            assert _same(_run(project, cache), _run(project))
            assert _same(_run(project, cache), _run(project))
    finally:
        shutil.rmtree(scratch)
