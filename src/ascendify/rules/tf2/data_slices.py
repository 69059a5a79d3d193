"""Training loops that cut batches out of arrays: the last one is smaller."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent
from ascendify.source.values import Function

RULE = Rule(
    code="TF2-DATA-6",
    title="Leave out the smaller last slice of training arrays",
    why=(
        "The NPU compiles a step for the shapes that it gets. A last batch of fewer samples is "
        "compiled once more, which takes minutes."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    foretells=("EMU-BATCH-1",),
    before=(
        "model = tf.keras.Sequential()\n"
        "for i in range(0, len(x), 32):\n"
        "    model.train_on_batch(x[i:i + 32], y[i:i + 32])"
    ),
    after=(
        "model = tf.keras.Sequential()\n"
        "for i in range(0, len(x) // 32 * 32, 32):\n"
        "    model.train_on_batch(x[i:i + 32], y[i:i + 32])"
    ),
    safety=(
        "The last (number of samples) % (batch size) samples are left out of training. Arrays with "
        "fewer samples than a batch give no step."
    ),
)

_STEPS = frozenset({"train_on_batch", "apply_gradients"})
_TAPE = "GradientTape"


@RULE.file
def cut(file: File) -> Diagnoses:
    """``for i in range(0, n, size): train_step(x[i:i + size])``."""
    for call in file.module.index.calls_by_name.get("range", ()):
        yield from _cut(file, call)


def _cut(file: File, call: ast.Call) -> Diagnoses:
    loop = parent(call)
    if not (isinstance(loop, ast.For) and loop.iter is call and isinstance(loop.target, ast.Name)):
        return
    if len(call.args) != 3 or call.keywords or in_test(file, call):
        return
    start, stop, size = call.args
    if not _has_slice(file, loop, loop.target.id, size) or not _trains(file, loop):
        return
    if _is_whole(file, stop, size):
        return
    found = f"{file.brief(call, 50)} ends with a slice of fewer than {file.brief(size, 20)} samples"
    simple = isinstance(size, (ast.Name, ast.Attribute, ast.Constant))
    if not simple or file.literal(start) != (0,):
        yield RULE.manual(
            file.at(call),
            found,
            todo="End it where the last full batch ends: n // size * size for n samples.",
        )
        return
    fix = file.fix()
    text = file.text(size)
    fix.replace(stop, f"{fix.operand(stop)} // {text} * {text}")
    yield RULE.auto(
        file.at(call), found, done="Ended the loop behind the last full batch.", fix=fix
    )


def _is_whole(file: File, stop: ast.expr, size: ast.expr) -> bool:
    """Whether the size divides the number of samples, as far as can be seen."""
    rounded = isinstance(stop, ast.BinOp) and isinstance(stop.op, (ast.Mult, ast.Sub))
    if rounded and ast.dump(size) in (ast.dump(item) for item in ast.walk(stop)):
        return True
    samples, batch = _number(file, stop), _number(file, size)
    return samples is not None and batch is not None and batch > 0 and samples % batch == 0


def _number(file: File, node: ast.expr) -> int | None:
    found = file.literal(node)
    return found[0] if found and isinstance(found[0], int) else None


def _has_slice(file: File, loop: ast.For, name: str, size: ast.expr) -> bool:
    """Whether the loop cuts ``x[i:i + size]`` out of something."""
    wanted = {f"{name}+{file.text(size)}", f"{file.text(size)}+{name}"}
    for item in ast.walk(loop):
        if isinstance(item, ast.Slice) and item.upper is not None:
            lower = isinstance(item.lower, ast.Name) and item.lower.id == name
            if lower and "".join(file.text(item.upper).split()) in wanted:
                return True
    return False


def _trains(file: File, loop: ast.For) -> bool:
    """Whether the loop runs a training step: itself, or in a function of the project."""
    calls = [item for item in ast.walk(loop) if isinstance(item, ast.Call)]
    if any(last_name(item.func) in (*_STEPS, _TAPE) for item in calls):
        return True
    return any(
        isinstance(value, Function) and _mentions_tape(value.node)
        for item in calls
        for value in file.resolver.infer(file.module, item.func)
    )


def _mentions_tape(function: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Attribute) and item.attr == _TAPE for item in ast.walk(function)
    )
