"""npu_* operators of detection models: overlaps, coders, suppression, pooling of regions."""

import math

import torch


def _overlap(bboxes, gtboxes):
    """Areas: intersections (gtboxes x bboxes), of the boxes, of the true boxes."""
    top = torch.maximum(gtboxes[:, None, :2], bboxes[None, :, :2])
    bottom = torch.minimum(gtboxes[:, None, 2:], bboxes[None, :, 2:])
    inside = (bottom - top).clamp(min=0).prod(-1)
    area = (bboxes[:, 2] - bboxes[:, 0]) * (bboxes[:, 3] - bboxes[:, 1])
    true_area = (gtboxes[:, 2] - gtboxes[:, 0]) * (gtboxes[:, 3] - gtboxes[:, 1])
    return inside, area[None, :], true_area[:, None]


def _ratio(bboxes, gtboxes, mode, above):
    inside, area, true_area = _overlap(bboxes.float(), gtboxes.float())
    whole = true_area if mode == 1 else area + true_area - inside
    return ((inside + above) / (whole + 0.001)).to(bboxes.dtype)


def npu_iou(bboxes, gtboxes, mode=0):
    """Overlap of every true box (rows) with every box: over the union, or (1) the true box."""
    return _ratio(bboxes, gtboxes, mode, 0.001)


def npu_ptiou(bboxes, gtboxes, mode=0):
    """npu_iou without the small constant in the numerator."""
    return _ratio(bboxes, gtboxes, mode, 0.0)


def _corners(boxes, trans, is_cross, axis):
    x, y, width, height = boxes.unsqueeze(axis) if is_cross else boxes
    if not trans:
        return x, y, width, height
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _pairs(name, boxes, gtboxes, trans, is_cross, mode):
    if mode != 0:
        raise NotImplementedError("%s(mode=%s) is not emulated" % (name, mode))
    if is_cross:
        boxes, gtboxes = boxes.unsqueeze(2), gtboxes.unsqueeze(1)
    return _corners(boxes, trans, False, 0), _corners(gtboxes, trans, False, 0)


def _intersection(one, two):
    width = torch.minimum(one[2], two[2]) - torch.maximum(one[0], two[0])
    height = torch.minimum(one[3], two[3]) - torch.maximum(one[1], two[1])
    return width.clamp(min=0) * height.clamp(min=0)


def npu_giou(self, gtboxes, trans=False, is_cross=False, mode=0):
    """Generalised overlap of boxes in columns (4 x n): n x 1, or n x m of every pair."""
    one, two = _pairs("npu_giou", self, gtboxes, trans, is_cross, mode)
    inside = _intersection(one, two)
    whole = _area(one) + _area(two) - inside + 1e-16
    around = (torch.maximum(one[2], two[2]) - torch.minimum(one[0], two[0])).abs() * (
        torch.maximum(one[3], two[3]) - torch.minimum(one[1], two[1])
    ).abs()
    result = inside / whole - (around - whole) / around
    return result if is_cross else result.unsqueeze(1)


def _area(corners, small=0.0):
    return (corners[2] - corners[0]) * (corners[3] - corners[1] + small)


def _distance_part(one, two):
    small = 1e-9
    inside = _intersection(one, two)
    whole = _area(one, small) + _area(two, small) - inside + small
    width = torch.maximum(one[2], two[2]) - torch.minimum(one[0], two[0])
    height = torch.maximum(one[3], two[3]) - torch.minimum(one[1], two[1])
    apart = (two[0] + two[2] - one[0] - one[2]) ** 2 + (two[1] + two[3] - one[1] - one[3]) ** 2
    overlap = inside / whole
    return overlap, overlap - apart / 4 / (width**2 + height**2 + small)


def npu_diou(self, gtboxes, trans=False, is_cross=False, mode=0):
    """Overlap less the distance of the centres, boxes in columns: 1 x n, or n x m of every pair."""
    result = _distance_part(*_pairs("npu_diou", self, gtboxes, trans, is_cross, mode))[1]
    return result if is_cross else result.unsqueeze(0)


