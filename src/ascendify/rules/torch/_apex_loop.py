"""Find the one training loop of a file that uses apex.amp, and rewrite it for torch.npu.amp.

The loop is rewritten only where all its parts are in one function and nothing else uses apex.amp:
a loop that is rewritten in part would train wrongly.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Facts, File, Fix, names
from ascendify.rules.torch import _apex
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import block_of, only_target
from ascendify.source.scopes import parent, scope_of, statement

_LEVELS = ("O1", "O2")
_KNOWN = frozenset(
    {"models", "optimizers", "opt_level", "loss_scale", "keep_batchnorm_fp32", "verbosity"}
)
"""Arguments of initialize that are understood; a call with others is not rewritten."""


@dataclass(frozen=True)
class ApexLoop:
    """The parts of a training loop."""

    site: CallSite
    """The call of ``apex.amp.initialize``."""
    initialize: ast.stmt
    """The statement with that call, or the condition around it."""
    condition: str
    """The condition under which apex is used, empty where it always is."""
    model: str
    optimizer: str
    level: str
    region: tuple[ast.stmt, ...]
    """The forward pass and the loss."""
    loss: str
    scaling: ast.stmt
    """The statement that scales the loss, or the condition around it."""
    step: ast.Call
    clips: tuple[tuple[ast.Call, ast.stmt], ...] = ()
    """Calls of master_params for gradient clipping, and their statements."""


def find(file: File) -> ApexLoop | None:
    """The loop of a file, where there is one and nothing else uses apex.amp."""
    if "apex" not in file.module.source.text:
        return None
    return file.resolver.once(_find_in_module, file.module)


def _find_in_module(resolver: Resolver, module: Module) -> ApexLoop | None:
    file = File(module, resolver, Facts())
    starts = list(_apex.amp_calls(file, "initialize"))
    scalings = list(_apex.amp_calls(file, "scale_loss"))
    clips = list(_apex.amp_calls(file, "master_params"))
    mentions = list(file.references("apex.amp.*"))
    if len(starts) != 1 or len(scalings) != 1 or len(mentions) != 2 + len(clips):
        return None
    start, scaling = starts[0], scalings[0]
    assigned, block = _assigned(start), _scaling_block(scaling)
    if assigned is None or block is None or scope_of(start.node) is not scope_of(scaling.node):
        return None
    model, optimizer = assigned
    loss = file.text(scaling.node.args[0])
    whole, condition = _with_condition(file, statement(start.node))
    scaled = _scaling_statement(file, block, condition, loss)
    if whole is None or scaled is None or file.text(scaling.node.args[1]) != optimizer:
        return None
    region = _forward(file, scaled, model, loss)
    step = _step(file, start, optimizer, scaled)
    clipped = None if step is None else _clips(file, clips, optimizer, scaled, step)
    if not region or step is None or clipped is None:
        return None
    return ApexLoop(
        start, whole, condition, model, optimizer, _level(start) or "", region, loss, scaled, step,
        clipped,
    )  # fmt: skip


def _contains(statements: Iterable[ast.stmt], test: Callable[[ast.AST], bool]) -> bool:
    return any(test(node) for item in statements for node in ast.walk(item))


def _with_condition(file: File, start: ast.stmt) -> tuple[ast.stmt | None, str]:
    """A statement with the ``if`` around it, and the condition; None where that is not simple."""
    guard = parent(start)
    if not isinstance(guard, ast.If):
        return (None if isinstance(guard, ast.Try) else start), ""
    simple = (
        isinstance(guard.test, (ast.Name, ast.Attribute))
        and not guard.orelse
        and guard.body[-1] is start
        and all(map(_only_imports, guard.body[:-1]))
        and not _is_branch(guard)
    )
    return (guard, file.text(guard.test)) if simple else (None, "")


def _is_branch(guard: ast.If) -> bool:
    """Whether an ``if`` is the ``elif``, or in the ``else``, of another statement."""
    return guard in getattr(parent(guard), "orelse", ())


def _only_imports(node: ast.stmt) -> bool:
    """Whether a statement only imports, or tries to."""
    body = node.body if isinstance(node, ast.Try) else [node]
    return all(isinstance(item, (ast.Import, ast.ImportFrom)) for item in body)


def _scaling_statement(file: File, block: ast.With, condition: str, loss: str) -> ast.stmt | None:
    """``if fp16: with scale_loss(...) ... else: loss.backward()`` where there is a condition."""
    guard = parent(block)
    if not condition:
        other_way = isinstance(guard, ast.If) and _contains(
            guard.orelse, lambda node: getattr(node, "attr", "") == "backward"
        )
        return None if other_way else block
    if not isinstance(guard, ast.If) or guard.body != [block] or len(guard.orelse) != 1:
        return None
    other = guard.orelse[0]
    plain = isinstance(other, ast.Expr) and file.text(other.value) == f"{loss}.backward()"
    same = plain and not _is_branch(guard) and file.text(guard.test) == condition
    return guard if same else None


def _level(site: CallSite) -> str | None:
    """The level, as written or as the default of an option; None where it is not supported."""
    given = site.args.value("opt_level")
    if given is None:
        return "O1"
    values = site.file.literal(given)
    if values is None and isinstance(given, ast.Attribute):
        values = tuple(_defaults(site.file, given.attr))
    return str(values[0]) if values and all(value in _LEVELS for value in values) else None


def _defaults(file: File, name: str) -> list[object]:
    """The defaults of an option of argparse."""
    return [
        getattr(keyword.value, "value", None)
        for call in file.module.index.calls_by_name.get("add_argument", ())
        if any(getattr(item, "value", None) == f"--{name}" for item in call.args)
        for keyword in call.keywords
        if keyword.arg == "default"
    ]


def _assigned(site: CallSite) -> tuple[str, str] | None:
    """``model, optimizer = amp.initialize(model, optimizer, opt_level="O1")``."""
    args, text = site.args, site.file.text
    target = only_target(parent(site.node))
    given = [args.value("models"), args.value("optimizers")]
    if args.starred or not all(isinstance(item, (ast.Name, ast.Attribute)) for item in given):
        return None
    model, optimizer = (text(item) for item in given if item is not None)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    known = {argument.name for argument in args} <= _KNOWN
    understood = known and _level(site) is not None and _scale(site) is not None
    same = [text(item) for item in target.elts] == [model, optimizer]
    return (model, optimizer) if same and understood else None


def _scale(site: CallSite) -> str | None:
    """The arguments of the GradScaler, None where the loss scale is not a literal."""
    given = site.args.value("loss_scale")
    values = ("dynamic",) if given is None else site.file.literal(given) or ()
    if len(values) != 1:
        return None
    if values[0] in ("dynamic", None):
        return ""
    if given is None or not isinstance(values[0], (int, float)) or isinstance(values[0], bool):
        return None
    return f"init_scale={site.file.text(given)}, dynamic=False"


def scaler(site: CallSite) -> str:
    """The GradScaler that replaces apex' own, for a message."""
    arguments = _scale(site)
    given = site.args.value("loss_scale")
    if arguments is None and given is not None:
        return f"torch.npu.amp.GradScaler() (loss_scale was {site.file.text(given)})"
    return f"torch.npu.amp.GradScaler({arguments})"


