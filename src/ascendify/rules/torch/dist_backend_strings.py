"""The backend of process groups: NCCL by name becomes HCCL, wherever the name is a backend."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _backends, _edits
from ascendify.source.nodes import strings
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TORCH-DIST-1",
    title="Let process groups communicate through HCCL",
    why=(
        "NCCL is the library of NVIDIA's GPUs; on NPUs torch.distributed has the backend hccl. A "
        "comparison with 'nccl' that is left behind is worse than a wrong backend: it is quietly "
        "false."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="dist.init_process_group('nccl', rank=rank, world_size=size)",
    after="dist.init_process_group('hccl', rank=rank, world_size=size)",
)


@RULE.file
def find_backends(file: File) -> Diagnoses:
    """Look at every literal that is a backend with NCCL in it."""
    if "nccl" not in file.module.source.text.lower():
        return
    known = file.resolver.once(_backends.handed_over, file.module)
    for node in file.module.index.of(ast.Constant):
        if isinstance(node, ast.Constant) and _backends.is_nccl(node.value):
            yield from _judge(file, node, known)


def _judge(file: File, node: ast.Constant, known: frozenset[str]) -> Diagnoses:
    role, what = _role(file, node, known)
    if role == "text":
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
        done = f"Replaced {shown} by {_new(file, node, old, new)}."
        yield RULE.auto(file.at(node), found, done=done, fix=fix)
    else:
        yield RULE.manual(
            file.at(node),
            f"{shown} stands {what}, and it cannot be seen whether it is a backend",
            todo="If it reaches init_process_group or a comparison of backends, write 'hccl'.",
        )


def _new(file: File, node: ast.Constant, old: str, new: str) -> str:
    return file.brief(node).replace(old, new).replace("cuda", "npu")


def _role(file: File, node: ast.Constant, known: frozenset[str]) -> tuple[str, str]:
    """What the literal is for, and how to say so."""
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
        return _asked_about(file, subject, known, around)
    if isinstance(around, ast.Subscript) and _backends.last_word(around.value) == "Literal":
        return "choices", "types of the backend"
    named = _target(around, inner)
    if any(_is_backend(name, known) for name in named):
        return "value", named[0]
    return "unclear", f"in {file.brief(statement(node), 50)}"


def _is_passed_on(around: ast.AST, inner: ast.AST) -> bool:
    """Whether an expression may have the value of a part of it, or is a collection of such."""
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
    return name in known or _backends.is_called_backend(name)


def _compared(
    file: File, compare: ast.Compare, inner: ast.AST, known: frozenset[str]
) -> tuple[str, str]:
    others = [item for item in (compare.left, *compare.comparators) if item is not inner]
    found = [_asked_about(file, item, known, compare) for item in others]
    return next((item for item in found if item[0] != "unclear"), found[0])


def _asked_about(
    file: File, subject: ast.expr, known: frozenset[str], around: ast.AST
) -> tuple[str, str]:
    """What is compared: torch's answer, or a backend the program has chosen."""
    if _backends.is_asked(file, subject):
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
    """The parameter an argument of mp.spawn or of a process arrives at."""
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
        return _parameter_of(around, inner)
    if isinstance(around, ast.Return):
        function = around
        while not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            function = parent(function)  # type: ignore[assignment]  # climbs to any node
        return [getattr(function, "name", "")]
    return []


def _parameter_of(arguments: ast.arguments, inner: ast.AST) -> list[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults),
        *zip(arguments.kwonlyargs, arguments.kw_defaults),
    ]
    return [item.arg for item, default in pairs if default is inner]


def _extended(file: File, node: ast.Constant, what: str) -> Diagnoses:
    """An option keeps what scripts may pass; HCCL comes in addition."""
    listed = parent(node)
    items = getattr(listed, "elts", [])
    new = file.brief(node).replace("nccl", "hccl").replace("NCCL", "HCCL")
    if any(getattr(item, "value", None) == _new_value(node) for item in items):
        return
    fix = file.fix()
    start = file.module.start(node)
    fix.replace_range(start, start, f"{new}, ")
    yield RULE.auto(
        file.at(node),
        f"the {what} do not have {new}",
        done=f"Added {new}; {file.brief(node)} stays, so that scripts that pass it get torch's "
        "message about a backend that is not there.",
        fix=fix,
    )


def _new_value(node: ast.Constant) -> str:
    return str(node.value).replace("nccl", "hccl").replace("NCCL", "HCCL")
