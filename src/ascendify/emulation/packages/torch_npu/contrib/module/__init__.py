"""torch_npu.contrib.module: layers in plain PyTorch that torch_npu has fast versions of."""

from .attention import MultiheadAttention
from .convolution import DCNv2, Focus, ModulatedDeformConv, PSROIPool, ROIAlign
from .dropout import (
    DropoutWithByteMask,
    NpuCachedDropout,
    NpuDropPath,
    NpuFairseqDropout,
    NpuPreGenDropout,
)
from .layers import (
    BiLSTM,
    ChannelShuffle,
    FastBatchNorm1d,
    FastBatchNorm2d,
    FastBatchNorm3d,
    FastSyncBatchNorm,
    FusedColorJitter,
    LabelSmoothingCrossEntropy,
    Mish,
    Prefetcher,
    SiLU,
    Swish,
)
from .quantised import LinearA8W8Quant, LinearQuant, LinearWeightQuant, QuantConv2d

__all__ = [
    "ChannelShuffle",
    "DropoutWithByteMask",
    "Focus",
    "LabelSmoothingCrossEntropy",
    "LinearA8W8Quant",
    "LinearQuant",
    "LinearWeightQuant",
    "ModulatedDeformConv",
    "MultiheadAttention",
    "NpuCachedDropout",
    "NpuDropPath",
    "NpuFairseqDropout",
    "PSROIPool",
    "Prefetcher",
    "QuantConv2d",
    "ROIAlign",
]