def _scaling_block(site: CallSite) -> ast.With | None:
    """``with amp.scale_loss(loss, optimizer) as scaled: scaled.backward()``."""
    item = parent(site.node)
    block = parent(item)
    if not isinstance(item, ast.withitem) or not isinstance(block, ast.With):
        return None
    if len(site.node.args) != 2 or site.node.keywords or len(block.items) != 1:
        return None
    name = getattr(item.optional_vars, "id", None)
    body = [site.file.text(only) for only in block.body]
    return block if name and body == [f"{name}.backward()"] else None


def _forward(file: File, scaling: ast.stmt, model: str, loss: str) -> tuple[ast.stmt, ...]:
    """The statements from the first call of the model to the last one that computes the loss."""

    def calls_model(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and file.text(node.func) == model

    def binds_loss(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == loss and isinstance(node.ctx, ast.Store)

    block = block_of(scaling)
    before = block[: block.index(scaling)]
    first = next(
        (i for i, item in enumerate(before) if _contains([item], calls_model)), len(before)
    )
    region = tuple(before[first:])
    while region and not _contains(region[-1:], binds_loss):
        region = region[:-1]
    shares_line = first > 0 and any(
        item.lineno == before[first - 1].end_lineno for item in region[:1]
    )
    return () if shares_line or _contains(region, _leaves) else region


def _leaves(node: ast.AST) -> bool:
    """Whether a node ends the iteration or already does what comes after the forward pass."""
    leaving = (ast.Return, ast.Continue, ast.Break, ast.Yield)
    return isinstance(node, leaving) or getattr(node, "attr", "") in ("backward", "step")


def _step(file: File, start: CallSite, optimizer: str, scaling: ast.stmt) -> ast.Call | None:
    """The only call of the optimizer's step, a statement of its own after the scaling."""
    found = [
        call
        for call in file.module.index.calls_by_name.get("step", ())
        if file.text(call.func) == f"{optimizer}.step"
    ]
    call = found[0] if len(found) == 1 else None
    if call is None or call.args or call.keywords or call.lineno <= (scaling.end_lineno or 0):
        return None
    same = scope_of(call) is scope_of(start.node)
    return call if same and isinstance(parent(call), ast.Expr) else None


def _clips(
    file: File, sites: list[CallSite], optimizer: str, scaling: ast.stmt, step: ast.Call
) -> tuple[tuple[ast.Call, ast.stmt], ...] | None:
    """The use of master_params between the scaling and the step; None where one is elsewhere."""
    for site in sites:
        whole = statement(site.node)
        if (
            [file.text(item) for item in site.node.args] != [optimizer]
            or not isinstance(whole, (ast.Expr, ast.Assign))
            or not (scaling.end_lineno or 0) < whole.lineno <= step.lineno
            or scope_of(site.node) is not scope_of(step)
        ):
            return None
        guard = parent(whole)
        if isinstance(guard, ast.If) and guard.orelse:
            line = guard.orelse[0]
            if guard.body != [whole] or len(guard.orelse) != 1 or line.lineno != line.end_lineno:
                return None
    return None if len(sites) > 1 else tuple((site.node, statement(site.node)) for site in sites)


def rewrite(file: File, fix: Fix, loop: ApexLoop) -> None:
    """Make all edits of the loop."""
    name = fix.fresh("scaler")
    amp = f"{names.torch(file, fix, loop.initialize)}.npu.amp"
    enabled = f"enabled={loop.condition}" if loop.condition else ""
    arguments = ", ".join(item for item in (_scale(loop.site), enabled) if item)
    fix.replace(loop.initialize, f"{name} = {amp}.GradScaler({arguments})")
    fix.insert_before(loop.region[0], f"with {amp}.autocast({enabled}):")
    _indent(file, fix, loop.region)
    fix.replace(loop.scaling, f"{name}.scale({loop.loss}).backward()")
    unscale = f"{name}.unscale_({loop.optimizer})"
    for call, whole in loop.clips:
        guard = parent(whole)
        guarded = isinstance(guard, ast.If) and loop.condition == file.text(guard.test)
        if isinstance(guard, ast.If) and guarded and guard.orelse:
            # the else branch now serves both cases
            between = file.module.source.newline + file.module.indent(guard)
            fix.replace(guard, unscale + between + file.text(guard.orelse[0]))
        else:
            fix.insert_before(whole, unscale)
            fix.replace(call, f"{loop.model}.parameters()")
    fix.replace(loop.step, f"{name}.step({loop.optimizer})")
    fix.insert_after(loop.step, f"{name}.update()")


def _indent(file: File, fix: Fix, region: tuple[ast.stmt, ...]) -> None:
    """Indent the lines of statements by one level, but not lines inside strings."""
    source = file.module.source
    inside = {
        line
        for item in region
        for node in ast.walk(item)
        if isinstance(node, (ast.Constant, ast.JoinedStr))
        and isinstance(getattr(node, "value", ""), str)
        for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    last = region[-1].end_lineno or region[-1].lineno
    for number in range(region[0].lineno, last + 1):
        if number not in inside and source.line(number).strip():
            start = source.line_starts[number - 1]
            fix.replace_range(start, start, fix.indent_unit)
