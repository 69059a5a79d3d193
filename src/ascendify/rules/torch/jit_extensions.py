"""CUDA extensions: kernels that have to be written anew."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    ImportSite,
    Rule,
    Site,
    Status,
    guards,
)
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import imported_names, last_name, string, strings
from ascendify.source.project import Project
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-JIT-3",
    title="Replace CUDA extensions",
    why=(
        "CUDA sources cannot be compiled for an NPU, neither by setup.py nor while the program "
        "runs. An operator of one's own is written with PyTorch functions, with one of torch_npu's "
        "fused operators, or as an Ascend C kernel."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    before=(
        "from torch.utils.cpp_extension import CUDAExtension\n"
        'CUDAExtension("ops", ["ops.cpp", "ops_kernel.cu"])'
    ),
)
_MODULE = "torch.utils.cpp_extension"
_WAY = (
    "Look first whether the operator can be written with PyTorch functions, or is one of "
    "torch_npu's (npu_* in torch_npu). Otherwise write it in Ascend C and build it with "
    "torch_npu.utils.cpp_extension.NpuExtension."
)


@RULE.call(f"{_MODULE}.CUDAExtension")
def extension(site: CallSite) -> Diagnoses:
    """Built by setup.py; nothing is blocked where the program is prepared to go without it."""
    found = f"{site.callee} compiles CUDA{_kernels(site)}"
    if _is_optional(site):
        found += "; the program goes on where it was not built"
        yield RULE.manual(site, found, todo=f"Do not build it. {_WAY}", effort=Effort.HOURS)
    else:
        yield _blocked(site, found)


def _is_optional(site: CallSite) -> bool:
    """Whether every import of what is built expects to fail, and there is one."""
    project, name = site.file.resolver.project, _name_of(site.node)
    if not name:
        return False
    home = site.file.path.rpartition("/")[0]
    found: list[bool] = []
    for path in sorted(project.relevant):
        module = project.module(path) if project.mentions(path, name) else None
        if module is None or (home and path.startswith(f"{home}/") and _is_apart(project, module)):
            continue
        found.extend(
            guards.may_fail(node) or _is_spared(project, module)
            for node in module.index.imports
            if name in {part for origin in imported_names(node) for part in origin.split(".")}
        )
    return bool(found) and all(found)


def _is_apart(project: Project, module: Module) -> bool:
    """Whether nothing imports a file: beside the sources of an extension it tests them."""
    return not project.importers(module.path)


def _is_spared(project: Project, module: Module) -> bool:
    """Whether whoever imports a file expects that to fail."""
    found = [
        guards.may_fail(node)
        for importer in project.importers(module.path)
        for node in importer.index.imports
        for origin in imported_names(node)
        if (project.locate(importer.path, origin) or (None,))[0] == module.path
    ]
    return bool(found) and all(found)


def _name_of(call: ast.Call) -> str:
    """The module that an extension becomes, without its package; empty where it is not written."""
    given = [item.value for item in call.keywords if item.arg == "name"] + call.args[:1]
    name = given[0] if given else None
    is_text = string(name) is not None
    return str(name.value).rpartition(".")[2] if is_text else ""  # type: ignore[union-attr]


@RULE.call(f"{_MODULE}.load")
def loaded(site: CallSite) -> Diagnoses:
    """Built when the program starts."""
    kernels = _kernels(site)
    if kernels or _asks_for_cuda(site):
        yield _blocked(site, f"{site.callee} compiles CUDA{kernels}")
    elif not _is_plain(site.file, site.args.value("sources")):
        yield RULE.manual(
            site,
            f"{site.callee} compiles sources that cannot be seen here",
            todo=f"If there are CUDA sources (.cu) among them: {_WAY}",
            effort=Effort.HOURS,
        )


@RULE.call(f"{_MODULE}.load_inline")
def inline(site: CallSite) -> Diagnoses:
    """CUDA text in the program."""
    if "cuda_sources" in site.args or _asks_for_cuda(site):
        yield _blocked(site, f"{site.callee} compiles CUDA text")


@RULE.reference(f"{_MODULE}.CUDA_HOME", f"{_MODULE}.CUDNN_HOME", f"{_MODULE}.CUDAExtension")
def mentioned(site: Site) -> Diagnoses:
    """Where a setup script looks for the compiler, or chooses what to build."""
    around = parent(site.node)
    if isinstance(around, ast.Call) and around.func is site.node:
        return
    yield RULE.manual(
        site,
        f"{site.brief} leads to the build of CUDA sources",
        todo=(
            "CUDA_HOME is None without CUDA, so the branch for CUDA is not taken: build the C++ "
            f"part alone (CppExtension), and replace the CUDA part. {_WAY}"
        ),
        effort=Effort.HOURS,
    )


@RULE.imports(f"{_MODULE}.CUDAExtension", f"{_MODULE}.CUDA_HOME", f"{_MODULE}.CUDNN_HOME")
def imported(site: ImportSite) -> Diagnoses:
    """The import works without CUDA; told so that nothing is left unsaid on its line."""
    yield RULE.manual(
        site,
        f"{site.alias.name} is for building CUDA sources",
        todo="Remove it once nothing here builds CUDA; the uses have findings of their own.",
    )


@RULE.file
def used(file: File) -> Diagnoses:
    """Imports of the modules that setup scripts of the project build from CUDA sources."""
    built = _built(file)
    for node in file.module.index.imports if built else ():
        parts = {part for origin in imported_names(node) for part in origin.split(".")}
        for module in sorted(parts & built.keys()):
            yield _used(file, node, module, built[module])


def _used(file: File, node: ast.stmt, module: str, setup: str) -> Diagnosis:
    found = f"{module} is built from CUDA sources by {setup}"
    if guards.may_fail(node):
        return RULE.info(
            file.at(node), f"{found}; the program goes on without it, as far as it can"
        )
    return RULE.manual(
        file.at(node),
        found,
        todo="What is called from it needs another way on an NPU: see the finding there.",
        effort=Effort.HOURS,
    )


def _built(file: File) -> dict[str, str]:
    """Modules that are built from CUDA sources, and the script that builds each."""
    project = file.resolver.project
    found: dict[str, str] = {}
    for path in project.relevant_named("setup.py"):
        module = project.module(path)
        if module is not None:
            names = file.resolver.once(_extensions, module)
            found.update(dict.fromkeys(names, path))
    return found


def _extensions(_: Resolver, module: Module) -> tuple[str, ...]:
    """Names of the extensions a setup script builds with CUDA, as their last parts."""
    found = [_name_of(call) for call in module.index.calls if _compiles(call)]
    return tuple(filter(None, found))


def _compiles(call: ast.Call) -> bool:
    last = last_name(call.func)
    sources = [text for item in (*call.args, *call.keywords) for text in _sources(item)]
    return last == "CUDAExtension" or any(text.endswith(".cu") for text in sources)


def _blocked(site: Site, found: str) -> Diagnosis:
    return RULE.blocker(site, found, todo=_WAY)


def _sources(node: ast.AST | None) -> list[str]:
    """File names that can be seen in an expression."""
    return [] if node is None else strings(ast.walk(node))


def _kernels(site: CallSite) -> str:
    """The kernels of a call, for the message."""
    found = [
        name for name in _sources(site.args.value("sources")) if name.endswith((".cu", ".cuh"))
    ]
    return f": {', '.join(found)}" if found else ""


def _asks_for_cuda(site: CallSite) -> bool:
    flag = site.args.value("with_cuda")
    return flag is not None and site.file.literal(flag) == (True,)


def _is_plain(file: File, node: ast.expr | None) -> bool:
    """Whether every source is a literal, so that a kernel among them would have been seen."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_is_plain(file, item) for item in node.elts)
    return node is not None and file.literal(node) is not None
