"""Replace or report tests of torch's CUDA version and build."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-8",
    title="Do not depend on the CUDA version or build of torch",
    why=(
        "torch for an NPU is a build without CUDA: torch.version.cuda is None and "
        "torch.backends.cuda.is_built() is False, so a test silently chooses the branch for a "
        "machine without an accelerator, and a comparison of versions raises an error."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="if torch.backends.cuda.is_built():\n    model.half()",
    after="if torch.npu.is_available():\n    model.half()",
    safety="The original tests what torch was built for; the new code tests for a device.",
)

_BUILT = "torch.backends.cuda.is_built"


@RULE.reference("torch.version.cuda", "torch.version.cuda.*")
def report_version(site: Site) -> Diagnoses:
    """Report a version on which a decision depends; note one that is only printed."""
    spelled = site.brief
    if _decides(site.node) or site.name.startswith("torch.version.cuda."):
        yield RULE.manual(
            site,
            f"{spelled} is None on an NPU, and a decision depends on it",
            todo=(
                "Always use the branch for GPUs, or test torch.npu.is_available(); the version of "
                "CANN is torch_npu.utils.get_cann_version()."
            ),
        )
    elif site.name == "torch.version.cuda":
        yield RULE.info(site, f"{spelled} is None on an NPU")


@RULE.call(_BUILT)
def replace_built(site: CallSite) -> Diagnoses:
    """Replace ``torch.backends.cuda.is_built()`` by a test for a device."""
    fix = site.fix()
    new = f"{names.torch(site.file, fix, site.node.func)}.npu.is_available()"
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is False on an NPU",
        done=f"Replaced it by {new}.",
        todo="Check that the branch works on an NPU.",
        fix=fix,
    )


@RULE.reference("torch._C.*", "torch.has_cuda", "torch.has_cudnn")
def report_private(site: Site) -> Diagnoses:
    """Report ``torch._C._cuda_*``, which exist in a CUDA build only."""
    if site.name.startswith("torch._C.") and not site.name.startswith("torch._C._cuda"):
        return
    yield RULE.manual(
        site,
        f"{site.brief} exists in CUDA builds of torch only",
        todo=(
            "Use a public function such as torch.npu.is_available(), torch.npu.current_stream() or "
            "torch.npu.mem_get_info(); torch_npu._C has most names of torch._C, with _npu instead "
            "of _cuda."
        ),
    )


def _decides(node: ast.expr) -> bool:
    """Whether a value is compared, tested or split, rather than printed."""
    shown = (ast.JoinedStr, ast.FormattedValue, ast.keyword, ast.Dict, ast.Tuple, ast.List)
    inner: ast.AST = node
    for around in ancestors(node):
        if isinstance(around, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Attribute)):
            return True
        if isinstance(around, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return inner is around.test
        if isinstance(around, (ast.Call, ast.stmt, *shown)):
            return isinstance(around, ast.Assign) and isinstance(parent(node), ast.Subscript)
        inner = around
    return False
