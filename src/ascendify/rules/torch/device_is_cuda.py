"""``x.is_cuda``: the question whether a tensor is on the accelerator."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.torch import _words

RULE = Rule(
    code="TORCH-DEV-6",
    title="Ask tensors by .is_npu where they are",
    why="On an NPU .is_cuda is False, so the branch for the accelerator is silently passed over.",
    statuses=(Status.AUTO, Status.MANUAL),
    before="if x.is_cuda:\n    ...",
    after="if x.is_npu:\n    ...",
)


@RULE.method("is_cuda")
def ask(site: MethodSite) -> Diagnoses:
    """The attribute of anything that is not known to be something else."""
    file = site.file
    if file.facts.style == "transfer":
        return
    shown = site.brief
    if site.known is None and _is_own(site):
        yield RULE.manual(
            site,
            f"{shown} may ask a tensor, or be an attribute of the project's own",
            todo="If it asks a tensor, write .is_npu.",
        ).as_possible()
        return
    fix = site.fix()
    _words.rename(fix, site.node, "is_npu")
    yield RULE.auto(
        site,
        f"{shown} asks for a GPU",
        done=f"Replaced it by {file.brief(site.node.value)}.is_npu.",
        fix=fix,
    )


def _is_own(site: MethodSite) -> bool:
    """Whether the project itself has attributes of the name."""
    file = site.file
    if "is_cuda" in file.facts.defined:
        return True
    text = file.module.source.text
    return "--is_cuda" in text or any(store.attr == "is_cuda" for store in file.module.index.stores)
