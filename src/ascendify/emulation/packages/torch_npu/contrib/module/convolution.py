"""Layers of detection models."""

import math

import torch
from torch import nn
from torch.nn.modules.utils import _pair

from ..._ops.boxes import npu_ps_roi_pooling, npu_roi_align
from ..._ops.products import npu_deformable_conv2d


class ModulatedDeformConv(nn.Module):
    """A deformable convolution with weights for its samples (DCN v2)."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        deformable_groups=1,
        bias=True,
        pack=True,
    ):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = _pair(kernel_size)
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.groups, self.deformable_groups = groups, deformable_groups
        self.with_bias, self.pack = bias, pack
        shape = (out_channels, in_channels // groups) + tuple(self.kernel_size)
        self.weight = nn.Parameter(torch.empty(shape))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        places = self.kernel_size[0] * self.kernel_size[1]
        self.split_num = deformable_groups * 2 * places
        if pack:
            self.conv_offset = nn.Conv2d(
                in_channels,
                deformable_groups * 3 * places,
                kernel_size=self.kernel_size,
                stride=_pair(stride),
                padding=_pair(padding),
                bias=True,
            )
        self.init_param()

    def init_param(self):
        """Uniform weights; shifts that start at zero."""
        bound = 1.0 / math.sqrt(self.in_channels * self.kernel_size[0] * self.kernel_size[1])
        with torch.no_grad():
            self.weight.uniform_(-bound, bound)
            if self.bias is not None:
                self.bias.zero_()
            if self.pack:
                self.conv_offset.weight.zero_()
                self.conv_offset.bias.zero_()

    def forward(self, x):
        if self.pack:
            out = self.conv_offset(x)
            offset, mask = out[:, : self.split_num], torch.sigmoid(out[:, self.split_num :])
        else:
            x, offset, mask = x
        # shifts are pairs (y, x); the operator needs all of x, then all of y
        arranged = torch.cat([offset[:, 1::2], offset[:, ::2], mask], 1)
        stride, padding, dilation = _pair(self.stride), _pair(self.padding), _pair(self.dilation)
        output, _ = npu_deformable_conv2d(
            x,
            self.weight,
            arranged,
            self.bias,
            self.kernel_size,
            [1, 1, *stride],
            [padding[0], padding[0], padding[1], padding[1]],
            [1, 1, *dilation],
            self.groups,
            self.deformable_groups,
            True,
        )
        return output


DCNv2 = ModulatedDeformConv


class ROIAlign(nn.Module):
    """Regions (image, x0, y0, x1, y1) of a feature map, sampled to one size."""

    def __init__(self, output_size, spatial_scale, sampling_ratio, aligned=True):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(self, input_tensor, rois):
        if rois.dim() != 2 or rois.size(1) != 5:
            raise ValueError("Expected rois.dim() == 2 and rois.size(1) == 5")
        height, width = _pair(self.output_size)
        mode = 3 if self.aligned else 0
        return npu_roi_align(
            input_tensor.float(), rois, self.spatial_scale, height, width, self.sampling_ratio, mode
        )


class PSROIPool(nn.Module):
    """Position sensitive pooling of regions."""

    def __init__(
        self,
        pooled_height=7,
        pooled_width=7,
        spatial_scale=1 / 16.0,
        group_size=7,
        output_dim=22,
    ):
        super().__init__()
        if not pooled_height == pooled_width == group_size:
            raise ValueError("only pooled_height == pooled_width == group_size supported.")
        self.group_size = group_size
        self.spatial_scale = spatial_scale
        self.output_dim = output_dim

    def forward(self, features, rois):
        return npu_ps_roi_pooling(
            features, rois, self.spatial_scale, self.group_size, self.output_dim
        )


class _Convolution(nn.Module):
    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, act=True):
        super().__init__()
        padding = p if p is not None else k // 2 if isinstance(k, int) else [one // 2 for one in k]
        self.conv = nn.Conv2d(c1, c2, k, s, padding, groups=g, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.LeakyReLU(0.1, inplace=True) if act else nn.Identity()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Focus(nn.Module):
    """Every second pixel of rows and columns as channels, then a convolution (YOLO v5)."""

    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, act=True):
        super().__init__()
        self.conv = _Convolution(c1 * 4, c2, k, s, p, g, act)

    def forward(self, x):
        parts = [x[..., row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return self.conv(torch.cat(parts, 1))
