"""Replace NCCL by HCCL in strings that name a communication backend."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _backends, _edits
from ascendify.source.nodes import defaults, function_around, string, strings
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TORCH-DIST-1",
    title="Use HCCL as the backend of process groups",
    why=(
        "NCCL is the library of NVIDIA's GPUs; on NPUs torch.distributed has the backend hccl. A "
        "comparison with 'nccl' that is left unchanged is silently false, which is worse than a "
        "wrong backend."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    raises=True,
    before="dist.init_process_group('nccl', rank=rank, world_size=size)",
    after="dist.init_process_group('hccl', rank=rank, world_size=size)",
)


@RULE.file
def find_backends(file: File) -> Diagnoses:
    """Look at every literal that is a backend with NCCL."""
    if "nccl" not in file.module.source.text.lower():
        return
    known = file.resolver.once(_backends.passed_names, file.module)
    for node in file.module.index.of(ast.Constant):
        if isinstance(node, ast.Constant) and _backends.is_nccl(node.value):
            yield from _change(file, node, known)


def _change(file: File, node: ast.Constant, known: frozenset[str]) -> Diagnoses:
    role, what = _role(file, node, known)
    if role == "text" or _has_entry_for_npu(node):
        return
    switched = file.facts.style == "transfer"
    shown = file.brief(node)
    if role == "choices":
        if not switched:
            yield from _extended(file, node, what)
    elif role in ("value", "compared", "answer"):
        if switched and role != "answer" and not _backends.is_composite(node.value):
            return
        fix = file.fix()
        upper = "NCCL" in str(node.value)
        old, new = ("NCCL", "HCCL") if upper else ("nccl", "hccl")
        if not _edits.replace_word(fix, node, old, new):
            return
        _edits.replace_word(fix, node, "cuda", "npu")
        found = (
            f"{shown} is given as {what}" if role == "value" else f"{what} is compared with {shown}"
        )
        done = f"Replaced {shown} by {shown.replace(old, new).replace('cuda', 'npu')}."
        yield RULE.auto(file.at(node), found, done=done, fix=fix)
    else:
        yield RULE.manual(
            file.at(node),
            f"{shown} {what} may be a backend",
            todo="If it is passed to init_process_group or compared with a backend, write 'hccl'.",
        )


def _role(file: File, node: ast.Constant, known: frozenset[str]) -> tuple[str, str]:
    """What the literal is used for, and words for it."""
    inner: ast.AST = node
    around = parent(inner)
    while _is_passed_on(around, inner):
        inner, around = around, parent(around)
    if isinstance(around, ast.Expr) or isinstance(parent(node), (ast.JoinedStr, ast.Expr)):
        return "text", ""
    if isinstance(around, ast.Compare):
        return _compared(file, around, inner, known)
    if isinstance(around, ast.keyword):
        return _keyword(file, around, inner, known, node)
    if isinstance(around, ast.Call) and inner is not around.func:
        return _argument(file, around, inner, known)
    subject = getattr(parent(parent(around)), "subject", None)
    if type(around).__name__ == "MatchValue" and isinstance(subject, ast.expr):
        return _subject_role(file, subject, known, around)
    if isinstance(around, ast.Subscript) and _backends.last_word(around.value) == "Literal":
        return "choices", "types of the backend"
    named = _target(around, inner)
    if any(_is_backend(name, known) for name in named):
        return "value", named[0]
    return "unclear", f"in {file.brief(statement(node), 50)}"


def _has_entry_for_npu(node: ast.Constant) -> bool:
    """Whether it stands in a table of backends by device that has one for NPUs already."""
    table = parent(node)
    return isinstance(table, ast.Dict) and node in table.values and "npu" in map(string, table.keys)


def _is_passed_on(around: ast.AST, inner: ast.AST) -> bool:
    """Whether an expression may have the value of a part of it, or contains it in a list."""
    if isinstance(around, ast.IfExp):
        return inner is not around.test
    if isinstance(around, ast.Dict):
        # {'cuda': 'nccl', 'cpu': 'gloo'}[device]
        user = parent(around)
        return inner in around.values and isinstance(user, ast.Subscript) and user.value is around
    if isinstance(around, ast.Subscript):
        return isinstance(inner, ast.Dict)
    return isinstance(around, (ast.BoolOp, ast.List, ast.Tuple, ast.Set))


def _is_backend(name: str, known: frozenset[str]) -> bool:
    return name in known or _backends.says_backend(name)


def _compared(
    file: File, compare: ast.Compare, inner: ast.AST, known: frozenset[str]
) -> tuple[str, str]:
    others = [item for item in (compare.left, *compare.comparators) if item is not inner]
    found = [_subject_role(file, item, known, compare) for item in others]
    return next((item for item in found if item[0] != "unclear"), found[0])


def _subject_role(
    file: File, subject: ast.expr, known: frozenset[str], around: ast.AST
) -> tuple[str, str]:
    """What is compared: the backend that torch reports, or one that the program has chosen."""
    if _backends.is_reported(file, subject):
        return "answer", file.brief(subject)
    if _is_backend(_backends.last_word(_bare(subject)), known):
        return "compared", file.brief(subject)
    return "unclear", f"in {file.brief(around, 50)}"


def _bare(node: ast.expr) -> ast.expr:
    """``x`` for ``x.lower()``."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("lower", "upper", "strip")
    ):
        return _bare(node.func.value)
    return node


