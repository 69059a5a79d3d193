"""Keep class numbers and positions in 32 bits on the NPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, File, Rule, Status, names
from ascendify.rules.torch import _batches, _tune
from ascendify.source.flow import backward, forward
from ascendify.source.nodes import given_value, last_name, receiver
from ascendify.source.scopes import parent

_HELPER = '''def {name}(labels):
    """Class numbers in 32 bits on an NPU, whose losses take both; anything else as it is."""
    return labels.int() if labels.is_npu and labels.dtype == @TORCH.int64 else labels'''

RULE = Rule(
    code="TORCH-TUNE-10",
    title="Keep class numbers and positions in 32 bits",
    why=(
        "NPUs compute with 32-bit integers, and with 64-bit ones more slowly. A loss takes class "
        "numbers, and an embedding takes positions, in both. 44 % of the models that people have "
        "migrated to NPUs by hand convert labels. Rewritten are labels that a loader yields and "
        "that only a loss, comparisons and questions about their size use, and positions from "
        "arange that only embeddings use. Source: the ports in the vendor's ModelZoo."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "criterion = torch.nn.CrossEntropyLoss()\n"
        "for x, y in torch.utils.data.DataLoader(dataset):\n"
        "    y = y.npu()\n"
        "    loss = criterion(model(x.npu()), y)"
    ),
    after=(
        "criterion = torch.nn.CrossEntropyLoss()\n"
        + _HELPER.replace("@TORCH", "torch").format(name="int32")
        + "\n\n\n"
        "for x, y in torch.utils.data.DataLoader(dataset):\n"
        "    y = int32(y.npu())\n"
        "    loss = criterion(model(x.npu()), y)"
    ),
)
_LOSSES = ("torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss")
_FUNCTIONS = ("torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss")
_LOSS_NAME = re.compile(r"loss|crit|entropy|nll", re.I)
"""Names of what may be a loss; to infer what each call of a file calls would take long."""
_MOVES = ("to", "cuda", "npu")
_SIZES = frozenset({"size", "numel", "dim"})
_SHAPES = frozenset({"shape", "device", "ndim"})
_SAME_VALUES = frozenset({"view", "view_as", "reshape", "flatten", "squeeze", "unsqueeze", "expand",
                          "expand_as", "repeat", "contiguous"})  # fmt: skip
"""Methods whose result has the same numbers, in another shape."""
_EMBEDDING = "torch.nn.Embedding"
_LONG = ("torch.long", "torch.int64")


@RULE.file
def keep_labels(file: File) -> Diagnoses:
    """Convert labels where they are copied to the device."""
    seen: set[ast.Call] = set()
    for call, target in _targets(file):
        made = backward.definitions(target)
        copy = _copy(made[0].value, made[0].path) if len(made) == 1 else None
        if copy is None or copy in seen or not isinstance(copy.func, ast.Attribute):
            continue
        seen.add(copy)
        if not _batches.holds(file, copy.func.value):
            continue
        if not all(_is_harmless(file, use) for use in _uses(target, made[0].node)):
            continue
        fix = file.fix()
        helper = _HELPER.replace("@TORCH", names.torch(file, fix, call))
        fix.wrap(copy, f"{fix.define(helper, 'int32', copy)}(")
        yield _tune.rewrite_or_note(
            RULE,
            file,
            copy,
            f"{target.id} holds class numbers in 64 bits",
            done="Converted them to 32 bits on an NPU.",
            fix=fix,
        )


@RULE.file
def keep_positions(file: File) -> Diagnoses:
    """Make positions for embeddings in 32 bits."""
    for call in file.module.index.calls_by_name.get("arange", ()):
        if file.name(call.func) != "torch.arange" or not _only_embedded(file, call):
            continue
        given = next((item for item in call.keywords if item.arg == "dtype"), None)
        if given is not None and file.name(given.value) not in _LONG:
            continue
        fix = file.fix()
        kind = f"{names.torch(file, fix, call)}.int32"
        if given is None:
            fix.add_argument(call, f"dtype={kind}")
        else:
            fix.replace(given.value, kind)
        yield _tune.rewrite_or_note(
            RULE,
            file,
            call,
            f"{file.brief(call)} makes positions in 64 bits, which only embeddings use",
            done=f"Made them {kind}.",
            fix=fix,
        )


def _targets(file: File) -> Iterator[tuple[ast.Call, ast.Name]]:
    """Each call of a loss with the variable that holds its class numbers."""
    for call in _losses(file):
        target = given_value(call, "target", 1)
        if isinstance(target, ast.Name) and _takes_both(file, call):
            yield call, target


def _losses(file: File) -> Iterator[ast.Call]:
    text = file.module.source.text
    if "cross_entropy" in text or "nll_loss" in text:
        for site in file.calls(*_FUNCTIONS):
            yield site.node
    for name, calls in file.module.index.calls_by_name.items():
        if _LOSS_NAME.search(name) is None:
            continue
        for call in calls:
            if len(call.args) + len(call.keywords) == 2 and file.kind(call.func) in _LOSSES:
                yield call


def _takes_both(file: File, call: ast.Call) -> bool:
    """Whether a loss only compares and selects: with smoothing, weights are looked up by them."""
    made: ast.expr | None = call
    if file.name(call.func) not in _FUNCTIONS:
        made = backward.only_value(call.func) if isinstance(call.func, ast.Name) else None
        while isinstance(made, ast.Call) and last_name(made.func) in _MOVES:
            made = receiver(made)
    if not isinstance(made, ast.Call):
        return False
    names_given = {keyword.arg for keyword in made.keywords}
    return None not in names_given and not {"weight", "label_smoothing"} <= names_given


def _copy(value: ast.expr | None, path: tuple[int, ...]) -> ast.Call | None:
    """The call of ``y = y.npu()``, or of ``x, y = x.npu(), y.npu()``, that copies to the device."""
    while path and isinstance(value, (ast.Tuple, ast.List)) and path[0] < len(value.elts):
        value, path = value.elts[path[0]], path[1:]
    is_copy = isinstance(value, ast.Call) and last_name(value.func) in _MOVES and not path
    return value if is_copy and isinstance(value, ast.Call) else None


def _uses(name: ast.Name, assignment: ast.AST) -> list[ast.Name]:
    """The places that may read what an assignment gives to a variable."""
    return [
        use
        for use in forward.reads(name)
        if any(item.node is assignment for item in backward.definitions(use))
    ]


def _is_harmless(file: File, use: ast.expr) -> bool:
    """Whether a use of class numbers yields the same with 32 bits."""
    around = parent(use)
    if isinstance(around, ast.Attribute):
        call = parent(around)
        if around.attr in _SHAPES or around.attr in _SIZES:
            return True
        if not isinstance(call, ast.Call) or call.func is not around:
            return False
        if around.attr in ("eq", "ne"):
            return True
        return around.attr in _SAME_VALUES and _is_harmless(file, call)
    if isinstance(around, ast.Compare):
        return all(isinstance(item, (ast.Eq, ast.NotEq)) for item in around.ops)
    if not isinstance(around, ast.Call):
        return False
    name = last_name(around.func)
    if name in ("eq", "ne", "view_as", "expand_as", "len", "int32"):
        return True
    is_target = given_value(around, "target", 1) is use
    is_loss = file.name(around.func) in _FUNCTIONS or file.kind(around.func) in _LOSSES
    return is_target and is_loss and _takes_both(file, around)


def _only_embedded(file: File, made: ast.expr) -> bool:
    """Whether numbers are used by nothing but embeddings, perhaps in another shape."""
    around = parent(made)
    if isinstance(around, ast.Attribute) and around.attr in _SAME_VALUES:
        call = parent(around)
        return isinstance(call, ast.Call) and call.func is around and _only_embedded(file, call)
    if isinstance(around, ast.Call) and len(around.args) == 1 and around.args[0] is made:
        return not around.keywords and file.kind(around.func) == _EMBEDDING
    if isinstance(around, ast.Assign) and around.value is made and len(around.targets) == 1:
        store = around.targets[0]
        uses = _uses(store, around) if isinstance(store, ast.Name) else []
        return bool(uses) and all(_is_used_once(use) and _only_embedded(file, use) for use in uses)
    return False


def _is_used_once(use: ast.Name) -> bool:
    """Whether only one assignment reaches a use."""
    return len(backward.definitions(use)) == 1
