"""Steps of an epoch that a session's program counts: without the last batch, shared by devices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tensorflow.purposes import Purpose, purpose
from ascendify.rules.tf1 import _npu
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DATA-11",
    title="Count the steps of an epoch as each device has them",
    why=(
        "A dataset that drops its smaller last batch, or of which each device has a part, has "
        "fewer batches than the program counts: it ends in the middle of an epoch, with "
        "OutOfRangeError."
    ),
    statuses=(Status.AUTO,),
    before=(
        "dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(batch_size)\n"
        "train_steps = (num_train + batch_size - 1) // batch_size\n"
        "sess = tf.Session()"
    ),
    after=(
        "dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(batch_size)\n"
        "train_steps = num_train // batch_size\n"
        "sess = tf.Session()"
    ),
    safety=(
        "With one process and no smaller last batch the number stays the same. An epoch on N "
        "devices has 1/N of the steps, each with N times the samples."
    ),
)

_BATCH = re.compile(r"_*(?:train_?)?(?:mini_?)?(?:batch_?size|bs|batch)(?:_train(?:ing)?)?", re.I)
_COUNT = re.compile(r"steps?(?:$|_)|batch(?:es)?(?:$|_)|iter(?:s|ations?)?(?:$|_)", re.I)
"""In names of numbers of steps."""
_CEILINGS = ("math.ceil", "numpy.ceil")
_FLOATS = ("builtins.float", "numpy.float32")


@dataclass(frozen=True)
class _Steps:
    """Samples divided by the batch size."""

    whole: ast.expr
    """The expression that gives the number."""
    samples: ast.expr
    size: ast.expr
    up: bool = False
    """Whether a smaller last batch counts."""


@RULE.file
def count_steps(file: File) -> Diagnoses:
    """``steps = n // batch_size`` of a training that reads datasets in a session."""
    divided = file.facts.distributed == "tf_strategy"
    if file.facts.distributed == "horovod":
        return
    found = [steps for steps in _counted(file) if divided or steps.up]
    if not found or not _reads_datasets(file):
        return
    repeats = _mentions(file, ".repeat(", "shuffle_and_repeat(")
    for steps in found:
        down = steps.up and not repeats
        if (not divided and not down) or purpose(file, steps.whole) is not Purpose.TRAIN:
            continue
        fix = file.fix()
        size = fix.operand(steps.size)
        if divided:
            size = f"({size} * {_npu.rank_size(file, fix)})"
        if down:
            text = f"{fix.operand(steps.samples)} // {size}"
            around = parent(steps.whole)
            fix.replace(steps.whole, f"({text})" if isinstance(around, ast.BinOp) else text)
        elif steps.up and not isinstance(steps.whole, ast.Call):
            samples = fix.operand(steps.samples)
            fix.replace(steps.whole, f"({samples} + {size} - 1) // {size}")
        else:
            fix.replace(steps.size, size)
        done = ["Left the smaller last batch out, which is dropped."] if down else []
        done += ["Divided it by the number of devices."] if divided else []
        yield RULE.auto(
            file.at(steps.whole),
            f"{file.brief(steps.whole)} counts the steps of an epoch",
            done=" ".join(done),
            fix=fix,
        )


def _counted(file: File) -> Iterator[_Steps]:
    """Numbers of steps that are assigned to a name which says so."""
    for node in file.module.index.of(ast.Assign):
        if len(node.targets) != 1 or not isinstance(node.value, (ast.Call, ast.BinOp)):
            continue
        if not _COUNT.search(last_name(node.targets[0])):
            continue
        steps = _divided(file, node.value)
        if steps is not None:
            yield steps


def _divided(file: File, node: ast.expr) -> _Steps | None:
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        inner = _plain_division(file, node.args[0])
        if file.name(node.func) in _CEILINGS:
            # in Python 2 n / size is rounded down already, whichever way it is written
            return None if inner is None else _Steps(node, inner.samples, inner.size, up=True)
        if file.name(node.func) == "builtins.int" and isinstance(node.args[0], ast.Call):
            found = _divided(file, node.args[0])
            return None if found is None else _Steps(node, found.samples, found.size, found.up)
        if file.name(node.func) == "builtins.int" and inner is not None:
            return inner
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        padded = _padded(node)
        if padded is not None:
            return _Steps(node, padded, node.right, up=True)
        return _plain_division(file, node)
    return None


def _plain_division(file: File, node: ast.expr) -> _Steps | None:
    """``samples / size`` or ``samples // size``, either of them perhaps in ``float()``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Div, ast.FloorDiv)):
        return None
    samples, size = _unwrapped(file, node.left), _unwrapped(file, node.right)
    if not _BATCH.fullmatch(last_name(size)) or isinstance(samples, ast.BinOp):
        return None
    return _Steps(node, samples, size)


def _padded(node: ast.BinOp) -> ast.expr | None:
    """``samples`` of ``(samples + size - 1) // size``, in any order."""
    size = ast.dump(node.right)
    if not _BATCH.fullmatch(last_name(node.right)):
        return None
    outer = node.left
    if not isinstance(outer, ast.BinOp):
        return None
    sides: tuple[ast.expr, ...] = ()
    if isinstance(outer.op, ast.Sub) and _is_one(outer.right):
        if isinstance(outer.left, ast.BinOp) and isinstance(outer.left.op, ast.Add):
            sides = (outer.left.left, outer.left.right)
    elif (
        isinstance(outer.op, ast.Add)
        and isinstance(outer.right, ast.BinOp)
        and isinstance(outer.right.op, ast.Sub)
        and _is_one(outer.right.right)
    ):
        sides = (outer.left, outer.right.left)
    others = [side for side in sides if ast.dump(side) != size]
    return others[0] if len(sides) == 2 and len(others) == 1 else None


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _unwrapped(file: File, node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call) and len(node.args) == 1 and file.name(node.func) in _FLOATS:
        return node.args[0]
    return node


def _reads_datasets(file: File) -> bool:
    """Whether the project trains in sessions that read datasets, and feeds no batches."""
    return (
        _mentions(file, "Session")
        and _mentions(file, "tf.data.", ".data.Dataset")
        and not _mentions(file, "feed_dict", "Estimator")
    )


def _mentions(file: File, *words: str) -> bool:
    return bool(file.resolver.project.relevant_with(*words))
