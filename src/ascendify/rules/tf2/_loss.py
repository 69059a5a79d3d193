"""How a loss is scaled: for the samples of one rank, or for those of all of them.

A loss that is the mean over the samples of a rank needs the mean of the gradients. One that was
divided by the batch of all ranks, or is a plain sum, needs their sum.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, last_name
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function, Object

_AVERAGE = "tf2.nn.compute_average_loss"
_GLOBAL = re.compile(r"global_?batch|globalbatch", re.I)
"""How people name the batch of all devices together."""
_SUMS = ("tf2.reduce_sum", "tf2.math.reduce_sum")
_MEANS = ("tf2.reduce_mean", "tf2.math.reduce_mean")
_PASSING = frozenset({"get_scaled_loss", "cast", "add_n", "scale_loss"})
"""Functions whose result is a loss if their argument is one."""
_MAX_DEPTH = 8


@dataclass
class Scaling:
    """What was seen of a loss on the way back to where it is computed."""

    by_batch: str = ""
    """How it is divided by the batch of all devices; empty where it is not."""
    by_replicas: bool = False
    """Whether it is divided by the number of replicas, which is 1."""
    regularised: bool = False
    """Whether losses of the weights are added, which are equal on every rank."""
    summed: str = ""
    """How it is a sum over samples, with nothing that divides it."""
    divided: bool = False
    _seen: set[ast.AST] = field(default_factory=set)

    @property
    def reduction(self) -> str:
        """``'sum'`` or ``'mean'``: the reduction over ranks that the whole batch needs."""
        return "sum" if self.by_batch or (self.summed and not self.divided) else "mean"

    @property
    def reason(self) -> str:
        """Why it is a sum, in words."""
        return self.by_batch or self.summed


def scaling(file: File, loss: ast.expr) -> Scaling:
    """Look at everything a loss is computed from."""
    found = Scaling()
    _look(file, file.module, loss, found, _MAX_DEPTH)
    return found


def _look(file: File, module: Module, node: ast.expr, found: Scaling, depth: int) -> None:
    if node in found._seen or depth == 0:
        return
    found._seen.add(node)
    if isinstance(node, ast.BinOp):
        _look_at_quotient(file, module, node, found, depth)
    elif isinstance(node, ast.Call):
        _look_at_call(file, module, node, found, depth)
    elif isinstance(node, ast.Name):
        for binding in backward.bindings(node):
            if binding.value is not None and binding.kind == "assign":
                _look(file, module, binding.value, found, depth - 1)
        for item in _augmented(node):
            found.divided |= isinstance(item.op, ast.Div)
            found.by_replicas |= "num_replicas_in_sync" in module.segment(item.value)
            if isinstance(item.op, ast.Add):
                _look_at_addend(module, item.value, found)
            _look(file, module, item.value, found, depth - 1)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            _look(file, module, element, found, depth)
    elif isinstance(node, ast.IfExp):
        _look(file, module, node.body, found, depth)
        _look(file, module, node.orelse, found, depth)


def _look_at_quotient(
    file: File, module: Module, node: ast.BinOp, found: Scaling, depth: int
) -> None:
    text = module.segment(node)
    if isinstance(node.op, (ast.Div, ast.Mult)):
        divisor = module.segment(node.right)
        if isinstance(node.op, ast.Div):
            found.divided = True
        if "num_replicas_in_sync" in text:
            found.by_replicas = True
        if _GLOBAL.search(divisor) and (isinstance(node.op, ast.Div) or "/" in divisor):
            found.by_batch = " ".join(text.split())
    if isinstance(node.op, ast.Add):
        _look_at_addend(module, node.left, found)
        _look_at_addend(module, node.right, found)
    _look(file, module, node.left, found, depth)
    if not isinstance(node.op, ast.Div):
        _look(file, module, node.right, found, depth)


def _look_at_addend(module: Module, node: ast.expr, found: Scaling) -> None:
    text = module.segment(node)
    found.regularised |= ".losses" in text or "regulariz" in text or "l2_loss" in text


def _look_at_call(file: File, module: Module, node: ast.Call, found: Scaling, depth: int) -> None:
    names, _ = file.resolver.names(module, node.func)
    name = names[0] if len(names) == 1 else ""
    if name == _AVERAGE:
        _look_at_average(module, node, found)
        return
    if name in _SUMS:
        # of the loss itself; a sum inside a mean is over the numbers of one sample
        if keyword_value(node, "axis") is None and len(node.args) == 1 and not found.divided:
            found.summed = found.summed or " ".join(module.segment(node).split())
    elif name in _MEANS:
        found.divided = True
        return
    values = file.resolver.infer(module, node.func)
    if any(isinstance(value, Object) for value in values):
        return  # a model or a loss object of the project
    functions = [value for value in values if isinstance(value, Function)]
    for function in functions:
        for result in scope_of(function.node).returns:
            _look(file, function.module, result, found, depth - 1)
    last = last_name(node.func)
    found.regularised |= last == "scale_regularization_loss"
    if last in _PASSING and not functions:
        for item in node.args:
            _look(file, module, item, found, depth - 1)
    elif isinstance(node.func, (ast.Name, ast.Attribute)) and not functions:
        _look_at_loss_object(file, module, node.func, found)


def _look_at_average(module: Module, node: ast.Call, found: Scaling) -> None:
    size = keyword_value(node, "global_batch_size")
    if size is None and len(node.args) > 2:
        size = node.args[2]
    if size is None:
        found.by_replicas = True  # it multiplies the batch of a replica by their number
    else:
        found.by_batch = f"compute_average_loss(global_batch_size={module.segment(size)})"
    found.divided = True


def _look_at_loss_object(file: File, module: Module, func: ast.expr, found: Scaling) -> None:
    """``loss_object(labels, predictions)`` of Keras: a mean, unless it was made to sum."""
    for made in backward.origins(file.resolver, module, func).calls:
        owner, call = made
        reduction = keyword_value(call, "reduction")
        if reduction is None:
            continue
        text = owner.segment(reduction)
        if text.endswith("Reduction.SUM") or text.strip("'\"") == "sum":
            found.summed = f"reduction={text}"


def _augmented(name: ast.Name) -> list[ast.AugAssign]:
    """``loss += ...`` of the variable, in its scope."""
    scope = scope_of(name).find(name.id)
    if scope is None:
        return []
    return [
        node
        for node in ast.walk(scope.node)
        if isinstance(node, ast.AugAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == name.id
    ]
