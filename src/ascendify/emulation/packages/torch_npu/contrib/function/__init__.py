"""torch_npu.contrib.function: helpers of detection models and transformers."""

from .attention import (
    dropout_with_byte_mask,
    fuse_add_softmax_dropout,
    matmul_transpose,
    npu_fused_attention,
    npu_fused_attention_with_layernorm,
)
from .boxes import (
    npu_batched_multiclass_nms,
    npu_bbox_coder_decode_xywh2xyxy,
    npu_bbox_coder_encode_xyxy2xywh,
    npu_bbox_coder_encode_yolo,
    npu_ciou,
    npu_diou,
    npu_giou,
    npu_iou,
    npu_multiclass_nms,
    npu_ptiou,
    npu_single_level_responsible_flags,
)
from .index_op import npu_fast_condition_index_put, roll

__all__ = [
    "dropout_with_byte_mask",
    "fuse_add_softmax_dropout",
    "matmul_transpose",
    "npu_batched_multiclass_nms",
    "npu_bbox_coder_decode_xywh2xyxy",
    "npu_bbox_coder_encode_xyxy2xywh",
    "npu_bbox_coder_encode_yolo",
    "npu_fast_condition_index_put",
    "npu_fused_attention",
    "npu_fused_attention_with_layernorm",
    "npu_multiclass_nms",
    "npu_single_level_responsible_flags",
    "roll",
]
