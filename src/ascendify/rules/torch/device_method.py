"""Move tensors, modules and storages with ``x.npu()`` instead of ``x.cuda()``."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Site, Status
from ascendify.rules.torch import _edits
from ascendify.source.nodes import functions_around

RULE = Rule(
    code="TORCH-DEV-4",
    title="Move tensors and modules with .npu()",
    why=(
        ".cuda() raises an error on a machine without a GPU. torch_npu adds a method npu() with "
        "the same arguments to tensors, modules, storages and packed sequences. A method cuda() "
        "that a class of the project defines keeps its name, and so do the calls of it."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before="x = x.cuda(gpu, non_blocking=True)",
    after="x = x.npu(gpu, non_blocking=True)",
)


@RULE.method("cuda")
def move(site: MethodSite) -> Diagnoses:
    """Rename a call of the method, or a mention of it for an object of PyTorch."""
    file = site.file
    if file.facts.style == "transfer" or (site.call is None and site.known is None):
        # ``args.cuda`` is a flag of the program
        return
    text = file.brief(site.call or site.node)
    new = f"{file.brief(site.node.value, 40)}.npu"
    found = f"{text} moves to a GPU"
    unsure = site.known is None and "cuda" in file.facts.defined
    if unsure and not _in_own_method(site.node):
        yield RULE.manual(
            site,
            f"{text} may move to a GPU, or call a method cuda() that the project defines",
            todo=f"If {file.brief(site.node.value, 40)} is a tensor or a module, write {new}(); if "
            "it is an object of the project, keep the call.",
        ).as_possible()
        return
    fix = site.fix()
    _edits.rename(fix, site.node, "npu")
    yield RULE.fixed(
        site,
        found,
        done=f"Replaced it by {new}{'()' if site.call else ''}.",
        todo=f"Check that {file.brief(site.node.value, 40)} is a tensor or a module, and not an "
        "object whose class defines cuda()."
        if unsure
        else "",
        fix=fix,
    )


@RULE.reference("torch.Tensor.cuda", "torch.nn.Module.cuda")
def mention(site: Site) -> Diagnoses:
    """Rename the method as a value: ``map(torch.Tensor.cuda, xs)``."""
    node = site.node
    if site.file.facts.style == "transfer" or not isinstance(node, ast.Attribute):
        return
    if site.file.name(node.value) not in ("torch.Tensor", "torch.nn.Module"):
        return
    fix = site.fix()
    _edits.rename(fix, node, "npu")
    yield RULE.auto(
        site,
        f"{site.file.brief(node)} moves to a GPU",
        done=f"Replaced it by {site.file.brief(node.value)}.npu.",
        fix=fix,
    )


def _in_own_method(node: ast.AST) -> bool:
    """Whether a node is in a method ``cuda`` of the project, which moves its parts."""
    return any(getattr(function, "name", "") == "cuda" for function in functions_around(node))
