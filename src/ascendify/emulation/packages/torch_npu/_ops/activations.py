"""npu_* activations, gated units and rotary embeddings."""

import torch
import torch.nn.functional as F


def npu_silu(self):
    """F.silu."""
    return F.silu(self)


def npu_silu_(self):
    """F.silu in place."""
    return F.silu(self, inplace=True)


def npu_gelu(self, *, approximate="none"):
    """F.gelu."""
    return F.gelu(self, approximate=approximate)


def npu_fast_gelu(self):
    """X * sigmoid(1.702 x)."""
    return self * torch.sigmoid(1.702 * self)


fast_gelu = npu_fast_gelu


def npu_gelu_mul(input, *, approximate="none"):
    """Gelu of the first half times the second half."""
    left, right = input.chunk(2, -1)
    return F.gelu(left, approximate=approximate) * right


def npu_mish(self):
    """F.mish."""
    return F.mish(self)


def npu_swiglu(self, dim=-1):
    """Silu of the first half times the second half."""
    left, right = self.chunk(2, dim)
    return F.silu(left) * right


def npu_geglu(self, dim=-1, approximate=1, activate_left=False):
    """One half times gelu of the other, and that gelu."""
    left, right = self.chunk(2, dim)
    gate, other = (left, right) if activate_left else (right, left)
    activated = F.gelu(gate, approximate="tanh" if approximate else "none")
    return other * activated, activated


_MOST_ROTATED = 896
"""The last dimension of what is rotated must be smaller."""


def _rotated(x, mode, name):
    if mode in ("half", 0):
        left, right = x.chunk(2, -1)
        return torch.cat([-right, left], -1)
    if mode in ("interleave", 1):
        return torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    raise NotImplementedError("%s: rotary_mode %r is not emulated" % (name, mode))


def npu_rotary_mul(self, r1, r2, rotary_mode="half", rotate=None):
    """X * cos + rotate(x) * sin, of the shapes and types that the operator takes."""
    sizes = [tensor.dim() for tensor in (self, r1, r2)]
    if sizes != [4, 4, 4]:
        raise RuntimeError(
            "npu_rotary_mul: input, r1 and r2 must have 4 dimensions, but have %d, %d and %d"
            % tuple(sizes)
        )
    if self.shape[-1] % 2 or self.shape[-1] >= _MOST_ROTATED:
        raise RuntimeError(
            "npu_rotary_mul: the last dimension must be even and below %d, but is %d"
            % (_MOST_ROTATED, self.shape[-1])
        )
    turned = _rotated(self, rotary_mode, "npu_rotary_mul") if rotate is None else self @ rotate
    return (self * r1 + turned * r2).to(self.dtype)


def npu_apply_rotary_pos_emb(query, key, cos, sin, layout="BSND", rotary_mode="half"):
    """npu_rotary_mul of query and key, written into them."""
    for tensor in (query, key):
        tensor.copy_(npu_rotary_mul(tensor, cos, sin, rotary_mode))
    return query, key


def npu_interleave_rope(x, cos, sin):
    """Even and odd elements brought into two halves, then rotated by halves."""
    halves = torch.cat([x[..., ::2], x[..., 1::2]], -1)
    return npu_rotary_mul(halves, cos, sin)
