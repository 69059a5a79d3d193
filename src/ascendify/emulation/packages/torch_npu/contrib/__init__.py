"""torch_npu.contrib: additional layers and functions, and transfer_to_npu."""

from .function import *
from .function import npu_ciou, npu_diou, npu_giou, npu_iou, npu_ptiou
from .module import *
from .module import (
    BiLSTM,
    DCNv2,
    FastBatchNorm1d,
    FastBatchNorm2d,
    FastBatchNorm3d,
    FastSyncBatchNorm,
    FusedColorJitter,
    Mish,
    SiLU,
    Swish,
)
