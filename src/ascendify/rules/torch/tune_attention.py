"""Compute attention that is written out with one operator of the NPU."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status, names
from ascendify.rules.torch import _tune
from ascendify.source.flow import backward, forward
from ascendify.source.nodes import (
    block_of,
    class_around,
    function_around,
    is_minus_one,
    last_name,
    receiver,
)
from ascendify.source.scopes import Binding, scope_of, statement

_HELPER = '''def {name}(query, key, value, hidden=None):
    """Whether npu_fusion_attention takes these: 16-bit numbers on an NPU, shapes that fit."""
    fits = query.is_npu and query.dim() == key.dim() == value.dim() == 4
    fits = fits and query.shape[:2] == key.shape[:2] == value.shape[:2]
    if fits and hidden is not None:
        fits = hidden.shape[-2:] == (query.shape[2], key.shape[2])
        fits = fits and hidden.shape[:-2] in ((), (1, 1), (query.shape[0], 1), query.shape[:2])
    short = query.dtype in (@TORCH.float16, @TORCH.bfloat16)
    return fits and short and query.dtype == key.dtype == value.dtype'''

RULE = Rule(
    code="TORCH-TUNE-12",
    title="Compute attention with one operator",
    why=(
        "Attention that is written out makes and keeps the scores of all pairs of positions, and "
        "reads them several times. npu_fusion_attention computes the same without the scores in "
        "memory. Only softmax of scaled products is rewritten, with a mask of -inf or none, and "
        "whose scores nothing else reads. The steps stay for numbers of 32 bits, for tensors that "
        "are not on an NPU, for shapes that do not fit, and where dropout is applied to the "
        "scores, because its random numbers would differ. Source: the vendor's guide to tuning "
        "PyTorch models, and the limits of npu_fusion_attention in its API reference."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before=(
        "def attend(q, k, v, size):\n"
        "    scores = (q @ k.transpose(-2, -1)) * size ** -0.5\n"
        "    scores = scores.softmax(dim=-1)\n"
        "    return scores @ v"
    ),
    after=(
        _HELPER.replace("@TORCH", "torch").format(name="fuses") + "\n\n\n"
        "def attend(q, k, v, size):\n"
        "    if fuses(q, k, v):\n"
        '        return torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", '
        "scale=size ** -0.5)[0]\n"
        "    else:\n"
        "        scores = (q @ k.transpose(-2, -1)) * size ** -0.5\n"
        "        scores = scores.softmax(dim=-1)\n"
        "        return scores @ v"
    ),
    safety=(
        "The operator computes the scores in float32, where the steps round them to 16 bits. A "
        "position whose mask hides all others gets zeros, where the steps give NaN."
    ),
)
_TODO = "Expect a difference of one rounding of the scores, which the operator does not round."
_OPERATOR = "npu_fusion_attention"
_MATMUL = ("matmul", "bmm")
_SIZE_NAME = re.compile(r"dim|size|scale|heads|d_k|^d$", re.I)
"""Names of parameters that are numbers."""
_NUMBERS = ("math.sqrt", "builtins.float", "builtins.int", "numpy.sqrt")
_INFINITE = ("float('-inf')", 'float("-inf")', "-float('inf')", '-float("inf")', "-math.inf",
             "-torch.inf", "-np.inf", "-numpy.inf")  # fmt: skip


@dataclass
class _Attention:
    """What the statements of one attention compute."""

    query: ast.expr
    key: ast.expr
    scale: str = "1.0"
    hidden: str = ""
    """Where scores are masked out; empty for no mask."""
    dropout: str = ""
    """The module that drops scores out; empty for none."""


@RULE.file
def use_operator(file: File) -> Diagnoses:
    """Call the operator in a branch for what it takes."""
    text = file.module.source.text
    if "softmax" not in text or "transpose" not in text:
        return
    for call in file.module.index.calls_by_name.get("softmax", ()):
        first = statement(call)
        scores = _variable(first)
        if scores is None or not _is_softmax(file, call, scores):
            continue
        function = function_around(call)
        if function is None or _OPERATOR in file.text(function):
            continue  # not in a function that calls it: the steps are those for other devices
        found = _block(file, call, scores)
        if found is not None:
            yield _rewritten(file, *found)


def _rewritten(
    file: File, attention: _Attention, block: list[ast.stmt], product: ast.expr, values: ast.expr
) -> Diagnosis:
    """The finding for statements that compute an attention, the last one with its result."""
    first, last = block[0], block[-1]
    fix = file.fix()
    helper = _HELPER.replace("@TORCH", names.torch(file, fix, first))
    fuses = fix.define(helper, "fuses", first)
    query, key, value = (file.text(item) for item in (attention.query, attention.key, values))
    given = [query, key, value, f"{query}.shape[1]", '"BNSD"']
    asked = [query, key, value]
    if attention.hidden:
        given.append(f"atten_mask={attention.hidden}")
        asked.append(attention.hidden)
    call = f"{fix.use('torch_npu')}.{_OPERATOR}({', '.join(given)}, scale={attention.scale})[0]"
    start, end = file.module.start(last), file.module.end(last)
    text = file.module.source.text
    result = text[start : file.module.start(product)] + call + text[file.module.end(product) : end]
    condition = f"{fuses}({', '.join(asked)})"
    if attention.dropout:
        name = attention.dropout
        condition += f" and ({name}.p == 0 or not {name}.training)"
    fix.insert_before(first, f"if {condition}:\n    {result}\nelse:")
    for line in range(first.lineno, (last.end_lineno or last.lineno) + 1):
        at = file.module.source.line_starts[line - 1]
        if file.module.source.line(line).strip():
            fix.replace_range(at, at, "    ")
    return _tune.rewrite_or_note(
        RULE,
        file,
        first,
        f"{file.brief(product)} is attention, written out",
        done=f"Called {_OPERATOR} on an NPU.",
        todo=_TODO,
        fix=fix,
    )


def _variable(item: ast.stmt) -> ast.Name | None:
    """The variable that a plain assignment sets."""
    if isinstance(item, ast.Assign) and len(item.targets) == 1:
        target = item.targets[0]
        return target if isinstance(target, ast.Name) else None
    return None


def _is_softmax(file: File, call: ast.Call, scores: ast.Name) -> bool:
    """``scores = scores.softmax(dim=-1)``, or with a function of torch; of no other type."""
    whole = statement(call)
    if not isinstance(whole, ast.Assign) or whole.value is not call:
        return False
    given = [*call.args, *(item.value for item in call.keywords if item.arg == "dim")]
    if any(item.arg != "dim" for item in call.keywords):
        return False
    name = file.name(call.func) or ""
    if name in ("torch.nn.functional.softmax", "torch.softmax"):
        subject, given = (given[0], given[1:]) if call.args else (None, given)
    else:
        subject = receiver(call)
    return (
        isinstance(subject, ast.Name)
        and subject.id == scores.id
        and len(given) == 1
        and is_minus_one(given[0])
    )


def _block(
    file: File, call: ast.Call, scores: ast.Name
) -> tuple[_Attention, list[ast.stmt], ast.expr, ast.expr] | None:
    """The statements from the scores to their product with the values, with what they compute."""
    block = block_of(statement(call))
    at = block.index(statement(call))
    first = at - 1
    masks: list[ast.stmt] = []
    while first > 0 and _assigns(block[first], scores) and _mask(file, block[first], scores):
        masks.append(block[first])
        first -= 1
    if first < 0 or not _assigns(block[first], scores) or len(masks) > 1:
        return None
    attention = _scores(file, block[first].value)  # type: ignore[attr-defined]  # an assignment
    if attention is None:
        return None
    if masks:
        attention.hidden = _mask(file, masks[0], scores)
    last = at + 1
    if last < len(block) and _assigns(block[last], scores):
        attention.dropout = _dropout(file, block[last], scores)
        if not attention.dropout:
            return None
        last += 1
    taken = block[first : last + 1]
    found = _product(file, block[last], scores) if last < len(block) else None
    if found is None or not _is_alone(scores, taken) or _has_long_strings(file, taken):
        return None
    return attention, taken, *found


def _assigns(item: ast.stmt, scores: ast.Name) -> bool:
    variable = _variable(item)
    return variable is not None and variable.id == scores.id


def _scores(file: File, value: ast.expr) -> _Attention | None:
    """Query, key and scale of ``q @ k.transpose(-2, -1) * scale``."""
    scale = "1.0"
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
        if not _is_number(file, value.right):
            return None
        scale = file.text(value.right)
        if isinstance(value.op, ast.Div):
            scale = f"1 / {scale if _is_tight(value.right) else f'({scale})'}"
        value = value.left
    pair = _factors(file, value)
    if pair is None or not isinstance(pair[0], (ast.Name, ast.Attribute)):
        return None
    key = pair[1]
    if not isinstance(key, ast.Call) or last_name(key.func) != "transpose" or key.keywords:
        return None
    owner = receiver(key)
    axes = sorted(ast.unparse(item) for item in key.args)
    if axes != ["-1", "-2"] or not isinstance(owner, (ast.Name, ast.Attribute)):
        return None
    return _Attention(pair[0], owner, scale)


def _is_tight(node: ast.expr) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute, ast.Constant, ast.Call))


def _factors(file: File, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two factors of a product of matrices."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right
    if not isinstance(node, ast.Call) or node.keywords or last_name(node.func) not in _MATMUL:
        return None
    if len(node.args) == 2 and file.name(node.func) in ("torch.matmul", "torch.bmm"):
        return node.args[0], node.args[1]
    owner = receiver(node)
    return (owner, node.args[0]) if owner is not None and len(node.args) == 1 else None


def _is_number(file: File, node: ast.expr, depth: int = 3) -> bool:
    """Whether an expression surely is a number of Python and no tensor."""
    if depth == 0:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.UnaryOp):
        return _is_number(file, node.operand, depth)
    if isinstance(node, ast.BinOp):
        return all(_is_number(file, item, depth) for item in (node.left, node.right))
    if isinstance(node, ast.Call):
        if file.name(node.func) in _NUMBERS and len(node.args) == 1:
            return _is_size(file, node.args[0], depth)
        return _is_size(file, node, depth)
    return _is_size(file, node, depth)


def _is_size(file: File, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a number: the size of a tensor, a parameter with such a name."""
    if isinstance(node, ast.Call) and last_name(node.func) == "size" and len(node.args) == 1:
        return True
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Name):
        found = backward.definitions(node)
        is_size = _SIZE_NAME.search(node.id) is not None
        return bool(found) and all(
            is_size if item.kind == "param" else _gives_number(file, item, depth) for item in found
        )
    if isinstance(node, ast.Attribute):
        owner = class_around(node)
        if owner is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
            return False
        bindings = scope_of(owner).attributes.get(node.attr, [])
        return bool(bindings) and all(_gives_number(file, item, depth) for item in bindings)
    return not isinstance(node, ast.Call) and _is_number(file, node, depth)


