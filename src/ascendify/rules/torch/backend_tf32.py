"""TF32 becomes HF32: the NPU's faster and rounder arithmetic for matrices and convolutions."""

from __future__ import annotations

from ascendify.catalog import torch_npu
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names

RULE = Rule(
    code="TORCH-BACK-2",
    title="Set HF32 where TF32 was set",
    why=(
        "TF32 is arithmetic of NVIDIA's GPUs, and its flags have no effect on an NPU. The NPU's "
        "like of it is HF32: torch.npu.matmul.allow_hf32, which is off unless set, and "
        "torch.npu.conv.allow_hf32, which is on unless set. The FFT plan cache has a counterpart "
        "as well."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before="torch.backends.cuda.matmul.allow_tf32 = True",
    after="torch.npu.matmul.allow_hf32 = True",
    safety=(
        "HF32 rounds as TF32 does, but not to the same numbers. The NPU's flags take True "
        "or False only, and that for convolutions is on where nobody sets it."
    ),
)

_FLAGS = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_PLANS = "torch.backends.cuda.cufft_plan_cache"


@RULE.store(*_FLAGS)
@RULE.reference(*_FLAGS)
def rename(site: Site) -> Diagnoses:
    """Written or read; also with the vendor's switch, which does not touch torch.backends."""
    target = torch_npu.counterpart(site.name) or ""
    fix = site.fix()
    new = names.torch(site.file, fix, site.node) + target[len("torch") :]
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is about TF32, which only GPUs have",
        done=f"Replaced it by {new}.",
        todo="Compare the accuracy with it set to False once; HF32 rounds as TF32 does.",
        fix=fix,
    )


@RULE.reference(_PLANS, f"{_PLANS}.*")
@RULE.store(f"{_PLANS}.max_size")
def plans(site: Site) -> Diagnoses:
    """The cache of plans for Fourier transforms."""
    fix = site.fix()
    torch = names.torch(site.file, fix, site.node)
    new = f"{torch}.npu.backends.fft_plan_cache{site.name[len(_PLANS) :]}"
    fix.replace(site.node, new)
    yield RULE.auto_check(
        site,
        f"{site.brief} is a cache of cuFFT",
        done=f"Replaced it by {new}.",
        todo="The NPU's cache takes sizes from 1 to 99.",
        fix=fix,
    )


@RULE.call("torch.set_float32_matmul_precision")
def precision(site: CallSite) -> Diagnoses:
    """``'high'`` asks for TF32 and gets nothing."""
    value = site.args.value("precision")
    literal = None if value is None else site.file.literal(value)
    if literal == ("highest",):
        return
    yield RULE.info(
        site,
        f"{site.brief} has no effect on an NPU",
        todo="For faster and rounder matrix products set torch.npu.matmul.allow_hf32 = True.",
    )