def npu_ciou(self, gtboxes, trans=False, is_cross=True, mode=0, atan_sub_flag=False):
    """npu_diou less a term for the shape; one to one only, as on the NPU: 1 x n."""
    if is_cross:
        raise RuntimeError("npu_ciou: is_cross=True is not supported; pass is_cross=False")
    small = 1e-9
    one, two = _pairs("npu_ciou", self, gtboxes, trans, False, mode)
    overlap, distance = _distance_part(one, two)
    angles = [
        torch.atan((corners[2] - corners[0]) / (corners[3] - corners[1] + small))
        for corners in (one, two)
    ]
    shape = 4 / math.pi**2 * (angles[1] - angles[0]) ** 2
    with torch.no_grad():
        weight = shape / (1 + small - overlap + shape)
    return (distance - weight * shape).unsqueeze(0)


def _centres(boxes):
    size = boxes[..., 2:] - boxes[..., :2] + 1
    return (boxes[..., :2] + boxes[..., 2:]) / 2, size


def npu_bounding_box_encode(
    anchor_box,
    ground_truth_box,
    means0,
    means1,
    means2,
    means3,
    stds0,
    stds1,
    stds2,
    stds3,
):
    """Encode normalised shifts and scales from anchors to true boxes; widths include both ends."""
    centre, size = _centres(anchor_box)
    true_centre, true_size = _centres(ground_truth_box)
    shift = torch.cat([(true_centre - centre) / size, (true_size / size).log()], -1)
    means = shift.new_tensor([means0, means1, means2, means3])
    return (shift - means) / shift.new_tensor([stds0, stds1, stds2, stds3])


def npu_bounding_box_decode(
    rois,
    deltas,
    means0,
    means1,
    means2,
    means3,
    stds0,
    stds1,
    stds2,
    stds3,
    max_shape,
    wh_ratio_clip,
):
    """Decode regions and results of npu_bounding_box_encode to boxes, cut to max_shape (h, w)."""
    scale = deltas.new_tensor([stds0, stds1, stds2, stds3])
    shift = deltas * scale + deltas.new_tensor([means0, means1, means2, means3])
    limit = abs(math.log(wh_ratio_clip))
    centre, size = _centres(rois)
    new_centre = centre + size * shift[..., :2]
    half = size * shift[..., 2:].clamp(-limit, limit).exp() / 2
    boxes = torch.cat([new_centre - half + 0.5, new_centre + half - 0.5], -1)
    if not len(max_shape):
        return boxes
    height, width = (max_shape[0], max_shape[-1])
    most = boxes.new_tensor([width - 1, height - 1, width - 1, height - 1])
    return torch.minimum(boxes.clamp(min=0), most)


def npu_yolo_boxes_encode(self, gt_bboxes, stride, performance_mode=False):
    """YOLO's targets: place within the cell (0 to 1) and logarithms of the sizes."""
    small = 1e-6
    stride = stride.unsqueeze(1).to(self.dtype)
    centre, true_centre = (self[:, :2] + self[:, 2:]) / 2, (gt_bboxes[:, :2] + gt_bboxes[:, 2:]) / 2
    size, true_size = self[:, 2:] - self[:, :2], gt_bboxes[:, 2:] - gt_bboxes[:, :2]
    place = ((true_centre - centre) / stride + 0.5).clamp(small, 1 - small)
    return torch.cat([place, (true_size / size).clamp(min=small).log()], 1)


def npu_anchor_response_flags(self, featmap_size, stride, num_base_anchors):
    """Return for each anchor of a feature map whether the centre of a true box is in its cell."""
    height, width = featmap_size
    x = ((self[:, 0] + self[:, 2]) / 2 / stride[0]).floor().long().clamp(0, width - 1)
    y = ((self[:, 1] + self[:, 3]) / 2 / stride[1]).floor().long().clamp(0, height - 1)
    cells = torch.zeros(height * width, dtype=torch.uint8, device=self.device)
    cells[y * width + x] = 1
    return cells.unsqueeze(1).expand(-1, num_base_anchors).reshape(-1)


