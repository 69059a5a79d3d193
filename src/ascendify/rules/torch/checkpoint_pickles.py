"""Report files with other objects than tensors, which ``torch.load`` refuses since 2.6."""

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
    title="Set weights_only=False for files with other objects than tensors",
    why=(
        "Since PyTorch 2.6 torch.load reads only tensors and plain containers, unless it gets "
        "weights_only=False. Loading a file with a whole model, or with the options of the run, "
        "raises an error. Projects for an older release fail here when they move to a newer one."
    ),
    statuses=(Status.MANUAL,),
    before="model = torch.load(path)\nmodel.eval()",
)

_WHOLE = "a whole model"
_OPTIONS = frozenset(
    ["args", "opt", "opts", "options", "cfg", "config", "hparams", "hyper_parameters", "namespace"]
)
"""Keys under which programs often save the options of a run."""


@RULE.call("torch.load")
def report_load(site: CallSite) -> Diagnoses:
    """Report a load whose result is used as something else than tensors."""
    if "weights_only" in site.args or site.args.starred:
        return
    shown = site.brief
    what = _what(site.node)
    if what == _WHOLE:
        yield RULE.manual(
            site,
            f"{shown} loads a whole model, which PyTorch refuses by default since 2.6",
            todo="If you trust the file, add weights_only=False.",
        )
        return
    if what is None and _loaded.may_be_model(site.node):
        what = "its result is used as a model"
    what = what or _own_object(site) or site.file.once(_saved_options)
    if what is not None:
        yield RULE.manual(
            site,
            f"{shown} may load other objects than tensors: {what}",
            todo="If the file holds more than numbers, strings, lists and dictionaries, and you "
            "trust it, add weights_only=False.",
        ).as_possible()


def _own_object(site: CallSite) -> str | None:
    """Another value of the result's variable, where that is an object of the program's own class.

    Such a program computes an object, or loads what an earlier run has saved.
    """
    whole = parent(site.node)
    target = whole.targets[0] if isinstance(whole, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return None
    for binding in backward.bindings(target):
        if isinstance(binding.value, ast.Call) and binding.value is not site.node:
            values = site.file.resolver.infer(site.file.module, binding.value)
            if any(isinstance(value, Object) for value in values):
                return f"{site.file.brief(binding.value)} creates it elsewhere"
    return None


def _what(node: ast.expr) -> str | None:
    """What the result is, according to its uses; None where they do not show it."""
    if _loaded.is_model(node):
        return _WHOLE
    for use in _loaded.uses(node):
        owner = parent(use)
        key: ast.expr | None = None
        if isinstance(owner, ast.Attribute) and owner.attr == "get":
            key = next(iter(getattr(parent(owner), "args", ())), None)
        elif isinstance(owner, ast.Subscript) and owner.value is use:
            key = owner.slice
        if _entry(key) is not None:
            return f"the entry {_entry(key)!r}"
    return None


def _entry(key: ast.expr | None) -> str | None:
    if isinstance(key, ast.Constant) and key.value in _OPTIONS:
        return str(key.value)
    return None


def _saved_options(file: File) -> str | None:
    """Say that the file itself saves the options of a run with the tensors."""
    for save in file.module.index.calls:
        last = last_name(save.func)
        given = _dictionary(save.args[0]) if save.args and "save" in last.lower() else None
        for key, value in zip(given.keys, given.values) if given is not None else ():
            if _entry(key) is not None and isinstance(value, (ast.Name, ast.Attribute)):
                return f"what this file saves together with {file.brief(value)}"
    return None


def _dictionary(node: ast.expr) -> ast.Dict | None:
    """A dictionary display, directly or as the only value of a variable."""
    if isinstance(node, ast.Name):
        bindings = backward.bindings(node)
        node = bindings[0].value or node if len(bindings) == 1 else node
    return node if isinstance(node, ast.Dict) else None
