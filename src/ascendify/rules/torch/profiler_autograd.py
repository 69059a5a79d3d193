"""Pass use_device='npu' to the profiler of torch.autograd."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-PROF-3",
    title="Set use_device='npu' for the autograd profiler instead of use_cuda",
    why=(
        "torch.autograd.profiler.profile(use_cuda=True) finds no GPU, warns and records only the "
        "CPU. With use_device='npu' it records the NPU."
    ),
    statuses=(Status.AUTO,),
    before="torch.autograd.profiler.profile(use_cuda=True)",
    after='torch.autograd.profiler.profile(use_device="npu")',
)


@RULE.call("torch.autograd.profiler.profile")
def replace(site: CallSite) -> Diagnoses:
    """Replace the argument with transfer_to_npu too, which does not change this class."""
    given = site.args.get("use_cuda")
    if given is None or given.keyword is None or "use_device" in site.args:
        return
    file = site.file
    literal = file.literal(given.value)
    fix = site.fix()
    found = f"{file.brief(given.node)} makes {site.callee} record GPUs"
    if literal == (False,):
        fix.remove_argument(site.node, given)
        done = "Removed it: without it, only the CPU is recorded."
    else:
        new = 'use_device="npu"'
        if literal != (True,):
            new += f" if {fix.operand(given.value)} else None"
        fix.replace(given.node, new)
        done = f"Replaced it by {new}."
    yield RULE.auto(site, found, done=done, fix=fix)
