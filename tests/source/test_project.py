"""The files of a project: what is found, which modules they are, who imports whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.source.module import Module
from ascendify.source.project import Project, discover, imported_names
from ascendify.source.text import SourceText
from support.source_questions import EXTERNAL


def _tree(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x = 1\n", encoding="utf-8")


def test_every_file_is_found_whatever_its_kind(tmp_path: Path) -> None:
    _tree(tmp_path, "b.py", "a/c.txt", "a/.hidden", "a/b/data.bin", "Makefile")
    assert discover(tmp_path).files == ("Makefile", "a/.hidden", "a/b/data.bin", "a/c.txt", "b.py")


SKIPPED = [
    ".git/config",
    ".hg/store",
    "__pycache__/a.pyc",
    "pkg/__pycache__/a.pyc",
    ".tox/py/lib.py",
    ".ipynb_checkpoints/a.ipynb",
    "node_modules/x/index.js",
]


@pytest.mark.parametrize("path", SKIPPED)
def test_folders_that_are_no_part_of_a_project(tmp_path: Path, path: str) -> None:
    _tree(tmp_path, path, "pkg/a.py")
    assert discover(tmp_path).files == ("pkg/a.py",)


@pytest.mark.parametrize("mark", ["env/pyvenv.cfg", "env/conda-meta/history"])
def test_environments_are_known_by_what_stands_in_them(tmp_path: Path, mark: str) -> None:
    _tree(tmp_path, "env/lib/python3/site-packages/tensorflow/__init__.py", mark, "a.py")
    assert discover(tmp_path).files == ("a.py",)


def test_a_folder_named_env_is_just_a_folder(tmp_path: Path) -> None:
    _tree(tmp_path, "env/a.py", "venv/b.py", "build/c.py")
    assert discover(tmp_path).files == ("build/c.py", "env/a.py", "venv/b.py")


def test_links_are_files_and_never_followed(tmp_path: Path) -> None:
    _tree(tmp_path, "real/a.py")
    (tmp_path / "folder").symlink_to("real", target_is_directory=True)
    (tmp_path / "file.py").symlink_to("real/a.py")
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "real/loop").symlink_to("..", target_is_directory=True)
    tree = discover(tmp_path)
    links = {"folder", "file.py", "dangling.py", "real/loop"}
    assert set(tree.files) == {"real/a.py", *links}
    assert tree.links == links


def test_empty_folders_are_told(tmp_path: Path) -> None:
    _tree(tmp_path, "a/b/", "c/", "d/e.py")
    tree = discover(tmp_path)
    assert tree.empty_folders == ("a/b", "c")
    assert tree.files == ("d/e.py",)


def _located(files: list[str], importer: str, origin: str) -> str:
    found = Project(Path("/nowhere"), files, external=EXTERNAL).locate(importer, origin)
    if found is None:
        return "outside"
    path, folder, rest = found
    return " ".join([path or f"{folder}/", *rest])


PACKAGE = ["pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "train.py"]
LOCATED = {
    # absolute
    "a module beside": (["a.py", "b.py"], "a.py", "b", "b.py"),
    "a name of a module beside": (["a.py", "b.py"], "a.py", "b.name", "b.py name"),
    "a package": (PACKAGE, "train.py", "pkg", "pkg/__init__.py"),
    "a module of a package": (PACKAGE, "train.py", "pkg.sub.b", "pkg/sub/b.py"),
    "a name of a module of a package": (PACKAGE, "train.py", "pkg.a.name", "pkg/a.py name"),
    "a name of a package": (PACKAGE, "train.py", "pkg.name", "pkg/__init__.py name"),
    "from inside the package": (PACKAGE, "pkg/sub/b.py", "pkg.a", "pkg/a.py"),
    "a sibling without its package": (PACKAGE, "pkg/sub/b.py", "a", "pkg/a.py"),
    "a folder without __init__": (["ns/a.py", "t.py"], "t.py", "ns.a", "ns/a.py"),
    "the folder itself": (["ns/a.py", "t.py"], "t.py", "ns", "ns/"),
    "a name a bare folder cannot have": (["ns/a.py", "t.py"], "t.py", "ns.name", "outside"),
    "a module before a bare folder of its name": (
        ["data.py", "data/get.py", "t.py"],
        "t.py",
        "data.Corpus",
        "data.py Corpus",
    ),
    "a package before a module of its name": (
        ["data.py", "data/__init__.py", "t.py"],
        "t.py",
        "data",
        "data/__init__.py",
    ),
    "an ancestor's folder": (["lib/u.py", "x/y/t.py"], "x/y/t.py", "lib.u", "lib/u.py"),
    "the nearest one": (["u.py", "x/u.py", "x/y/t.py"], "x/y/t.py", "u", "x/u.py"),
    "not of the project": (PACKAGE, "train.py", "numpy.random", "outside"),
    # relative
    "relative module": (PACKAGE, "pkg/sub/b.py", "..a", "pkg/a.py"),
    "relative sibling": (PACKAGE, "pkg/a.py", ".sub.b", "pkg/sub/b.py"),
    "relative package": (PACKAGE, "pkg/sub/b.py", "..", "pkg/__init__.py"),
    "relative package without __init__": (["ns/a.py"], "ns/a.py", ".", "ns/"),
    "relative name of the package": (PACKAGE, "pkg/a.py", ".name", "pkg/__init__.py name"),
    "relative and not there": (["ns/a.py"], "ns/a.py", ".name", "outside"),
    # itself
    "a script named like the package it is in": (
        ["u/u.py", "u/v.py"],
        "u/u.py",
        "u.v",
        "u/v.py",
    ),
    "a script named like a library": (["keras.py"], "keras.py", "keras", "outside"),
    "a package imports from itself": (PACKAGE, "pkg/__init__.py", "pkg.a", "pkg/a.py"),
    "a package imports its own name": (
        PACKAGE,
        "pkg/__init__.py",
        "pkg.name",
        "pkg/__init__.py name",
    ),
    # folders named like the framework
    "a bare folder named tensorflow": (
        ["tensorflow/train.py", "run.py"],
        "run.py",
        "tensorflow",
        "outside",
    ),
    "seen from inside": (
        ["tensorflow/train.py", "tensorflow/util.py"],
        "tensorflow/train.py",
        "tensorflow.keras",
        "outside",
    ),
    "its files stay reachable by their own names": (
        ["tensorflow/train.py", "tensorflow/util.py"],
        "tensorflow/train.py",
        "util",
        "tensorflow/util.py",
    ),
    "a bare folder with a file of the framework's name": (
        ["tensorflow/python/ops.py", "run.py"],
        "run.py",
        "tensorflow.python.ops",
        "outside",
    ),
    "a package named keras": (
        ["keras/__init__.py", "run.py"],
        "run.py",
        "keras",
        "keras/__init__.py",
    ),
    "a module named keras beside a script": (["keras.py", "run.py"], "run.py", "keras", "keras.py"),
    "a module named keras inside a package": (
        ["nets/__init__.py", "nets/keras.py", "nets/a.py"],
        "nets/a.py",
        "keras",
        "outside",
    ),
    "the same, relative": (
        ["nets/__init__.py", "nets/keras.py", "nets/a.py"],
        "nets/a.py",
        ".keras",
        "nets/keras.py",
    ),
}


@pytest.mark.parametrize(("files", "importer", "origin", "expected"), LOCATED.values(), ids=LOCATED)
def test_where_an_import_leads(files: list[str], importer: str, origin: str, expected: str) -> None:
    assert _located(files, importer, origin) == expected


SCANNED = {
    "import": ("import a.b\n", ["a.b"]),
    "several": ("import a, b.c as d\n", ["a", "b.c"]),
    "from": ("from a.b import c as d, e\n", ["a.b.c", "a.b.e"]),
    "relative": ("from . import a\nfrom ..b import c\n", [".a", "..b.c"]),
    "star": ("from a import *\n", ["a"]),
    "parentheses": ("from a import (b,  # one)\n    c,\n)\n", ["a.b", "a.c"]),
    "parentheses without a space": ("from a import(b)\n", ["a.b"]),
    "continued": ("from a import b, \\\n    c\nimport d, \\\n    e\n", ["a.b", "a.c", "d", "e"]),
    "continued with CRLF": ("from a import b, \\\r\n    c\r\n", ["a.b", "a.c"]),
    "after a semicolon": ("import a; from b import c; import d\n", ["a", "b.c", "d"]),
    "indented": ("try:\n\timport a\nexcept: pass\n", ["a"]),
    "a remark": ("import a  # import b\n", ["a"]),
    "no import": ("important = 1\nfrom_ = 2\nx.importer(y)\n", []),
    "no final newline": ("import a", ["a"]),
    "CRLF": ("import a\r\nfrom b import c\r\n", ["a", "b.c"]),
}


@pytest.mark.parametrize(("text", "expected"), SCANNED.values(), ids=SCANNED)
def test_imports_are_found_without_parsing(text: str, expected: list[str]) -> None:
    assert imported_names(text) == expected


def test_an_unclosed_parenthesis_does_not_take_forever() -> None:
    assert imported_names("from a import (" + "b, " * 20_000) is not None


def test_importers(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "from . import b\n",
        "pkg/b.py": "",
        "train.py": "from pkg import b\nimport numpy\n",
        "broken.py": "import pkg.b\ndef (:\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    project = Project(tmp_path, files)
    assert [module.path for module in project.importers("pkg/b.py")] == ["pkg/a.py", "train.py"]
    assert project.imports("train.py", files["train.py"]) == ["pkg/b.py"]
    assert project.errors["broken.py"].line == 2


def test_a_file_that_cannot_be_read_is_an_error_of_that_file(tmp_path: Path) -> None:
    project = Project(tmp_path, ["gone.py"])
    assert project.module("gone.py") is None
    assert "gone.py" in project.errors


PYTHON2 = {
    "print": ("x = 1\nprint 'a'\n", "Python 2 source (print statement on line 2)"),
    "except": ("try:\n    pass\nexcept E, e:\n    pass\n", "Python 2 source (except clause"),
    "async": ("x.cuda(async=True)\n", "source for Python 3.6 or older (async= as an argument on"),
    "exec": ("exec 'a'\n", "Python 2 source (exec statement on line 1)"),
    "octal": ("x = 0777\n", "Python 2 source (octal literal"),
    "backticks": ("x = `y`\n", "Python 2 source (backticks"),
    "unequal": ("if a <> b:\n    pass\n", "Python 2 source (<> operator"),
    "tuple parameter": ("def f(a, (b, c)):\n    pass\n", "Python 2 source (tuple parameter"),
    "raise": ("raise E, 'text'\n", "Python 2 source (raise statement"),
}


@pytest.mark.parametrize(("text", "reason"), PYTHON2.values(), ids=PYTHON2)
def test_python_2_is_named_as_such(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    project = Project(tmp_path, ["a.py"])
    assert project.module("a.py") is None
    assert project.errors["a.py"].reason.startswith(reason)


NOT_PYTHON2 = {
    "backticks in a docstring": '"""`a` and 0777."""\ndef f(a=1, b):\n    pass\n',
    "a date in a string": "x = '2019-01-07'\ny = (\n",
    "print as a word in a remark": "# print out\nx = = 1\n",
}


@pytest.mark.parametrize("text", NOT_PYTHON2.values(), ids=NOT_PYTHON2)
def test_other_mistakes_are_not_python_2(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    project = Project(tmp_path, ["a.py"])
    assert project.module("a.py") is None
    assert "Python 2" not in project.errors["a.py"].reason


def test_an_overlay_lasts_as_long_as_its_block(tmp_path: Path) -> None:
    project = Project(tmp_path, ["a.py"], {"a.py": "x = 1\n"})
    original = project.module("a.py")
    with project.overlay(Module.parse_text("a.py", SourceText("x = 2\n"))):
        seen = project.module("a.py")
        assert seen is not None and seen.source.text == "x = 2\n"
    assert project.module("a.py") is original


def test_an_overlay_of_a_file_nobody_had_leaves_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path, [])
    with project.overlay(Module.parse_text("a.ipynb", SourceText("x = 2\n"))):
        assert project.module("a.ipynb") is not None
    assert project.module("a.ipynb") is None


LINKED = {
    "a.py": "import b\n",
    "b.py": "word = 1\n",
    "c.py": "import b\n# word\n",
    "d.py": "import e\n# word\n",
    "e.py": "",
    "f.py": "# another word\n",
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.py", ("b.py",)),
        ("b.py", ("b.py", "c.py")),
        ("e.py", ("d.py",)),
        ("f.py", ("f.py",)),
    ],
)
def test_files_with_a_word_that_may_run_together_with_one(
    path: str, found: tuple[str, ...]
) -> None:
    project = Project(Path(), LINKED, LINKED)
    assert project.linked_with(path, "word") == found


def test_relevant_files_with_one_of_some_words() -> None:
    relevant = frozenset(LINKED) - {"c.py"}
    project = Project(Path(), LINKED, LINKED, relevant=relevant)
    assert project.relevant_with("another", "import b") == ("a.py", "f.py")
    assert project.relevant_with("word") == ("b.py", "d.py", "f.py")
