"""Report tables of the profiler, which torch_npu writes to files instead."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status

RULE = Rule(
    code="TORCH-PROF-2",
    title="Read profiles from the files that torch_npu writes",
    why=(
        "torch_npu.profiler.profile has no key_averages(), events() or total_average(): calling "
        "them raises an error. It writes its results to a folder: kernel_details.csv, "
        "operator_details.csv, step_trace_time.csv and a trace."
    ),
    statuses=(Status.MANUAL,),
    before='print(prof.key_averages().table(sort_by="cuda_time_total"))',
)
_OWNERS = ("torch.profiler.", "torch_npu.profiler.")


@RULE.method("key_averages", "events", "total_average")
def report_table(site: MethodSite) -> Diagnoses:
    """Report a method of a profile, or a method that only profiles have."""
    known = site.known
    if known is None and site.name == "events":
        return
    if known is not None and not known.startswith(_OWNERS):
        return
    if _is_autograd(site):
        return
    yield RULE.manual(
        site,
        f"{site.brief} does not exist in torch_npu's profiler",
        todo=(
            "Pass on_trace_ready=torch_npu.profiler.tensorboard_trace_handler(folder) to the "
            "profile, read operator_details.csv and kernel_details.csv in that folder, or open it "
            "with MindStudio Insight, and remove this line."
        ),
    )


def _is_autograd(site: MethodSite) -> bool:
    """Whether the file uses the profiler of torch.autograd, which keeps its tables."""
    if site.known is not None:
        return False
    named = {
        site.file.resolver.spelled(site.file.module, node) or ""
        for node in site.file.module.index.references
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    return any(name.startswith("torch.autograd.profiler.profile") for name in named)
