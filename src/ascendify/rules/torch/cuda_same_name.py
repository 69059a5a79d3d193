"""Rename torch.cuda.X to torch.npu.X where both have the function, class or module."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Site, Status
from ascendify.rules.kit import names as spelling
from ascendify.rules.torch import _cuda, _imports, _installs
from ascendify.rules.torch._installs import Choice
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-1",
    title="Rename torch.cuda to torch.npu where both have the name",
    why=(
        "Without a GPU torch.cuda.is_available() is False, so the program silently trains on the "
        "CPU, and every function that uses a device raises an error. torch.npu has two thirds of "
        "the names of torch.cuda, with the same arguments."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="torch.cuda.set_device(rank)\nstream = torch.cuda.Stream()",
    after="torch.npu.set_device(rank)\nstream = torch.npu.Stream()",
)


_CUDA_SOURCE = re.compile(r"\.cuh?\b|_cuda\.c(?:pp)?\b|WITH_CUDA|\bCUDAExtension\b|\bnvcc\b")
"""Words in a setup script that builds CUDA code."""
_GPU_NAME = re.compile(r"cuda|gpu|cupy|nvidia|pynvml|tensorrt|dali", re.I)


@RULE.reference(_cuda.CUDA, f"{_cuda.CUDA}.*")
@RULE.store(*(f"{_cuda.CUDA}.{name}" for name in ("is_available", "device_count", "synchronize")))
def rename(site: Site) -> Diagnoses:
    """Rename a name that is called, passed on, inherited from, a decorator or an annotation."""
    file = site.file
    name = site.name
    if file.facts.style == "transfer" or _cuda.is_elsewhere(name) or not is_same(name):
        return
    if not _cuda.is_linked(file, site.node):
        # ``from torch.cuda import Stream``: the import changes, the use does not
        return
    fix = site.fix()
    spelled = site.brief
    guarded = _guarded(site)
    if guarded is not None and _CUDA_SOURCE.search(file.text(guarded)):
        yield RULE.manual(
            site,
            f"{spelled} decides whether CUDA sources are built",
            todo="Not changed: it is False on an NPU, so that only CPU code is built. Write what "
            "the CUDA sources do for the NPU.",
        )
        return
    choices = _choices(site)
    if any(item.test is parent(site.node) and item.alone for item in choices):
        yield _left(site, next(item for item in choices))
        return
    new = _cuda.rename(file, fix, site.node)
    found, done = f"{spelled} is for GPUs", f"Replaced it by {new}."
    imported = _gpu_import(file, guarded)
    if choices:
        yield _separated(site, fix, choices, found, done)
    elif imported is None:
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        todo = f"Check that {imported} works on an NPU, where this branch now runs."
        yield RULE.auto_check(site, found, done=done, todo=todo, fix=fix)


def _choices(site: Site) -> list[Choice]:
    """Branches with CUDA builds of other packages that a test for a GPU decides about."""
    call = parent(site.node)
    if site.name != f"{_cuda.CUDA}.is_available" or not isinstance(call, ast.Call):
        return []
    return _installs.chosen_by(site.file, call)


def _left(site: Site, choice: Choice) -> Diagnosis:
    """Leave a test that decides about nothing but a CUDA build: it is False on an NPU."""
    return RULE.manual(
        site,
        f"{site.brief} decides whether {choice.what} is used",
        todo=f"Not changed: it is False on an NPU, where {choice.what} does not work, so that the "
        "other branch is taken. Check that the program does without.",
    )


def _separated(site: Site, fix: Fix, choices: list[Choice], found: str, done: str) -> Diagnosis:
    """Rename a test, and let branches with CUDA builds ask for a GPU as before."""
    names, todo = [], []
    torch = spelling.torch(site.file, fix, site.node)
    for item in choices:
        if item.alone and isinstance(item.test, ast.Name):
            fix.replace(item.test, f"{torch}.cuda.is_available()")
            names.append(item.what)
        else:
            todo.append(f"Check that {item.what} is not used on an NPU, where this branch runs.")
    if names:
        done += f" {' and '.join(names)} still asks for a GPU: it does not work on an NPU."
    return RULE.fixed(site, found, done=done, todo=" ".join(todo), fix=fix)


def _guarded(site: Site) -> ast.If | None:
    """The ``if`` whose condition tests for a GPU."""
    if site.name != f"{_cuda.CUDA}.is_available":
        return None
    inner: ast.AST = site.node
    for around in ancestors(site.node):
        if isinstance(around, ast.If):
            return around if inner is around.test else None
        if isinstance(around, ast.stmt):
            return None
        inner = around
    return None


def _gpu_import(file: File, guarded: ast.If | None) -> str | None:
    """An import in a branch whose name suggests that it is for GPUs."""
    for node in () if guarded is None else ast.walk(guarded):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            text = file.brief(node)
            if _GPU_NAME.search(text) and _imports.roots(node)[:1] != ["torch"]:
                return text
    return None


def is_same(name: str) -> bool:
    """Whether a name of torch.cuda only has to be renamed to torch.npu."""
    if name in (_cuda.CAPABILITY, _cuda.RANGE) or _cuda.below(name, *_cuda.GRAPHS):
        return False
    return _cuda.has_same_name(name)
