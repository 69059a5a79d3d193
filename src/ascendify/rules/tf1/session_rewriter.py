"""Sessions: leave the graph optimizers on that the NPU's optimizer needs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Site, Status, fixes
from ascendify.rules.tf1 import _npu_entry

RULE = Rule(
    code="TF1-SESS-4",
    title="Leave TensorFlow's graph optimizers on",
    why=(
        "The NPU's optimizer is one of TensorFlow's graph optimizers and takes the graph as the "
        "others leave it: pruned, folded, with its shapes known. Without them it gets a graph that "
        "it cannot move to the device."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="config.graph_options.rewrite_options.constant_folding = RewriterConfig.OFF",
    after="",
    safety="The graph is optimized again; results are the same up to rounding.",
)

_REWRITER = "tf.core.protobuf.rewriter_config_pb2.RewriterConfig"
_NEEDED = (
    "function_optimization", "constant_folding", "shape_optimization", "arithmetic_optimization",
    "loop_optimization", "dependency_optimization", "layout_optimizer",
)  # fmt: skip
"""Graph optimizers that must not be OFF; the vendor's ``experimental_options`` turns them ON."""
_SWITCHES = ("disable_model_pruning", "disable_meta_optimizer")
"""Switches that must not be True: without the meta optimizer no custom optimizer runs."""
_OFF = 2
"""The number of ``RewriterConfig.OFF``."""


@RULE.store(*(f"{_REWRITER}.{name}" for name in (*_NEEDED, *_SWITCHES)))
def assigned(site: Site) -> Diagnoses:
    """``rewrite_options.<name> = RewriterConfig.OFF``."""
    option = site.node.attr
    statement = site.statement
    if not isinstance(statement, ast.Assign):
        return
    verdict = _is_harmful(site.file, option, statement.value)
    if verdict is False:
        return
    found = f"{site.text} is set to {site.file.brief(statement.value)}"
    if _is_migrated(site):
        yield RULE.info(site, f"{found} in a config made for the NPU")
        return
    if verdict is None or len(statement.targets) != 1:
        yield _by_hand(site, found, option)
        return
    fix = fixes.removing(site.file, statement)
    yield RULE.auto(site, found, done="Removed the assignment.", fix=fix)


@RULE.call(_REWRITER)
def constructed(site: CallSite) -> Diagnoses:
    """``RewriterConfig(<name>=RewriterConfig.OFF)``."""
    for option in (*_NEEDED, *_SWITCHES):
        given = site.args.get(option)
        if given is None:
            continue
        verdict = _is_harmful(site.file, option, given.value)
        if verdict is False:
            continue
        found = f"{option} is set to {site.file.brief(given.value)}"
        if verdict is None:
            yield _by_hand(site, found, option, given.value)
            continue
        fix = site.fix()
        fix.remove_argument(site.node, given)
        yield RULE.auto(site.at(given.node), found, done=f"Removed {option}.", fix=fix)


@RULE.call("tf.config.optimizer.set_experimental_options")
def set_options(site: CallSite) -> Diagnoses:
    """Remove harmful switches that a dictionary sets by their names."""
    options = site.args.value("options")
    file = site.file
    if not isinstance(options, ast.Dict) or None in options.keys:
        names = ", ".join(_NEEDED)
        yield RULE.manual(
            site,
            f"{site.brief} sets graph optimizers by a dict made elsewhere",
            todo=f"Take out disable_model_pruning, and {names} where they are False.",
        )
        return
    harmful: list[tuple[str, ast.expr]] = []
    kept: list[str] = []
    for key, value in zip(options.keys, options.values):
        name = key.value if isinstance(key, ast.Constant) else None
        literal = file.literal(value)
        bad = literal == ((name in _SWITCHES),) and name in (*_NEEDED, *_SWITCHES)
        if bad and isinstance(name, str) and key is not None:
            harmful.append((name, key))
        elif key is not None:
            kept.append(f"{file.text(key)}: {file.text(value)}")
    if not harmful:
        return
    names = ", ".join(name for name, _ in harmful)
    fix = site.fix()
    if kept or not isinstance(site.parent, ast.Expr):
        fix.replace(options, "{" + ", ".join(kept) + "}")
    else:
        fix.remove_statement(site.node)
    found = f"{site.callee} turns off what the NPU needs: {names}"
    yield RULE.auto(site, found, done=f"Removed {names}.", fix=fix)


def _is_migrated(site: Site) -> bool:
    """Whether the config was made for the NPU by hand, so that the setting is on purpose."""
    rewriter = site.node.value
    return any(
        _npu_entry.has_entry(site.file.resolver, site.file.module, item)
        for item in (rewriter, _npu_entry.config_of(rewriter))
        if item is not None
    )


def _is_harmful(file: File, option: str, value: ast.expr) -> bool | None:
    """True: surely switched the wrong way; None: it may be."""
    if option in _SWITCHES:
        literal = file.literal(value)
        return None if literal is None else any(literal)
    name = file.name(value) or ""
    last = value.attr if isinstance(value, ast.Attribute) else name.rpartition(".")[2]
    if last in ("OFF", "ON", "DEFAULT", "AGGRESSIVE"):
        return last == "OFF"
    literal = file.literal(value)
    if literal is None:
        return None
    return _OFF in literal


def _by_hand(site: Site, found: str, option: str, at: ast.AST | None = None) -> Diagnosis:
    switch = option in _SWITCHES
    return RULE.manual(
        site.at(at or site.node),
        found,
        todo=f"Make sure {option} is not {'True' if switch else 'OFF'} on the NPU.",
    )
