"""npu_* operators that move, cut, cast and index."""

import torch
import torch.nn.functional as F

# numbers of torch's dtypes in C++, which npu_dtype_cast accepts as well as dtypes
_NUMBERED = {
    0: torch.uint8,
    1: torch.int8,
    2: torch.int16,
    3: torch.int32,
    4: torch.int64,
    5: torch.float16,
    6: torch.float32,
    7: torch.float64,
    9: torch.complex64,
    10: torch.complex128,
    11: torch.bool,
    15: torch.bfloat16,
}


def npu_confusion_transpose(self, perm, shape, transpose_first):
    """Permute and reshape in one, in either order."""
    if transpose_first:
        return self.permute(*perm).contiguous().view(shape)
    return self.reshape(shape).permute(*perm)


def npu_transpose(self, perm, require_contiguous=True):
    """permute, then contiguous if required."""
    moved = self.permute(*perm)
    return moved.contiguous() if require_contiguous else moved


def npu_reshape(self, shape, can_refresh=False):
    """Reshape into new memory."""
    return self.reshape(shape).clone()


def npu_slice(self, offsets, size):
    """A box of a tensor: where it begins and how large it is; -1 is all that is left."""
    part = self
    for axis, (start, length) in enumerate(zip(offsets, size)):
        part = part.narrow(axis, start, self.shape[axis] - start if length == -1 else length)
    return part.clone()


def npu_pad(input, paddings):
    """Pad with zeros; paddings names (before, after) from the first dimension on."""
    pairs = [paddings[at : at + 2] for at in range(0, len(paddings), 2)]
    return F.pad(input, [number for pair in reversed(pairs) for number in pair])


def npu_broadcast(self, size):
    """Expand into new memory."""
    return self.expand(size).clone()


def npu_max(self, dim, keepdim=False):
    """Largest values along a dimension and where they are (int32)."""
    values, indices = torch.max(self, dim, keepdim)
    return values, indices.int()


def npu_min(self, dim, keepdim=False):
    """Smallest values along a dimension and where they are (int32)."""
    values, indices = torch.min(self, dim, keepdim)
    return values, indices.int()


def npu_stride_add(self, other, offset1, offset2, c1_len):
    """Add c1_len blocks of 16 channels of two NC1HWC0 tensors, each from its own block on."""
    length = int(c1_len) * 16
    first, second = int(offset1) * 16, int(offset2) * 16
    left = F.pad(self, [0, 0, 0, 0, 0, max(0, first + length - self.shape[1])])
    right = F.pad(other, [0, 0, 0, 0, 0, max(0, second + length - other.shape[1])])
    return left[:, first : first + length] + right[:, second : second + length]


def npu_stride_copy(self, shape, stride, storage_offset):
    """as_strided into new memory."""
    return self.as_strided(shape, stride, int(storage_offset)).clone()


