"""Activations, recurrent layers, losses, batch norms and loading ahead."""

import random
import warnings

import torch
import torch.nn.functional as F
from torch import nn

from ..._ops.layout import npu_one_hot
from ..._ops.losses import npu_softmax_cross_entropy_with_logits


def _deprecated(name, instead):
    warnings.warn(
        "torch_npu.contrib.%s is deprecated. Please %s." % (name, instead),
        FutureWarning,
        stacklevel=3,
    )


class Mish(nn.Module):
    """torch.nn.Mish."""

    def __init__(self):
        super().__init__()
        _deprecated("module.Mish", "use torch.nn.Mish as a replacement")

    def forward(self, x):
        return F.mish(x)


class SiLU(nn.Module):
    """torch.nn.SiLU."""

    def __init__(self):
        super().__init__()
        _deprecated("module.SiLU", "use torch.nn.SiLU as a replacement")

    def forward(self, x):
        return F.silu(x)


Swish = SiLU


class BiLSTM(nn.Module):
    """Two LSTMs, one of them on the reversed sequence, with concatenated results."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        _deprecated("BiLSTM", "check the documentation for a replacement")
        self.fw_rnn = nn.LSTM(input_size, hidden_size, bidirectional=False)
        self.bw_rnn = nn.LSTM(input_size, hidden_size, bidirectional=False)

    def forward(self, inputs):
        forward, _ = self.fw_rnn(inputs)
        backward, _ = self.bw_rnn(torch.flip(inputs, [0]))
        return torch.cat((forward, torch.flip(backward, [0])), 2)


class ChannelShuffle(nn.Module):
    """The channels of two tensors in turn; in two halves, or as one tensor."""

    def __init__(self, in_channels, groups=2, split_shuffle=True):
        super().__init__()
        self.split_shuffle = split_shuffle
        self.group_len = in_channels // groups
        self.out_channels = torch.arange(in_channels).view(groups, -1).t().reshape(-1)

    def forward(self, x1, x2):
        joined = torch.cat([x1, x2], 1)
        mixed = joined.index_select(1, self.out_channels.to(joined.device))
        if not self.split_shuffle:
            return mixed
        return mixed[:, : self.group_len], mixed[:, self.group_len :]


class LabelSmoothingCrossEntropy(nn.Module):
    """Cross entropy whose targets leave smooth_factor to the other classes."""

    def __init__(self, num_classes=1000, smooth_factor=0.0):
        super().__init__()
        self.on_value = 1.0 - smooth_factor
        self.off_value = smooth_factor / (num_classes - 1)

    def forward(self, pred, target):
        wanted = npu_one_hot(target.int(), -1, pred.size(1), self.on_value, self.off_value)
        losses = npu_softmax_cross_entropy_with_logits(pred, wanted)
        return torch.mean(losses, [0], dtype=torch.float32)


class Prefetcher:
    """Batches of a loader, each moved to the NPU while the one before is used."""

    def __init__(self, loader, stream=None):
        self.loader = iter(loader)
        self.stream = stream if stream is not None else torch.npu.Stream()
        self.preload()

    def preload(self):
        """Fetch the next batch."""
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = self.next_target = None
            return
        with torch.npu.stream(self.stream):
            self.next_input = self.next_input.npu(non_blocking=True)
            self.next_target = self.next_target.npu(non_blocking=True)

    def next(self):
        """The batch fetched before, or (None, None) at the end."""
        torch.npu.current_stream().wait_stream(self.stream)
        batch = self.next_input, self.next_target
        if self.next_target is not None:
            self.preload()
        return batch


class _Int32Count:
    """Stores num_batches_tracked as int32, which makes these batch norms fast on an NPU."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked = self.num_batches_tracked.int()


class FastBatchNorm1d(_Int32Count, nn.BatchNorm1d):
    """torch.nn.BatchNorm1d."""


class FastBatchNorm2d(_Int32Count, nn.BatchNorm2d):
    """torch.nn.BatchNorm2d."""


class FastBatchNorm3d(_Int32Count, nn.BatchNorm3d):
    """torch.nn.BatchNorm3d."""


class FastSyncBatchNorm(_Int32Count, nn.SyncBatchNorm):
    """torch.nn.SyncBatchNorm."""


class FusedColorJitter(nn.Module):
    """Brightness, contrast, saturation and hue of an image (H x W x 3 or PIL) changed at random."""

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        _deprecated(
            "module.FusedColorJitter",
            "use torchvision.transforms.ColorJitter as a replacement",
        )
        self.brightness = _interval(brightness, "brightness")
        self.contrast = _interval(contrast, "contrast")
        self.saturation = _interval(saturation, "saturation")
        self.hue = _interval(hue, "hue", centre=0.0, limit=0.5)

    def forward(self, img):
        import numpy

        array = torch.from_numpy(numpy.array(img, dtype=numpy.float32))
        array = array * random.uniform(*self.brightness)  # noqa: S311
        mean = array.mean()
        array = (array - mean) * random.uniform(*self.contrast) + mean  # noqa: S311
        grey = (array * array.new_tensor([0.299, 0.587, 0.114])).sum(-1, keepdim=True)
        array = (array - grey) * random.uniform(*self.saturation) + grey  # noqa: S311
        array = _turn_hue(array, random.uniform(*self.hue))  # noqa: S311
        changed = array.clamp(0, 255).to(torch.uint8).numpy()
        return type(img).fromarray(changed) if hasattr(type(img), "fromarray") else changed


def _interval(value, name, centre=1.0, limit=None):
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError("If %s is a single number, it must be non negative." % name)
        value = (max(0.0, centre - value) if limit is None else -value, centre + value)
    if limit is not None and not -limit <= value[0] <= value[1] <= limit:
        raise ValueError("%s values should be between %s and %s" % (name, -limit, limit))
    return float(value[0]), float(value[1])


def _turn_hue(array, turn):
    """Rotate colours about the grey axis, in the space of the television standard YIQ."""
    import math

    to_yiq = array.new_tensor(
        [[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]]
    )
    cosine, sine = math.cos(2 * math.pi * turn), math.sin(2 * math.pi * turn)
    rotation = array.new_tensor([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
    return array @ (torch.linalg.inv(to_yiq) @ rotation @ to_yiq).t()
