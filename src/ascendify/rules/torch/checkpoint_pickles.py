"""Files with more than tensors in them: ``torch.load`` refuses these by default today."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _loaded
from ascendify.source.flow import backward
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent
from ascendify.source.values import Object

RULE = Rule(
    code="TORCH-CKPT-3",
    title="Say so where a file holds more than tensors",
    why=(
        "Since PyTorch 2.6 torch.load reads tensors and plain containers only, unless it is given "
        "weights_only=False. A file with a whole model, or with the options of the run, raises. "
        "A project written for an older release meets this when it moves to a newer one."
    ),
    statuses=(Status.MANUAL,),
    before="model = torch.load(path)\nmodel.eval()",
)

_WHOLE = "a whole model"
_OPTIONS = frozenset(
    ["args", "opt", "opts", "options", "cfg", "config", "hparams", "hyper_parameters", "namespace"]
)
"""Entries that people keep the options of a run under."""


@RULE.call("torch.load")
def tell(site: CallSite) -> Diagnoses:
    """A load whose result is used as something else than tensors."""
    if "weights_only" in site.args or site.args.starred:
        return
    shown = site.brief
    what = _what(site.node)
    if what == _WHOLE:
        yield RULE.manual(
            site,
            f"{shown} reads a whole model, which PyTorch refuses by default since 2.6",
            todo="If you trust the file, add weights_only=False.",
        )
        return
    if what is None and _loaded.may_be_model(site.node):
        what = "its result is used as a model"
    what = what or _own_object(site) or site.file.once(_saved_options)
    if what is not None:
        yield RULE.manual(
            site,
            f"{shown} may read more than tensors: {what}",
            todo="If that is more than numbers, texts, lists and dictionaries of them, and you "
            "trust the file, add weights_only=False.",
        ).as_possible()


def _own_object(site: CallSite) -> str | None:
    """An object of the program's own that the variable of the result holds where it is not loaded.

    So a program keeps what took long to make: it makes it, or loads what an earlier run saved.
    """
    whole = parent(site.node)
    target = whole.targets[0] if isinstance(whole, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return None
    for binding in backward.bindings(target):
        if isinstance(binding.value, ast.Call) and binding.value is not site.node:
            values = site.file.resolver.infer(site.file.module, binding.value)
            if any(isinstance(value, Object) for value in values):
                return f"{site.file.brief(binding.value)} makes it elsewhere"
    return None


def _what(node: ast.expr) -> str | None:
    """What the uses of the result say it is, None where they say nothing."""
    if _loaded.is_model(node):
        return _WHOLE
    for use in _loaded.uses(node):
        owner = parent(use)
        if (
            isinstance(owner, ast.Attribute)
            and owner.attr == "get"
            and _entry(_first(parent(owner))) is not None
        ):
            return f"the entry {_entry(_first(parent(owner)))!r}"
        if isinstance(owner, ast.Subscript) and owner.value is use:
            entry = _entry(owner.slice)
            if entry is not None:
                return f"the entry {entry!r}"
    return None


def _first(call: ast.AST) -> ast.expr | None:
    return call.args[0] if isinstance(call, ast.Call) and call.args else None


def _entry(key: ast.expr | None) -> str | None:
    if isinstance(key, ast.Constant) and key.value in _OPTIONS:
        return str(key.value)
    return None


def _saved_options(file: File) -> str | None:
    """Whether the file itself saves the options of a run beside the tensors."""
    for save in file.module.index.calls:
        last = last_name(save.func)
        given = _dictionary(save.args[0]) if save.args and "save" in last.lower() else None
        for key, value in zip(given.keys, given.values) if given is not None else ():
            if _entry(key) is not None and isinstance(value, (ast.Name, ast.Attribute)):
                return f"what this file saves together with {file.brief(value)}"
    return None


def _dictionary(node: ast.expr) -> ast.Dict | None:
    """A dictionary that is written out, here or where its one variable gets it."""
    if isinstance(node, ast.Name):
        bindings = backward.bindings(node)
        node = bindings[0].value or node if len(bindings) == 1 else node
    return node if isinstance(node, ast.Dict) else None
