"""Replace names of NCCL in torch.distributed by those of HCCL."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Site, Status
from ascendify.rules.kit.imports import remove_alias, replace_alias
from ascendify.rules.torch import _backends, _edits
from ascendify.source.nodes import root

RULE = Rule(
    code="TORCH-DIST-2",
    title="Use names of HCCL instead of NCCL in torch.distributed",
    why=(
        "torch.distributed.is_nccl_available() is false without GPUs, and ProcessGroupNCCL does "
        "not exist in the CPU build of torch, which torch_npu is used with."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="assert torch.distributed.is_nccl_available()",
    after="assert torch.distributed.is_hccl_available()",
    safety="Process groups of HCCL have the options is_high_priority_stream and hccl_config.",
)

_AVAILABLE = "torch.distributed.is_nccl_available"
_BACKEND = "torch.distributed.Backend.NCCL"
_FORMER = "torch.distributed.dist_backend.NCCL"
_GROUP = "torch.distributed.ProcessGroupNCCL"
_HOME = "torch_npu._C._distributed_c10d"


@RULE.reference(_AVAILABLE, _BACKEND)
def rename(site: Site) -> Diagnoses:
    """Rename ``Backend.NCCL`` and ``is_nccl_available``."""
    file = site.file
    if file.facts.style == "transfer" or not isinstance(site.node, ast.Attribute):
        return
    fix = site.fix()
    new = _backends.hccl(site.node.attr)
    _edits.rename(fix, site.node, new)
    yield RULE.auto(site, f"{site.text} is for NCCL", done=f"Replaced it by {new}.", fix=fix)


@RULE.reference(_FORMER)
def report_former_name(site: Site) -> Diagnoses:
    """Report the backends of torch 0.4, which were numbers."""
    yield RULE.manual(
        site,
        f"{site.text} is a name that torch.distributed no longer has",
        todo="Compare torch.distributed.get_backend() with 'hccl' instead.",
    )


@RULE.imports(_AVAILABLE)
def rename_import(site: ImportSite) -> Diagnoses:
    """Import the function of HCCL, and rename its uses."""
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
        f"{local} tests for NCCL",
        done="Imported and called is_hccl_available instead.",
        fix=fix,
    )


@RULE.reference(_GROUP, f"{_GROUP}.*")
def replace_group(site: Site) -> Diagnoses:
    """Replace the class of process groups and its options."""
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
def remove_group_import(site: ImportSite) -> Diagnoses:
    """Remove the import, which fails without CUDA."""
    found = f"{site.brief} imports a class that the CPU build of torch does not have"
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
