"""Arguments of kernels that are no plain tensors."""

import torch

_Tensor = torch.Tensor


def host_unusual(tensor, where, host_other):
    """Nothing, a number that stands for a tensor without dimensions, or a subclass of Tensor.

    Args:
        tensor: What a kernel was given.
        where: The name of the argument.
        host_other: Makes a cpu tensor of a subclass of Tensor, from it and the name.
    """
    if not isinstance(tensor, _Tensor):
        return tensor
    # the getters of a subclass would call back into its __torch_function__
    with torch._C.DisableTorchFunctionSubclass():
        return host_other(tensor, where)
