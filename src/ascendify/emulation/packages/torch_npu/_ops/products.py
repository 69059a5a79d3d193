"""npu_* operators around matrix products and convolutions."""

import torch
import torch.nn.functional as F


def npu_linear(input, weight, bias=None):
    """F.linear."""
    return F.linear(input, weight, bias)


def npu_bmmV2(self, mat2, output_sizes):
    """matmul, viewed as output_sizes when these are given."""
    product = torch.matmul(self, mat2)
    return product.view(output_sizes) if len(output_sizes) else product


def npu_conv2d(input, weight, bias, stride, padding, dilation, groups):
    """F.conv2d."""
    return F.conv2d(input, weight, bias, stride, padding, dilation, groups)


def npu_conv3d(input, weight, bias, stride, padding, dilation, groups):
    """F.conv3d."""
    return F.conv3d(input, weight, bias, stride, padding, dilation, groups)


def npu_convolution(input, weight, bias, stride, padding, dilation, groups):
    """A convolution over as many dimensions as the weight has."""
    function = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[weight.dim()]
    return function(input, weight, bias, stride, padding, dilation, groups)


def npu_conv_transpose2d(input, weight, bias, padding, output_padding, stride, dilation, groups):
    """F.conv_transpose2d."""
    return F.conv_transpose2d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def npu_convolution_transpose(
    input, weight, bias, padding, output_padding, stride, dilation, groups
):
    """A transposed convolution over as many dimensions as the weight has."""
    function = {3: F.conv_transpose1d, 4: F.conv_transpose2d, 5: F.conv_transpose3d}[weight.dim()]
    return function(input, weight, bias, stride, padding, output_padding, groups, dilation)


def npu_deformable_conv2d(
    input,
    weight,
    offset,
    bias,
    kernel_size,
    stride,
    padding,
    dilation=(1, 1, 1, 1),
    groups=1,
    deformable_groups=1,
    modulated=True,
):
    """A convolution that samples at shifted places; the samples are returned too.

    offset holds all shifts in x, then all in y, then the weights of the samples, each for
    deformable_groups times the places of the kernel.
    """
    samples = _sampled(
        input, offset, kernel_size, stride[2:], padding, dilation[2:], deformable_groups, modulated
    )
    return F.conv2d(samples, weight, bias, stride=list(kernel_size), groups=groups), samples


def _sampled(input, offset, kernel, stride, padding, dilation, groups, modulated):
    batch, channels, height, width = input.shape
    top, bottom, left, right = (
        padding if len(padding) == 4 else (padding[0],) * 2 + (padding[1],) * 2
    )
    places = kernel[0] * kernel[1]
    rows = (height + top + bottom - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
    columns = (width + left + right - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1
    shifts = offset.view(batch, -1, groups, places, rows, columns)
    kernel_y = (torch.arange(kernel[0]) * dilation[0]).repeat_interleave(kernel[1])
    kernel_x = (torch.arange(kernel[1]) * dilation[1]).repeat(kernel[0])
    start_y = (torch.arange(rows) * stride[0] - top).view(1, rows, 1)
    start_x = (torch.arange(columns) * stride[1] - left).view(1, 1, columns)
    y = (kernel_y.view(-1, 1, 1) + start_y).to(offset) + shifts[:, 1]
    x = (kernel_x.view(-1, 1, 1) + start_x).to(offset) + shifts[:, 0]
    # grid_sample without corner alignment reads pixel p at (2p + 1) / size - 1
    grid = torch.stack([(2 * x + 1) / width - 1, (2 * y + 1) / height - 1], -1)
    per_group = channels // groups
    taken = F.grid_sample(
        input.reshape(batch * groups, per_group, height, width),
        grid.reshape(batch * groups, places * rows, columns, 2),
        align_corners=False,
    ).view(batch, groups, per_group, places, rows, columns)
    if modulated:
        taken = taken * shifts[:, 2].unsqueeze(2)
    taken = taken.reshape(batch, channels, kernel[0], kernel[1], rows, columns)
    return taken.permute(0, 1, 4, 2, 5, 3).reshape(
        batch, channels, rows * kernel[0], columns * kernel[1]
    )