def npu_random_choice_with_mask(x, count=256, seed=0, seed2=0):
    """Places of `count` true elements, drawn without repetition, and which rows are real."""
    places = x.nonzero()
    drawn = places[torch.randperm(places.shape[0], device=x.device)[:count]]
    if seed or seed2:
        own = torch.Generator().manual_seed(seed + (seed2 << 20))
        order = torch.randperm(places.shape[0], generator=own)[:count]
        drawn = places[order.to(x.device)]
    rows = drawn.new_zeros(count, x.dim())
    rows[: drawn.shape[0]] = drawn
    real = torch.arange(count, device=x.device) < drawn.shape[0]
    return rows.int(), real


def _kept(boxes, scores, threshold):
    """Return which boxes the suppression keeps, best first."""
    order = torch.argsort(scores, descending=True, stable=True)
    inside, area, true_area = _overlap(boxes[order], boxes[order])
    overlap = (inside / (area + true_area - inside).clamp(min=1e-12)).cpu()
    alive = torch.ones(len(order), dtype=torch.bool)
    for at in range(len(order)):
        if alive[at]:
            alive[at + 1 :] &= overlap[at, at + 1 :] <= threshold
    return order[alive.to(order.device)]


def npu_nms_with_mask(input, iou_threshold):
    """Rows (x0, y0, x1, y1, score), sorted already: the boxes, their numbers, which survive."""
    survivors = _kept(
        input[:, :4].float(), -torch.arange(len(input), device=input.device), float(iou_threshold)
    )
    mask = torch.zeros(len(input), dtype=torch.uint8, device=input.device)
    mask[survivors] = 1
    return input, torch.arange(len(input), dtype=torch.int32, device=input.device), mask


def npu_nms_v4(
    self, scores, max_output_size, iou_threshold, scores_threshold, pad_to_max_output_size=False
):
    """Numbers of the boxes that survive, best first, and how many there are."""
    good = (scores > scores_threshold).nonzero().view(-1)
    chosen = good[_kept(self[good].float(), scores[good].float(), float(iou_threshold))]
    chosen = chosen[: int(max_output_size)].int()
    number = torch.tensor(len(chosen), dtype=torch.int32, device=self.device)
    if pad_to_max_output_size:
        padded = chosen.new_zeros(int(max_output_size))
        padded[: len(chosen)] = chosen
        chosen = padded
    return chosen, number


def npu_batch_nms(
    self,
    scores,
    score_threshold,
    iou_threshold,
    max_size_per_class,
    max_total_size,
    change_coordinate_frame=False,
    transpose_box=False,
):
    """Suppression per image and class: boxes, scores, classes and their number, filled with zeros.

    Boxes are (images, boxes, 1 or classes, 4), scores (images, boxes, classes).
    """
    if change_coordinate_frame or transpose_box:
        raise NotImplementedError(
            "npu_batch_nms with change_coordinate_frame or transpose_box is not emulated"
        )
    results = [
        _image_nms(boxes, score, score_threshold, iou_threshold, max_size_per_class, max_total_size)
        for boxes, score in zip(self, scores)
    ]
    return tuple(torch.stack(some) for some in zip(*results))


def _image_nms(boxes, scores, least, threshold, per_class, total):
    found = []
    for kind in range(scores.shape[1]):
        own = boxes[:, kind if boxes.shape[1] > 1 else 0]
        good = (scores[:, kind] > least).nonzero().view(-1)
        chosen = good[_kept(own[good].float(), scores[good, kind].float(), threshold)][:per_class]
        found.append(
            (own[chosen], scores[chosen, kind], torch.full_like(scores[chosen, kind], kind))
        )
    all_boxes, all_scores, all_kinds = (torch.cat(some) for some in zip(*found))
    best = torch.argsort(all_scores, descending=True, stable=True)[:total]
    rows = []
    for values in (all_boxes[best], all_scores[best], all_kinds[best]):
        row = values.new_zeros((total,) + tuple(values.shape[1:]))
        row[: len(best)] = values
        rows.append(row)
    return (*rows, torch.tensor(len(best), dtype=torch.int32, device=boxes.device))


