"""Replace tests of the compute capability for bfloat16, and report others."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Site, Status, names
from ascendify.rules.torch import _cuda, _release
from ascendify.source.nodes import is_called
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-5",
    title="Test for bfloat16 instead of a compute capability",
    why=(
        "An NPU has no compute capability: torch.npu.get_device_capability() returns None unless "
        "the environment variable TORCH_NPU_DEVICE_CAPABILITY is set to a pair such as 8.0, and "
        "comparing or unpacking None raises an error. Most programs only test whether bfloat16 "
        "works, for which there is torch.npu.is_bf16_supported()."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="bf16 = torch.cuda.get_device_capability()[0] >= 8",
    after="bf16 = torch.npu.is_bf16_supported()",
)

_AMPERE = 8
"""The first major capability with bfloat16."""
_BF16 = re.compile(r"bf16|bfloat", re.I)
_NONE = "It returns None on an NPU, so a comparison raises an error."
_VARIABLE = (
    " Set the environment variable TORCH_NPU_DEVICE_CAPABILITY=8.0 to get the values of an A100, "
    "or replace"
)
_REPLACE = (
    " the test by what is needed: torch.npu.is_bf16_supported() for bfloat16, True for half "
    "precision."
)


@RULE.call(_cuda.CAPABILITY, "torch.npu.get_device_capability")
def replace_test(site: CallSite) -> Diagnoses:
    """Replace a comparison that tests for bfloat16; rename and report other calls."""
    file = site.file
    test = _comparison(site.node)
    if test is not None and _is_ampere(file, test) and _is_about_bf16(file, test):
        fix = site.fix()
        new = f"{names.torch(file, fix, site.node.func)}.npu.is_bf16_supported()"
        fix.replace(test, new)
        yield RULE.auto(
            site.at(test),
            f"{file.brief(test)} tests for bfloat16 by the model numbers of NVIDIA",
            done=f"Replaced it by {new}.",
            fix=fix,
        )
        return
    if site.name == _cuda.CAPABILITY:
        yield from _renamed(site, site.node.func)


@RULE.reference(_cuda.CAPABILITY)
def report_passed_on(site: Site) -> Diagnoses:
    """Report the function where it is passed on."""
    if not is_called(site.node):
        yield from _renamed(site, site.node)


def _renamed(site: Site, func: ast.expr) -> Diagnoses:
    file = site.file
    found = f"{file.brief(func)} returns a compute capability, which an NPU does not have"
    fix = site.fix()
    new = _cuda.rename(file, fix, func)
    # older stacks do not read the variable
    answers = _release.behaves(file, "device_capability_variable")
    todo = _NONE + (_VARIABLE if answers else " Replace") + _REPLACE
    if file.facts.style == "transfer" or not fix.edits:
        yield RULE.manual(site, found, todo=todo)
        return
    done = f"Replaced it by {new}."
    yield RULE.auto_check(site, found, done=done, todo=todo, fix=fix)


def _comparison(call: ast.Call) -> ast.Compare | None:
    """``capability()[0] >= 8`` or ``capability() >= (8, 0)`` around a call."""
    around = parent(call)
    if isinstance(around, ast.Subscript) and around.value is call:
        around = parent(around)
    return around if isinstance(around, ast.Compare) and len(around.ops) == 1 else None


def _is_ampere(file: File, test: ast.Compare) -> bool:
    """Whether a comparison is true from Ampere on: ``>= 8``, ``> 7``, ``>= (8, 0)``."""
    left, bound = test.left, test.comparators[0]
    least: tuple[object, ...]
    if isinstance(left, ast.Subscript):
        if file.literal(left.slice) != (0,) or not isinstance(bound, ast.Constant):
            return False
        least = (bound.value,)
    elif isinstance(left, ast.Call) and isinstance(bound, ast.Tuple):
        least = tuple(getattr(item, "value", None) for item in bound.elts)
    else:
        return False
    if isinstance(test.ops[0], ast.GtE):
        return least in ((_AMPERE,), (_AMPERE, 0))
    return isinstance(test.ops[0], ast.Gt) and least == (_AMPERE - 1,)


def _is_about_bf16(file: File, test: ast.Compare) -> bool:
    """Whether the statement with the test, or the branch it guards, mentions bfloat16."""
    for around in ancestors(test):
        if isinstance(around, ast.If):
            return _BF16.search(file.text(around)) is not None
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _BF16.search(around.name) is not None
        if isinstance(around, ast.Return):
            continue
        if isinstance(around, ast.stmt):
            return _BF16.search(file.text(around)) is not None
    return False
