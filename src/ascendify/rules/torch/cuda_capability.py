"""Replace tests of the compute capability by what they ask for, and report others."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Fix,
    Rule,
    Site,
    Status,
    names,
)
from ascendify.rules.torch import _cuda, _release
from ascendify.source.nodes import is_called
from ascendify.source.scopes import ancestors, parent, scope_of, statement

RULE = Rule(
    code="TORCH-CUDA-5",
    title="Test for bfloat16 instead of a compute capability",
    why=(
        "An NPU has no compute capability: torch.npu.get_device_capability() returns None, and "
        "comparing, indexing or unpacking None raises an error. From stack 26.0.0 on it returns "
        "the pair in the environment variable TORCH_NPU_DEVICE_CAPABILITY where that is set. Most "
        "programs only test whether bfloat16 or half precision works, for which there are "
        "torch.npu.is_bf16_supported() and torch.npu.is_available()."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before="bf16 = torch.cuda.get_device_capability()[0] >= 8",
    after="bf16 = torch.npu.is_bf16_supported()",
)

_BF16, _HALF = "bfloat16", "half precision"
_FEATURES = {
    _BF16: re.compile(r"bf16|bfloat", re.I),
    _HALF: re.compile(r"fp16|float16|\bhalf\b|_half|half_|tensor.?cores?", re.I),
}
"""What programs ask a compute capability for, and the words by which they say so."""
_FIRST_MAJOR = {_BF16: 8, _HALF: 7}
"""The first major capability with each: Ampere for bfloat16, Volta for fast half precision."""
_ANSWER = {_BF16: "npu.is_bf16_supported()", _HALF: "npu.is_available()"}
"""The same question to an NPU, below torch; every NPU computes in half precision."""
_PAIR, _MAJOR, _OTHER = "pair", "major", "other"
_MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_RAISES = "It is None on an NPU, so this raises an error."
_SHOWS = "It is None on an NPU."
_VARIABLE = (
    " Set the environment variable TORCH_NPU_DEVICE_CAPABILITY=8.0 to get the values of an A100, "
    "or replace"
)
_REPLACE = (
    " the test by what is needed: torch.npu.is_bf16_supported() for bfloat16, True for half "
    "precision."
)


@dataclass
class _Uses:
    """Where a program uses a compute capability, followed through a variable."""

    found: list[tuple[ast.expr, str]] = field(default_factory=list)
    """Expressions, each with what it is: the pair, its first number, or anything else."""
    holder: ast.stmt | None = None
    """The assignment to a variable that only these expressions read."""


@RULE.call(_cuda.CAPABILITY, "torch.npu.get_device_capability")
def replace_test(site: CallSite) -> Diagnoses:
    """Replace comparisons that ask for bfloat16 or half precision; rename and report others."""
    file = site.file
    uses = _uses(file, site.node)
    tests = [_question(file, node, kind) for node, kind in uses.found]
    certain = [item for item in tests if item is not None]
    if certain and len(certain) == len(tests):
        fix = site.fix()
        spelled = names.torch(file, fix, site.node.func)
        answers = [_replaced(file, fix, test, spelled, feature) for test, feature in certain]
        if uses.holder is not None:
            fix.remove_statement(uses.holder)
        first, feature = certain[0]
        yield RULE.auto(
            site.at(first if uses.holder is None else site.node),
            f"{file.brief(first)} tests for {feature} by the model numbers of NVIDIA",
            done=f"Replaced it by {' and '.join(dict.fromkeys(answers))}.",
            fix=fix,
        )
        return
    raises = any(_raises(node, kind) for node, kind in uses.found)
    if site.name == _cuda.CAPABILITY or raises:
        yield _renamed(site, site.node.func, raises)


@RULE.reference(_cuda.CAPABILITY)
def report_passed_on(site: Site) -> Diagnoses:
    """Report the function where it is passed on."""
    if not is_called(site.node):
        yield _renamed(site, site.node, raises=False)


def _renamed(site: Site, func: ast.expr, raises: bool) -> Diagnosis:
    """Rename the function, and say what a person has to decide."""
    file = site.file
    found = f"{file.brief(func)} returns a compute capability, which an NPU does not have"
    fix = site.fix()
    new = _cuda.rename(file, fix, func)
    # older stacks do not read the variable
    answers = _release.behaves(file, "device_capability_variable")
    todo = (_RAISES if raises else _SHOWS) + (_VARIABLE if answers else " Replace") + _REPLACE
    if file.facts.style == "transfer" or not fix.edits:
        return RULE.manual(site, found, todo=todo)
    done = f"Replaced it by {new}."
    status = Status.MANUAL if raises else Status.AUTO_CHECK
    return RULE.finding(status, site, found, done=done, todo=todo, effort=Effort.MINUTES, fix=fix)


def _uses(file: File, call: ast.Call) -> _Uses:
    """Every use of what a call returns; the call itself where no variable holds it."""
    around = parent(call)
    if not isinstance(around, ast.Assign) or around.value is not call or len(around.targets) != 1:
        return _Uses([_expression(call, _PAIR)])
    target = around.targets[0]
    if isinstance(target, ast.Name):
        reads = _only_reads(file, target, around)
        if reads is None:
            return _Uses([(call, _OTHER)])
        return _Uses([_expression(item, _PAIR) for item in reads], around if reads else None)
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return _Uses([(call, _OTHER)])
    found: list[tuple[ast.expr, str]] = []
    for number, kind in zip(target.elts, (_MAJOR, _OTHER)):
        reads = _only_reads(file, number, around) if isinstance(number, ast.Name) else None
        if reads is None:
            return _Uses([(call, _OTHER)])
        found += [(item, kind) for item in reads]
    return _Uses(found, around) if found else _Uses([(call, _OTHER)])


def _only_reads(file: File, name: ast.Name, bound_by: ast.Assign) -> list[ast.Name] | None:
    """Every read of a variable that nothing else binds; None where other files may read it."""
    scope = scope_of(name)
    bindings = scope.bindings.get(name.id, [])
    if len(bindings) != 1 or statement(bindings[0].node) is not bound_by:
        return None
    if name.id in scope.outer or scope.kind not in ("function", "module"):
        return None
    if scope.kind == "module" and file.resolver.project.importer_paths(file.path):
        return None
    return scope.uses(name.id)


def _expression(node: ast.expr, kind: str) -> tuple[ast.expr, str]:
    """A pair, or the number that is taken out of it."""
    around = parent(node)
    if kind == _PAIR and isinstance(around, ast.Subscript) and around.value is node:
        first = isinstance(around.slice, ast.Constant) and around.slice.value == 0
        return around, _MAJOR if first else _OTHER
    return node, kind


def _question(file: File, node: ast.expr, kind: str) -> tuple[ast.Compare, str] | None:
    """The comparison around an expression and what it asks for, where both are certain."""
    test = parent(node)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    feature = _feature_tested(file, test)
    bound = test.comparators[0] if test.left is node else test.left
    if feature is None or _least(test, node, bound, kind) != _FIRST_MAJOR[feature]:
        return None
    return test, feature


def _least(test: ast.Compare, node: ast.expr, bound: ast.expr, kind: str) -> int | None:
    """The least major capability for which a comparison is true, or else for which it is false."""
    operator: type[ast.cmpop] = type(test.ops[0])
    if test.left is not node:
        operator = _MIRRORED.get(operator, operator)
    number: object = None
    if kind == _MAJOR and isinstance(bound, ast.Constant):
        number = bound.value
    elif kind == _PAIR and isinstance(bound, ast.Tuple):
        values = [getattr(item, "value", None) for item in bound.elts]
        if len(values) <= 2 and values[1:] in ([], [0]) and operator in (ast.GtE, ast.Lt):
            number = values[0]
    if isinstance(number, bool) or not isinstance(number, (int, float)) or number != int(number):
        return None
    if operator in (ast.GtE, ast.Lt):
        return int(number)
    return int(number) + 1 if operator in (ast.Gt, ast.LtE) else None


def _replaced(file: File, fix: Fix, test: ast.Compare, torch: str, feature: str) -> str:
    """Replace a comparison by the question it stands for; return the new text."""
    answer = f"{torch}.{_ANSWER[feature]}"
    mirrored = isinstance(test.ops[0], (ast.Lt, ast.LtE)) != isinstance(
        test.left, (ast.Constant, ast.Tuple)
    )
    if not mirrored:
        fix.replace(test, answer)
        return answer
    new = f"not {answer}"
    bare = isinstance(parent(test), (ast.stmt, ast.BoolOp, ast.Call, ast.IfExp, ast.keyword))
    fix.replace(test, new if bare else f"({new})")
    return new


def _feature_tested(file: File, test: ast.Compare) -> str | None:
    """What a comparison asks for: the statement with it, or the branch it guards, says so."""
    text = _around(file, test)
    return next((feature for feature, words in _FEATURES.items() if words.search(text)), None)


def _around(file: File, test: ast.Compare) -> str:
    """The text that says what a test is for: a guarded branch, a function's name, a statement."""
    for around in ancestors(test):
        if isinstance(around, ast.If):
            return file.text(around)
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return around.name
        if isinstance(around, ast.stmt) and not isinstance(around, ast.Return):
            return file.text(around)
    return ""


def _raises(node: ast.expr, kind: str) -> bool:
    """Whether a use of None in place of a capability raises an error."""
    return not (isinstance(node, ast.Call) or kind == _PAIR) or _is_computed(node)


def _is_computed(node: ast.expr) -> bool:
    """Whether an expression is compared by size, taken apart or computed with, not just shown."""
    around = parent(node)
    if isinstance(around, ast.Compare):
        return isinstance(around.ops[0], tuple(_MIRRORED))
    if isinstance(around, ast.Assign):
        return isinstance(around.targets[0], (ast.Tuple, ast.List))
    return isinstance(around, (ast.Subscript, ast.Starred, ast.BinOp, ast.For, ast.comprehension))
