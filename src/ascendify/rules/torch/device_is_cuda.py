"""Replace ``x.is_cuda`` by ``x.is_npu``."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.torch import _edits

RULE = Rule(
    code="TORCH-DEV-6",
    title="Test with .is_npu whether a tensor is on the device",
    why="On an NPU .is_cuda is False, so the branch for the accelerator is silently skipped.",
    statuses=(Status.AUTO, Status.MANUAL),
    before="if x.is_cuda:\n    ...",
    after="if x.is_npu:\n    ...",
)


@RULE.method("is_cuda")
def rename(site: MethodSite) -> Diagnoses:
    """Rename the attribute of a tensor, or of an object that may be one."""
    file = site.file
    if file.facts.style == "transfer":
        return
    shown = site.brief
    if site.known is None and _is_own(site):
        yield RULE.manual(
            site,
            f"{shown} may be an attribute of a tensor or of a class of the project",
            todo="If it is an attribute of a tensor, write .is_npu.",
        ).as_possible()
        return
    fix = site.fix()
    _edits.rename(fix, site.node, "is_npu")
    yield RULE.auto(
        site,
        f"{shown} tests for a GPU",
        done=f"Replaced it by {file.brief(site.node.value)}.is_npu.",
        fix=fix,
    )


def _is_own(site: MethodSite) -> bool:
    """Whether the project defines an attribute of this name."""
    file = site.file
    if "is_cuda" in file.facts.defined:
        return True
    text = file.module.source.text
    return "--is_cuda" in text or any(store.attr == "is_cuda" for store in file.module.index.stores)
