"""Report flags that choose an attention kernel, which an NPU ignores."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-BACK-3",
    title="Leave the choice of the attention kernel to the NPU",
    why=(
        "The flags of torch.backends.cuda choose among the GPU's kernels for "
        "scaled_dot_product_attention. An NPU has its own kernel and ignores them, so their values "
        "say nothing about it."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before="torch.backends.cuda.enable_flash_sdp(True)",
)
_CUDA = "torch.backends.cuda"
_SET = tuple(
    f"{_CUDA}.{name}"
    for name in ("enable_flash_sdp", "enable_mem_efficient_sdp", "enable_math_sdp",
                 "enable_cudnn_sdp", "sdp_kernel", "allow_fp16_bf16_reduction_math_sdp")
)  # fmt: skip
_ASK = tuple(
    f"{_CUDA}.{name}"
    for name in ("flash_sdp_enabled", "mem_efficient_sdp_enabled", "math_sdp_enabled",
                 "cudnn_sdp_enabled", "can_use_flash_attention", "can_use_efficient_attention",
                 "can_use_cudnn_attention", "is_flash_attention_available", "SDPAParams")
)  # fmt: skip


@RULE.reference(*_SET)
def note_flag(site: Site) -> Diagnoses:
    """Note flags that are set, once or for a block."""
    yield RULE.info(
        site,
        f"{site.brief} has no effect on an NPU",
        todo=(
            "scaled_dot_product_attention uses the NPU's kernel; "
            "torch_npu.npu_fusion_attention has more options."
        ),
    )


@RULE.reference(*_ASK)
def report_query(site: Site) -> Diagnoses:
    """Report branches that depend on a kernel of the GPU."""
    yield RULE.manual(
        site,
        f"{site.brief} is about the GPU's attention kernels",
        todo=("Always use the branch that calls torch.nn.functional.scaled_dot_product_attention."),
    )