def _gives_number(file: File, binding: Binding, depth: int) -> bool:
    """Whether an assignment gives a number: as it is written, or a part of ``x.shape``."""
    value, path = backward.unpacked(binding)
    if value is None:
        return False
    return _is_shape(value) if path else _is_number(file, value, depth - 1)


def _is_shape(node: ast.expr | None) -> bool:
    """``x.shape`` or ``x.size()``."""
    if isinstance(node, ast.Call):
        return last_name(node.func) == "size"
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _mask(file: File, item: ast.stmt, scores: ast.Name) -> str:
    """What ``scores = scores.masked_fill(mask == 0, -inf)`` hides; empty for other statements."""
    value = getattr(item, "value", None)
    if not isinstance(value, ast.Call) or last_name(value.func) != "masked_fill":
        return ""
    owner = receiver(value)
    if not isinstance(owner, ast.Name) or owner.id != scores.id or len(value.args) != 2:
        return ""
    hidden, filled = value.args
    if file.text(filled).replace(" ", "") not in _INFINITE:
        return ""
    is_test = isinstance(hidden, ast.Compare)
    is_inverse = isinstance(hidden, ast.UnaryOp) and isinstance(hidden.op, ast.Invert)
    return file.text(hidden) if is_test or is_inverse else ""


def _dropout(file: File, item: ast.stmt, scores: ast.Name) -> str:
    """The module in ``scores = self.dropout(scores)``; empty for anything else."""
    value = getattr(item, "value", None)
    if not isinstance(value, ast.Call) or len(value.args) != 1 or value.keywords:
        return ""
    given = value.args[0]
    if not isinstance(given, ast.Name) or given.id != scores.id:
        return ""
    return file.text(value.func) if file.kind(value.func) == "torch.nn.Dropout" else ""


