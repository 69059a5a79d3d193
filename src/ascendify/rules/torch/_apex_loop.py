"""A training loop with apex.amp whose pieces all lie in one place, and how it is rewritten."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Facts, File, Fix, names
from ascendify.rules.torch import _apex
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import block_of
from ascendify.source.scopes import parent, scope_of, statement

_LEVELS = ("O1", "O2")
_KNOWN = frozenset(
    {"models", "optimizers", "opt_level", "loss_scale", "keep_batchnorm_fp32", "verbosity"}
)
"""Arguments of initialize that are understood; any other may mean something."""


@dataclass(frozen=True)
class Loop:
    """The pieces."""

    site: CallSite
    initialize: ast.stmt
    """The statement that sets apex up, with the condition around it."""
    condition: str
    """The condition under which apex is used, empty where it always is."""
    model: str
    optimizer: str
    level: str
    region: tuple[ast.stmt, ...]
    """The forward pass and the loss."""
    loss: str
    scaling: ast.stmt
    """The statement that scales the loss, with the condition around it."""
    step: ast.Call
    clips: tuple[tuple[ast.Call, ast.stmt], ...] = ()
    """Calls of master_params that clip, and the statements they stand in."""


def find(file: File) -> Loop | None:
    """The loop of a file, where there is one and it is all that apex.amp is used for."""
    return file.resolver.once(_in_module, file.module) if "apex" in _roots(file) else None


def _roots(file: File) -> frozenset[str]:
    return frozenset(
        (getattr(node, "module", None) or alias.name).partition(".")[0]
        for node in file.module.index.imports
        for alias in node.names
    )


def _in_module(resolver: Resolver, module: Module) -> Loop | None:
    return _find(File(module, resolver, Facts()))


def _find(file: File) -> Loop | None:
    starts = list(_apex.amp_calls(file, "initialize"))
    scalings = list(_apex.amp_calls(file, "scale_loss"))
    clips = list(_apex.amp_calls(file, "master_params"))
    mentions = list(file.references("apex.amp.*"))
    if len(starts) != 1 or len(scalings) != 1:
        return None
    if len(mentions) != 2 + len(clips):
        return None
    start, scaling = starts[0], scalings[0]
    names = _initialized(start)
    block = _scaled(scaling)
    if names is None or block is None:
        return None
    model, optimizer = names
    if scope_of(start.node) is not scope_of(scaling.node):
        return None
    loss = file.text(scaling.node.args[0])
    whole, condition = _guarded_start(file, statement(start.node))
    scaled = _guarded_scaling(file, block, condition, loss)
    if whole is None or scaled is None or file.text(scaling.node.args[1]) != optimizer:
        return None
    region = _forward(file, scaled, model, loss)
    step = _step(file, start, optimizer, scaled)
    clipped = _clips(file, clips, optimizer, scaled, step)
    if not region or step is None or clipped is None:
        return None
    return Loop(
        start, whole, condition, model, optimizer, _level(start) or "", region, loss, scaled, step,
        clipped,
    )  # fmt: skip


def _guarded_start(file: File, start: ast.stmt) -> tuple[ast.stmt | None, str]:
    """The statement with the condition around it, and the condition."""
    guard = parent(start)
    if isinstance(guard, ast.Try):
        return None, ""
    if not isinstance(guard, ast.If):
        return start, ""
    simple = isinstance(guard.test, (ast.Name, ast.Attribute))
    others = guard.body[:-1]
    if not simple or guard.orelse or guard.body[-1] is not start or not all(map(_imports, others)):
        return None, ""
    if isinstance(parent(guard), ast.If) and guard in getattr(parent(guard), "orelse", ()):
        return None, ""
    return guard, file.text(guard.test)


def _imports(node: ast.stmt) -> bool:
    """Whether a statement only imports, or tries to."""
    body = node.body if isinstance(node, ast.Try) else [node]
    return all(isinstance(item, (ast.Import, ast.ImportFrom)) for item in body)


def _guarded_scaling(file: File, block: ast.With, condition: str, loss: str) -> ast.stmt | None:
    """``if fp16: with scale_loss(...) ... else: loss.backward()`` where there is a condition."""
    guard = parent(block)
    if not condition:
        return None if isinstance(guard, ast.If) and _has_backward(guard.orelse) else block
    if not isinstance(guard, ast.If) or guard.body != [block] or len(guard.orelse) != 1:
        return None
    other = guard.orelse[0]
    plain = isinstance(other, ast.Expr) and file.text(other.value) == f"{loss}.backward()"
    chained = guard in getattr(parent(guard), "orelse", ())
    return guard if plain and not chained and file.text(guard.test) == condition else None


def _has_backward(block: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "backward"
        for item in block
        for node in ast.walk(item)
    )


def _level(site: CallSite) -> str | None:
    """The level, as it is written or as the option for it is declared; None where it is another."""
    given = site.args.value("opt_level")
    if given is None:
        return "O1"
    values = site.file.literal(given)
    if values is None and isinstance(given, ast.Attribute):
        values = tuple(_defaults(site.file, given.attr))
    if not values or any(value not in _LEVELS for value in values):
        return None
    return str(values[0])


def _defaults(file: File, name: str) -> list[object]:
    """What an option of argparse is where nobody gives it."""
    return [
        getattr(keyword.value, "value", None)
        for call in file.module.index.calls_by_name.get("add_argument", ())
        if any(getattr(item, "value", None) == f"--{name}" for item in call.args)
        for keyword in call.keywords
        if keyword.arg == "default"
    ]


def _initialized(site: CallSite) -> tuple[str, str] | None:
    """``model, optimizer = amp.initialize(model, optimizer, opt_level="O1")``."""
    file = site.file
    args = site.args
    whole = parent(site.node)
    if not isinstance(whole, ast.Assign) or len(whole.targets) != 1 or args.starred:
        return None
    target = whole.targets[0]
    given = [args.value("models"), args.value("optimizers")]
    if not isinstance(target, (ast.Tuple, ast.List)) or None in given:
        return None
    texts = [file.text(item) for item in given if item is not None]
    if [file.text(item) for item in target.elts] != texts or len(texts) != 2:
        return None
    if any(not isinstance(item, (ast.Name, ast.Attribute)) for item in given):
        return None
    if not {argument.name for argument in args} <= _KNOWN:
        return None
    if _level(site) is None or _scale(site) is None:
        return None
    return texts[0], texts[1]


def _scale(site: CallSite) -> str | None:
    """The arguments of the GradScaler, None where the loss scale cannot be read."""
    given = site.args.value("loss_scale")
    if given is None:
        return ""
    values = site.file.literal(given)
    if values is None or len(values) != 1:
        return None
    if values[0] in ("dynamic", None):
        return ""
    if isinstance(values[0], (int, float)) and not isinstance(values[0], bool):
        return f"init_scale={site.file.text(given)}, dynamic=False"
    return None


def scaler(site: CallSite) -> str:
    """The scaler that takes the place of apex' own."""
    arguments = _scale(site)
    if arguments is None:
        given = site.args.value("loss_scale")
        return (
            f"torch.npu.amp.GradScaler() (loss_scale was {site.file.text(given)})" if given else ""
        )
    return f"torch.npu.amp.GradScaler({arguments})"


