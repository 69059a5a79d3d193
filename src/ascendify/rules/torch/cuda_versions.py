"""Questions about the CUDA build of torch: what they answer on an NPU, and what to ask instead."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-8",
    title="Do not decide by the CUDA version or build of torch",
    why=(
        "torch for an NPU is a build without CUDA: torch.version.cuda is None and "
        "torch.backends.cuda.is_built() is False, so a branch that asks quietly goes the way of a "
        "computer without an accelerator, and a comparison of versions raises."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="if torch.backends.cuda.is_built():\n    model.half()",
    after="if torch.npu.is_available():\n    model.half()",
    safety="It was asked what torch was built for; now it is asked whether there is a device.",
)

_BUILT = "torch.backends.cuda.is_built"


@RULE.reference("torch.version.cuda", "torch.version.cuda.*", "torch.version.hip")
def version(site: Site) -> Diagnoses:
    """Told where it decides something; mentioned where it is only shown."""
    spelled = site.brief
    if _decides(site.node) or site.name.startswith("torch.version.cuda."):
        yield RULE.manual(
            site,
            f"{spelled} is None on an NPU and decides what happens here",
            todo=(
                "Make the branch for GPUs the one that is taken, or ask torch.npu.is_available(); "
                "the version of CANN is torch_npu.utils.get_cann_version()."
            ),
        )
    elif site.name == "torch.version.cuda":
        yield RULE.info(site, f"{spelled} is None on an NPU")


@RULE.call(_BUILT)
def built(site: CallSite) -> Diagnoses:
    """``torch.backends.cuda.is_built()`` asks for the build; the device is what matters."""
    fix = site.fix()
    new = f"{names.torch(site.file, fix, site.node.func)}.npu.is_available()"
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is False on an NPU",
        done=f"Replaced it by {new}.",
        todo="See that the branch is one an NPU can take.",
        fix=fix,
    )


@RULE.reference("torch._C.*", "torch.has_cuda", "torch.has_cudnn")
def private(site: Site) -> Diagnoses:
    """``torch._C._cuda_*`` exist in a build with CUDA only."""
    if site.name.startswith("torch._C.") and not site.name.startswith("torch._C._cuda"):
        return
    yield RULE.manual(
        site,
        f"{site.brief} belongs to torch's build for GPUs",
        todo=(
            "Use the public function: torch.npu.is_available(), torch.npu.current_stream(), "
            "torch.npu.mem_get_info() and their like; most of what is below torch._C is found "
            "below torch_npu._C with _npu for _cuda."
        ),
    )


def _decides(node: ast.expr) -> bool:
    """Whether a value is compared, tested or taken apart rather than shown."""
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
