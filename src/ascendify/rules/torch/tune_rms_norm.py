"""Compute root-mean-square norms with one operator of the NPU."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, File, FunctionSite, Rule, Status
from ascendify.rules.torch import _algebra, _tune
from ascendify.rules.torch._algebra import Formula
from ascendify.source.nodes import class_around, last_name
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TORCH-TUNE-4",
    title="Compute RMSNorm with one operator",
    why=(
        "A norm that is written out takes six operators forward and more backward, each of which "
        "reads and writes the whole tensor. npu_rms_norm is one. The steps stay for tensors that "
        "are not on an NPU, and for those whose type differs from that of the weight. Source: "
        "RmsNorm in the vendor's guide to tuning PyTorch models."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before=(
        "class RMSNorm(torch.nn.Module):\n"
        "    def __init__(self, size):\n"
        "        super().__init__()\n"
        "        self.weight = torch.nn.Parameter(torch.ones(size))\n"
        "\n"
        "    def forward(self, x):\n"
        "        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
        "        return x * scale * self.weight"
    ),
    after=(
        "class RMSNorm(torch.nn.Module):\n"
        "    def __init__(self, size):\n"
        "        super().__init__()\n"
        "        self.weight = torch.nn.Parameter(torch.ones(size))\n"
        "\n"
        "    def forward(self, x):\n"
        "        if x.is_npu and x.dtype == self.weight.dtype:\n"
        "            return torch_npu.npu_rms_norm(x, self.weight, epsilon=1e-6)[0]\n"
        "        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
        "        return x * scale * self.weight"
    ),
    safety=(
        "With float32 the last digit may differ. With float16 and bfloat16 the operator computes "
        "in float32 up to its result, where the steps may round before the weight is multiplied."
    ),
)
_TODO = (
    "With float16 or bfloat16, expect a difference of one rounding: it computes in float32 up to "
    "the result."
)
_ROOT = re.compile(r"r?sqrt|0\.5")
_ATTRIBUTE = re.compile(r"self\.\w+")
_EPSILON = re.compile(r"self(\.\w+)+|[\d.]+(e-?\d+)?|[A-Z][A-Z_\d]*")
"""An attribute, a number or a constant of the module: nothing that the method itself computes."""
_MADE = frozenset({"ones", "zeros", "empty", "rand", "randn", "full"})


@RULE.function
def use_operator(site: FunctionSite) -> Diagnoses:
    """Return the operator's result first, where ``forward`` computes exactly that norm."""
    function, owner = site.node, class_around(site.node)
    if not isinstance(function, ast.FunctionDef) or function.name != "forward" or owner is None:
        return
    names = [item.arg for item in function.args.args]
    if len(names) != 2 or not _ROOT.search(site.file.text(owner)):
        return
    found = _norm(_algebra.of_function(site.file, function, owner), names[1])
    if found is None or not _is_vector(site.file, owner, found[0]):
        return
    weight, epsilon = found
    x = names[1]
    fix = site.file.fix()
    operator = f"{fix.use('torch_npu')}.npu_rms_norm"
    call = f"{operator}({x}, {weight}, epsilon={epsilon})[0]"
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    fix.insert_before(first, f"if {x}.is_npu and {x}.dtype == {weight}.dtype:\n    return {call}")
    yield _tune.rewrite_or_note(
        RULE,
        site.file,
        function,
        f"{owner.name} computes in several operators what torch_npu.npu_rms_norm does in one",
        done="Returned the result of torch_npu.npu_rms_norm on an NPU.",
        todo=_TODO,
        fix=fix,
    )


def _norm(formula: Formula | None, x: str) -> tuple[str, str] | None:
    """Weight and epsilon of ``x * rsqrt(mean(x ** 2) + epsilon) * weight``."""
    if not isinstance(formula, tuple) or formula[0] != "mul" or len(formula) != 4:
        return None
    roots = [item for item in formula[1:] if isinstance(item, tuple) and item[0] == "rsqrt"]
    others = [item for item in formula[1:] if isinstance(item, str) and item != x]
    if len(roots) != 1 or len(others) != 1 or not _ATTRIBUTE.fullmatch(others[0]):
        return None
    total = roots[0][1]
    if not isinstance(total, tuple) or total[0] != "add" or len(total) != 3:
        return None
    epsilon = [item for item in total[1:] if isinstance(item, str) and _EPSILON.fullmatch(item)]
    if ("mean", ("square", x)) not in total or len(epsilon) != 1 or x not in formula:
        return None
    return others[0], epsilon[0]


def _is_vector(file: File, owner: ast.ClassDef, weight: str) -> bool:
    """Whether a weight surely is a parameter with one dimension."""
    bindings = scope_of(owner).attributes.get(weight.removeprefix("self."), [])
    return bool(bindings) and all(_makes_vector(file, item.value) for item in bindings)


def _makes_vector(file: File, value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call) or file.name(value.func) not in (
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
    ):
        return False
    made = value.args[0] if value.args else None
    if not isinstance(made, ast.Call) or last_name(made.func) not in _MADE:
        return False
    sizes = made.args
    return len(sizes) == 1 and not isinstance(sizes[0], (ast.Tuple, ast.List, ast.Starred))