def npu_roi_align(self, rois, spatial_scale, pooled_height, pooled_width, sample_num, roi_end_mode):
    """Bilinear samples of regions (image, x0, y0, x1, y1), averaged within each of their cells.

    roi_end_mode 0 takes regions as they are, 1 counts their last pixel in, 3 shifts them by half a
    pixel.
    """
    if roi_end_mode not in (0, 1, 3):
        raise NotImplementedError("npu_roi_align(roi_end_mode=%s) is not emulated" % roi_end_mode)
    pooled = [
        _pool(
            self[int(roi[0])],
            roi[1:],
            spatial_scale,
            (pooled_height, pooled_width),
            sample_num,
            roi_end_mode,
        )
        for roi in rois
    ]
    shape = (0, self.shape[1], pooled_height, pooled_width)
    return torch.stack(pooled) if pooled else self.new_empty(shape)


def _pool(image, roi, scale, cells, samples, mode):
    x0, y0, x1, y1 = ((corner * scale) for corner in roi.float())
    if mode == 1:
        x1, y1 = x1 + scale, y1 + scale
    if mode == 3:
        x0, y0, x1, y1 = x0 - 0.5, y0 - 0.5, x1 - 0.5, y1 - 0.5
    height, width = y1 - y0, x1 - x0
    if mode != 3:
        height, width = height.clamp(min=1), width.clamp(min=1)
    per_row = samples or max(1, math.ceil(float(height) / cells[0]))
    per_column = samples or max(1, math.ceil(float(width) / cells[1]))
    y = y0 + (torch.arange(cells[0] * per_row, device=image.device) + 0.5) * height / (
        cells[0] * per_row
    )
    x = x0 + (torch.arange(cells[1] * per_column, device=image.device) + 0.5) * width / (
        cells[1] * per_column
    )
    values = _bilinear(image, y, x)
    values = values.view(image.shape[0], cells[0], per_row, cells[1], per_column)
    return values.mean((2, 4)).to(image.dtype)


def _bilinear(image, y, x):
    """Values at the places y by x; nothing more than a pixel outside of the image."""
    height, width = image.shape[1:]
    outside = ((y < -1) | (y > height)).unsqueeze(1) | ((x < -1) | (x > width)).unsqueeze(0)
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    low_y, low_x = y.floor().long(), x.floor().long()
    high_y, high_x = (low_y + 1).clamp(max=height - 1), (low_x + 1).clamp(max=width - 1)
    part_y, part_x = (y - low_y).unsqueeze(1), (x - low_x).unsqueeze(0)
    values = (
        image[:, low_y][:, :, low_x] * (1 - part_y) * (1 - part_x)
        + image[:, low_y][:, :, high_x] * (1 - part_y) * part_x
        + image[:, high_y][:, :, low_x] * part_y * (1 - part_x)
        + image[:, high_y][:, :, high_x] * part_y * part_x
    )
    return values.masked_fill(outside, 0.0)


def npu_ps_roi_pooling(self, rois, spatial_scale, group_size, output_dim):
    """Position sensitive means: cell (i, j) of a region looks at its own group of channels.

    rois is (images, 5, regions): image, x0, y0, x1, y1.
    """
    results = []
    for roi in rois.transpose(1, 2).reshape(-1, 5).tolist():
        image = self[int(roi[0])] if int(roi[0]) < len(self) else torch.zeros_like(self[0])
        results.append(_position_sensitive(image, roi[1:], spatial_scale, group_size, output_dim))
    return torch.stack(results)


def _position_sensitive(image, roi, scale, cells, channels):
    x0, y0 = (round(corner) * scale for corner in roi[:2])
    x1, y1 = ((round(corner) + 1) * scale for corner in roi[2:])
    height, width = max(y1 - y0, 0.1) / cells, max(x1 - x0, 0.1) / cells
    pooled = image.new_zeros(channels, cells, cells)
    groups = image.view(channels, cells, cells, *image.shape[1:])
    for row in range(cells):
        top = min(max(math.floor(y0 + row * height), 0), image.shape[1])
        bottom = min(max(math.ceil(y0 + (row + 1) * height), 0), image.shape[1])
        for column in range(cells):
            left = min(max(math.floor(x0 + column * width), 0), image.shape[2])
            right = min(max(math.ceil(x0 + (column + 1) * width), 0), image.shape[2])
            if bottom > top and right > left:
                part = groups[:, row, column, top:bottom, left:right]
                pooled[:, row, column] = part.mean((1, 2))
    return pooled
