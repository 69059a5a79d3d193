"""Rotate positions with one operator of the NPU."""

from __future__ import annotations

import ast

from ascendify.catalog import versions
from ascendify.rules.kit import Diagnoses, File, Fix, Rule, Status, names
from ascendify.rules.torch import _algebra, _release, _tune
from ascendify.source.nodes import position
from ascendify.source.scopes import parent
from ascendify.source.values import Function

_HELPER = '''def {{name}}(x, cos, sin):
    """Rotate positions; on an NPU with one operator, where it takes the shapes and types."""
    same = x.dtype == cos.dtype == sin.dtype and x.dim() == cos.dim() == sin.dim() == 4
    if x.is_npu and same and {size}:
        return {torch_npu}.npu_rotary_mul(x, cos, sin)
    left, right = x.chunk(2, dim=-1)
    return x * cos + {torch}.cat((-right, left), dim=-1) * sin'''

RULE = Rule(
    code="TORCH-TUNE-5",
    title="Rotate positions with one operator",
    why=(
        "Rotary position embedding that is written out multiplies, splits, negates and joins the "
        "queries and keys of every layer. npu_rotary_mul does it in one operator. The steps stay "
        "for tensors that are not on an NPU, and for shapes and types that the operator does not "
        "take. Source: RotaryMul in the vendor's guide to tuning PyTorch models, and the limits "
        "of npu_rotary_mul in its API reference."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "def rotate_half(x):\n"
        "    left, right = x.chunk(2, dim=-1)\n"
        "    return torch.cat((-right, left), dim=-1)\n"
        "\n"
        "def apply_rotary(q, cos, sin):\n"
        "    return (q * cos) + (rotate_half(q) * sin)"
    ),
    after=(
        _HELPER.format(torch="torch", torch_npu="torch_npu", size="x.shape[-1] < 896").format(
            name="rotary_mul"
        )
        + "\n\n"
        "def rotate_half(x):\n"
        "    left, right = x.chunk(2, dim=-1)\n"
        "    return torch.cat((-right, left), dim=-1)\n"
        "\n"
        "def apply_rotary(q, cos, sin):\n"
        "    return rotary_mul(q, cos, sin)"
    ),
)
_ANY_SIZE = "7.0.0"
"""The first stack whose operator takes other sizes of a head than 128."""


@RULE.file
def use_operator(file: File) -> Diagnoses:
    """Call a function with the operator where ``x * cos + rotate_half(x) * sin`` is computed."""
    for call, total in _summed_calls(file):
        found = _rotation(file, total, call)
        if found is None or not _turns_halves(file, call):
            continue
        fix = file.fix()
        fix.replace(total, f"{_define(file, fix, total)}({', '.join(found)})")
        yield _tune.rewrite_or_note(
            RULE,
            file,
            total,
            f"{file.brief(total)} computes in several operators what torch_npu.npu_rotary_mul does "
            "in one",
            done="Called a function with torch_npu.npu_rotary_mul.",
            fix=fix,
        )


def _define(file: File, fix: Fix, place: ast.AST) -> str:
    release = _release.of(file.facts)
    free = versions.numbers(release.stack) >= versions.numbers(_ANY_SIZE)
    helper = _HELPER.format(
        size="x.shape[-1] < 896" if free else "x.shape[-1] == 128",
        torch_npu=fix.use("torch_npu"),
        torch=names.torch(file, fix, place),
    )
    return fix.define(helper, "rotary_mul", place)


def _summed_calls(file: File) -> list[tuple[ast.Call, ast.BinOp]]:
    """Each call in a sum of which ``f(x) * sin`` is a part, with the sum, in source order."""
    found = [
        (factor, total)
        for total in file.module.index.of(ast.BinOp)
        if isinstance(total.op, ast.Add)
        for product in (total.left, total.right)
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)
        for factor in (product.left, product.right)
        if isinstance(factor, ast.Call)
    ]
    return sorted(found, key=lambda item: position(item[0]))


def _rotation(file: File, total: ast.BinOp, call: ast.Call) -> tuple[str, str, str] | None:
    """``x``, ``cos`` and ``sin`` of ``x * cos + f(x) * sin``; what is there twice is a variable."""
    turned = parent(call)
    plain = total.left if turned is total.right else total.right
    if len(call.args) != 1 or call.keywords or not isinstance(plain, ast.BinOp):
        return None
    if not isinstance(plain.op, ast.Mult) or not isinstance(turned, ast.BinOp):
        return None
    sides = [file.text(item) for item in (plain.left, plain.right)]
    x, sin = call.args[0], turned.right if turned.left is call else turned.left
    if file.text(x) not in sides or not _is_plain(x):
        return None
    sides.remove(file.text(x))
    return file.text(x), sides[0], file.text(sin)


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is a variable or an attribute, so that nothing runs twice or less."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _turns_halves(file: File, call: ast.Call) -> bool:
    """Whether a function of the project surely returns ``cat((-right, left), -1)``."""
    found = file.resolver.infer(file.module, call.func)
    return len(found) == 1 and isinstance(found[0], Function) and _is_turn(file, found[0])


def _is_turn(file: File, function: Function) -> bool:
    node = function.node
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1:
        return False
    chunks = ("chunk", node.args.args[0].arg)
    turned = ("cat", ("neg", ("item", chunks, 1)), ("item", chunks, 0))
    return _algebra.of_function(file.of(function.module), node) == turned
