"""Names of NCCL in torch.distributed: their HCCL counterparts."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Site, Status
from ascendify.rules.kit.imports import remove_alias, replace_alias
from ascendify.rules.torch import _edits
from ascendify.source.nodes import root

RULE = Rule(
    code="TORCH-DIST-2",
    title="Ask torch.distributed for HCCL, not NCCL",
    why=(
        "torch.distributed.is_nccl_available() is false without GPUs, and ProcessGroupNCCL does "
        "not exist in a torch built for the CPU, which is the one torch_npu is put beside."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="assert torch.distributed.is_nccl_available()",
    after="assert torch.distributed.is_hccl_available()",
    safety="The options of HCCL's process groups are is_high_priority_stream and hccl_config.",
)

_AVAILABLE = "torch.distributed.is_nccl_available"
_BACKEND = "torch.distributed.Backend.NCCL"
_FORMER = "torch.distributed.dist_backend.NCCL"
_GROUP = "torch.distributed.ProcessGroupNCCL"
_HOME = "torch_npu._C._distributed_c10d"


@RULE.reference(_AVAILABLE, _BACKEND)
def rename(site: Site) -> Diagnoses:
    """``Backend.NCCL`` and the question whether NCCL is there."""
    file = site.file
    if file.facts.style == "transfer" or not isinstance(site.node, ast.Attribute):
        return
    fix = site.fix()
    new = site.node.attr.replace("nccl", "hccl").replace("NCCL", "HCCL")
    _edits.rename(fix, site.node, new)
    yield RULE.auto(site, f"{site.text} speaks of NCCL", done=f"Made it {new}.", fix=fix)


@RULE.reference(_FORMER)
def former_name(site: Site) -> Diagnoses:
    """The backends of torch 0.4, which were numbers."""
    yield RULE.manual(
        site,
        f"{site.text} is a name that torch.distributed no longer has",
        todo="Compare torch.distributed.get_backend() with 'hccl' instead.",
    )


@RULE.imports(_AVAILABLE)
def import_question(site: ImportSite) -> Diagnoses:
    """The function by name: imported under the other name, uses follow."""
    file = site.file
    if file.facts.style == "transfer":
        return
    fix = site.fix()
    local = site.alias.asname or site.alias.name
    uses = [node for node in file.module.index.references if getattr(node, "id", "") == local]
    if site.alias.asname:
        replace_alias(fix, site.node, site.alias, f"is_hccl_available as {local}")
    else:
        replace_alias(fix, site.node, site.alias, "is_hccl_available")
        for use in uses:
            fix.replace(use, "is_hccl_available")
    yield RULE.auto(
        site,
        f"{local} asks for NCCL",
        done="Imported is_hccl_available instead, and called that.",
        fix=fix,
    )


@RULE.reference(_GROUP, f"{_GROUP}.*")
def group_class(site: Site) -> Diagnoses:
    """The process group's class and its options."""
    file = site.file
    link = _edits.link(file, site.node, _GROUP)
    target: ast.expr = site.node if link is None else link
    if link is None:
        target = root(target)
        if getattr(target, "id", "") != "ProcessGroupNCCL":
            return
    fix = site.fix()
    fix.replace(target, fix.use(_HOME, "ProcessGroupHCCL"))
    yield RULE.auto_check(
        site,
        f"{site.text} is NCCL's process group",
        done="Replaced it by torch_npu's ProcessGroupHCCL.",
        todo="Check the options that are set: HCCL has is_high_priority_stream and hccl_config.",
        fix=fix,
    )


@RULE.imports(_GROUP)
def group_import(site: ImportSite) -> Diagnoses:
    """The import goes, and with it a reason why the file cannot be loaded."""
    found = f"{site.brief} asks for a class that a torch for the CPU does not have"
    if site.alias.asname:
        yield RULE.manual(
            site,
            found,
            todo=f"Import ProcessGroupHCCL as {site.alias.asname} from {_HOME} instead.",
        )
        return
    fix = site.fix()
    remove_alias(fix, site.node, site.alias)
    yield RULE.auto(site, found, done="Removed ProcessGroupNCCL from the import.", fix=fix)
