"""Report CUDA extensions, whose kernels must be written for the NPU."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import cuda_packages
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
from ascendify.source.nodes import (
    given_value,
    imported_names,
    is_called,
    last_name,
    string,
    strings,
)
from ascendify.source.project import Project
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TORCH-JIT-3",
    title="Replace CUDA extensions",
    why=(
        "CUDA sources cannot be compiled for an NPU, neither by setup.py nor at run time. Write "
        "the operator with PyTorch functions, with a fused operator of torch_npu, or as an Ascend "
        "C kernel."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    before=(
        "from torch.utils.cpp_extension import CUDAExtension\n"
        'CUDAExtension("ops", ["ops.cpp", "ops_kernel.cu"])'
    ),
)
_EXTENSION = re.compile(r"_cuda(?:_(?:ext|kernels?|ops?))?$")
"""The end of the name of a module that is compiled from CUDA sources."""
_MODULE = "torch.utils.cpp_extension"
_WAY = (
    "Use PyTorch functions, or an operator of torch_npu (npu_*), if they can do the same. "
    "Otherwise write the kernel in Ascend C and build it with "
    "torch_npu.utils.cpp_extension.NpuExtension."
)


@RULE.call(f"{_MODULE}.CUDAExtension")
def report_extension(site: CallSite) -> Diagnoses:
    """Report an extension that setup.py builds; a blocker unless the program runs without it."""
    found = f"{site.callee} compiles CUDA{_kernels(site)}"
    if _is_optional(site):
        found += "; the program runs without it"
        yield RULE.manual(site, found, todo=f"Do not build it. {_WAY}", effort=Effort.HOURS)
    else:
        yield _blocked(site, found)


def _is_optional(site: CallSite) -> bool:
    """Whether the extension is imported, and every import handles the error."""
    project, name = site.file.resolver.project, _name_of(site.node)
    if not name:
        return False
    home = site.file.path.rpartition("/")[0]
    found: list[bool] = []
    for path in project.relevant_with(name):
        module = project.module(path)
        if module is None:
            continue
        if home and path.startswith(f"{home}/") and not project.is_imported(path):
            continue  # a test of the extension beside its sources
        found.extend(
            guards.may_fail(node) or _is_optional_file(project, module)
            for node in module.index.imports
            if name in {part for origin in imported_names(node) for part in origin.split(".")}
        )
    return bool(found) and all(found)


def _is_optional_file(project: Project, module: Module) -> bool:
    """Whether a file is imported, and every import of it handles the error."""
    found = [
        guards.may_fail(node)
        for importer in project.importers(module.path)
        for node in importer.index.imports
        for origin in imported_names(node)
        if (project.locate(importer.path, origin) or (None,))[0] == module.path
    ]
    return bool(found) and all(found)


def _name_of(call: ast.Call) -> str:
    """The module name of an extension, without its package; empty where it is no literal."""
    return (string(given_value(call, "name", 0)) or "").rpartition(".")[2]


@RULE.call(f"{_MODULE}.load")
def report_load(site: CallSite) -> Diagnoses:
    """Report an extension that is built when the program starts."""
    kernels = _kernels(site)
    if kernels or _asks_for_cuda(site):
        yield _blocked(site, f"{site.callee} compiles CUDA{kernels}")
    elif not _is_plain(site.file, site.args.value("sources")):
        yield RULE.manual(
            site,
            f"{site.callee} compiles sources that are not visible here",
            todo=f"If there are CUDA sources (.cu) among them: {_WAY}",
            effort=Effort.HOURS,
        )


@RULE.call(f"{_MODULE}.load_inline")
def report_inline(site: CallSite) -> Diagnoses:
    """Report CUDA code in a string of the program."""
    if "cuda_sources" in site.args or _asks_for_cuda(site):
        yield _blocked(site, f"{site.callee} compiles CUDA code")


@RULE.reference(f"{_MODULE}.CUDA_HOME", f"{_MODULE}.CUDNN_HOME", f"{_MODULE}.CUDAExtension")
def report_mention(site: Site) -> Diagnoses:
    """Report where a setup script looks for the compiler, or chooses what to build."""
    if is_called(site.node):
        return
    yield RULE.manual(
        site,
        f"{site.brief} is used to build CUDA sources",
        todo=(
            "CUDA_HOME is None without CUDA, so the branch for CUDA does not run: build only the "
            f"C++ part (CppExtension), and replace the CUDA part. {_WAY}"
        ),
        effort=Effort.HOURS,
    )


@RULE.imports(f"{_MODULE}.CUDAExtension", f"{_MODULE}.CUDA_HOME", f"{_MODULE}.CUDNN_HOME")
def report_import(site: ImportSite) -> Diagnoses:
    """Report the import, which works without CUDA."""
    yield RULE.manual(
        site,
        f"{site.alias.name} is for building CUDA sources",
        todo="Remove it when no code here builds CUDA any more; the uses have their own findings.",
    )


@RULE.file
def report_uses(file: File) -> Diagnoses:
    """Report imports of modules that setup scripts of the project build from CUDA sources."""
    text = file.module.source.text
    built = {module: setup for module, setup in _built(file).items() if module in text}
    for node in file.module.index.imports if built else ():
        parts = {part for origin in imported_names(node) for part in _compiled_parts(file, origin)}
        for module in sorted(parts & built.keys()):
            yield _used(file, node, module, built[module])


@RULE.file
def report_named(file: File) -> Diagnoses:
    """Report imports of extensions that nothing of the project builds but their name tells."""
    if "_cuda" not in file.module.source.text:
        return
    built = _built(file)
    known = cuda_packages.by_import(file.platform)
    for node in file.module.index.imports:
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for origin in imported_names(node):
            name = origin.partition(".")[0]
            if not _EXTENSION.search(name) or name in built or name in known:
                continue
            if file.resolver.project.locate(file.path, origin) is None:
                yield _used(file, node, name, "")
                break


def _compiled_parts(file: File, origin: str) -> list[str]:
    """The parts of an import that are no Python source of the project."""
    located = file.resolver.project.locate(file.path, origin)
    return origin.split(".") if located is None else list(located[2])


def _used(file: File, node: ast.stmt, module: str, setup: str) -> Diagnosis:
    found = f"{module} is built from CUDA sources by {setup}"
    if not setup:
        found = f"{module} is an extension for CUDA by its name"
    if guards.may_fail(node):
        return RULE.info(file.at(node), f"{found}; the program handles its absence")
    return RULE.manual(
        file.at(node),
        found,
        todo="Replace the calls of its functions: see the finding in the setup script."
        if setup
        else f"Replace the calls of its functions. {_WAY}",
        effort=Effort.HOURS,
        raises=True,
        cause=module,
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
    compiling = [call for call in module.index.calls if _compiles(call)]
    found = [
        _name_of(call)
        for call in compiling
        # setup() contains the sources of all extensions, and has the name of the package
        if not any(other is not call and call in ancestors(other) for other in compiling)
    ]
    return tuple(filter(None, found))


def _compiles(call: ast.Call) -> bool:
    last = last_name(call.func)
    sources = [text for item in (*call.args, *call.keywords) for text in _sources(item)]
    if last == "setup":
        return False
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
    """Whether every source is a literal, so that kernels among them are visible."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_is_plain(file, item) for item in node.elts)
    return node is not None and file.literal(node) is not None
