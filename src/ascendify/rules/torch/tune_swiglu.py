"""Compute gated units with one operator of the NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status, names
from ascendify.rules.torch import _tune
from ascendify.source.nodes import function_around

_HELPER = '''def {{name}}(gate, up):
    """SiLU of one tensor times another; on an NPU with one operator, where they are alike."""
    if gate.is_npu and gate.shape == up.shape and gate.dtype == up.dtype:
        return {torch_npu}.npu_swiglu({torch}.cat((gate, up), dim=-1), dim=-1)
    return {torch}.nn.functional.silu(gate) * up'''

RULE = Rule(
    code="TORCH-TUNE-6",
    title="Compute SwiGLU with one operator",
    why=(
        "silu(gate) * up is two operators forward and several backward, each of which reads and "
        "writes the largest tensors of a layer. npu_swiglu computes it, and its gradients, in one. "
        "The product stays for tensors that are not on an NPU or differ in shape or type. "
        "Source: SwiGLU in the vendor's guide to tuning PyTorch models."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="y = torch.nn.functional.silu(gate(x)) * up(x)",
    after=(
        _HELPER.format(torch="torch", torch_npu="torch_npu").format(name="swiglu")
        + "\n\ny = swiglu(gate(x), up(x))"
    ),
)


@RULE.file
def use_operator(file: File) -> Diagnoses:
    """Call a function with the operator where SiLU is the first factor of a product."""
    for product in file.module.index.of(ast.BinOp):
        call = product.left
        if not isinstance(product.op, ast.Mult) or not isinstance(call, ast.Call):
            continue
        if not _is_silu(file, call) or _is_helper(file, call):
            continue
        fix = file.fix()
        helper = _HELPER.format(torch_npu=fix.use("torch_npu"), torch=names.torch(file, fix, call))
        name = fix.define(helper, "swiglu", product)
        fix.replace(product, f"{name}({file.text(call.args[0])}, {file.text(product.right)})")
        yield _tune.rewrite_or_note(
            RULE,
            file,
            product,
            f"{file.brief(product)} computes in several operators what torch_npu.npu_swiglu does "
            "in one",
            done="Called a function with torch_npu.npu_swiglu.",
            fix=fix,
        )


def _is_silu(file: File, call: ast.Call) -> bool:
    """``F.silu(x)``, or a module that surely is ``nn.SiLU``, and not in place."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return False
    if file.name(call.func) == "torch.nn.functional.silu":
        return True
    return file.kind(call.func) == "torch.nn.SiLU"


def _is_helper(file: File, call: ast.Call) -> bool:
    """Whether the product is what remains for tensors that the operator does not take."""
    function = function_around(call)
    return function is not None and "npu_swiglu" in file.text(function)