def _scaled(site: CallSite) -> ast.With | None:
    """``with amp.scale_loss(loss, optimizer) as scaled: scaled.backward()``."""
    item = parent(site.node)
    block = parent(item)
    if not isinstance(item, ast.withitem) or not isinstance(block, ast.With):
        return None
    if (
        len(block.items) != 1
        or len(block.body) != 1
        or not isinstance(item.optional_vars, ast.Name)
    ):
        return None
    if len(site.node.args) != 2 or site.node.keywords:
        return None
    only = block.body[0]
    call = only.value if isinstance(only, ast.Expr) else None
    right = (
        isinstance(call, ast.Call)
        and not call.args
        and not call.keywords
        and site.file.text(call.func) == f"{item.optional_vars.id}.backward"
    )
    return block if right else None


def _forward(file: File, scaling: ast.stmt, model: str, loss: str) -> tuple[ast.stmt, ...]:
    """The statements from the first that calls the model to the one before the scaling."""
    block = block_of(scaling)
    before = block[: block.index(scaling)]
    first = next((number for number, item in enumerate(before) if _calls(file, item, model)), None)
    if first is None:
        return ()
    region = tuple(before[first:])
    while region and not _binds(region[-1], loss):
        region = region[:-1]
    leaves = any(
        isinstance(node, (ast.Return, ast.Continue, ast.Break, ast.Yield))
        or (isinstance(node, ast.Attribute) and node.attr in ("backward", "step"))
        for item in region
        for node in ast.walk(item)
    )
    alone = all(item.lineno != before[first - 1].end_lineno for item in region[:1] if first)
    return region if not leaves and alone else ()


