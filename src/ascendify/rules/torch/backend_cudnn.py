"""Note flags of cuDNN and cuBLAS, which have no effect on an NPU."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TORCH-BACK-1",
    title="Know which backend flags do nothing on an NPU",
    why=(
        "torch.backends.cudnn and torch.backends.cuda configure libraries for GPUs. Setting their "
        "flags has no effect on an NPU; version() and is_available() return None and False, so a "
        "branch that depends on them takes the path for a machine without an accelerator."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before="torch.backends.cudnn.benchmark = True",
)

_CUDNN = "torch.backends.cudnn"
_CUDA = "torch.backends.cuda"
_FLAGS = (
    *(f"{_CUDNN}.{name}" for name in (
        "benchmark", "enabled", "fastest", "verbose", "benchmark_limit", "fp32_precision",
    )),
    *(f"{_CUDA}.matmul.{name}" for name in (
        "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction",
        "allow_fp16_accumulation", "fp32_precision",
    )),
)  # fmt: skip
_CALLS = (
    f"{_CUDNN}.flags", f"{_CUDNN}.set_flags", f"{_CUDA}.preferred_linalg_library",
    f"{_CUDA}.preferred_blas_library",
)  # fmt: skip
_ANSWERS = {f"{_CUDNN}.version": "None", f"{_CUDNN}.is_available": "False"}
_SHOWS = re.compile(r"^(?:print|info|debug|warn(?:ing)?)$|log", re.I)
_HALF = "fp32_precision"


@RULE.store(*_FLAGS)
def note_flag(site: Site) -> Diagnoses:
    """Note ``cudnn.benchmark = True`` and the like."""
    todo = ""
    if site.name.endswith(_HALF):
        todo = (
            "For faster, less precise matrix products and convolutions on an NPU, set "
            "torch.npu.matmul.allow_hf32 or torch.npu.conv.allow_hf32."
        )
    found = f"{site.brief} has no effect on an NPU"
    yield RULE.info(site, found, todo=todo)


@RULE.reference(*_CALLS)
def note_call(site: Site) -> Diagnoses:
    """Note functions that set such flags."""
    yield RULE.info(site, f"{site.brief} has no effect on an NPU")


@RULE.reference(*_ANSWERS)
def report_query(site: Site) -> Diagnoses:
    """Report a query on which a decision depends; note others."""
    gives = _ANSWERS[site.name]
    found = f"{site.brief}() returns {gives} on an NPU"
    if _decides(site.node) and not _guards_flags(site):
        yield RULE.manual(
            site,
            f"{found}, and a decision depends on it",
            todo="Remove the condition, or use torch.npu.is_available() instead.",
        )
    else:
        yield RULE.info(site, found)


def _guards_flags(site: Site) -> bool:
    """Whether the answer only decides that flags of these libraries are set.

    That nothing is done where the libraries are missing is then what the program wants.
    """
    around = next((item for item in ancestors(site.node) if isinstance(item, ast.If)), None)
    if around is None or around.orelse or not _is_within(around.test, site.node):
        return False
    stored = [item for item in around.body if not _only_shows(item)]
    return bool(stored) and all(_stores_flag(site, item) for item in stored)


def _is_within(outer: ast.AST, node: ast.expr) -> bool:
    return outer is node or any(item is outer for item in ancestors(node))


def _only_shows(item: ast.stmt) -> bool:
    """Whether a statement prints or logs something."""
    if not isinstance(item, ast.Expr) or not isinstance(item.value, ast.Call):
        return False
    return _SHOWS.search(last_name(item.value.func) or "") is not None


def _stores_flag(site: Site, item: ast.stmt) -> bool:
    return isinstance(item, ast.Assign) and all(
        (site.file.name(target) or "").startswith((_CUDNN, _CUDA)) for target in item.targets
    )


def _decides(node: ast.expr) -> bool:
    """Whether a value is compared or tested."""
    inner: ast.AST = node
    for around in ancestors(node):
        if isinstance(around, (ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp)):
            return True
        if isinstance(around, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return inner is around.test
        if isinstance(around, ast.stmt) or (isinstance(around, ast.Call) and inner is not node):
            return False
        inner = around
    return False
