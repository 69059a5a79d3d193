"""Set HF32, the NPU's faster and less precise arithmetic, where TF32 was set."""

from __future__ import annotations

from ascendify.catalog import torch_npu
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names

RULE = Rule(
    code="TORCH-BACK-2",
    title="Set HF32 where TF32 was set",
    why=(
        "TF32 is a number format of NVIDIA's GPUs, and its flags have no effect on an NPU. An NPU "
        "has HF32 instead: torch.npu.matmul.allow_hf32 is off by default, and "
        "torch.npu.conv.allow_hf32 is on by default. The FFT plan cache has a counterpart too."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before="torch.backends.cuda.matmul.allow_tf32 = True",
    after="torch.npu.matmul.allow_hf32 = True",
    safety=(
        "HF32 has about the precision of TF32, but results differ in the last digits. The NPU's "
        "flags accept only True or False, and the one for convolutions is on by default."
    ),
)

_FLAGS = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_PLANS = "torch.backends.cuda.cufft_plan_cache"


@RULE.store(*_FLAGS)
@RULE.reference(*_FLAGS)
def rename(site: Site) -> Diagnoses:
    """Rename flags that are set or read; transfer_to_npu does not replace torch.backends."""
    target = torch_npu.counterpart(site.name) or ""
    fix = site.fix()
    new = names.torch(site.file, fix, site.node) + target[len("torch") :]
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is about TF32, which only GPUs have",
        done=f"Replaced it by {new}.",
        todo="Compare the accuracy once with the flag set to False: HF32 is as imprecise as TF32.",
        fix=fix,
    )


@RULE.reference(_PLANS, f"{_PLANS}.*")
@RULE.store(f"{_PLANS}.max_size")
def rename_cache(site: Site) -> Diagnoses:
    """Rename the cache of plans for Fourier transforms."""
    fix = site.fix()
    torch = names.torch(site.file, fix, site.node)
    new = f"{torch}.npu.backends.fft_plan_cache{site.name[len(_PLANS) :]}"
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is a cache of cuFFT",
        done=f"Replaced it by {new}.",
        todo="Check the size: the NPU's cache accepts 1 to 99.",
        fix=fix,
    )


@RULE.call("torch.set_float32_matmul_precision")
def note_precision(site: CallSite) -> Diagnoses:
    """Note ``'high'``, which enables TF32 on a GPU and has no effect on an NPU."""
    value = site.args.value("precision")
    literal = None if value is None else site.file.literal(value)
    if literal == ("highest",):
        return
    yield RULE.info(
        site,
        f"{site.brief} has no effect on an NPU",
        todo="For faster, less precise matrix products set torch.npu.matmul.allow_hf32 = True.",
    )
