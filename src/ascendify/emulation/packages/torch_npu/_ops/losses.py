"""npu_* softmaxes, losses and dropouts."""

import torch
import torch.nn.functional as F

_MASKED = -10000.0


def npu_scaled_masked_softmax(x, mask, scale=1, fixed_triu_mask=False):
    """softmax(x * scale) with -10000 where the mask is true, or above the diagonal."""
    if fixed_triu_mask:
        mask = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
    scores = (x.float() * scale).masked_fill(mask.bool(), _MASKED)
    return F.softmax(scores, -1).to(x.dtype)


def npu_softmax_cross_entropy_with_logits(self, labels):
    """-sum(labels * log_softmax) for each row."""
    return -(labels * F.log_softmax(self, -1)).sum(-1)


def npu_cross_entropy_loss(
    input,
    target,
    weight=None,
    reduction="mean",
    ignore_index=-100,
    label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0,
    return_zloss=False,
):
    """F.cross_entropy, with the logarithms of the probabilities; two empty tensors for z-loss."""
    if lse_square_scale_for_zloss or return_zloss:
        raise NotImplementedError(
            "npu_cross_entropy_loss: z-loss is not emulated (nor supported by torch_npu yet)"
        )
    loss = F.cross_entropy(
        input,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    )
    return loss, F.log_softmax(input, -1), input.new_empty(0), input.new_empty(0)


def _keep_mask(shape, p, device):
    return torch.rand(tuple(shape), device=device) >= p


def npu_dropout_gen_mask(size, p, *, dtype=None, layout=None, device=None, pin_memory=None):
    """Random bits, eight to a byte: 1 keeps an element."""
    from .layout import npu_sign_bits_pack

    length = torch.Size(size).numel()
    keep = _keep_mask([length + -length % 128], p, device or "npu")
    return npu_sign_bits_pack(keep.float() - 0.5, 1).view(-1)


def npu_dropout_do_mask(self, mask, p):
    """Dropout with the bits of npu_dropout_gen_mask; the mask is returned too."""
    from .layout import npu_sign_bits_unpack

    bits = npu_sign_bits_unpack(mask, 1, torch.float32).view(-1)[: self.numel()]
    keep = (bits > 0).view(self.shape)
    return _dropped(self, keep, p), mask


def _dropped(x, keep, p):
    return x * keep.to(x.dtype) / (1 - p) if p < 1 else torch.zeros_like(x)


def _npu_dropout(self, p):
    """Dropout and the mask it used, eight elements to a byte."""
    mask = npu_dropout_gen_mask(self.shape, p, device=self.device)
    return npu_dropout_do_mask(self, mask, p)


def npu_dropout_with_add_softmax(self, x1, alpha, prob, dim):
    """softmax(x1 + alpha * self) and its dropout: mask, softmax, result."""
    softmax = F.softmax(x1 + alpha * self, dim)
    mask = npu_dropout_gen_mask(self.shape, prob, device=self.device)
    return mask, softmax, npu_dropout_do_mask(softmax, mask, prob)[0]
