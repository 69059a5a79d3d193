"""NPU options written by hand: correct or report values of the wrong type."""

from __future__ import annotations

import ast

from ascendify.catalog import options
from ascendify.catalog.options import Option, OptionError
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.tf1 import _npu_entry

RULE = Rule(
    code="TF1-NPU-2",
    title="Give NPU options values of the right type",
    why=(
        "The adapter reads each option from one typed field and silently ignores the others. Text "
        "must be bytes: on Python 3 a str raises TypeError."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before='custom_op.parameter_map["precision_mode"].s = "allow_mix_precision"',
    after=(
        'custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")'
    ),
    safety="An option that was silently ignored takes effect.",
)

_STRICT = {
    "iterations_per_loop": int,
    "mix_compile_mode": bool,
    "jit_compile": str,
    "graph_run_mode": int,
    "enable_exception_dump": int,
    "horovod_mode": bool,
}
"""Arguments of NPURunConfig whose type its constructor checks."""


@RULE.file
def parameter_values(file: File) -> Diagnoses:
    """Fields and values in ``parameter_map``."""
    for item in _npu_entry.npu_parameters(file):
        problem = options.check_parameter(item.key, item.field)
        if problem is not None and problem.kind == "unknown-key":
            continue
        found = options.option(item.key)
        if found.internal or found.no_effect:
            continue
        if problem is not None:
            yield _wrong_field(file, item, found, problem.message)
            continue
        if item.field == "s" and _is_text(file, item.value):
            fix = file.fix()
            fix.wrap(item.value, f"{_npu_entry.as_bytes(file, fix)}(")
            yield RULE.auto(
                file.at(item.target),
                f"{item.key} is given text where bytes are needed",
                done=f"Wrapped {file.brief(item.value)} in as_bytes().",
                fix=fix,
            )
        yield from _values(file, found, _npu_entry.literal(file, item.value), item.target)


@RULE.call("npu.NPURunConfig")
def argument_values(site: CallSite) -> Diagnoses:
    """Arguments of NPURunConfig."""
    known = {item.run_config: item for item in options.all_options() if item.run_config}
    for argument in site.args:
        found = known.get(argument.name)
        values = site.file.literal(argument.value)
        if found is None or found.type == "object" or not values or None in values:
            continue
        strict = _STRICT.get(argument.name)
        if strict is not None and len(values) == 1 and type(values[0]) is not strict:
            yield from _retyped(site, found, argument.value, values[0])
            continue
        yield from _values(site.file, found, values, argument.value)


def _wrong_field(
    file: File, item: _npu_entry.EntryParameter, found: Option, message: str
) -> Diagnosis:
    values = _npu_entry.literal(file, item.value)
    text = None
    fix = file.fix()
    if values is not None and len(values) == 1:
        text = _spelled(file, fix, found, values[0])
    if text is None:
        return RULE.manual(
            file.at(item.target),
            message,
            todo=f"Write it to .{found.field}; {found.key} takes {found.expected}.",
        )
    end = file.module.end(item.target)
    fix.replace_range(end - len(item.field), end, str(found.field))
    fix.replace(item.value, text)
    return RULE.auto_check(
        file.at(item.target),
        message,
        done=f"Wrote it to .{found.field} as {text}.",
        todo=f"{found.key} takes effect now; make sure that is what you want.",
        fix=fix,
    )


def _spelled(file: File, fix: Fix, found: Option, value: object) -> str | None:
    """A value in the type of the option's own field; None when it cannot be converted."""
    try:
        typed = options.parse(found.key, value)
    except OptionError:
        return None
    if isinstance(typed, str):
        return f'{_npu_entry.as_bytes(file, fix)}("{typed}")'
    return repr(typed)


def _retyped(site: CallSite, found: Option, node: ast.expr, value: object) -> Diagnoses:
    text = (
        f"{found.key} is {value!r}, and NPURunConfig raises an error for a {type(value).__name__}"
    )
    try:
        typed = options.parse(found.key, value)
    except OptionError as error:
        yield RULE.manual(site.at(node), str(error), todo=f"Give it {found.expected}.")
        return
    if not isinstance(node, ast.Constant):
        yield RULE.manual(site.at(node), text, todo=f"Pass {typed!r}.")
        return
    fix = site.fix()
    new = f'"{typed}"' if isinstance(typed, str) else repr(typed)
    fix.replace(node, new)
    yield RULE.auto(site.at(node), text, done=f"Wrote {new}.", fix=fix)


def _values(
    file: File, found: Option, values: tuple[object, ...] | None, node: ast.AST
) -> Diagnoses:
    """Report literal values of an option that are wrong, or that some products lack."""
    for value in values or ():
        if value is None or value == "":
            continue
        try:
            typed = options.parse(found.key, value)
        except OptionError as error:
            yield RULE.manual(file.at(node), str(error), todo=f"Give {found.key} {found.expected}.")
            continue
        if typed is None:
            continue
        missing = options.unsupported_products(found, typed)
        if missing:
            names = ", ".join(options.products()[name] for name in missing)
            yield RULE.info(file.at(node), f"{found.key}={typed} is not available on {names}")


def _is_text(file: File, node: ast.expr) -> bool:
    """Whether a value is surely a str."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call):
        return file.name(node.func) in ("builtins.str", "os.path.join")
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):
        return _is_text(file, node.left)
    values = file.literal(node)
    return bool(values) and all(isinstance(value, str) for value in values or ())
