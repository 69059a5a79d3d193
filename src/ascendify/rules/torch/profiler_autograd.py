"""The profiler of torch.autograd is told of the NPU by use_device."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-PROF-3",
    title="Give the autograd profiler use_device='npu' for use_cuda",
    why=(
        "torch.autograd.profiler.profile(use_cuda=True) finds no GPU, warns and records the CPU "
        "only. With use_device it records the NPU."
    ),
    statuses=(Status.AUTO,),
    before="torch.autograd.profiler.profile(use_cuda=True)",
    after='torch.autograd.profiler.profile(use_device="npu")',
)


@RULE.call("torch.autograd.profiler.profile")
def replace(site: CallSite) -> Diagnoses:
    """Also with the vendor's switch, which does not wrap this class."""
    given = site.args.get("use_cuda")
    if given is None or given.keyword is None or "use_device" in site.args:
        return
    file = site.file
    literal = file.literal(given.value)
    fix = site.fix()
    found = f"{file.brief(given.node)} asks {site.callee} for GPUs"
    if literal == (False,):
        fix.remove_argument(site.node, given)
        done = "Left it out: nothing but the CPU is what it records then."
    else:
        new = 'use_device="npu"'
        if literal != (True,):
            new += f" if {fix.operand(given.value)} else None"
        fix.replace(given.node, new)
        done = f"Replaced it by {new}."
    yield RULE.auto(site, found, done=done, fix=fix)
