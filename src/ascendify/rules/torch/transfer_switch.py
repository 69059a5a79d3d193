"""--style transfer: torch_npu's switch at the head of every entry point, and what it spoils."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.torch import _imports, _release
from ascendify.source.nodes import DEFINITIONS

RULE = Rule(
    code="TORCH-IMP-2",
    title="Turn on transfer_to_npu before anything else imports torch",
    why=(
        "Only with --style transfer. Importing torch_npu.contrib.transfer_to_npu replaces "
        "torch.cuda and the functions that take a device while the program runs. What was taken "
        "out of torch before that (from torch import zeros, in this file or in a module it "
        "imports) keeps the GPU's version, so the switch has to come first."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="import torch\nfrom model import Net",
    after=(
        "import torch\n"
        "import torch_npu  # noqa: F401\n"
        "from torch_npu.contrib import transfer_to_npu  # noqa: F401\n"
        "from model import Net"
    ),
    safety=(
        "The switch turns torch.jit.script into a function that does nothing, replaces cuda by "
        "npu in every text given by position to the functions it wraps, makes "
        "torch.cuda.is_available() true for every library, and costs time on each of these calls."
    ),
    last=True,
)

_PACKAGE, _SWITCH = "torch_npu.contrib", "transfer_to_npu"
_PATHS = {"torch.load": "f", "torch.from_file": "filename"}
"""Wrapped functions whose first argument is a file."""
_HARMLESS = """
    __future__ abc argparse ast asyncio atexit base64 bisect builtins bz2 cProfile codecs
    collections concurrent configparser contextlib copy csv ctypes cv2 dataclasses datetime decimal
    difflib distutils email enum errno faulthandler fcntl fileinput fnmatch fractions functools gc
    getopt getpass glob gzip hashlib heapq hmac html http imp importlib inspect io itertools json
    linecache locale logging math matplotlib mmap multiprocessing numbers numpy operator optparse os
    pandas pathlib pdb pickle PIL pkgutil platform pprint psutil queue random re requests resource
    scipy secrets select shelve shlex shutil signal six skimage sklearn socket sqlite3 ssl stat
    statistics string struct subprocess sys sysconfig tarfile tempfile textwrap threading time
    timeit tkinter token tokenize tqdm traceback types typing typing_extensions unittest urllib uuid
    warnings weakref xml yaml zipfile zlib
"""
"""Packages that do not import torch: the switch may stand behind them."""


@RULE.file
def switch(file: File) -> Diagnoses:
    """Behind ``import torch`` where that comes first, else before the first that may need it."""
    if file.facts.style != "transfer":
        return
    if not _imports.is_entry(file):
        if _speaks_for_all(file):
            yield _no_entry(file)
        return
    place = _first(file)
    if place is None or _has_switch(file):
        return
    lines = f"from {_PACKAGE} import {_SWITCH}  # noqa: F401"
    fix = file.fix()
    given = [node for node in _imports.of(file, "torch_npu") if node in file.module.tree.body]
    if given:
        fix.insert_after(given[0], lines)
    else:
        _insert(fix, place, f"import torch_npu  # noqa: F401\n{lines}")
    yield RULE.finding(
        Status.AUTO,
        file.at(place),
        "the script starts a program written for GPUs",
        done="Added torch_npu and its switch transfer_to_npu before everything that takes names "
        "out of torch.",
        todo=(
            "Start the program through this file"
            f"{_by_variable(file, '; where something else starts it,')}."
        ),
        fix=fix,
    )


@RULE.call(*_PATHS)
def keep_path(site: CallSite) -> Diagnoses:
    """The switch replaces cuda by npu in every text given by position, paths included."""
    if site.file.facts.style != "transfer" or site.args.starred:
        return
    path = site.args.get(_PATHS[site.name])
    if path is None or path.keyword is not None or not _says_cuda(path.value):
        return
    fix = site.fix()
    fix.name_argument(path)
    yield RULE.auto(
        site,
        f"transfer_to_npu would look for {site.file.brief(path.value)} with npu in place of cuda",
        done=f"Passed the path by name, as {path.name}=, which the switch leaves alone.",
        fix=fix,
    )


def _speaks_for_all(file: File) -> bool:
    """Whether nothing is seen to start the program, and this is the first file with torch."""
    scripts = (path for path in file.facts.entry_points if path.rpartition("/")[2] != "setup.py")
    if next(scripts, None) is not None or not _imports.of(file, "torch"):
        return False
    project = file.resolver.project
    earlier = (project.module(path) for path in sorted(project.relevant) if path < file.path)
    return not any(
        "torch" in _imports.roots(node)
        for module in earlier
        if module is not None
        for node in module.index.imports
    )


def _no_entry(file: File) -> Diagnosis:
    return RULE.manual(
        file.at(_imports.of(file, "torch")[0]),
        "no script of the project is seen to start it, so nothing turns on transfer_to_npu and "
        "every CUDA call stays as it is",
        todo=(
            "Name the script that starts training with --main FILE and migrate again"
            f"{_by_variable(file, '; or')}."
        ),
    )


def _by_variable(file: File, before: str) -> str:
    """How to turn the switch on from outside, for a release that reads the variable."""
    if not _release.behaves(file, "transfer_variable"):
        return ""
    return f"{before} set TORCH_TRANSFER_TO_NPU=1 in the environment of the program"


def _insert(fix: Fix, place: ast.stmt, lines: str) -> None:
    if isinstance(place, ast.Import) and [alias.name for alias in place.names] == ["torch"]:
        fix.insert_after(place, lines)
    else:
        fix.insert_before(place, lines)


def _first(file: File) -> ast.stmt | None:
    """The first statement of the module that imports what may import torch."""
    for statement in file.module.tree.body:
        if isinstance(statement, DEFINITIONS):
            continue
        for node in ast.walk(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not _imports.is_for_types(node):
                names = _imports.roots(node)
                if not names or any(name not in _HARMLESS.split() for name in names):
                    return statement
    return None


def _has_switch(file: File) -> bool:
    return any(
        f"{_PACKAGE}.{_SWITCH}" in (item.name, f"{getattr(node, 'module', '')}.{item.name}")
        for node in _imports.of(file, "torch_npu")
        for item in node.names
    )


def _says_cuda(node: ast.expr) -> bool:
    return any(
        isinstance(item, ast.Constant) and isinstance(item.value, str) and "cuda" in item.value
        for item in ast.walk(node)
    )
