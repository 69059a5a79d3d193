"""Page-locked memory for DistributedDataParallel when it searches for unused parameters.

Its C++ reducer copies the list of used parameters through page-locked host memory, which only the
allocator of a real accelerator provides. After such a model is built, requests for page-locked
memory get ordinary memory from torch's own kernels. Before torch 2.10, C++ hooks do this (see
`_device/native_guard.py`).
"""

import torch
from torch.nn.parallel import DistributedDataParallel

from .._device import dispatcher, guard

_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_serving = []
_last_handed_out = set()


def _allocate(operator):
    stock = torch.library.get_kernel("aten::" + operator, "CPU")

    def allocate(*arguments, pin_memory=None, **named):
        tensor = stock.call_boxed(_CPU, *arguments, pin_memory=False, **named)
        if pin_memory:
            _last_handed_out.clear()
            _last_handed_out.add(tensor.data_ptr())
        return tensor

    return allocate


def _is_pinned(tensor, device=None):
    return tensor.data_ptr() in _last_handed_out


def _serve_page_locked_memory():
    if _serving:
        return
    _serving.append(True)
    for operator in ("empty.memory_format", "empty_strided"):
        dispatcher.implement(f"aten::{operator}", _allocate(operator), "CPU")
    dispatcher.implement("aten::is_pinned", _is_pinned, "CPU")


def install():
    """Watch for models whose reducer uses that list, also for static graphs."""
    if not guard.takes_hooks_from_python():
        return
    stock = DistributedDataParallel._ddp_init_helper

    def _ddp_init_helper(self, *arguments, **named):
        on_npu = any(parameter.device.type == "npu" for parameter in self.module.parameters())
        if on_npu and (self.find_unused_parameters or self.static_graph):
            _serve_page_locked_memory()
        return stock(self, *arguments, **named)

    set_static = DistributedDataParallel._set_static_graph

    def _set_static_graph(self):
        if any(parameter.device.type == "npu" for parameter in self.module.parameters()):
            _serve_page_locked_memory()
        return set_static(self)

    DistributedDataParallel._ddp_init_helper = _ddp_init_helper
    DistributedDataParallel._set_static_graph = _set_static_graph