def _keyword(
    file: File, keyword: ast.keyword, inner: ast.AST, known: frozenset[str], node: ast.expr
) -> tuple[str, str]:
    call = parent(keyword)
    if not isinstance(call, ast.Call) or keyword.arg is None:
        return "unclear", f"in {file.brief(parent(keyword), 50)}"
    if _is_backend(keyword.arg, known):
        return "value", keyword.arg
    if keyword.arg == "args" and isinstance(inner, ast.Tuple) and node in inner.elts:
        name = _started(file, call, inner.elts.index(node))
        if name and _is_backend(name, known):
            return "value", f"{name} of the processes"
    if keyword.arg in ("default", "choices", "const", "default_value", "value"):
        named = [*_option_names(call), *_target(parent(call), call)]
        if any(_is_backend(name, known) for name in named):
            listed = keyword.arg == "choices" and isinstance(inner, (ast.List, ast.Tuple, ast.Set))
            shown = next((name for name in named if name), "")
            return ("choices" if listed else "value"), f"{keyword.arg} of {shown}"
    return "unclear", f"in {file.brief(call, 50)}"


def _started(file: File, call: ast.Call, number: int) -> str:
    """The parameter that gets an argument of mp.spawn or of a process."""
    if file.name(call.func) == "torch.multiprocessing.spawn" and call.args:
        return _backends.parameter(file, call.args[0], number + 1)
    target = next((item.value for item in call.keywords if item.arg in ("target", "fn")), None)
    return "" if target is None else _backends.parameter(file, target, number)


def _option_names(call: ast.Call) -> list[str]:
    """The option a call of add_argument, click.option or a flags module declares."""
    return [text.lstrip("-").replace("-", "_") for text in strings(call.args)]


def _argument(file: File, call: ast.Call, inner: ast.AST, known: frozenset[str]) -> tuple[str, str]:
    if inner not in call.args:
        return "unclear", f"in {file.brief(call, 50)}"
    number = call.args.index(inner)
    names, _ = file.names(call.func)
    if any(_backends.SINKS.get(name) == number for name in names):
        return "value", f"the backend of {file.brief(call.func)}"
    option = parent(parent(call)) if isinstance(parent(call), ast.keyword) else None
    if isinstance(option, ast.Call) and _backends.last_word(call.func) == "Choice":
        options = [item for item in _option_names(option) if _is_backend(item, known)]
        if options:
            return "choices", f"choices of {options[0]}"
    name = _backends.parameter(file, call.func, number)
    if name and _is_backend(name, known):
        return "value", f"{name} of {file.brief(call.func)}"
    first = call.args[0]
    if number == 1 and isinstance(first, ast.Constant) and _is_backend(str(first.value), known):
        # os.environ.get('BACKEND', 'nccl'), DEFINE_string('backend', 'nccl', ...)
        return "value", str(first.value)
    if any(_is_backend(item, known) for item in _target(parent(call), call)):
        return "value", _target(parent(call), call)[0]
    return "unclear", f"in {file.brief(call, 50)}"


def _target(around: ast.AST, inner: ast.AST) -> list[str]:
    """What a value is bound to: a variable, attribute, key, parameter, or a function's result."""
    if isinstance(around, ast.Assign):
        return [_backends.last_word(item) for item in around.targets]
    if isinstance(around, (ast.AnnAssign, ast.NamedExpr)):
        return [_backends.last_word(around.target)]
    if isinstance(around, ast.Dict):
        keys = [key for key, value in zip(around.keys, around.values) if value is inner]
        return [
            str(key.value) if isinstance(key, ast.Constant) else _backends.last_word(key)
            for key in keys
            if key is not None
        ]
    if isinstance(around, ast.arguments):
        return [item.arg for item, default in defaults(around) if default is inner]
    if isinstance(around, ast.Return):
        return [getattr(function_around(around), "name", "")]
    return []


def _extended(file: File, node: ast.Constant, what: str) -> Diagnoses:
    """Add HCCL to the choices of an option, and keep those that scripts may pass."""
    listed = parent(node)
    items = getattr(listed, "elts", [])
    new = _backends.hccl(file.brief(node))
    if any(getattr(item, "value", None) == _backends.hccl(str(node.value)) for item in items):
        return
    fix = file.fix()
    start = file.module.start(node)
    fix.replace_range(start, start, f"{new}, ")
    yield RULE.auto(
        file.at(node),
        f"the {what} do not contain {new}",
        done=f"Added {new}; {file.brief(node)} stays, so that scripts that pass it get torch's "
        "error message about a missing backend.",
        fix=fix,
    )