def npu_indexing(
    self,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """A strided slice as TensorFlow has it; steps are positive."""
    index = []
    for at, (start, stop, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << at
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(start)
        else:
            index.append(
                slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)
            )
    return self[tuple(index)].clone()


def npu_dtype_cast(self, dtype, input_dtype=None):
    """Cast to a dtype, given as dtype or as its number in C++."""
    return self.to(_dtype(dtype))


def npu_dtype_cast_(self, src):
    """Copy the values of another tensor, cast to this tensor's dtype."""
    return self.copy_(src)


def _dtype(wanted):
    if isinstance(wanted, torch.dtype):
        return wanted
    if wanted not in _NUMBERED:
        raise NotImplementedError("npu_dtype_cast: the emulation has no dtype number %s" % wanted)
    return _NUMBERED[wanted]


def npu_sort_v2(self, dim=-1, descending=False):
    """Sorted values only."""
    return torch.sort(self, dim, descending).values


def npu_scatter(self, indices, updates, dim):
    """Write rows of updates along dim to the positions in indices."""
    return self.scatter(dim, indices.long().unsqueeze(dim), updates.unsqueeze(dim))


def npu_scatter_nd_update(self, indices, updates):
    """Return a copy with updates at the positions in the rows of indices."""
    return npu_scatter_nd_update_(self.clone(), indices, updates)


def npu_scatter_nd_update_(self, indices, updates):
    """npu_scatter_nd_update in place."""
    self[tuple(indices.long().unbind(-1))] = updates
    return self


def scatter_update(self, indices, updates, axis):
    """A copy of caches with each batch's update written from its own position along axis on."""
    return scatter_update_(self.clone(), indices, updates, axis)


def scatter_update_(self, indices, updates, axis):
    """scatter_update in place."""
    axis = axis % self.dim()
    for batch, start in enumerate(indices.view(-1).tolist()):
        length = updates.shape[axis]
        self[batch].narrow(axis - 1, int(start), length).copy_(updates[batch])
    return self


def npu_view_copy(self, other, non_blocking):
    """copy_."""
    return self.copy_(other, non_blocking)


def npu_masked_fill_range(self, start, end, value, axis=-1):
    """Write value[i] between start[i][j] and end[i][j] along axis, for every row j."""
    axis = axis % self.dim()
    filled = self.clone()
    for which in range(start.shape[0]):
        for row, (first, last) in enumerate(zip(start[which].tolist(), end[which].tolist())):
            target = filled[row].unsqueeze(0) if axis else filled
            target.narrow(axis, first, last - first).fill_(value[which].item())
    return filled


def npu_one_hot(self, num_classes=-1, depth=1, on_value=1, off_value=0):
    """One more dimension of length depth with on_value where the number is, as float32."""
    places = torch.arange(depth, device=self.device)
    hit = self.unsqueeze(-1) == places
    on = torch.full((), float(on_value), device=self.device)
    return torch.where(hit, on, torch.full((), float(off_value), device=self.device))


def npu_sign_bits_pack(self, size):
    """Signs of eight numbers in one byte (1: not negative), in `size` rows."""
    if self.dim() != 1:
        raise RuntimeError("npu_sign_bits_pack takes one dimension, not %d" % self.dim())
    bits = F.pad((self >= 0).to(torch.uint8), [0, -self.numel() % 8], value=0).view(-1, 8)
    weights = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.int32, device=self.device)
    return (bits.int() * weights).sum(1).to(torch.uint8).view(size, -1)


def npu_sign_bits_unpack(input, size, dtype):
    """1 and -1 from the bits of bytes, in `size` rows."""
    shifts = torch.arange(8, dtype=torch.int32, device=input.device)
    bits = (input.view(-1, 1).int() >> shifts) & 1
    return (bits.to(dtype) * 2 - 1).view(size, -1)


def npu_moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """Sort tokens by their expert; return them and the new position of each."""
    if padded_mode:
        raise NotImplementedError("npu_moe_token_permute(padded_mode=True) is not emulated")
    chosen = 1 if indices.dim() == 1 else indices.shape[1]
    order = torch.argsort(indices.reshape(-1), stable=True)
    kept = order[: num_out_tokens or None]
    return tokens.index_select(0, kept // chosen), torch.argsort(order, stable=True).int()


def npu_moe_token_unpermute(
    permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None
):
    """Restore the order of tokens, weighted by probs and summed over the experts."""
    if padded_mode:
        raise NotImplementedError("npu_moe_token_unpermute(padded_mode=True) is not emulated")
    chosen = 1 if probs is None else probs.shape[1]
    width = permuted_tokens.shape[-1]
    rows = F.pad(permuted_tokens, [0, 0, 0, sorted_indices.numel() - permuted_tokens.shape[0]])
    back = rows.index_select(0, sorted_indices.long()).view(-1, chosen, width)
    if probs is not None:
        back = back * probs.unsqueeze(-1).to(back.dtype)
    return back.sum(1)


def one_(self):
    """Fill with ones."""
    return self.fill_(1)
