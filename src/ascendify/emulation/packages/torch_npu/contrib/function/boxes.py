"""Overlaps, coders and suppression of boxes."""

import warnings

import torch

from ..._ops import boxes


def _deprecated(name, instead):
    warnings.warn(
        "torch_npu.contrib.%s is deprecated. Please use %s as a replacement." % (name, instead),
        FutureWarning,
        stacklevel=3,
    )


def _float(box):
    return box if box.dtype in (torch.float32, torch.float16) else box.float()


def npu_iou(boxes1, boxes2, mode="ptiou", is_normalized=False, normalized_scale=100.0):
    """Overlap of every pair of boxes (x0, y0, x1, y1): n x m."""
    _deprecated("npu_iou", "torch_npu.npu_iou or torch_npu.npu_ptiou")
    if mode not in ("iou", "ptiou"):
        raise ValueError("Expected mode in [iou, ptiou], not %r" % mode)
    boxes1, boxes2 = _float(boxes1), _float(boxes2)
    if is_normalized:
        boxes1, boxes2 = boxes1 * normalized_scale, boxes2 * normalized_scale
    function = boxes.npu_iou if mode == "iou" else boxes.npu_ptiou
    return function(boxes2, boxes1)


npu_ptiou = npu_iou


def npu_giou(boxes1, boxes2, is_permuted=True):
    """Generalised overlap of boxes (x, y, w, h), one to one: n x 1."""
    _deprecated("npu_giou", "torch_npu.npu_giou")
    if boxes1.shape != boxes2.shape:
        raise ValueError("Expected boxes1.shape == boxes2.shape")
    boxes1, boxes2 = _float(boxes1), _float(boxes2)
    if is_permuted:
        boxes1, boxes2 = boxes1.permute(1, 0), boxes2.permute(1, 0)
    return boxes.npu_giou(boxes1, boxes2, trans=True, is_cross=False)


def npu_diou(boxes1, boxes2, trans=True, is_cross=False, mode=0):
    """torch_npu.npu_diou."""
    _deprecated("function.npu_diou", "torch_npu.npu_diou")
    return boxes.npu_diou(boxes1, boxes2, trans, is_cross, mode)


def npu_ciou(boxes1, boxes2, trans=True, is_cross=False, mode=0):
    """torch_npu.npu_ciou."""
    _deprecated("function.npu_ciou", "torch_npu.npu_ciou")
    return boxes.npu_ciou(boxes1, boxes2, trans, is_cross, mode, True)


def npu_single_level_responsible_flags(featmap_size, gt_bboxes, stride, num_base_anchors):
    """Return which anchors of one feature map are responsible for a true box."""
    return boxes.npu_anchor_response_flags(
        _float(gt_bboxes), featmap_size, stride, num_base_anchors
    )


def _same_boxes(bboxes, others, name):
    if bboxes.size(0) != others.size(0):
        raise ValueError("Expected bboxes.size(0) == %s.size(0)" % name)
    if not bboxes.size(-1) == others.size(-1) == 4:
        raise ValueError("Expected bboxes.size(-1) == %s.size(-1) == 4" % name)
    return _float(bboxes), _float(others)


def npu_bbox_coder_encode_yolo(bboxes, gt_bboxes, stride):
    """YOLO's targets for anchors and true boxes."""
    bboxes, gt_bboxes = _same_boxes(bboxes, gt_bboxes, "gt_bboxes")
    return boxes.npu_yolo_boxes_encode(bboxes, gt_bboxes, stride.int(), performance_mode=False)


def npu_bbox_coder_encode_xyxy2xywh(
    bboxes, gt_bboxes, means=None, stds=None, is_normalized=False, normalized_scale=10000.0
):
    """Encode the shift and scale from boxes to true boxes."""
    bboxes, gt_bboxes = _same_boxes(bboxes, gt_bboxes, "gt_bboxes")
    if is_normalized:
        bboxes, gt_bboxes = bboxes * normalized_scale, gt_bboxes * normalized_scale
    means, stds = means or [0.0] * 4, stds or [1.0] * 4
    return boxes.npu_bounding_box_encode(bboxes, gt_bboxes, *means, *stds)


def npu_bbox_coder_decode_xywh2xyxy(
    bboxes, pred_bboxes, means=None, stds=None, max_shape=None, wh_ratio_clip=16 / 1000
):
    """Decode results of npu_bbox_coder_encode_xyxy2xywh to boxes."""
    bboxes, pred_bboxes = _same_boxes(bboxes, pred_bboxes, "pred_bboxes")
    means, stds = means or [0.0] * 4, stds or [1.0] * 4
    return boxes.npu_bounding_box_decode(
        bboxes, pred_bboxes, *means, *stds, max_shape or [9999, 9999], wh_ratio_clip
    )


def npu_multiclass_nms(
    multi_bboxes, multi_scores, score_thr=0.05, nms_thr=0.45, max_num=50, score_factors=None
):
    """Suppression for one image: boxes with scores, and classes; the last class is background."""
    factors = None if score_factors is None else score_factors.unsqueeze(0)
    found, classes = npu_batched_multiclass_nms(
        multi_bboxes.unsqueeze(0), multi_scores.unsqueeze(0), score_thr, nms_thr, max_num, factors
    )
    return found[0], classes[0]


def npu_batched_multiclass_nms(
    multi_bboxes, multi_scores, score_thr=0.05, nms_thr=0.45, max_num=50, score_factors=None
):
    """npu_multiclass_nms for several images."""
    scores = multi_scores[..., :-1]
    if score_factors is not None:
        scores = scores * score_factors[..., None]
    batch, number = scores.shape[:2]
    per_box = multi_bboxes.reshape(batch, number, -1, 4)
    found, best, classes, _ = boxes.npu_batch_nms(
        per_box.half(), scores.half(), score_thr, nms_thr, max_num, max_num
    )
    return torch.cat([found, best[..., None]], -1), classes
