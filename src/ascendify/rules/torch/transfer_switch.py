"""Import transfer_to_npu at the top of every script, and protect what it would change."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.torch import _imports, _release
from ascendify.source.nodes import DEFINITIONS

RULE = Rule(
    code="TORCH-IMP-2",
    title="Import transfer_to_npu before anything else imports torch",
    why=(
        "Only with --style transfer, or --transfer FILE in that script alone. Importing "
        "torch_npu.contrib.transfer_to_npu replaces torch.cuda and the functions that take a "
        "device at run time. Names that were imported from torch before (from torch import "
        "zeros, in this file or in a module it imports) remain the GPU's, so this import has to "
        "come first."
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
        "transfer_to_npu disables torch.jit.script, replaces cuda by npu in every positional "
        "string argument of the functions it wraps, makes torch.cuda.is_available() true for every "
        "library, and makes each of these calls slower."
    ),
    last=True,
    requested=lambda facts: facts.switched,
)

_PACKAGE, _SWITCH = "torch_npu.contrib", "transfer_to_npu"
_PATHS = {"torch.load": "f", "torch.from_file": "filename"}
"""Functions it wraps whose first argument is a path."""
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
"""Packages that do not import torch, which may be imported before."""


@RULE.file
def add_switch(file: File) -> Diagnoses:
    """Import it after ``import torch``, or before the first import that may import torch."""
    if file.path in file.facts.transfer:
        yield from _added(file, "a library that it uses chooses CUDA in its own code")
        return
    if file.facts.style != "transfer":
        return
    if not _imports.is_entry(file):
        if _is_first_without_script(file):
            yield _no_entry(file)
        return
    yield from _added(file, "the script starts a program for GPUs")


def _added(file: File, found: str) -> Diagnoses:
    """Add the two imports to a script that does not have them."""
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
        found,
        done="Imported torch_npu and transfer_to_npu before everything that imports names from "
        "torch.",
        todo=(
            "Start the program through this file"
            f"{_by_variable(file, '; if another file starts it,')}."
        ),
        fix=fix,
    )


@RULE.call(*_PATHS)
def keep_path(site: CallSite) -> Diagnoses:
    """Pass paths by name, because cuda is replaced by npu in positional arguments."""
    if not site.file.facts.switched or site.args.starred:
        return
    path = site.args.get(_PATHS[site.name])
    if path is None or path.keyword is not None or not _says_cuda(path.value):
        return
    fix = site.fix()
    fix.name_argument(path)
    yield RULE.auto(
        site,
        f"transfer_to_npu would replace cuda by npu in the path {site.file.brief(path.value)}",
        done=f"Passed the path by name, as {path.name}=, which it does not change.",
        fix=fix,
    )


def _is_first_without_script(file: File) -> bool:
    """Whether the project has no script, and this is its first file with torch."""
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
        "no script that starts training was found, so nothing imports transfer_to_npu and CUDA "
        "calls do not work",
        todo=(
            "Migrate again with --main FILE, where FILE is the script that starts training"
            f"{_by_variable(file, '; or')}."
        ),
    )


def _by_variable(file: File, before: str) -> str:
    """How to enable it with a variable, for a release that reads that."""
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
