"""Placeholders for single numbers and flags: prove that nothing else is fed to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import signatures
from ascendify.rules.arguments import Arguments
from ascendify.rules.kit import CallSite, File
from ascendify.source.flow.forward import attribute_reads, reads
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import OutsideCall, uses
from ascendify.source.module import Module
from ascendify.source.nodes import only_target
from ascendify.source.scopes import parent, scope_of

_KEEP = ("keep_prob", "rate")
_TRAINING = ("training", "is_training")
_DROPOUT_WRAPPER = ("input_keep_prob", "output_keep_prob", "state_keep_prob")
_DECAY = ("learning_rate", "global_step")
_SCALARS = {
    "tf.cond": ("pred",),
    "tf.nn.dropout": _KEEP,
    "tf.compat.v2.nn.dropout": _KEEP,
    "npu.npu_ops.dropout": _KEEP,
    "tf.nn.rnn_cell.DropoutWrapper": _DROPOUT_WRAPPER,
    "tf.layers.dropout": ("rate", *_TRAINING),
    "tf.layers.batch_normalization": _TRAINING,
    "tf.contrib.layers.dropout": (*_KEEP, *_TRAINING),
    "tf.contrib.layers.batch_norm": _TRAINING,
    "tf.clip_by_norm": ("clip_norm",),
    "tf.clip_by_global_norm": ("clip_norm",),
    "tf.summary.scalar": ("tensor",),
    "tf.train.exponential_decay": _DECAY,
    "tf.train.inverse_time_decay": _DECAY,
    "tf.train.natural_exp_decay": _DECAY,
    "tf.train.polynomial_decay": _DECAY,
    "tf.train.cosine_decay": _DECAY,
    "tf.train.piecewise_constant": ("x",),
}
"""Parameters that TensorFlow's documentation describes as a scalar tensor."""
_LEARNING_RATE = ("learning_rate", "momentum")
_NOTHING = Outside()


def is_scalar(site: CallSite) -> bool:
    """Whether a placeholder surely takes a single number or flag."""
    feeds = _feeds(site)
    if feeds is not None and feeds:
        numbers = [_is_number(file, value) for file, value in feeds]
        if all(numbers):
            return True
    if any(isinstance(value, (ast.List, ast.Tuple, ast.Dict)) for _, value in feeds or ()):
        return False
    found = uses(site.file.resolver, site.file.module, site.node, _NOTHING)
    return any(_wants_scalar(site.file, use) for use in found.calls)


def _wants_scalar(file: File, use: OutsideCall) -> bool:
    """Whether a call takes a value for a parameter that has to be a scalar."""
    name = file.of(use.module).name(use.call.func)
    if name is None:
        return False
    is_optimizer = name.startswith("tf.train.") and name.endswith("Optimizer")
    wanted = _LEARNING_RATE if is_optimizer else _SCALARS.get(name, ())
    if not wanted:
        return False
    arguments = Arguments.bind(use.call, signatures.signature(name))
    return any(arguments.value(item) is use.value for item in wanted)


def _feeds(site: CallSite) -> list[tuple[File, ast.expr]] | None:
    """Every value a placeholder is fed; None where one may be fed out of sight."""
    found: list[tuple[File, ast.expr]] = []
    for module, node in _reads(site) or ():
        around = parent(node)
        if isinstance(around, ast.Dict) and node in around.keys:
            found.append((site.file.of(module), around.values[around.keys.index(node)]))
        elif isinstance(around, ast.Subscript) and around.slice is node:
            value = getattr(parent(around), "value", None)
            if not isinstance(around.ctx, ast.Store) or not isinstance(value, ast.expr):
                return None
            found.append((site.file.of(module), value))
        elif not isinstance(around, (ast.Call, ast.keyword, ast.BinOp, ast.Compare, ast.UnaryOp)):
            return None  # it may go on under another name
    return found


def _reads(site: CallSite) -> Iterator[tuple[Module, ast.expr]] | None:
    """Every read of the placeholder's variable; None where other code may read it too."""
    file, target = site.file, only_target(site.parent)
    project = file.resolver.project
    if isinstance(target, ast.Name):
        scope = scope_of(target).find(target.id)
        if scope is None or (scope.kind == "module" and project.is_imported(file.path)):
            return None
        return ((file.module, node) for node in reads(target))
    if isinstance(target, ast.Attribute):
        modules = (file.module, *project.importers(file.path))
        return (
            (module, node)
            for module in modules
            for node in attribute_reads(file.resolver, module, target.attr)
        )
    return None


def _is_number(file: File, node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(file, node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(file, node.left) and _is_number(file, node.right)
    values = file.literal(node)
    return bool(values) and all(isinstance(value, (bool, int, float)) for value in values or ())
