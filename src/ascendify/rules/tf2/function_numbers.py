"""Python numbers that change at every call of a traced training step."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, FunctionSite, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf2 import _traced
from ascendify.source.flow import backward
from ascendify.source.nodes import last_name, values_given

RULE = Rule(
    code="TF2-FUNC-5",
    title="Give a step numbers that change as tensors",
    why=(
        "A tf.function is traced anew for every value of a Python number that it is given. On an "
        "NPU each trace is compiled, which takes minutes."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-FUNC-2",),
    before=(
        "@tf.function\n"
        "def step(x, i):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = network(x) * i\n"
        "    return tape.gradient(loss, network.trainable_variables)\n"
        "for i in range(100):\n"
        "    step(x, i)"
    ),
)

_COUNTERS = frozenset({"range", "enumerate", "trange"})
_TAPE = "GradientTape"


@RULE.function
def report_numbers(site: FunctionSite) -> Diagnoses:
    """A traced training step that is called with the counter of a loop."""
    file, function = site.file, site.node
    if isinstance(function, ast.Lambda) or _TAPE not in file.module.source.text:
        return
    if in_test(file, function):
        return
    if not _mentions_tape(function) or not _traced.is_traced(file, function):
        return
    for module, call, _ in _traced.calls(file.resolver, file.module, function):
        counter = next((item for item in values_given(call) if _is_counter(item)), None)
        if counter is not None and module is file.module:
            yield RULE.manual(
                file.at(counter),
                f"{function.name} is traced for every value of {file.brief(counter, 30)}",
                todo=(
                    f"Pass tf.constant({file.brief(counter, 30)}), of the type that the step "
                    "computes with, or leave it out where the step does not need it."
                ),
            )
            return


def _mentions_tape(function: ast.AST) -> bool:
    parts = ast.walk(function)
    return any(isinstance(item, ast.Attribute) and item.attr == _TAPE for item in parts)


def _is_counter(node: ast.expr) -> bool:
    """Whether an argument is a number that a loop counts, alone or in a sum."""
    if isinstance(node, ast.BinOp):
        return any(map(_is_counter, (node.left, node.right)))
    if not isinstance(node, ast.Name):
        return False
    found = backward.definitions(node)
    return bool(found) and all(
        item.kind == "iter"
        and isinstance(item.value, ast.Call)
        and last_name(item.value.func) in _COUNTERS
        and isinstance(item.value.func, ast.Name)
        and (last_name(item.value.func) != "enumerate" or _first(item.path))
        for item in found
    )


def _first(path: tuple[int, ...]) -> bool:
    """Whether a name is the counter of ``enumerate``."""
    return path[-1:] == (0,) and len(path) == 1
