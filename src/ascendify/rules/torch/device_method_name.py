"""Rename the method ``cuda`` in ``getattr(x, 'cuda')`` and ``methodcaller('cuda')``."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _edits
from ascendify.rules.torch._places import place_of
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DEV-5",
    title="Name the method npu in getattr and methodcaller",
    why=(
        "getattr(x, 'cuda') returns the method that moves to a GPU, and hasattr(torch, 'cuda') "
        "says nothing about an NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before="batch = list(map(operator.methodcaller('cuda'), batch))",
    after="batch = list(map(operator.methodcaller('npu'), batch))",
)

_NAMES = {"cuda": "npu", "is_cuda": "is_npu"}


@RULE.file
def rename(file: File) -> Diagnoses:
    """Look at every attribute that is named by a string."""
    if file.facts.style == "transfer" or "cuda" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        if node.value in _NAMES and isinstance(node.value, str):
            place = place_of(node)
            if place.kind == "attribute":
                yield from _one(file, node, place.subject)


def _one(file: File, node: ast.Constant, subject: ast.expr | None) -> Diagnoses:
    call = parent(node)
    old, new = str(node.value), _NAMES[str(node.value)]
    found = f"{file.brief(call)} names a method for GPUs"
    known = _is_torch(file, subject)
    if known is False:
        return
    if known is None and (subject is not None or old in file.facts.defined):
        yield RULE.manual(
            file.at(node),
            found,
            todo=f"If the object is a tensor, a module or torch itself, write {new!r}.",
        ).as_possible()
        return
    fix = file.fix()
    _edits.replace_part(fix, node, old, new)
    yield RULE.fixed(
        file.at(node),
        found,
        done=f"Wrote {new!r}.",
        todo="" if known else "Check that it is called on tensors or modules only.",
        fix=fix,
    )


def _is_torch(file: File, subject: ast.expr | None) -> bool | None:
    """Whether the object is PyTorch's; None where that is not known."""
    if subject is None:
        return None
    names, certain = file.names(subject)
    if certain and names:
        return all(name == "torch" or name.startswith("torch.") for name in names)
    kinds, certain = file.resolver.kinds(file.module, subject)
    if not certain:
        return None
    return all(kind.startswith("torch.") for kind in kinds)
