"""``x.cuda()``: tensors, modules and storages go to the NPU by ``x.npu()``."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Site, Status
from ascendify.rules.torch import _words
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TORCH-DEV-4",
    title="Move tensors and modules by .npu()",
    why=(
        ".cuda() raises on a machine without a GPU. torch_npu gives tensors, modules, storages and "
        "packed sequences a method npu() with the same arguments. A class of the project may have "
        "a method cuda() of its own; it keeps its name, and so do the calls of it."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="x = x.cuda(gpu, non_blocking=True)",
    after="x = x.npu(gpu, non_blocking=True)",
)


@RULE.method("cuda")
def move(site: MethodSite) -> Diagnoses:
    """A call of the method, or a mention where the object is surely PyTorch's."""
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
            todo=f"Where {file.brief(site.node.value, 40)} is a tensor or a module, write "
            f"{new}(); where it is an object of the project, leave the call.",
        ).as_possible()
        return
    fix = site.fix()
    _words.rename(fix, site.node, "npu")
    yield RULE.fixed(
        site,
        found,
        done=f"Replaced it by {new}{'()' if site.call else ''}.",
        todo=f"Check that {file.brief(site.node.value, 40)} is a tensor or a module, and not an "
        "object with a method cuda() of its own."
        if unsure
        else "",
        fix=fix,
    )


@RULE.reference("torch.Tensor.cuda", "torch.nn.Module.cuda")
def mention(site: Site) -> Diagnoses:
    """The method as a value: ``map(torch.Tensor.cuda, xs)``."""
    node = site.node
    if site.file.facts.style == "transfer" or not isinstance(node, ast.Attribute):
        return
    if site.file.name(node.value) not in ("torch.Tensor", "torch.nn.Module"):
        return
    fix = site.fix()
    _words.rename(fix, node, "npu")
    yield RULE.auto(
        site,
        f"{site.file.brief(node)} moves to a GPU",
        done=f"Replaced it by {site.file.brief(node.value)}.npu.",
        fix=fix,
    )


def _in_own_method(node: ast.AST) -> bool:
    """Whether it stands in a method ``cuda`` of the project: what that moves are its parts."""
    function = function_around(node)
    while function is not None:
        if getattr(function, "name", "") == "cuda":
            return True
        function = function_around(function)
    return False
