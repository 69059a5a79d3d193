"""DistributedDataParallel's wish for page-locked memory, when it looks for unused parameters.

Its reducer in C++ copies the list of used parameters through page-locked host memory, which only
the allocator of a real accelerator can give. From the moment such a model is built, a request for
page-locked memory is served with ordinary memory. torch's own kernels do the allocation.
"""

import warnings

import torch
from torch.nn.parallel import DistributedDataParallel

_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_libraries = []
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
    if _libraries:
        return
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that a registered kernel is replaced
        for operator in ("empty.memory_format", "empty_strided"):
            library.impl(operator, _allocate(operator), "CPU", allow_override=True)
        library.impl("is_pinned", _is_pinned, "CPU", allow_override=True)


def install():
    """Watch for models whose reducer keeps the list; the graph is looked at before it is static."""
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