def _binds(item: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(item)
    )


def _calls(file: File, item: ast.stmt, model: str) -> bool:
    return any(
        isinstance(node, ast.Call) and file.text(node.func) == model for node in ast.walk(item)
    )


def _step(file: File, start: CallSite, optimizer: str, scaling: ast.stmt) -> ast.Call | None:
    """The one step of the optimizer, a statement of its own after the scaling."""
    found = [
        call
        for call in file.module.index.calls_by_name.get("step", ())
        if file.text(call.func) == f"{optimizer}.step"
    ]
    if len(found) != 1 or found[0].args or found[0].keywords:
        return None
    call = found[0]
    if not isinstance(parent(call), ast.Expr) or scope_of(call) is not scope_of(start.node):
        return None
    return call if call.lineno > (scaling.end_lineno or 0) else None


def _clips(
    file: File, sites: list[CallSite], optimizer: str, scaling: ast.stmt, step: ast.Call | None
) -> tuple[tuple[ast.Call, ast.stmt], ...] | None:
    """Uses of master_params between the scaling and the step, None where one is elsewhere."""
    found: list[tuple[ast.Call, ast.stmt]] = []
    for site in sites:
        whole = statement(site.node)
        if (
            step is None
            or len(site.node.args) != 1
            or file.text(site.node.args[0]) != optimizer
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
        found.append((site.node, whole))
    return None if len(found) > 1 else tuple(found)


def rewrite(file: File, fix: Fix, loop: Loop) -> None:
    """All edits at once: a loop half rewritten would train wrongly."""
    name = fix.fresh("scaler")
    amp = f"{names.torch(file, fix, loop.initialize)}.npu.amp"
    enabled = f"enabled={loop.condition}" if loop.condition else ""
    arguments = ", ".join(item for item in (_scale(loop.site), enabled) if item)
    fix.replace(loop.initialize, f"{name} = {amp}.GradScaler({arguments})")
    fix.insert_before(loop.region[0], f"with {amp}.autocast({enabled}):")
    _indent(file, fix, loop.region)
    fix.replace(loop.scaling, f"{name}.scale({loop.loss}).backward()")
    for call, whole in loop.clips:
        guard = parent(whole)
        if isinstance(guard, ast.If) and loop.condition == file.text(guard.test):
            _unguard(file, fix, guard, f"{name}.unscale_({loop.optimizer})")
        else:
            fix.insert_before(whole, f"{name}.unscale_({loop.optimizer})")
            fix.replace(call, f"{loop.model}.parameters()")
    fix.replace(loop.step, f"{name}.step({loop.optimizer})")
    fix.insert_after(loop.step, f"{name}.update()")


def _unguard(file: File, fix: Fix, guard: ast.If, first: str) -> None:
    """Leave what an ``else`` did, which serves both cases now, after one more statement."""
    indent = file.module.indent(guard)
    fix.replace(guard, f"{first}{file.module.source.newline}{indent}{file.text(guard.orelse[0])}")


def _indent(file: File, fix: Fix, region: tuple[ast.stmt, ...]) -> None:
    """Move the lines of statements one level in, but not the insides of strings."""
    module = file.module
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
        if number not in inside and module.source.line(number).strip():
            start = module.source.line_starts[number - 1]
            fix.replace_range(start, start, fix.indent_unit)
