"""Arguments of kernels that are not plain tensors."""

import torch

_Tensor = torch.Tensor


def host_unusual(tensor, where, host_other):
    """Convert None, a number in place of a scalar tensor, or a subclass of Tensor for a cpu kernel.

    Args:
        tensor: The argument of the kernel.
        where: The name of the argument.
        host_other: Function that makes a cpu tensor from a subclass of Tensor and the name.
    """
    if not isinstance(tensor, _Tensor):
        return tensor
    # the getters of a subclass would call back into its __torch_function__
    with torch._C.DisableTorchFunctionSubclass():
        return host_other(tensor, where)
