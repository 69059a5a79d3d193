"""Change or report tensors of types that HCCL cannot reduce."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.torch import _edits
from ascendify.source.flow import backward
from ascendify.source.nodes import keyword_value
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TORCH-DIST-8",
    title="Reduce tensors of types that HCCL supports",
    why=(
        f"{advice.text('reduced-types')}. A float64 or uint8 tensor, such as many metrics, raises "
        "an error. broadcast and all_gather accept any type."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before=(
        "total = torch.tensor([count, value], dtype=torch.float64, device='npu')\n"
        "dist.all_reduce(total)"
    ),
    after=(
        "total = torch.tensor([count, value], dtype=torch.float32, device='npu')\n"
        "dist.all_reduce(total)"
    ),
    safety="Sums of counts are exact up to 16 million; means have seven digits.",
)

_REDUCTIONS = {
    "torch.distributed.all_reduce": "tensor",
    "torch.distributed.reduce": "tensor",
    "torch.distributed.reduce_scatter": "output",
    "torch.distributed.reduce_scatter_tensor": "input",
}
_HALVED = {"torch.float64": "float32"}
_REFUSED = {
    "torch.uint8": "int32",
    "torch.complex64": "float32 (torch.view_as_real)",
    "torch.complex128": "float32 (torch.view_as_real)",
}
_METHODS = {"double": ("float64", "float()"), "byte": ("uint8", "int()")}


@RULE.call(*_REDUCTIONS)
def check(site: CallSite) -> Diagnoses:
    """Find the call that creates the tensor, and its type."""
    file = site.file
    given = site.args.value(_REDUCTIONS[site.name])
    made = None if given is None else _made(given)
    if given is None or made is None:
        return
    shown = file.brief(given)
    last = made.func.attr if isinstance(made.func, ast.Attribute) else ""
    if last in _METHODS and not made.args:
        kind, method = _METHODS[last]
        yield _manual(site, shown, kind, f"call .{method} instead of .{last}()", made)
        return
    dtype = keyword_value(made, "dtype")
    name = None if dtype is None else file.name(dtype)
    if dtype is None or name is None:
        return
    if name in _HALVED and isinstance(dtype, ast.Attribute):
        fix = site.fix()
        _edits.rename(fix, dtype, _HALVED[name])
        yield RULE.auto_check(
            site,
            f"{shown} is float64, which HCCL does not reduce",
            done=f"Changed it to {_HALVED[name]} on line {made.lineno}.",
            todo="Check that seven digits are enough for its values.",
            fix=fix,
        )
    elif name in _REFUSED:
        last = name.rpartition(".")[2]
        yield _manual(site, shown, last, f"change it to {_REFUSED[name]}", made)


def _manual(site: CallSite, shown: str, kind: str, todo: str, made: ast.Call) -> Diagnosis:
    return RULE.manual(
        site,
        f"{shown} is {kind}, which HCCL does not reduce",
        todo=f"On line {made.lineno}, {todo}.",
    )


def _made(node: ast.expr) -> ast.Call | None:
    """The call whose result an expression is, directly or through one variable."""
    if isinstance(node, ast.Call):
        return node
    if not isinstance(node, ast.Name):
        return None
    bindings = backward.definitions(node) if node.id in scope_of(node).bindings else []
    if len(bindings) != 1 or bindings[0].path or not isinstance(bindings[0].value, ast.Call):
        return None
    return bindings[0].value