def _product(file: File, item: ast.stmt, scores: ast.Name) -> tuple[ast.expr, ast.expr] | None:
    """The product ``scores @ v`` in a simple statement, and ``v``."""
    if not isinstance(item, (ast.Assign, ast.Return)) or item.value is None:
        return None
    for node in ast.walk(item.value):
        pair = _factors(file, node) if isinstance(node, ast.expr) else None
        if pair is not None and isinstance(pair[0], ast.Name) and pair[0].id == scores.id:
            is_plain = isinstance(pair[1], (ast.Name, ast.Attribute))
            return (node, pair[1]) if is_plain else None  # type: ignore[return-value]  # an expr
    return None


def _is_alone(scores: ast.Name, taken: list[ast.stmt]) -> bool:
    """Whether only these statements read the scores, each once."""
    inside = [node for item in taken for node in ast.walk(item)]
    made = [item for item in taken if _assigns(item, scores)]
    reads = [
        use
        for use in forward.reads(scores)
        if any(found.node in made for found in backward.definitions(use))
    ]
    return len(reads) == len(taken) - 1 and all(use in inside for use in reads)


def _has_long_strings(file: File, taken: list[ast.stmt]) -> bool:
    """Whether the statements have strings of several lines, or share lines with others."""
    source = file.module.source
    lines = [source.line(item.lineno) for item in taken]
    if any(line[: item.col_offset].strip() for line, item in zip(lines, taken)):
        return True
    block = block_of(taken[0])
    after = block[block.index(taken[-1]) + 1 :]
    if after and after[0].lineno == taken[-1].end_lineno:
        return True
    return any(
        isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno
        for item in taken
        for node in ast.walk(item)
        if hasattr(node, "lineno")
    )
