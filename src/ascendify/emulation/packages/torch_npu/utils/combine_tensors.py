"""Combine tensors in one block of memory, for fused optimizers."""

import torch

__all__ = ["get_part_combined_tensor", "is_combined_tensor_valid", "npu_combine_tensors"]


def npu_combine_tensors(list_of_tensor, require_copy_value=True):
    """Move tensors into one new flat tensor; the same objects become views of it."""
    if len(list_of_tensor) == 0:
        return None
    if any(tensor is None for tensor in list_of_tensor):
        raise RuntimeError("Tensors to combine must not have `None`.")
    dtype = list_of_tensor[0].dtype
    for tensor in list_of_tensor:
        if tensor.dtype != dtype:
            raise RuntimeError("Tensors to combine must have the same dtype.")
        if tensor.device.type != "npu":
            raise RuntimeError("Tensors to combine must be on NPU, got %s." % tensor.device.type)
        if not tensor.is_contiguous():
            raise RuntimeError("Tensors to combine must be contiguous.")
    total = sum(tensor.numel() for tensor in list_of_tensor)
    if total == 0:
        return None
    combined = torch.zeros(total, dtype=dtype, device="npu")
    start = 0
    with torch.no_grad():
        for tensor in list_of_tensor:
            part = combined[start : start + tensor.numel()].view(tensor.shape)
            if require_copy_value:
                part.copy_(tensor)
            tensor.data = part
            start += tensor.numel()
    return combined


def get_part_combined_tensor(combined_tensor, index, size):
    """Return elements index to index + size of a combined tensor, as a view."""
    if combined_tensor is None or size == 0:
        return None
    if index + size > combined_tensor.numel():
        raise RuntimeError(
            "(index + size) (%d) > torch_npu.get_storage_size(combined_tensor) (%d)"
            % (index + size, combined_tensor.numel())
        )
    return combined_tensor[index : index + size]


def is_combined_tensor_valid(combined_tensor, list_of_tensor):
    """Whether all tensors are still in the memory of the combined one."""
    if len(list_of_tensor) == 0:
        return True
    if combined_tensor is None:
        return False
    start = combined_tensor.data_ptr()
    end = start + combined_tensor.numel() * combined_tensor.element_size()
    return all(
        tensor is not None and start <= tensor.data_ptr() < end and tensor.is_contiguous()
        for tensor in list_of_tensor
    )
