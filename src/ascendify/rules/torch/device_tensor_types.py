"""Replace tensor types such as ``torch.cuda.FloatTensor``, as names and in strings."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Site, Status
from ascendify.rules.torch import _edits, _release
from ascendify.rules.torch._places import place_of
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DEV-7",
    title="Use the NPU's tensor types",
    why=(
        "torch.cuda.FloatTensor and the like create tensors on a GPU, and tensors on an NPU are "
        "never instances of them. torch.npu has a type of each name. PyTorch recommends "
        "torch.zeros(..., device='npu') and x.to('npu', torch.long) instead."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before="mask = mask.type(torch.cuda.FloatTensor)",
    after="mask = mask.type(torch.npu.FloatTensor)",
)

_DEFAULT = "torch.set_default_tensor_type"
_DTYPES = {"Half": "float16", "Double": "float64", "BFloat16": "bfloat16"}
"""The dtype of a default tensor type; that of Float is the default anyway."""
_KINDS = ("Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short", "BFloat16")
"""Tensor types that torch_npu has."""
_NAMES = tuple(f"torch.cuda.{kind}Tensor" for kind in _KINDS)
_WHOLE = re.compile(rf"torch\.cuda\.(?:{'|'.join(_KINDS)})Tensor")
_HEAD = re.compile(r"torch\.cuda\.?(?:sparse\.\w*)?")
_SHOWN = frozenset({"print", "info", "debug", "warning", "warn", "error", "log", "write"})


@RULE.reference(*_NAMES)
def rename(site: Site) -> Diagnoses:
    """Rename the type where it is called, passed on or compared."""
    file = site.file
    cuda = _edits.link(file, site.node, "torch.cuda")
    if file.facts.style == "transfer" or cuda is None or _is_default(file, site.node):
        return
    fix = site.fix()
    _edits.rename(fix, cuda, "npu")
    yield RULE.auto(
        site,
        f"{site.brief} is a tensor type for GPUs",
        done=f"Replaced it by {_npu(site.brief)}.",
        fix=fix,
    )


@RULE.reference("torch.cuda.sparse", "torch.cuda.sparse.*")
def report_sparse(site: Site) -> Diagnoses:
    """Report sparse types, which have no counterpart."""
    yield RULE.manual(
        site,
        f"{site.brief} is a sparse tensor type, which NPUs do not have",
        todo="Use dense tensors, or keep the sparse part on the CPU.",
        effort=Effort.HOURS,
    )


@RULE.call(_DEFAULT)
def replace_default(site: CallSite) -> Diagnoses:
    """Replace a default tensor type by a default device, which PyTorch recommends."""
    file, call = site.file, site.node
    given = call.args[0] if call.args else site.args.value("t")
    if given is None or not _says_cuda(file, given):
        return
    found = f"{file.brief(call)} creates tensors on a GPU by default"
    if not _release.has_torch(file, "2.0"):
        fix = site.fix()
        fix.replace(given, _npu_types(file.text(given)))
        yield RULE.auto_check(
            site,
            found,
            done=f"Replaced the type by {_npu_types(file.brief(given))}.",
            todo="Check that the release of torch_npu accepts it: PyTorch has default devices "
            "since 2.0, where torch.set_default_device('npu') does the same.",
            fix=fix,
        )
        return
    chosen = _default_device(file, given)
    if chosen is None or not isinstance(call.func, ast.Attribute):
        yield RULE.manual(
            site,
            found,
            todo="Write torch.set_default_device('npu'), and torch.set_default_dtype() for types "
            "other than float32.",
        )
        return
    device, kind = chosen
    torch = file.text(call.func.value)
    new = f"{torch}.set_default_device({device})"
    fix = site.fix()
    fix.replace(call, new)
    if kind in _DTYPES:
        fix.insert_after(call, f"{torch}.set_default_dtype({torch}.{_DTYPES[kind]})")
    yield RULE.auto_check(
        site,
        found,
        done=f"Replaced it by {new}.",
        todo="Replace calls of torch.Tensor() and torch.FloatTensor(), which ignore the default "
        "device, by torch.tensor(), torch.zeros() or .npu().",
        fix=fix,
    )


def _npu_types(text: str) -> str:
    return text.replace(".cuda.", ".npu.")


def _default_device(file: File, given: ast.expr) -> tuple[str, str] | None:
    """The expression for the device, and the kind of numbers; None where branches differ."""
    if isinstance(given, ast.IfExp):
        yes, no = _type_of(file, given.body), _type_of(file, given.orelse)
        if yes is None or no is None or yes[1] != no[1]:
            return None
        return f"'{yes[0]}' if {file.text(given.test)} else '{no[0]}'", yes[1]
    found = _type_of(file, given)
    return None if found is None else (f"'{found[0]}'", found[1])


def _type_of(file: File, node: ast.expr) -> tuple[str, str] | None:
    """Device and kind of numbers of a tensor type."""
    text = _spelled(file, node)
    match = re.fullmatch(r"torch\.(cuda\.)?(Float|Half|Double|BFloat16)Tensor", text)
    return None if match is None else ("npu" if match[1] else "cpu", match[2])


def _spelled(file: File, node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return file.name(node) or ""


def _says_cuda(file: File, node: ast.expr) -> bool:
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    return any(_spelled(file, part).startswith("torch.cuda.") for part in parts)


def _is_default(file: File, node: ast.expr) -> bool:
    """Whether a type is passed to the function that sets the default."""
    owner = parent(node)
    owner = parent(owner) if isinstance(owner, ast.IfExp) else owner
    return isinstance(owner, ast.Call) and file.name(owner.func) == _DEFAULT


@RULE.file
def rename_texts(file: File) -> Diagnoses:
    """Rename ``'torch.cuda.FloatTensor'`` and prefixes that types are compared with."""
    if "torch.cuda" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        if isinstance(node.value, str) and node.value.startswith("torch.cuda"):
            yield from _text(file, node, node.value)


def _text(file: File, node: ast.Constant, value: str) -> Diagnoses:
    owner = parent(node)
    if isinstance(owner, (ast.Expr, ast.JoinedStr)) or _is_shown(owner) or _is_default(file, node):
        return
    place = place_of(node)
    compared = place.kind == "compared" or (place.kind == "key" and isinstance(owner, ast.Dict))
    if file.facts.style == "transfer" and not compared:
        return
    shown = file.brief(node)
    if _WHOLE.fullmatch(value) or (_HEAD.fullmatch(value) and compared and "sparse" not in value):
        fix = file.fix()
        _edits.replace_part(fix, node, "cuda", "npu")
        yield RULE.fixed(
            file.at(node),
            f"{shown} names a tensor type for GPUs",
            done=f"Wrote {_npu(shown)}.",
            todo="" if _WHOLE.fullmatch(value) else "Check that tensor types are compared.",
            fix=fix,
        )
    elif _HEAD.fullmatch(value):
        yield RULE.manual(
            file.at(node),
            f"{shown} may be the beginning of a tensor type for GPUs",
            todo=f"If it is, write {_npu(shown)}.",
        ).as_possible()


def _is_shown(owner: ast.AST) -> bool:
    func = getattr(owner, "func", None)
    return last_name(func) in _SHOWN


def _npu(text: str) -> str:
    return text.replace("cuda", "npu", 1)
