"""Training loops inside tf.function: set the NPU's loop size to their number of steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Rule, Status
from ascendify.rules.kit.removal import is_pure
from ascendify.rules.kit.tests import in_test, outside_tests
from ascendify.rules.tf2 import _traced
from ascendify.source.inference.parameters import given
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import (
    block_of,
    function_around,
    functions_around,
    positional_parameters,
    receiver,
)
from ascendify.source.scopes import FunctionNode, ancestors, parent, scope_of, statement
from ascendify.source.values import Function

RULE = Rule(
    code="TF2-LOOP-1",
    title="Tell the NPU how many steps a loop inside tf.function runs",
    why=(
        "A loop over tf.range inside a tf.function that takes batches from an iterator is moved to "
        "the NPU, which runs it NPU_LOOP_SIZE times and ignores the number in the program. The "
        "loop size is 1 unless it is set, so such a function trains one step and says nothing."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.BLOCKER),
    foretells=("EMU-LOOP-1",),
    before=(
        "@tf.function\n"
        "def train(iterator, steps):\n"
        "    for _ in tf.range(steps):\n"
        "        step(next(iterator))\n"
        "train(iterator, tf.constant(100))"
    ),
    after=(
        "@tf.function\n"
        "def train(iterator, steps):\n"
        "    for _ in tf.range(steps):\n"
        "        step(next(iterator))\n"
        "npu_device.set_npu_loop_size(100)\n"
        "train(iterator, tf.constant(100))"
    ),
)

_SETTER = "set_npu_loop_size"
_VARIABLE = "NPU_LOOP_SIZE"
_TENSORS = frozenset({"tf2.constant", "tf2.convert_to_tensor", "tf2.cast", "tf2.Variable"})
"""Calls that make a tensor of a number."""
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)


@dataclass(frozen=True)
class _Loop:
    """A loop over tf.range that takes batches from an iterator, in a function that is traced."""

    function: FunctionNode
    node: ast.For
    count: ast.expr | None
    """How often the loop runs; None if calls need different numbers."""


@RULE.file
def set_loop_size(file: File) -> Diagnoses:
    """Set the loop size before every call of a function with such a loop."""
    if _is_set_elsewhere(file):
        return
    project = file.resolver.project
    for module in dict.fromkeys((file.module, *project.imported(file.module))):
        for loop in file.resolver.once(_loops, module):
            if not in_test(file.of(module), loop.node):
                yield from _of_loop(file, module, loop)


@RULE.file
def report_possible_loops(file: File) -> Diagnoses:
    """Report such loops in functions that are passed on, and may be traced elsewhere."""
    if _is_set_elsewhere(file) or "range" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.For):
        function = function_around(node)
        call = node.iter
        if function is None or not isinstance(call, ast.Call) or not _takes_batches(node):
            continue
        if file.name(call.func) != "tf2.range" or in_test(file, node):
            continue
        traced = _traced.around(file.resolver, file.module, node) is not None
        if traced or file.resolver.callers(Function(file.module, function)):
            continue
        yield _by_hand(file, file, _Loop(function, node, None), node).as_possible()


def _of_loop(file: File, module: Module, loop: _Loop) -> Diagnoses:
    calls = _traced.calls(file.resolver, module, loop.function)
    home = file.of(module)
    if module is file.module and not calls:
        if not _is_set_before(loop.node):
            yield _by_hand(file, home, loop, loop.node)
        return
    for caller, call, bound in calls:
        if caller is file.module and not _is_set_before(call):
            yield _of_call(file, home, loop, call, bound)


def _of_call(file: File, home: File, loop: _Loop, call: ast.Call, bound: int) -> Diagnosis:
    count = _count(file, home, loop, call, bound)
    target = statement(call)
    if (
        count is None
        or not isinstance(target, _SIMPLE)
        or function_around(call) is not function_around(target)
        or any(_traced.is_traced(file, item) for item in functions_around(call))
    ):
        return _by_hand(file, home, loop, call)
    fix = file.fix()
    text = f"{fix.use('npu_device')}.{_SETTER}({count})"
    fix.insert_before(target, text)
    return RULE.auto(
        file.at(call),
        f"{file.brief(call.func)} runs a loop over {home.brief(loop.node.iter, 40)} on the NPU, "
        "which goes by the NPU's loop size",
        done=f"Set the loop size before the call: {text}.",
        fix=fix,
    )


def _by_hand(file: File, home: File, loop: _Loop, at: ast.AST) -> Diagnosis:
    setter = f"npu_device.{_SETTER}(n)"
    return RULE.blocker(
        file.at(at),
        f"The loop over {home.brief(loop.node.iter, 40)} takes batches from an iterator inside a "
        "tf.function; the NPU runs it NPU_LOOP_SIZE times, 1 by default, whatever the range says",
        todo=(
            f"Call {setter} before every call of the function, with n steps of just that call, "
            "also where the last call has fewer; or export NPU_LOOP_SIZE=n where all calls have "
            "n steps."
        ),
        effort=Effort.MINUTES,
    )


def _count(file: File, home: File, loop: _Loop, call: ast.Call, bound: int) -> str | None:
    """The number of steps as the place of a call would write it; None where it is not known."""
    count = loop.count
    if count is None:
        return None
    values = home.literal(count)
    if values is not None and len(values) == 1 and type(values[0]) is int:
        visible = isinstance(count, ast.Name) and home is file and _is_global(count)
        return home.text(count) if visible else str(values[0])
    if isinstance(count, ast.BinOp) and isinstance(count.op, (ast.Mult, ast.FloorDiv)):
        sides = [
            _count(file, home, replace(loop, count=side), call, bound)
            for side in (count.left, count.right)
        ]
        sign = "*" if isinstance(count.op, ast.Mult) else "//"
        return None if None in sides else f"{sides[0]} {sign} {sides[1]}"
    if isinstance(count, ast.Name) and (given := _given(loop, count.id, call, bound)):
        return _number(file, given)
    return _of_object(file, home, loop, call)


def _given(loop: _Loop, name: str, call: ast.Call, bound: int) -> ast.expr | None:
    """The argument that a call gives for a parameter."""
    argument = _parameter(loop.function, name)
    return None if argument is None else given(call, argument, loop.function, bound)


def _of_object(file: File, home: File, loop: _Loop, call: ast.Call) -> str | None:
    """``self.steps`` of a method that another method of the object calls."""
    count, owner = loop.count, receiver(call)
    if isinstance(count, ast.Name) and home is file and _is_global(count):
        return f"int({file.text(count)})"
    if not isinstance(count, ast.Attribute) or not isinstance(owner, ast.Name):
        return None
    if isinstance(count.value, ast.Name) and count.value.id == owner.id == "self":
        return f"int({home.text(count)})"
    return None


def _is_global(name: ast.Name) -> bool:
    scope = scope_of(name).find(name.id)
    return scope is not None and scope.kind == "module"


def _number(file: File, value: ast.expr) -> str | None:
    """A number of steps as a Python number, without the conversion to a tensor."""
    while isinstance(value, ast.Call) and file.name(value.func) in _TENSORS and value.args:
        value = value.args[0]
    if isinstance(value, ast.Constant):
        return file.text(value) if type(value.value) is int else None
    if not is_pure(file, value) or isinstance(value, ast.Starred):
        return None
    text = file.text(value)
    return None if "\n" in text else f"int({text})"


def _parameter(function: FunctionNode, name: str) -> ast.arg | None:
    places = (*positional_parameters(function), *function.args.kwonlyargs)
    return next((item for item in places if item.arg == name), None)


def _loops(resolver: Resolver, module: Module) -> tuple[_Loop, ...]:
    """Every such loop of a file."""
    if "range" not in module.source.text or "function" not in module.source.text:
        return ()
    first: dict[FunctionNode, _Loop] = {}
    for loop in _found(resolver, module):
        known = first.setdefault(loop.function, loop)
        if _written(known.count) != _written(loop.count):
            # loops of different length in one function: no one number is right for a call
            first[loop.function] = replace(known, count=None)
    return tuple(first.values())


def _written(count: ast.expr | None) -> str:
    return "" if count is None else ast.dump(count)


def _found(resolver: Resolver, module: Module) -> Iterator[_Loop]:
    for node in module.index.of(ast.For):
        call = node.iter
        if not isinstance(call, ast.Call) or resolver.names(module, call.func)[0] != ("tf2.range",):
            continue
        function = _traced.around(resolver, module, node)
        if function is not None and _takes_batches(node):
            yield _Loop(function, node, None if _takes_more(function, node) else _limit(call))


def _limit(call: ast.Call) -> ast.expr | None:
    if len(call.args) == 1 and not any(item.arg in ("limit", "delta") for item in call.keywords):
        return call.args[0]
    starts_with_0 = isinstance(call.args[0], ast.Constant) and call.args[0].value == 0
    return call.args[1] if len(call.args) == 2 and starts_with_0 else None


def _takes_batches(loop: ast.For) -> bool:
    """Whether the body takes the next batch of an iterator, or passes an iterator on."""
    for item in (node for stmt in loop.body for node in ast.walk(stmt)):
        if isinstance(item, ast.Call):
            name = getattr(item.func, "id", "") or getattr(item.func, "attr", "")
            if name in ("next", "get_next", "get_next_as_optional"):
                return True
            if any(_is_iterator(value) for value in item.args):
                return True
    return False


def _takes_more(function: FunctionNode, loop: ast.For) -> bool:
    """Whether the function also takes batches outside of the loop in the same run."""
    inside = set(ast.walk(loop))
    aside = {
        node
        for item in ancestors(loop)
        if isinstance(item, ast.If)
        for branch in (item.body, item.orelse)
        if all(node is not loop for stmt in branch for node in ast.walk(stmt))
        for stmt in branch
        for node in ast.walk(stmt)
    }
    return any(
        isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "next"
        and node not in inside
        and node not in aside
        for node in ast.walk(function)
    )


def _is_iterator(value: ast.expr) -> bool:
    name = getattr(value, "id", "") or getattr(value, "attr", "")
    return name in ("iterator", "it", "data_iter") or name.endswith(("_iterator", "_iter"))


def _is_set_elsewhere(file: File) -> bool:
    """Whether the file sets the variable for the whole program."""
    return _VARIABLE in file.module.source.text


def _is_set_before(node: ast.AST) -> bool:
    """Whether a statement before it, in its block or one around, sets the loop size."""
    current = statement(node)
    while True:
        block = block_of(current)
        for item in block[: block.index(current)]:
            if any(_sets(inner) for inner in ast.walk(item)):
                return True
        around = next((item for item in ancestors(current) if isinstance(item, ast.stmt)), None)
        if around is None:
            return False
        current = around


def _sets(node: ast.AST) -> bool:
    name = getattr(node, "attr", "") or getattr(node, "id", "")
    return name == _SETTER and isinstance(parent(node), ast.Call)


@RULE.file
def report_dataset_loops(file: File) -> Diagnoses:
    """Loops over a whole dataset inside a function."""
    if "function" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.For):
        if _traced.around(file.resolver, file.module, node) is None or in_test(file, node):
            continue
        # last, because it may lead through the whole project
        if file.is_a(node.iter, "tf2.data.Dataset") is not True:
            continue
        source = file.brief(node.iter, 40)
        yield RULE.manual(
            file.at(node.iter),
            f"a loop over {source} inside a tf.function: the NPU feeds such loops NPU_LOOP_SIZE "
            "batches, not as many as there are",
            todo=(
                f"Move the loop out of the function: for batch in {source}, call a tf.function "
                "with one batch."
            ),
            effort=Effort.HOURS,
        )


@RULE.call("tf2.keras.Model.compile")
@outside_tests
def set_for_keras(site: CallSite) -> Diagnoses:
    """``model.compile(..., steps_per_execution=n)``."""
    value = site.args.value("steps_per_execution")
    if value is None or site.file.literal(value) in ((1,), (None,)):
        return
    if _is_set_elsewhere(site.file) or _is_set_before(site.node):
        return
    count = _number(site.file, value)
    text = f"npu_device.{_SETTER}({site.file.brief(value, 40)})"
    found = f"steps_per_execution={site.file.brief(value, 40)} runs several steps as one loop"
    if count is None or not isinstance(site.statement, _SIMPLE):
        yield RULE.blocker(
            site,
            f"{found}, and the NPU runs loops NPU_LOOP_SIZE times, 1 by default",
            todo=f"Call {text} before fit, or leave steps_per_execution out.",
            effort=Effort.MINUTES,
        )
        return
    fix = site.fix()
    text = f"{fix.use('npu_device')}.{_SETTER}({count})"
    fix.insert_before(site.node, text)
    yield RULE.auto_check(
        site,
        found,
        done=f"Set the NPU's loop size to the same number: {text}.",
        todo=(
            "The steps of an epoch, and those of validation, must be a multiple of it: give "
            "steps_per_epoch and validation_steps where they are not."
        ),
        fix=fix,
    )
