"""Broadcasts of start values: who makes one already, and the callback that makes one."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File, Fix, names
from ascendify.rules.tf2 import _program, _ranks
from ascendify.source.nodes import keyword_value

FUNCTIONS = (
    *_ranks.BROADCAST,
    "npu_device.distribute.npu_callbacks.broadcast_keras_model",
    "npu_device.distribute.npu_callbacks.broadcast_helper",
    "npu_device.distribute.grouping_broadcast",
)
_CALLBACK = '''\
def {{name}}():
{indent}"""Callback that gives every rank the variables of rank 0 as soon as they exist."""
{indent}class Broadcast({tf}.keras.callbacks.Callback):
{indent}{indent}done = False

{indent}{indent}def on_train_batch_begin(self, batch, logs=None):
{indent}{indent}{indent}if self.model.built and not self.done:
{indent}{indent}{indent}{indent}self.done = True
{indent}{indent}{indent}{indent}{function}(self.model.variables, root_rank=0)
{indent}{indent}{indent}{indent}if self.model.optimizer.variables():
{indent}{indent}{indent}{indent}{indent}{function}(self.model.optimizer.variables(), root_rank=0)

{indent}{indent}on_train_batch_end = on_train_batch_begin

{indent}return Broadcast()'''


def broadcasts(file: File, model: ast.expr) -> bool:
    """Whether a program broadcasts the variables of a model, as far as can be seen."""
    text = ast.unparse(model)
    for module, call in _program.calls(file, *FUNCTIONS):
        if module is not file.module:
            return True
        given = call.args[0] if call.args else keyword_value(call, "values")
        if not isinstance(given, ast.Attribute) or text == ast.unparse(given.value):
            return True
        if ast.unparse(given.value).startswith("self.model"):
            return True  # of a callback
    return False


def callback(fix: Fix, node: ast.AST) -> str:
    """The name of a function, defined in the file, that makes a callback that broadcasts."""
    tensorflow = names.tensorflow(fix, fix.module.tree)
    function = _ranks.function(fix, "broadcast")
    text = _CALLBACK.format(tf=tensorflow, function=function, indent=fix.indent_unit)
    return fix.define(text, "npu_broadcast_callback", node)
