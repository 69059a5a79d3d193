"""Report lines of a training step that make the host wait for the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.flow import backward
from ascendify.source.nodes import LOOPS, last_name, receiver
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-TUNE-3",
    title="Do not make the host wait for the device in every step",
    why=(
        "The host launches operators ahead of the device. Whatever needs a value of a tensor waits "
        "until the device has computed it, and then the device waits for the next launch: "
        "item(), float(), print, a test of a tensor, a copy to the host, synchronize(). On an NPU "
        "such a wait costs more than on a GPU, because operators are launched more slowly. "
        "Source: the vendor's guide to tuning PyTorch models. `ascendify run --strict` counts the "
        "waits of a run."
    ),
    statuses=(Status.INFO,),
    before=(
        "for x in range(8):\n"
        "    loss = model(x).sum()\n"
        "    loss.backward()\n"
        "    total = total + loss.item()"
    ),
)
_TENSOR = "torch.Tensor"
_VALUE = "Add it up on the device (total += loss.detach()) and read it every few steps."
_COPY = "Keep it on the device, and copy it once after the loop."
_PRINT = "Print it every few steps."
_TEST = "Test it every few steps; a GradScaler leaves out steps with infinite gradients by itself."
_ALL = "Remove it; time single steps with torch.npu.Event."
_READS = {"item": _VALUE, "tolist": _VALUE, "cpu": _COPY, "numpy": _COPY}
_CASTS = {f"builtins.{name}": _VALUE for name in ("float", "int", "bool")}
_SYNCHRONIZE = ("torch.cuda.synchronize", "torch.npu.synchronize", "torch.accelerator.synchronize")
_TESTS = frozenset({"isnan", "isinf", "isfinite"})


@RULE.file
def report(file: File) -> Diagnoses:
    """Report each place of a loop with a backward pass that reads from the device every time."""
    for loop, losses in _training_loops(file).items():
        for node in _every_round(loop):
            todo = _of(file, node, losses)
            if todo:
                yield RULE.info(
                    file.at(node),
                    f"{file.brief(node)} makes the host wait for the device in every step",
                    todo=todo,
                    cause=RULE.code,
                )


def _training_loops(file: File) -> dict[ast.stmt, set[str]]:
    """The innermost loop around each backward pass, and the variables that hold its losses."""
    found: dict[ast.stmt, set[str]] = {}
    for call in file.module.index.calls_by_name.get("backward", ()):
        loop = next((item for item in ancestors(call) if isinstance(item, LOOPS)), None)
        if loop is not None:
            used = [receiver(call), *call.args]
            names = found.setdefault(loop, set())
            names.update(_variables(item for item in used if item is not None))
    return found


def _variables(nodes: Iterator[ast.expr]) -> Iterator[str]:
    """``loss`` of ``loss``, of ``loss / n`` and of ``scaler.scale(loss)``."""
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.BinOp):
            yield from _variables(iter((node.left, node.right)))
        elif isinstance(node, ast.Call):
            yield from _variables(iter(node.args))


def _every_round(loop: ast.stmt) -> Iterator[ast.AST]:
    """What a loop runs in every round: not below a test of every how many."""
    pending: list[ast.AST] = list(getattr(loop, "body", []))
    while pending:
        node = pending.pop(0)
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.If, ast.IfExp)) and _is_seldom(node.test):
            pending[:0] = [node.test]
            continue
        pending[:0] = ast.iter_child_nodes(node)


def _is_seldom(test: ast.expr) -> bool:
    """``step % 100 == 0``, ``step == last``, or a name for one of them."""
    return any(
        isinstance(node, ast.Mod) or (isinstance(node, ast.Compare) and _is_equality(node))
        for node in ast.walk(test)
    )


def _is_equality(node: ast.Compare) -> bool:
    """``step == last``, not ``rank == 0``."""
    return isinstance(node.ops[0], ast.Eq) and not isinstance(node.comparators[0], ast.Constant)


def _of(file: File, node: ast.AST, losses: set[str]) -> str:
    """What to do about a place that waits; empty for all others."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return ""
    if isinstance(node, ast.Compare):
        inside = [node.left, *node.comparators]
        tested = isinstance(parent(node), (ast.If, ast.While, ast.IfExp, ast.Assert, ast.BoolOp))
        return _TEST if tested and any(_is_tensor(file, item, losses) for item in inside) else ""
    if not isinstance(node, ast.Call):
        return ""
    name = last_name(node.func)
    owner = receiver(node)
    if name in _READS and owner is not None and not node.args:
        read = last_name(getattr(owner, "func", None)) in _READS  # ``x.cpu().numpy()`` waits once
        known = file.is_a(owner, _TENSOR)
        return _READS[name] if known is not False and not read and _is_live(file, owner) else ""
    function = file.name(node.func)
    if function in _SYNCHRONIZE:
        return _ALL
    if function in _CASTS and len(node.args) == 1 and _is_tensor(file, node.args[0], losses):
        return _VALUE
    if function == "builtins.print" and any(_shows(file, item, losses) for item in node.args):
        return _PRINT
    tested = isinstance(parent(node), (ast.If, ast.While, ast.IfExp, ast.Assert, ast.UnaryOp))
    if name in _TESTS and tested and any(_is_tensor(file, item, losses) for item in node.args):
        return _TEST
    return ""


def _is_live(file: File, owner: ast.expr) -> bool:
    """Whether an object may be a tensor: it is no module, no model and no array of NumPy."""
    made = backward.only_value(owner) if isinstance(owner, ast.Name) else owner
    name = file.name(made.func) if isinstance(made, ast.Call) else file.name(owner)
    return not file.is_a(owner, "torch.nn.Module") and not (name or "").startswith("numpy.")


def _is_tensor(file: File, node: ast.expr, losses: set[str]) -> bool:
    return (isinstance(node, ast.Name) and node.id in losses) or file.is_a(node, _TENSOR) is True


def _shows(file: File, node: ast.expr, losses: set[str]) -> bool:
    """Whether a printed value is a tensor, alone, in an f-string or in a format."""
    if isinstance(node, ast.JoinedStr):
        parts = [item.value for item in node.values if isinstance(item, ast.FormattedValue)]
    elif isinstance(node, ast.Call) and last_name(node.func) == "format":
        parts = node.args
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    else:
        parts = [node]
    return any(_is_tensor(file, item, losses) for item in parts)
